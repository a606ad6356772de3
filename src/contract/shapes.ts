import { JsonNumber, printJson } from '../json.ts'
import type { JsonValue } from '../json.ts'
import type { ClauseId } from '../spec/clauses.ts'
import type { Int64, ExactPet, PetStatus } from '../spec/types.ts'

/** Where a value does not have the shape that a clause states. */
export interface Defect {
  clause: ClauseId
  /** Other clauses that the same value breaks. */
  alsoBreaks?: ClauseId[]
  /** JSON pointer (RFC 6901) into the body. */
  pointer: string
  expected: string
  actual: string
  /** What is wrong in one sentence, where the answer and what was expected do not say it. */
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
  const members = Object.keys(value).slice(0, longestShown)
  return Object.fromEntries(members.map((name) => [name, beginning(value[name] as JsonValue, depth + 1)]))
}

const isObject = (value: JsonValue | undefined): value is { [name: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)

/** The members that an object has itself. */
function member(object: { [name: string]: JsonValue }, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** What is wrong with a value that should be a Pet; nothing where it is one. */
export function petDefects(value: JsonValue, pointer: string): Defect[] {
  if (!isObject(value)) return [{ clause: 'pet.fields', pointer, expected: 'a Pet object', actual: show(value) }]
  const defects: Defect[] = []
  const demand = (clause: ClauseId, name: string, expected: string, holds: (value: JsonValue) => boolean): void => {
    const found = member(value, name)
    if (found === undefined) {
      const actual = `no member ${name} in ${show(value)}`
      defects.push({ clause: 'pet.fields', pointer: `${pointer}/${name}`, expected: `${name}: ${expected}`, actual })
    } else if (!holds(found)) {
      defects.push({ clause, pointer: `${pointer}/${name}`, expected, actual: show(found) })
    }
  }
  demand('pet.id', 'id', 'an integer within int64', isInt64)
  demand('pet.name', 'name', 'a string', (name) => typeof name === 'string')
  demand('pet.category-id', 'categoryId', 'an integer within int64', isInt64)
  const status = member(value, 'status')
  if (status !== undefined && !isPetStatus(status)) {
    const expected = '"available", "pending", "sold", or no status at all'
    defects.push({ clause: 'pet.status', pointer: `${pointer}/status`, expected, actual: show(status) })
  }
  return defects
}

/** "String enumeration with exactly these values: `available`, `pending`, `sold`." */
function isPetStatus(value: JsonValue): value is PetStatus {
  return value === 'available' || value === 'pending' || value === 'sold'
}

/** The four fields of a value that `petDefects` has nothing against. */
export function toPet(value: JsonValue): ExactPet {
  const { id, name, categoryId, status } = value as { [name: string]: JsonValue }
  const pet = { id: id as Int64, name: name as string, categoryId: categoryId as Int64 }
  return status === undefined ? pet : { ...pet, status: status as PetStatus }
}

/** The names of members that a Pet or an Error shows beyond those of the specification. */
export function extraMembers(value: JsonValue, known: readonly string[]): string[] {
  return isObject(value) ? Object.keys(value).filter((name) => !known.includes(name)) : []
}

/** What is wrong with a value that should be the Error body of an answer with this HTTP status. */
export function errorDefects(value: JsonValue, httpStatus: number): Defect[] {
  if (!isObject(value)) {
    const expected = 'an Error object with code, message and status'
    return [{ clause: 'error.body', pointer: '', expected, actual: show(value) }]
  }
  const defects: Defect[] = []
  const demand = (clause: ClauseId, name: string, expected: string, holds: (value: JsonValue) => boolean): boolean => {
    const found = member(value, name)
    const pointer = `/${name}`
    if (found === undefined) {
      const actual = `no member ${name} in ${show(value)}`
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
