import type { Issue } from '../../errors.ts'
import type { BehaviorId, Profile } from '../../spec/behaviors.ts'
import { limits, petStatuses } from '../../spec/operations.ts'
import type { PetStatus } from '../../spec/types.ts'
import { describeValue, issuesOf } from '../../validate.ts'
import { validators } from '../schemas/validators.gen.ts'

export interface ListQuery {
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
  const unknown = parameters.find(([name]) => name !== 'limit' && name !== 'status')
  const onUnknown = profile['list.unknown-parameter']
  if (unknown && onUnknown !== 'ignore') {
    const message = `Unknown parameter ${describeValue(unknown[0])}. The parameters are limit and status.`
    return rejection('list.unknown-parameter', onUnknown, message)
  }
  const text = limitOf(valuesOf('limit', parameters), profile)
  if (typeof text === 'object') return text
  const statuses = valuesOf('status', parameters)
  const sent = { limit: toNumber(text), ...(statuses.length > 0 && { status: statuses[0] }) }
  const issues = issuesOf(validators.ListPetsQuery, sent)
  const issueOf = (name: keyof ListQuery): Issue | undefined =>
    issues.find(({ path }) => path === name)
  const limit = readLimit(sent.limit, text, issueOf('limit'), profile)
  if (typeof limit === 'object') return limit
  const status = readStatus(statuses, issueOf('status'), profile)
  if (typeof status === 'object') return status
  if (limit === 0 || status === 'none') return { limit: 0, status: undefined }
  return { limit, status }
}

/** The limit that counts. */
function limitOf(values: readonly string[], profile: Readonly<Profile>): string | Rejection {
  const repeated = profile['list.limit.repeated']
  const usual = `${limits.default}`
  const [first = usual, ...others] = values
  const last = others.at(-1)
  if (last === undefined || repeated === 'first') return first
  if (repeated === 'last') return last
  if (repeated === 'default') return usual
  return rejection('list.limit.repeated', repeated, 'limit was sent more than once.')
}

/** A rounded integer beyond 2^53 stays out of range. */
function toNumber(text: string): number | string {
  return /^-?\d+$/.test(text)
    ? Math.max(-Number.MAX_VALUE, Math.min(Number(text), Number.MAX_VALUE))
    : text
}

/** "limit | integer | minimum 1, maximum 100 | 20" */
function readLimit(
  limit: number | string,
  text: string,
  issue: Issue | undefined,
  profile: Readonly<Profile>,
): number | Rejection {
  if (issue === undefined) return limit as number
  const message = quoting(issue, text)
  if (typeof limit === 'string') return outOfRange('list.limit.not-an-integer', profile, message, 0)
  return limit < limits.minimum
    ? outOfRange('list.limit.below-minimum', profile, message, limits.minimum)
    : outOfRange('list.limit.above-maximum', profile, message, limits.maximum)
}

function quoting({ path, message }: Issue, text: string): string {
  return `${path} ${message.slice(0, -1)}, but was ${describeValue(text)}.`
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

/** @param option the status that the profile chose. */
export function rejection(behavior: BehaviorId, option: ErrorStatus, message: string): Rejection {
  return { rejected: option, message, reason: `${behavior}=${option}` }
}

/** "Return only animals with this status." A repeated filter counts as an unknown status. */
function readStatus(
  values: readonly string[],
  issue: Issue | undefined,
  profile: Readonly<Profile>,
): PetStatus | 'none' | undefined | Rejection {
  const value = values[0]
  if (value === undefined) return undefined
  if (values.length === 1 && issue === undefined) return value as PetStatus
  const option = profile['list.status.unknown']
  if (option === 'empty') return 'none'
  if (option === 'ignore') return undefined
  const message =
    issue === undefined || values.length > 1
      ? 'status was sent more than once.'
      : quoting(issue, value)
  return rejection('list.status.unknown', option, message)
}

export const isPetStatus = (value: unknown): value is PetStatus =>
  petStatuses.some((status) => status === value)

function valuesOf(name: string, parameters: readonly (readonly [string, string])[]): string[] {
  return parameters.filter((parameter) => parameter[0] === name).map((parameter) => parameter[1])
}

/** @throws {URIError} when a percent sign starts no UTF-8 octets. */
function decodeParameter(part: string): [string, string] {
  const [name = '', ...value] = part.split('=')
  return [decode(name), decode(value.join('='))]
}

const decode = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '))
