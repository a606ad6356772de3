import { JsonNumber, parseJson, printJson, type JsonValue } from '../../json.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import type { ExactPet, Int64, PetStatus } from '../../spec/types.ts'
import type { Mismatch } from './findings.ts'

const maxShownLength = 160
/** Characters of a value in a message. */
const maxWordsLength = 70

/** Whether a value is an integer within int64. `7.0` is; 2^63 is not. */
export function isInt64(value: JsonValue | undefined): value is Int64 {
  if (typeof value === 'number') return Number.isInteger(value)
  return (
    typeof value === 'bigint' && value >= -9223372036854775808n && value <= 9223372036854775807n
  )
}

/** A short form of a value for reports. */
export function show(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing'
  const text = printJson(beginning(value, 0))
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength)}...` : text
}

export const shorten = (text: string): string =>
  text.length > maxWordsLength ? `${text.slice(0, maxWordsLength)}…` : text

/** What a body is, in a few words: `an object with \`items\``. */
export function kindOf(value: JsonValue | undefined): string {
  if (value === undefined) return 'an empty body'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return 'a JSON string'
  if (!isObject(value)) return shorten(show(value))
  const [first] = Object.keys(value)
  if (first === undefined) return 'an empty object'
  return `an object with ${first === 'id' ? 'the fields of a Pet' : `\`${shorten(first)}\``}`
}

/** Limits the depth and size of a value before it is printed. */
function beginning(value: JsonValue, depth: number): JsonValue {
  if (typeof value === 'string') return value.slice(0, maxShownLength + 1)
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return value
  if (depth > maxShownLength) return null
  if (Array.isArray(value))
    return value.slice(0, maxShownLength).map((item) => beginning(item, depth + 1))
  const fields = Object.keys(value).slice(0, maxShownLength)
  return Object.fromEntries(
    fields.map((name) => [name, beginning(value[name] as JsonValue, depth + 1)]),
  )
}

export const isObject = (value: JsonValue | undefined): value is { [name: string]: JsonValue } =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof JsonNumber)

export const field = (value: JsonValue, name: string): JsonValue | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

type Field = readonly [
  requirement: RequirementId,
  name: string,
  expected: string,
  holds: (value: JsonValue) => boolean,
]

const isString = (value: JsonValue): boolean => typeof value === 'string'
const isInteger = (value: JsonValue): boolean =>
  typeof value === 'bigint' || Number.isInteger(value)

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

/**
 * @param subject what has the fields, in messages
 * @param missing the requirements that a missing field breaks
 */
function fieldMismatches(
  object: { [name: string]: JsonValue },
  pointer: string,
  subject: string,
  fields: readonly Field[],
  missing: (requirement: RequirementId) => Pick<Mismatch, 'requirement' | 'alsoBreaks'>,
): Mismatch[] {
  const mismatches: Mismatch[] = []
  for (const [requirement, name, expected, holds] of fields) {
    const found = field(object, name)
    if (found !== undefined && holds(found)) continue
    const at = `${pointer}/${name}`
    if (found !== undefined) mismatches.push(wrongField(requirement, at, subject, expected, found))
    else {
      const message = `${subject}: \`${name}\` is missing${insteadOf(name, object)}.`
      const actual = `no field ${name} in ${show(object)}`
      mismatches.push({
        ...missing(requirement),
        message,
        pointer: at,
        expected: `${name}: ${expected}`,
        actual,
      })
    }
  }
  return mismatches
}

function wrongField(
  requirement: RequirementId,
  pointer: string,
  subject: string,
  expected: string,
  found: JsonValue,
): Mismatch {
  const [name, actual] = [pointer.split('/').at(-1), show(found)]
  const message = `${subject}: \`${name}\` is ${shorten(actual)}, must be ${expected}.`
  const way = `${pointer} is ${kindOf(found)}, must be ${expected}`
  return { requirement, message, way, pointer, expected, actual }
}

/** The name of a field without differences of spelling. */
export const plain = (name: string): string => name.replaceAll(/[_-]/g, '').toLowerCase()

/** Where a missing field probably is: in an envelope, or under another spelling. */
function insteadOf(name: string, object: { [name: string]: JsonValue }): string {
  const names = Object.keys(object)
  const envelope = names.find((other) => {
    const inner = object[other]
    return field((Array.isArray(inner) ? inner[0] : inner) ?? null, name) !== undefined
  })
  if (envelope !== undefined) return `, it is inside \`${shorten(envelope)}\``
  const alike = names.find((other) => plain(other) === plain(name))
  return alike === undefined ? '' : `, \`${alike}\` is there`
}

/**
 * Why a value is no valid Pet; empty if it is one.
 *
 * @param subject the Pet, in messages
 */
export function petMismatches(value: JsonValue, pointer: string, subject = 'Pet'): Mismatch[] {
  if (!isObject(value)) {
    const actual = show(value)
    const message = `${subject} is ${shorten(actual)}, not an object.`
    return [{ requirement: 'pet.fields', message, pointer, expected: 'a Pet object', actual }]
  }
  const mismatches = fieldMismatches(value, pointer, subject, petFields, () => ({
    requirement: 'pet.fields',
  }))
  const status = field(value, 'status')
  if (status === undefined || isPetStatus(status)) return mismatches
  const expected = '"available", "pending", "sold", or no status at all'
  return [...mismatches, wrongField('pet.status', `${pointer}/status`, subject, expected, status)]
}

/** "String enumeration with exactly these values: `available`, `pending`, `sold`." */
export const isPetStatus = (value: JsonValue | undefined): value is PetStatus =>
  value === 'available' || value === 'pending' || value === 'sold'

export const petFieldNames = ['id', 'name', 'categoryId', 'status'] as const

/** What a response shows of a pet; `null` where a value is invalid. */
export type SeenPet = {
  [name in keyof ExactPet]: name extends 'id' ? Int64 : ExactPet[name] | null
}

/** What a value shows of a pet, which may have no valid id. */
export function seenIn(value: JsonValue): Omit<SeenPet, 'id'> & { id: Int64 | undefined } {
  const { name, categoryId, status }: { [name: string]: JsonValue | undefined } = isObject(value)
    ? value
    : {}
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

/**
 * Why a value is no valid Error body for this HTTP status; empty if it is one.
 *
 * @param request in messages
 */
export function errorMismatches(
  value: JsonValue,
  httpStatus: number,
  request = 'a request',
): Mismatch[] {
  if (!isObject(value)) {
    const message = `The ${httpStatus} of ${request} has ${kindOf(value)}, not an Error object.`
    const expected = 'an Error object with code, message and status'
    return [{ requirement: 'error.body', message, expected, actual: show(value) }]
  }
  const missing = (requirement: RequirementId) =>
    ({ requirement: 'error.body', alsoBreaks: [requirement] }) as const
  const mismatches = fieldMismatches(value, '', 'Error body', errorFields, missing)
  const status = field(value, 'status')
  if (status === undefined || !isInteger(status) || status === httpStatus) return mismatches
  const [expected, actual] = [String(httpStatus), show(status)]
  const message = `Error body: \`status\` is ${shorten(actual)}, HTTP status is ${httpStatus}.`
  return [
    ...mismatches,
    { requirement: 'error.status-repeats-http', pointer: '/status', expected, actual, message },
  ]
}

/** The value that a JSON pointer leads to. */
export const valueAt = (
  value: JsonValue | undefined,
  pointer: string | undefined,
): JsonValue | undefined =>
  pointer
    ?.split('/')
    .slice(1)
    .reduce(
      (part: JsonValue | undefined, name) =>
        Array.isArray(part) ? part[Number(name)] : field(part ?? null, name),
      value,
    )

/** Parses a text that need not be JSON. */
export function tryParse(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** The id in a Pet, which may be invalid otherwise: a text, too, says which pet it is. */
export function idIn(value: JsonValue): Int64 | undefined {
  const id = field(value, 'id')
  const integer = typeof id === 'string' && /^(?:0|-?[1-9]\d{0,18})$/.test(id) ? parseJson(id) : id
  return isInt64(integer) ? integer : undefined
}
