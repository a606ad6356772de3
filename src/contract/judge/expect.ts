import type { JsonValue } from '../../json.ts'
import { count } from '../../report/text.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import { limits, operations, queryParameters, type QueryParameter } from '../../spec/operations.ts'
import { validKey } from '../http/credentials.ts'
import { headersOf, isRedirect, type Exchange, type Plan } from '../http/exchange.ts'
import { type Mismatch, NotVerified, type Violation } from './findings.ts'
import {
  type SeenPet,
  field,
  idIn,
  isObject,
  isPetStatus,
  seenIn,
  shorten,
  show,
} from './shapes.ts'

/** Elements of a list that are judged. A list may have 100, so a longer one is wrong anyway. */
export const maxElements = 500

/**
 * The demands of a listPets path, and the requirement that a longer list breaks. With an undescribed limit: "maximum 100";
 * without one: "default 20".
 */
export function pageOf(path: string) {
  const query = new URLSearchParams(path.split('?')[1])
  const described = (name: string): string | undefined => {
    const [value = '', ...more] = query.getAll(name)
    return more.length === 0 && isQueryParameter(name) && isValue[name](value) ? value : undefined
  }
  const [limit, status] = [described('limit'), described('status')]
  const isOdd = query.has('limit') && limit === undefined
  // A target that does not understand the limit may ignore the filters, too.
  const filters = queryParameters.flatMap((name) => {
    const [field, value] = [filteredField[name], described(name)]
    return field && value && !isOdd ? [[field, value] as const] : []
  })
  const page = {
    status: !isOdd && isPetStatus(status) ? status : undefined,
    /** What selects its pets, the same for the same filters; empty for a list of all. */
    filter: filters.join('&'),
    /** Whether the filters select a pet. */
    matches: (pet: SeenPet) => filters.every(([field, value]) => String(pet[field]) === value),
    /** Whether the specification describes the query. Another parameter may select other pets. */
    isDescribed: [...query.keys()].every((name) => described(name) !== undefined),
  }
  if (!query.has('limit'))
    return { ...page, atMost: limits.default, requirement: 'list.limit.default' } as const
  return isOdd
    ? ({ ...page, atMost: limits.maximum, requirement: 'list.limit.max' } as const)
    : ({ ...page, atMost: Number(limit), requirement: 'list.limit.respected' } as const)
}

/** The values that the specification describes. */
const isValue: Readonly<Record<QueryParameter, (value: string) => boolean>> = {
  limit: (value) => /^(?:[1-9]\d?|100)$/.test(value),
  status: isPetStatus,
}

/** The field of a Pet that a query parameter filters by, if it does. */
const filteredField: Readonly<Record<QueryParameter, keyof SeenPet | undefined>> = {
  limit: undefined,
  status: 'status',
}

export const isQueryParameter = (name: string): name is QueryParameter =>
  Object.hasOwn(isValue, name)

/** What a response must be. */
export interface Demand {
  requirement: RequirementId
  alsoBreaks?: readonly RequirementId[]
  /** The request in words. Default: its method, path and credential. */
  what?: string
  /** A status, or what else is expected, in words. */
  expected: number | string
}

/**
 * Where the pets in a response contradict its request.
 *
 * @param path the path that decides what is demanded
 */
export function compareShown(
  { operation, status, plan, content }: Exchange,
  path = plan.path,
): Mismatch[] {
  if (status !== 200 || content.kind === 'empty' || content.kind === 'broken') return []
  const request = nameOf(plan)
  if (operation === 'getPet')
    return content.kind === 'json' ? compareId(content.value, path, request) : []
  if (operation !== 'listPets') return []
  const { atMost, requirement, status: wanted } = pageOf(path)
  const tooMany = (length: number, actual: string): Mismatch[] => {
    if (length <= atMost) return []
    const message = {
      'list.limit.default': `Without \`limit\`, ${request} returns ${actual}, the default is ${atMost}.`,
      'list.limit.respected': `${request} returns ${actual}, at most ${atMost} allowed.`,
      'list.limit.max': `${request} returns ${actual}, at most ${atMost} allowed with any limit.`,
    }[requirement]
    return [
      {
        requirement,
        message,
        expected: `at most ${count(atMost, 'pet')}`,
        actual,
        kind: 'excess',
        cause: 'too many pets',
      },
    ]
  }
  if (content.kind === 'unjudged') {
    // An array that is too large to be judged may still be too long.
    const { elements = 0, problem } = content
    return tooMany(elements, `at least ${elements} elements; ${problem}`)
  }
  if (!Array.isArray(content.value)) return []
  const { length } = content.value
  const others = content.value.slice(0, maxElements).flatMap((pet, index): Mismatch[] => {
    if (wanted === undefined || (isObject(pet) && pet['status'] === wanted)) return []
    const [pointer, expected, actual] = [`/${index}/status`, `"${wanted}"`, show(pet)]
    const shown = field(pet, 'status')
    const which = shown === undefined ? 'without status' : `with status ${shorten(show(shown))}`
    const way = `${request} shows a pet ${shown === undefined ? which : 'with another status'}`
    return [
      {
        requirement: 'list.status.filter',
        message: `${request} shows a pet ${which}, not ${expected}.`,
        way,
        pointer,
        expected,
        actual,
        cause: 'another status',
      },
    ]
  })
  return [...tooMany(length, `${length} pets`), ...others]
}

/** A pet with another id is another pet, however the server reads the path. */
function compareId(value: JsonValue, path: string, request: string): Mismatch[] {
  const id = idIn(value)
  const [, wanted] = /\/(-?\d+)(?:\?|$)/.exec(path) ?? []
  if (wanted === undefined || id === undefined || BigInt(wanted) === BigInt(id)) return []
  const message = `${request} returns pet ${id}.`
  const shown = {
    pointer: '/id',
    expected: `the pet with id ${wanted}, or 404`,
    actual: `pet ${id}`,
  }
  return [
    {
      requirement: 'get.by-id',
      alsoBreaks: ['get.not-found'],
      message,
      ...shown,
      cause: 'another pet',
    },
  ]
}

export const isSuccess = ({ status }: Exchange): boolean => status >= 200 && status < 300

/** Whether a status rejects a creation, of which nothing may be left. From 500 on, its pet may be there. */
export const isRejection = (status: number): boolean => status >= 400 && status < 500

/** Whether a creation was rejected for the state of the target, perhaps a concurrent creation. */
export const isConflict = (status: number): boolean => status === 409 || status === 423

/** The pets in a successful response whose ids are known. */
export function petsOf({ operation, status, content }: Exchange): SeenPet[] {
  if (
    content.kind !== 'json' ||
    operation === undefined ||
    status !== operations[operation].successStatus
  )
    return []
  const values = Array.isArray(content.value) ? content.value : [content.value]
  if ((operations[operation].returns === 'Pets') !== Array.isArray(content.value)) return []
  return values
    .slice(0, maxElements)
    .map(seenIn)
    .filter((pet): pet is SeenPet => pet.id !== undefined)
}

/** The statuses that may mean that getPet, or the pet, does not exist. */
export const isAbsent = (status: number): boolean => [404, 405, 410, 501].includes(status)

/**
 * A target may reject what is specified: permissions and quotas are not shown.
 *
 * @throws {NotVerified} when it says that this key may not, or that a quota is used up
 */
export function expectNotDenied({ status, operation }: Exchange): void {
  const denied = {
    402: `the target requires payment, or a quota is used up (it responded 402 to ${operation})`,
    403: `the key, or a firewall, does not allow this ${operation} (the target responded 403)`,
    507: `the target has no capacity left (it responded 507 to ${operation})`,
  }[status]
  if (denied !== undefined) throw new NotVerified(denied)
}

export function wrongStatus(
  exchange: Exchange,
  requirement: RequirementId,
  wanted: string | number,
  more: Partial<Violation> = {},
): Violation {
  return {
    requirement,
    message: `${describe(exchange)} instead of ${wanted}.`,
    expected: `status ${wanted}`,
    actual: `status ${exchange.status}`,
    kind: 'status',
    exchanges: [exchange],
    cause: `status ${exchange.status}`,
    ...more,
  }
}

/** A status other than 400 for an invalid creation. */
export function notRejected(
  exchange: Exchange,
  requirement: RequirementId,
  what: string,
): Violation {
  const { status } = exchange
  const isAccepted = status < 300
  const [outcome, cause] =
    status >= 500
      ? [`gets ${status}`, `status ${status}`]
      : isAccepted
        ? [`is accepted with ${status}`, `accepts ${what}`]
        : [`is rejected with ${status}`, `status ${status}`]
  const message = `${what} ${outcome} instead of 400.`
  return wrongStatus(exchange, requirement, '400 and an Error body', { message, cause })
}

/** `GET /pets?limit=5 with an empty bearer token` */
export function nameOf({ method, path, credential }: Plan): string {
  const presented =
    credential === undefined || credential === validKey ? '' : ` with ${credential.name}`
  return `${method} ${path}${presented}`
}

/** `GET /pets?limit=5 responded 200` */
export function describe(
  { plan, status, headers: { location = '' } }: Exchange,
  request = nameOf(plan),
): string {
  const { accept = 'none', 'content-type': type = 'none' } = headersOf(plan)
  const accepted = status === 406 ? ` (Accept: ${accept})` : ''
  const sent = status === 415 ? ` (Content-Type: ${type})` : ''
  const target =
    isRedirect(status) && location !== '' ? ` (a redirect to ${location.slice(0, 200)})` : ''
  // A 415 is about the media type, whatever else is special about the request.
  return `${status === 415 ? nameOf(plan) : request}${accepted}${sent} responded ${status}${target}`
}
