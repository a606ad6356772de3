import { JsonNumber, printJson } from '../json.ts'
import type { JsonValue } from '../json.ts'
import type { ClauseId } from '../spec/clauses.ts'
import { operations } from '../spec/operations.ts'
import type { ExactPet, Int64, PetStatus } from '../spec/types.ts'
import { validKey } from './credentials.ts'
import type { Exchange } from './exchange.ts'
import { NotVerified } from './findings.ts'
import type { Violation } from './findings.ts'

/** Where a value does not have the shape that a clause states. */
export interface Defect {
  clause: ClauseId
  /** Other clauses that the same value breaks. */
  alsoBreaks?: ClauseId[]
  /** JSON pointer (RFC 6901) into the body. */
  pointer: string
  expected: string
  actual: string
  /** What is wrong in one sentence, where the response and what was expected do not say it. */
  message?: string
}

/** Characters of a value that a report shows. */
const longestShown = 160

/** Whether a JSON number is an integer within int64. `7.0` is; 2^63 is not. */
export function isInt64(value: JsonValue | undefined): value is Int64 {
  if (typeof value === 'number') return Number.isInteger(value)
  return typeof value === 'bigint' && value >= -9223372036854775808n && value <= 9223372036854775807n
}

/** A value in few words, for a report. */
export function show(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing'
  const text = printJson(beginning(value, 0))
  return text.length > longestShown ? `${text.slice(0, longestShown)}...` : text
}

/** So much of a value as can be seen in a report: neither its depth nor its size is the target's to choose. */
function beginning(value: JsonValue, depth: number): JsonValue {
  if (typeof value === 'string') return value.slice(0, longestShown + 1)
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return value
  if (depth > longestShown) return null
  if (Array.isArray(value)) return value.slice(0, longestShown).map((item) => beginning(item, depth + 1))
  const fields = Object.keys(value).slice(0, longestShown)
  return Object.fromEntries(fields.map((name) => [name, beginning(value[name] as JsonValue, depth + 1)]))
}

const isObject = (value: JsonValue | undefined): value is { [name: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)

const field = (object: { [name: string]: JsonValue }, name: string): JsonValue | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** What is wrong with a value that should be a Pet; nothing where it is one. */
export function petDefects(value: JsonValue, pointer: string): Defect[] {
  if (!isObject(value)) return [{ clause: 'pet.fields', pointer, expected: 'a Pet object', actual: show(value) }]
  const defects: Defect[] = []
  const demand = (clause: ClauseId, name: string, expected: string, holds: (value: JsonValue) => boolean): void => {
    const found = field(value, name)
    if (found === undefined) {
      const actual = `no field ${name} in ${show(value)}`
      defects.push({ clause: 'pet.fields', pointer: `${pointer}/${name}`, expected: `${name}: ${expected}`, actual })
    } else if (!holds(found)) {
      defects.push({ clause, pointer: `${pointer}/${name}`, expected, actual: show(found) })
    }
  }
  demand('pet.id', 'id', 'an integer within int64', isInt64)
  demand('pet.name', 'name', 'a string', (name) => typeof name === 'string')
  demand('pet.category-id', 'categoryId', 'an integer within int64', isInt64)
  const status = field(value, 'status')
  if (status !== undefined && !isPetStatus(status)) {
    const expected = '"available", "pending", "sold", or no status at all'
    defects.push({ clause: 'pet.status', pointer: `${pointer}/status`, expected, actual: show(status) })
  }
  return defects
}

/** "String enumeration with exactly these values: `available`, `pending`, `sold`." */
const isPetStatus = (value: JsonValue): value is PetStatus =>
  value === 'available' || value === 'pending' || value === 'sold'

/** The four fields of a value that `petDefects` has nothing against. */
function toPet(value: JsonValue): ExactPet {
  const { id, name, categoryId, status } = value as { [name: string]: JsonValue }
  const pet = { id: id as Int64, name: name as string, categoryId: categoryId as Int64 }
  return status === undefined ? pet : { ...pet, status: status as PetStatus }
}

/** The names of fields that a Pet or an Error shows beyond those of the specification. */
export function extraFields(value: JsonValue, known: readonly string[]): string[] {
  return isObject(value) ? Object.keys(value).filter((name) => !known.includes(name)) : []
}

/** What is wrong with a value that should be the Error body of a response with this HTTP status. */
export function errorDefects(value: JsonValue, httpStatus: number): Defect[] {
  if (!isObject(value)) {
    const expected = 'an Error object with code, message and status'
    return [{ clause: 'error.body', pointer: '', expected, actual: show(value) }]
  }
  const defects: Defect[] = []
  const demand = (clause: ClauseId, name: string, expected: string, holds: (value: JsonValue) => boolean): boolean => {
    const found = field(value, name)
    const pointer = `/${name}`
    if (found === undefined) {
      const actual = `no field ${name} in ${show(value)}`
      defects.push({ clause: 'error.body', alsoBreaks: [clause], pointer, expected: `${name}: ${expected}`, actual })
    } else if (!holds(found)) defects.push({ clause, pointer, expected, actual: show(found) })
    else return true
    return false
  }
  demand('error.code', 'code', 'a string', (code) => typeof code === 'string')
  demand('error.message', 'message', 'a string', (message) => typeof message === 'string')
  const isInteger = (status: JsonValue): boolean => typeof status === 'bigint' || Number.isInteger(status)
  if (demand('error.status', 'status', 'an integer', isInteger)) {
    demand('error.status-repeats-http', 'status', String(httpStatus), (status) => status === httpStatus)
    const other = defects.find(({ clause }) => clause === 'error.status-repeats-http')
    if (other) other.message = `Error body: "status" is ${other.actual}, HTTP status is ${httpStatus}.`
  }
  return defects
}

/** So many elements of a list are looked at. A list may have 100, so that a longer one is wrong whatever follows. */
export const mostElements = 500

/** What a request demands of the pets in a successful response to it. */
export interface Shown {
  /** Of a list: at most so many pets. */
  atMost?: number
  /** The clause that more pets break. Default: the one about the limit that was sent, or about the default. */
  clause?: ClauseId
  /** Of a list: this status alone. */
  status?: PetStatus
  /** Of getPet: the id in the path. */
  id?: Int64 | string
}

/** What a request must get. */
export interface Demand {
  /** The requirement that demands it. */
  clause: ClauseId
  alsoBreaks?: readonly ClauseId[]
  /** The request in words. */
  what: string
  /** The response in words. */
  expected: string
  shows?: Shown
}

/** A defect with what makes it one with others of its kind. */
export type ShownDefect = Defect & { cause: string }

/** Where the pets of a response are not those that the request demands. */
export function compareShown({ operation, status, plan, content }: Exchange, shown: Shown): ShownDefect[] {
  if (status !== 200 || content.kind === 'empty' || content.kind === 'broken') return []
  if (operation === 'getPet') return content.kind === 'json' ? compareId(content.value, shown) : []
  if (operation !== 'listPets') return []
  const { atMost = 100, clause = /[?&]limit=/.test(plan.path) ? 'list.limit.honoured' : 'list.limit.default' } = shown
  const tooMany = (length: number, actual: string): ShownDefect[] => {
    const expected = `at most ${atMost} ${atMost === 1 ? 'pet' : 'pets'}`
    return length <= atMost ? [] : [{ clause, pointer: '', expected, actual, cause: 'too many pets' }]
  }
  if (content.kind === 'unjudged') {
    // An array that is too much to be judged may have too many elements all the same.
    const { elements = 0, problem } = content
    return tooMany(elements, `at least ${elements} elements; ${problem}`)
  }
  if (!Array.isArray(content.value)) return []
  const { length } = content.value
  const others = content.value.slice(0, mostElements).flatMap((pet, index): ShownDefect[] => {
    if (shown.status === undefined || (isObject(pet) && pet['status'] === shown.status)) return []
    const [pointer, expected, actual] = [`/${index}/status`, `"${shown.status}"`, show(pet)]
    return [{ clause: 'list.status.filter', pointer, expected, actual, cause: 'another status' }]
  })
  return [...tooMany(length, `${length} pets`), ...others]
}

/** A pet whose id is not the one in the path is another pet, whatever the path was taken for. */
function compareId(value: JsonValue, { id: wanted }: Shown): ShownDefect[] {
  const id = isObject(value) ? field(value, 'id') : undefined
  if (wanted === undefined || !isInt64(id) || BigInt(wanted) === BigInt(id)) return []
  const expected = `the pet with id ${wanted}, or 404`
  const actual = `pet ${id}`
  const alsoBreaks: ClauseId[] = ['get.not-found']
  return [{ clause: 'get.by-id', alsoBreaks, pointer: '/id', expected, actual, cause: 'another pet' }]
}

/** The pets of a successful response that have the shape of a Pet. */
export function petsOf({ operation, status, content }: Exchange): ExactPet[] {
  if (content.kind !== 'json' || operation === undefined || status !== operations[operation].successStatus) return []
  const values = Array.isArray(content.value) ? content.value : [content.value]
  if ((operation === 'listPets') !== Array.isArray(content.value)) return []
  return values
    .slice(0, mostElements)
    .filter((value) => petDefects(value, '').length === 0)
    .map(toPet)
}

/** The statuses that may say that getPet, or the animal, is not there. */
export const isAbsent = (status: number): boolean => [404, 405, 410, 501].includes(status)

/**
 * Why the target does not do what the specification describes, where it says that this key may not, or that it has no
 * capacity left: permissions and quotas are not shown.
 */
export function denialOf({ status, operation }: Exchange): string | undefined {
  if (status === 403) return `the key may not call ${operation} (the target answered 403)`
  if (status === 402) return `the target wants a payment, or a quota is used up (it answered 402 to ${operation})`
  if (status === 507) return `the target has no room left (it answered 507 to ${operation})`
  return undefined
}

/** @throws {NotVerified} when the target says that this key may not, or that it has no capacity left */
export function expectNotDenied(exchange: Exchange): void {
  const denied = denialOf(exchange)
  if (denied !== undefined) throw new NotVerified(denied)
}

/** A violation by the status of a response. */
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

/** One line about an exchange: `GET /pets?limit=5 answered 200`. */
export function describe({ plan, status }: Exchange): string {
  const { credential } = plan
  const presented = credential === undefined || credential === validKey ? '' : ` with ${credential.name}`
  return `${plan.method} ${plan.path}${presented} answered ${status}`
}
