import type { BehaviorId, Profile } from '../../spec/behaviors.ts'
import { limits, petStatuses, type QueryParameter, queryParameters } from '../../spec/operations.ts'
import type { PetStatus } from '../../spec/types.ts'
import { enumerate } from '../../errors.ts'
import { describeValue } from '../../validate.ts'

/** The compiler requires each parameter. */
export interface ListQuery extends Record<QueryParameter, unknown> {
  /** 0 to 100. */
  limit: number
  status: PetStatus | undefined
}

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9

/** An option that is the status of an error. All other options must be handled by name, or the code does not compile. */
export type ErrorStatus = `${4 | 5}${Digit}${Digit}`

export interface Rejection {
  rejected: ErrorStatus
  message: string
  /** The behavior and its option. */
  reason: string
}

const maxCached = 200
const maxCachedLength = 100

/** Returns a cached parser for the query of listPets. */
export function createReadListQuery(profile: Readonly<Profile>) {
  const cache = new Map<string, ListQuery | Rejection>()
  /** Reads a query, unless it came before. */
  return (query: string): ListQuery | Rejection => {
    const known = cache.get(query)
    if (known !== undefined) return known
    const read = readListQuery(query, profile)
    if (query.length <= maxCachedLength) {
      if (cache.size >= maxCached) cache.clear()
      cache.set(query, read)
    }
    return read
  }
}

function readListQuery(query: string, profile: Readonly<Profile>): ListQuery | Rejection {
  let parameters: [name: string, value: string][]
  try {
    parameters = query
      .split('&')
      .filter((part) => part !== '')
      .map(decodeParameter)
  } catch {
    return {
      rejected: '400',
      message: 'The query has an invalid percent-encoding.',
      reason: 'error.body',
    }
  }
  const unknown = parameters.find(([name]) => !isQueryParameter(name))
  const onUnknown = profile['list.unknown-parameter']
  if (unknown && onUnknown !== 'ignore') {
    const message = `Unknown parameter ${describeValue(unknown[0])}. The parameters are ${enumerate(queryParameters, 'and')}.`
    return rejection('list.unknown-parameter', onUnknown, message)
  }
  const limit = readLimit(valuesOf('limit', parameters), profile)
  if (typeof limit === 'object') return limit
  const status = readStatus(valuesOf('status', parameters), profile)
  if (typeof status === 'object') return status
  if (limit === 0 || status === 'none') return { limit: 0, status: undefined }
  return { limit, status }
}

/** "limit | integer | minimum 1, maximum 100 | 20" */
function readLimit(values: readonly string[], profile: Readonly<Profile>): number | Rejection {
  const repeated = profile['list.limit.repeated']
  let text = values[0]
  if (text === undefined) return limits.default
  if (values.length > 1) {
    if (repeated === 'default') return limits.default
    if (repeated === 'last') text = values.at(-1) as string
    else if (repeated !== 'first')
      return rejection('list.limit.repeated', repeated, 'limit was sent more than once.')
  }
  const { minimum, maximum } = limits
  const message = `limit must be an integer from ${minimum} to ${maximum}, but was ${describeValue(text)}.`
  if (!/^-?\d+$/.test(text)) return outOfRange('list.limit.not-an-integer', profile, message, 0)
  // Out of range beyond 2^53, too, where it is rounded.
  const limit = Number(text)
  if (limit < minimum) return outOfRange('list.limit.below-minimum', profile, message, minimum)
  if (limit > maximum) return outOfRange('list.limit.above-maximum', profile, message, maximum)
  return limit
}

function outOfRange(
  behavior: `list.limit.${'not-an-integer' | 'below-minimum' | 'above-maximum'}`,
  profile: Readonly<Profile>,
  message: string,
  nearest: number,
): number | Rejection {
  const option = profile[behavior]
  if (option === 'clamp') return nearest
  if (option === 'default') return limits.default
  if (option === 'empty') return 0
  return rejection(behavior, option, message)
}

/** @param option the status that the profile has. */
export function rejection(behavior: BehaviorId, option: ErrorStatus, message: string): Rejection {
  return { rejected: option, message, reason: `${behavior}=${option}` }
}

/** "Return only animals with this status." A repeated filter counts as an unknown status. */
function readStatus(
  values: readonly string[],
  profile: Readonly<Profile>,
): PetStatus | 'none' | undefined | Rejection {
  const value = values[0]
  if (value === undefined) return undefined
  if (values.length === 1 && isPetStatus(value)) return value
  const option = profile['list.status.unknown']
  if (option === 'empty') return 'none'
  if (option === 'ignore') return undefined
  const message =
    values.length > 1
      ? 'status was sent more than once.'
      : `status must be one of ${petStatuses.join(', ')}, but was ${describeValue(value)}.`
  return rejection('list.status.unknown', option, message)
}

export const isQueryParameter = (name: string): name is QueryParameter =>
  queryParameters.some((parameter) => parameter === name)

export const isPetStatus = (value: unknown): value is PetStatus =>
  petStatuses.some((status) => status === value)

function valuesOf(
  name: QueryParameter,
  parameters: readonly (readonly [string, string])[],
): string[] {
  return parameters.filter((parameter) => parameter[0] === name).map((parameter) => parameter[1])
}

/** @throws {URIError} when a percent sign starts no UTF-8 octets. */
function decodeParameter(part: string): [string, string] {
  const [name = '', ...value] = part.split('=')
  return [decode(name), decode(value.join('='))]
}

const decode = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '))
