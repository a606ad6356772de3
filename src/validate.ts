import { type Issue, didYouMean, sentenceOf } from './errors.ts'
import { JsonNumber, type JsonValue, parseJson } from './json.ts'

/** A mistake that a schema finds. */
export interface SchemaIssue extends Issue {
  /** `path` as a JSON pointer. */
  pointer: string
  /** `required`: a field is missing. `closed`: there is no such field. `name`: a wrong name. `value`: a wrong value. */
  code: 'required' | 'closed' | 'name' | 'value'
}

/** The part of JSON Schema that validators read; the build takes it from the published schemas. */
export interface Schema {
  /** The name of an object, for messages. */
  readonly title?: string
  readonly type?: string | readonly string[]
  /** `int64` and what `formats` lists. */
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly pattern?: string
  /** Whether the pattern ignores the case of letters. The published one lists both: `[Aa]`. */
  readonly anyCase?: true
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly anyOf?: readonly Schema[]
  readonly not?: Schema
  readonly items?: Schema
  readonly minItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly propertyNames?: Schema
  /** What the value must be, in words, where the keywords do not say it. */
  readonly 'x-expected'?: string
  /** In place of many `properties`: all options of each field as one pattern, such as `accept|400|4[0-9]{2}`. */
  readonly options?: Options
}

type Options = Readonly<Record<string, string>>

type Found = Pick<SchemaIssue, 'code' | 'pointer' | 'message'>

/** Finds at most twenty mistakes in the order of the schema. */
export type Validator = (value: unknown) => readonly Found[]

/**
 * Validates a value, whose path may be `at`: `rules/0`. Returns at most twenty issues in the order of the schema; their paths
 * have no leading slash. With `quotes`, messages show invalid values.
 */
export function issuesOf(
  validate: Validator,
  value: unknown,
  { at = '', quotes = false }: { at?: string; quotes?: boolean } = {},
): SchemaIssue[] {
  return validate(value).map(({ code, pointer, message }) => {
    const names = pointer.split('/').slice(1).map(unescaped)
    const end =
      quotes && code === 'value' ? `, but was ${describeValue(names.reduce(fieldOf, value))}.` : '.'
    return {
      code,
      pointer,
      path: [at, ...names].filter((part) => part !== '').join('/'),
      message: message.endsWith('?') ? message : message + end,
    }
  })
}

/** Makes a validator of a schema without references. */
export const toValidator =
  (schema: Schema): Validator =>
  (value) =>
    find(schema, value, '', [])

/** Limits the number of mistakes: a body of 9 MB can have millions. */
export const maxIssues = 20

function add(found: Found[], code: Found['code'], pointer: string, message: string): Found[] {
  if (found.length < maxIssues) found.push({ code, pointer, message })
  return found
}

/** Adds the mistakes in a value to those that were found before. */
function find(schema: Schema, value: unknown, at: string, found: Found[]): Found[] {
  const { type, properties } = schema
  if (type === 'array') return findInList(schema, value, at, found)
  if (type === 'object' || properties !== undefined) return findInObject(schema, value, at, found)
  return isRight(schema, value) ? found : add(found, 'value', at, `must be ${expectedOf(schema)}`)
}

const fits = (schema: Schema, value: unknown): boolean => find(schema, value, '', []).length === 0

function findInList(schema: Schema, value: unknown, at: string, found: Found[]): Found[] {
  const { items, minItems = 0 } = schema
  if (!Array.isArray(value)) return add(found, 'value', at, 'must be a list')
  if (value.length < minItems) add(found, 'value', at, 'must not be empty')
  for (const [index, item] of value.entries()) {
    if (items === undefined || found.length === maxIssues) break
    find(items, item, `${at}/${index}`, found)
  }
  return found
}

function findInObject(schema: Schema, value: unknown, at: string, found: Found[]): Found[] {
  const {
    properties = {},
    required = [],
    additionalProperties: others,
    propertyNames,
    not,
    options,
  } = schema
  const isObject = isJsonObject(value as JsonValue)
  if (!isObject || (not && fits(not, value)))
    add(found, 'value', at, `must be ${expectedOf(schema)}`)
  if (!isObject) return found
  const fields = value as Readonly<Record<string, unknown>>
  for (const name of required)
    if (fields[name] === undefined) add(found, 'required', `${at}/${name}`, 'is required')
  for (const name in properties) {
    if (fields[name] !== undefined)
      find(properties[name] as Schema, fields[name], `${at}/${name}`, found)
  }
  // Any other field is right.
  if (others === undefined && !options && !propertyNames) return found
  for (const [name, field] of Object.entries(fields)) {
    if (found.length === maxIssues) break
    const pointer = `${at}/${escaped(name)}`
    if (typeof others === 'object') find(others, field, pointer, found)
    if (options) findInOptions(options, name, field, pointer, found)
    if (propertyNames && !fits(propertyNames, name)) {
      add(
        found,
        'name',
        at,
        `has ${JSON.stringify(name)}, which must be ${expectedOf(propertyNames)}`,
      )
    }
    if (others === false && !Object.hasOwn(properties, name)) {
      const names = Object.keys(properties)
      const hint = didYouMean(name, names) || `; there are ${names.join(', ') || 'none here'}`
      add(found, 'closed', pointer, `is unknown${hint}`)
    }
  }
  return found
}

function findInOptions(
  options: Options,
  name: string,
  value: unknown,
  pointer: string,
  found: Found[],
): void {
  if (!Object.hasOwn(options, name)) {
    add(found, 'name', pointer, `is unknown${didYouMean(name, Object.keys(options))}`)
    return
  }
  const { [name]: all = '' } = options
  if (value === undefined || (typeof value === 'string' && new RegExp(`^(?:${all})$`).test(value)))
    return
  const values = all.split('|')
  const pattern = values.find((one) => one.includes('['))
  const named = values.filter((one) => one !== pattern).join(', ')
  const [, length] = /^\[\^\]\{0,(\d+)\}$/.exec(pattern ?? '') ?? []
  const expected = `one of ${named}${pattern === undefined ? '' : `, or match ^${pattern}$`}`
  add(
    found,
    'value',
    pointer,
    `must be ${length ? `a string of at most ${length} characters` : expected}`,
  )
}

/** Whether a value that is neither a list nor an object is what its schema says. A keyword concerns its own types alone. */
function isRight(schema: Schema, value: unknown): boolean {
  const {
    type,
    format,
    enum: values,
    pattern,
    anyCase,
    minimum,
    exclusiveMinimum,
    maximum,
    anyOf,
    not,
  } = schema
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  return (
    (type === undefined ||
      (typeof type === 'string' ? [type] : type).some((one) => types[one]?.(value, format))) &&
    (values === undefined || values.includes(value)) &&
    (!('const' in schema) || value === schema.const) &&
    (typeof value !== 'string' || format === undefined || formats[format]?.(value) !== false) &&
    (typeof value !== 'string' ||
      pattern === undefined ||
      new RegExp(pattern, anyCase ? 'iu' : 'u').test(value)) &&
    (!isNumber || minimum === undefined || value >= minimum) &&
    (!isNumber || exclusiveMinimum === undefined || value > exclusiveMinimum) &&
    (!isNumber || maximum === undefined || value <= maximum) &&
    (anyOf === undefined || anyOf.some((one) => fits(one, value))) &&
    (not === undefined || !fits(not, value))
  )
}

/** An int64 may be a bigint. */
const types: Readonly<Record<string, (value: unknown, format?: string) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  number: Number.isFinite,
  integer: (value, format) => (format === 'int64' ? isInt64(value) : Number.isInteger(value)),
}

export const isInt64 = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value)

const formats: Readonly<Record<string, (text: string) => boolean>> = {
  date: (text) => isDay(text),
  'date-time': (text) =>
    /^[^T]*T.+(?:Z|[+-]\d\d:\d\d)$/i.test(text) && toInstant(text) !== undefined,
  uri: (text) => /^[a-z][a-z0-9+.-]*:\S+$/i.test(text) && URL.canParse(text),
}

/** What a value must be, in words: `an integer from 1 to 100`. */
function expectedOf(schema: Schema): string {
  const { title, type, format, enum: values, minimum, exclusiveMinimum, maximum } = schema
  if (schema['x-expected'] !== undefined) return schema['x-expected']
  if (type === 'object') return title === undefined ? 'an object' : `a ${title} object`
  if (values !== undefined) return `one of ${values.join(', ')}`
  if ('const' in schema) return String(schema.const)
  if (format === 'int64') return 'an integer within int64'
  if (type !== 'integer' && type !== 'number')
    return type === 'boolean' ? 'true or false' : 'a string'
  const noun = type === 'integer' ? 'an integer' : 'a number'
  if (exclusiveMinimum !== undefined)
    return `${noun} above ${exclusiveMinimum}, and at most ${maximum}`
  if (maximum === undefined) return minimum === undefined ? noun : `${noun} from ${minimum} on`
  return `${noun} from ${minimum} to ${maximum}`
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** As `issuesOf`, for a file: `known.json: /failures/0/clause is required`. */
export function issuesInFile(validate: Validator, value: unknown, file: string): SchemaIssue[] {
  return issuesOf(validate, value).map((issue) => ({
    ...issue,
    path: `${file}:${issue.pointer && ` ${issue.pointer}`}`,
    message: issue.message.replace(/\.$/, ''),
  }))
}

/** An issue as a sentence: `categoryId must be a string, but was 5.` Without a path, `whole` is its subject. */
export function toSentence(issue: Issue, whole: string): string {
  return sentenceOf({ ...issue, path: issue.path === '' ? whole : issue.path })
}

/** Whether a text is a calendar date: `2027-01-31`. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && toInstant(text) !== undefined

/**
 * Milliseconds since 1970 of a Date, a date, or a date with a time; undefined for anything else. Stricter than
 * `Date.parse`, which reads February 31 as March 3.
 */
export function toInstant(value: unknown): number | undefined {
  const [, day] =
    typeof value === 'string'
      ? (/^((?:[+-]\d{6}|\d{4})-\d{2}-\d{2})(?:T.*)?$/.exec(value) ?? [])
      : []
  if (day === undefined)
    return value instanceof Date && !Number.isNaN(value.getTime()) ? value.getTime() : undefined
  const start = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(start.getTime()) || !start.toISOString().startsWith(day)) return undefined
  const at = Date.parse(value as string)
  return Number.isNaN(at) ? undefined : at
}

/** Parses a JSON text; undefined when it is not JSON. */
export function tryParseJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

export function isJsonObject(value: JsonValue | undefined): value is Record<string, JsonValue> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof JsonNumber)
  )
}

const unescaped = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~')

const fieldOf = (value: unknown, name: string): unknown => (value as Record<string, unknown>)[name]

/** A value for a message, cut to 60 characters. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}...` : value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null && !(value instanceof JsonNumber))
    return 'an object'
  const text = String(value)
  return text.length > 60 ? 'a long number' : text
}
