import { JsonNumber, parseJson, printJson, type JsonValue } from '../json.ts'
import { count } from '../report/text.ts'
import type { ClauseId } from '../spec/clauses.ts'
import { operations } from '../spec/operations.ts'
import type { ExactPet, Int64, PetStatus } from '../spec/types.ts'
import { validKey } from './credentials.ts'
import { headersOf, type Exchange, type Plan } from './exchange.ts'
import { type Defect, NotVerified, type Violation } from './findings.ts'

const maxShownLength = 160

/** Whether a value is an integer within int64. `7.0` is; 2^63 is not. */
export function isInt64(value: JsonValue | undefined): value is Int64 {
  if (typeof value === 'number') return Number.isInteger(value)
  return typeof value === 'bigint' && value >= -9223372036854775808n && value <= 9223372036854775807n
}

/** A short form of a value for reports. */
export function show(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing'
  const text = printJson(beginning(value, 0))
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength)}...` : text
}

/** Limits the depth and size of a value before it is printed. */
function beginning(value: JsonValue, depth: number): JsonValue {
  if (typeof value === 'string') return value.slice(0, maxShownLength + 1)
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return value
  if (depth > maxShownLength) return null
  if (Array.isArray(value)) return value.slice(0, maxShownLength).map((item) => beginning(item, depth + 1))
  const fields = Object.keys(value).slice(0, maxShownLength)
  return Object.fromEntries(fields.map((name) => [name, beginning(value[name] as JsonValue, depth + 1)]))
}

export const isObject = (value: JsonValue | undefined): value is { [name: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)

const field = (value: JsonValue, name: string): JsonValue | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

type Field = readonly [clause: ClauseId, name: string, expected: string, holds: (value: JsonValue) => boolean]

const isString = (value: JsonValue): boolean => typeof value === 'string'
const isInteger = (value: JsonValue): boolean => typeof value === 'bigint' || Number.isInteger(value)

const petFields: readonly Field[] = [
  ['pet.id', 'id', 'an integer within int64', isInt64],
  ['pet.name', 'name', 'a string', isString],
  ['pet.category-id', 'categoryId', 'an integer within int64', isInt64],
]
const errorFields: readonly Field[] = [
  ['error.code', 'code', 'a string', isString],
  ['error.message', 'message', 'a string', isString],
  ['error.status', 'status', 'an integer', isInteger],
]

/** @param missing the clauses that a missing field breaks */
function fieldDefects(
  object: { [name: string]: JsonValue },
  pointer: string,
  fields: readonly Field[],
  missing: (clause: ClauseId) => Pick<Defect, 'clause' | 'alsoBreaks'>,
): Defect[] {
  const defects: Defect[] = []
  for (const [clause, name, expected, holds] of fields) {
    const found = field(object, name)
    if (found !== undefined && holds(found)) continue
    const at = { pointer: `${pointer}/${name}` }
    if (found !== undefined) defects.push({ clause, ...at, expected, actual: show(found) })
    else {
      const actual = `no field ${name} in ${show(object)}`
      defects.push({ ...missing(clause), ...at, expected: `${name}: ${expected}`, actual })
    }
  }
  return defects
}

/** Why a value is no valid Pet; empty if it is one. */
export function petDefects(value: JsonValue, pointer: string): Defect[] {
  if (!isObject(value)) return [{ clause: 'pet.fields', pointer, expected: 'a Pet object', actual: show(value) }]
  const defects = fieldDefects(value, pointer, petFields, () => ({ clause: 'pet.fields' }))
  const status = field(value, 'status')
  if (status === undefined || isPetStatus(status)) return defects
  const expected = '"available", "pending", "sold", or no status at all'
  return [...defects, { clause: 'pet.status', pointer: `${pointer}/status`, expected, actual: show(status) }]
}

/** "String enumeration with exactly these values: `available`, `pending`, `sold`." */
export const isPetStatus = (value: JsonValue | undefined): value is PetStatus =>
  value === 'available' || value === 'pending' || value === 'sold'

/** What a response shows of a pet; `null` where a value is invalid. */
export type SeenPet = { [name in keyof ExactPet]: name extends 'id' ? Int64 : ExactPet[name] | null }

/** What a value shows of a pet, which may have no valid id. */
export function seenIn(value: JsonValue): Omit<SeenPet, 'id'> & { id: Int64 | undefined } {
  const [name, categoryId, status] = ['name', 'categoryId', 'status'].map((one) => field(value, one))
  const pet = {
    id: idIn(value),
    name: typeof name === 'string' ? name : null,
    categoryId: isInt64(categoryId) ? categoryId : null,
  }
  // Where another field is missing, the pet may have a status, too.
  if (status === undefined && name !== undefined && categoryId !== undefined) return pet
  return { ...pet, status: isPetStatus(status) ? status : null }
}

export function extraFields(value: JsonValue, known: readonly string[]): string[] {
  return isObject(value) ? Object.keys(value).filter((name) => !known.includes(name)) : []
}

/** Why a value is no valid Error body for this HTTP status; empty if it is one. */
export function errorDefects(value: JsonValue, httpStatus: number): Defect[] {
  if (!isObject(value)) {
    const expected = 'an Error object with code, message and status'
    return [{ clause: 'error.body', pointer: '', expected, actual: show(value) }]
  }
  const defects = fieldDefects(value, '', errorFields, (clause) => ({ clause: 'error.body', alsoBreaks: [clause] }))
  const status = field(value, 'status')
  if (status === undefined || !isInteger(status) || status === httpStatus) return defects
  const [expected, actual] = [String(httpStatus), show(status)]
  const message = `Error body: "status" is ${actual}, HTTP status is ${httpStatus}.`
  return [...defects, { clause: 'error.status-repeats-http', pointer: '/status', expected, actual, message }]
}

/** Elements of a list that are judged. A list may have 100, so a longer one is wrong anyway. */
export const maxElements = 500

/**
 * The demands of a listPets path, and the clause that a longer list breaks. With an undescribed limit: "maximum 100";
 * without one: "default 20".
 */
export function pageOf(path: string) {
  const query = new URLSearchParams(path.split('?')[1])
  const [limits, statuses] = [query.getAll('limit'), query.getAll('status')]
  const limit = limits.length === 1 && /^\d{1,3}$/.test(limits[0] ?? '') ? Number(limits[0]) : 0
  const [status = ''] = statuses.length === 1 ? statuses : []
  const isLimit = limit >= 1 && limit <= 100
  const page = {
    status: isPetStatus(status) ? status : undefined,
    /** Whether the specification describes the query. */
    isDescribed: (isLimit || limits.length === 0) && (isPetStatus(status) || statuses.length === 0),
  }
  if (limits.length === 0) return { ...page, atMost: 20, clause: 'list.limit.default' } as const
  return isLimit
    ? ({ ...page, atMost: limit, clause: 'list.limit.honoured' } as const)
    : ({ ...page, atMost: 100, clause: 'list.limit.max' } as const)
}

/** What a response must be. */
export interface Demand {
  clause: ClauseId
  alsoBreaks?: readonly ClauseId[]
  /** The request in words. Default: its method, path and credential. */
  what?: string
  expected: string
}

/** Where the pets in a response contradict its request. */
export function compareShown({ operation, status, plan, content }: Exchange): Defect[] {
  if (status !== 200 || content.kind === 'empty' || content.kind === 'broken') return []
  if (operation === 'getPet') return content.kind === 'json' ? compareId(content.value, plan.path) : []
  if (operation !== 'listPets') return []
  const { atMost, clause, status: wanted } = pageOf(plan.path)
  const tooMany = (length: number, actual: string): Defect[] => {
    const expected = `at most ${count(atMost, 'pet')}`
    return length <= atMost ? [] : [{ clause, pointer: '', expected, actual, cause: 'too many pets' }]
  }
  if (content.kind === 'unjudged') {
    // An array that is too large to be judged may still be too long.
    const { elements = 0, problem } = content
    return tooMany(elements, `at least ${elements} elements; ${problem}`)
  }
  if (!Array.isArray(content.value)) return []
  const { length } = content.value
  const others = content.value.slice(0, maxElements).flatMap((pet, index): Defect[] => {
    if (wanted === undefined || (isObject(pet) && pet['status'] === wanted)) return []
    const [pointer, expected, actual] = [`/${index}/status`, `"${wanted}"`, show(pet)]
    return [{ clause: 'list.status.filter', pointer, expected, actual, cause: 'another status' }]
  })
  return [...tooMany(length, `${length} pets`), ...others]
}

/** The id in a Pet, which may be invalid otherwise: a text, too, says which pet it is. */
export function idIn(value: JsonValue): Int64 | undefined {
  const id = field(value, 'id')
  const integer = typeof id === 'string' && /^(?:0|-?[1-9]\d{0,18})$/.test(id) ? parseJson(id) : id
  return isInt64(integer) ? integer : undefined
}

/** A pet with another id is another pet, however the server reads the path. */
function compareId(value: JsonValue, path: string): Defect[] {
  const id = idIn(value)
  const [, wanted] = /\/(-?\d+)(?:\?|$)/.exec(path) ?? []
  if (wanted === undefined || id === undefined || BigInt(wanted) === BigInt(id)) return []
  const expected = `the pet with id ${wanted}, or 404`
  const actual = `pet ${id}`
  const alsoBreaks: ClauseId[] = ['get.not-found']
  return [{ clause: 'get.by-id', alsoBreaks, pointer: '/id', expected, actual, cause: 'another pet' }]
}

export const isSuccess = ({ status }: Exchange): boolean => status >= 200 && status < 300

/** The pets in a successful response whose ids are known. */
export function petsOf({ operation, status, content }: Exchange): SeenPet[] {
  if (content.kind !== 'json' || operation === undefined || status !== operations[operation].successStatus) return []
  const values = Array.isArray(content.value) ? content.value : [content.value]
  if ((operations[operation].returns === 'Pets') !== Array.isArray(content.value)) return []
  return values
    .slice(0, maxElements)
    .map(seenIn)
    .filter((pet): pet is SeenPet => pet.id !== undefined)
}

/** The statuses that may mean that getPet, or the pet, does not exist. */
export const isAbsent = (status: number): boolean => [404, 405, 410, 501].includes(status)

/** Why a target may refuse what is specified: permissions and quotas are not shown. Undefined for other statuses. */
export function denialOf({ status, operation }: Exchange): string | undefined {
  if (status === 403) return `the key, or a firewall, does not allow this ${operation} (the target responded 403)`
  if (status === 402) return `the target requires payment, or a quota is used up (it responded 402 to ${operation})`
  if (status === 507) return `the target has no capacity left (it responded 507 to ${operation})`
  return undefined
}

/** @throws {NotVerified} when the target says that this key may not, or that a quota is used up */
export function expectNotDenied(exchange: Exchange): void {
  const denied = denialOf(exchange)
  if (denied !== undefined) throw new NotVerified(denied)
}

export function wrongStatus(
  exchange: Exchange,
  clause: ClauseId,
  wanted: string | number,
  more: Partial<Violation> = {},
): Violation {
  return {
    clause,
    message: `${describe(exchange)} instead of ${wanted}.`,
    expected: `status ${wanted}`,
    actual: `status ${exchange.status}`,
    exchanges: [exchange],
    cause: `status ${exchange.status}`,
    ...more,
  }
}

/** A status other than 400 for an invalid creation. */
export function notRefused(exchange: Exchange, clause: ClauseId, what: string): Violation {
  const { status } = exchange
  const isAccepted = status < 300
  const message = `${what} is ${isAccepted ? 'accepted' : 'rejected'} with ${status} instead of 400.`
  const cause = isAccepted ? `accepts ${what}` : `status ${status}`
  return wrongStatus(exchange, clause, '400 and an Error body', { message, cause })
}

/** `GET /pets?limit=5 with an empty bearer token` */
export function nameOf({ method, path, credential }: Plan): string {
  const presented = credential === undefined || credential === validKey ? '' : ` with ${credential.name}`
  return `${method} ${path}${presented}`
}

/** `GET /pets?limit=5 responded 200` */
export function describe({ plan, status, headers: { location = '' } }: Exchange): string {
  const accepted = status === 406 ? ` (Accept: ${headersOf(plan)['accept'] ?? 'none'})` : ''
  const target = status >= 300 && status < 400 && location !== '' ? ` (a redirect to ${location.slice(0, 200)})` : ''
  return `${nameOf(plan)}${accepted} responded ${status}${target}`
}
