import { type Issue, didYouMean, sentenceOf } from './errors.ts'
import { JsonNumber, type JsonValue, parseJson } from './json.ts'

/** A mistake that a schema finds. */
interface SchemaIssue extends Issue {
  /** `path` as a JSON pointer. */
  pointer: string
  /** `required`: a field is missing. `closed`: there is no such field. `name`: a wrong name. `value`: a wrong value. */
  code: 'required' | 'closed' | 'name' | 'value'
}

type Found = Pick<SchemaIssue, 'code' | 'pointer' | 'message'>

/** Finds at most twenty mistakes in the order of the schema. */
export type Validator = (value: unknown) => readonly Found[]

/**
 * Validates a value, whose path may be `at`: `rules/0`. Returns at most twenty issues in the order of the schema; their paths
 * have no leading slash. With `quotes`, messages show invalid values;
 * `scalars` leaves out those that are "an object" or "an array".
 */
export function issuesOf(
  validate: Validator,
  value: unknown,
  { at = '', quotes = false }: { at?: string; quotes?: boolean | 'scalars' } = {},
): SchemaIssue[] {
  return validate(value).map(({ code, pointer, message }) => {
    const names = pointer.split('/').slice(1).map(unescaped)
    const found = names.reduce(fieldOf, value)
    const isQuoted = quotes === 'scalars' ? Object(found) !== found : quotes
    const end = isQuoted && code === 'value' ? `, but was ${describeValue(found)}.` : '.'
    return {
      code,
      pointer,
      path: [at, ...names].filter((part) => part !== '').join('/'),
      message: message.endsWith('?') ? message : message + end,
    }
  })
}

/** An error of a validator that ajv compiled, with what the keywords of scripts/validators.mjs say. */
interface CompiledError {
  keyword: string
  instancePath: string
  /** Of an error in the name of a field. */
  propertyName?: string
  params: {
    words?: string
    missingProperty?: string
    /** A field that does not exist, and those that do. */
    unknown?: string
    names?: readonly string[]
    option?: readonly [name: string, code: Found['code'], message: string]
  }
}

/** What ajv compiles a schema to. */
export interface Compiled {
  (value: unknown): boolean
  errors?: readonly CompiledError[] | null
}

/** Errors with one more: a compiled schema calls it. */
export function withError(errors: CompiledError[] | null, error: CompiledError): CompiledError[] {
  if (errors === null) return [error]
  errors.push(error)
  return errors
}

/** Takes back errors after the first ones: a compiled schema calls it. */
export function firstErrors(errors: CompiledError[] | null, count: number): CompiledError[] | null {
  if (errors === null || count === 0) return null
  errors.length = count
  return errors
}

/** Limits the number of mistakes: a body of 9 MB can have millions. */
export const maxIssues = 20

/** Puts the errors of a compiled schema into words. */
export const toValidator =
  (compiled: Compiled): Validator =>
  (value) => {
    if (compiled(value)) return []
    const found: Found[] = []
    for (const error of compiled.errors ?? []) {
      if (found.length === maxIssues) break
      // The error before this one says what is wrong with the name.
      if (error.keyword !== 'propertyNames') found.push(toFound(error))
    }
    return found
  }

function toFound({ keyword, instancePath: at, propertyName, params }: CompiledError): Found {
  const { words = '', missingProperty, unknown, names = [], option } = params
  if (missingProperty !== undefined) {
    const pointer = `${at}/${escaped(missingProperty)}`
    return { code: 'required', pointer, message: 'is required' }
  }
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, names) || `; there are ${names.join(', ') || 'none here'}`
    return { code: 'closed', pointer: `${at}/${escaped(unknown)}`, message: `is unknown${hint}` }
  }
  if (option !== undefined) {
    const [name, code, message] = option
    return { code, pointer: `${at}/${escaped(name)}`, message }
  }
  if (propertyName !== undefined) {
    const message = `has ${JSON.stringify(propertyName)}, which must be ${words}`
    return { code: 'name', pointer: at, message }
  }
  const message = keyword === 'minItems' ? 'must not be empty' : `must be ${words}`
  return { code: 'value', pointer: at, message }
}

/** All options of each field as one pattern: `accept|400|4[0-9]{2}`. */
type Options = Readonly<Record<string, string>>

/** The unknown fields, and the fields whose value is no option. */
export function mistakesInOptions(
  options: Options,
  value: Readonly<Record<string, unknown>>,
): [name: string, code: Found['code'], message: string][] {
  const found: ReturnType<typeof mistakesInOptions> = []
  for (const [name, option] of Object.entries(value)) {
    if (found.length === maxIssues) break
    if (!Object.hasOwn(options, name)) {
      found.push([name, 'name', `is unknown${didYouMean(name, Object.keys(options))}`])
      continue
    }
    const { [name]: all = '' } = options
    const isOption =
      option === undefined ||
      (typeof option === 'string' && new RegExp(`^(?:${all})$`).test(option))
    if (!isOption) found.push([name, 'value', `must be ${expectedOption(all)}`])
  }
  return found
}

function expectedOption(all: string): string {
  const values = all.split('|')
  const pattern = values.find((one) => one.includes('['))
  const [, length] = /^\[\^\]\{0,(\d+)\}$/.exec(pattern ?? '') ?? []
  if (length !== undefined) return `a string of at most ${length} characters`
  const named = values.filter((one) => one !== pattern).join(', ')
  return `one of ${named}${pattern === undefined ? '' : `, or match ^${pattern}$`}`
}

export const isInt64 = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value)

export const isInstant = (text: unknown): boolean =>
  typeof text === 'string' &&
  /^[^T]*T.+(?:Z|[+-]\d\d:\d\d)$/i.test(text) &&
  toInstant(text) !== undefined

export const isUrl = (text: unknown): boolean =>
  typeof text === 'string' && /^[a-z][a-z0-9+.-]*:\S+$/i.test(text) && URL.canParse(text)

/** Whether a value is a number, Infinity included. */
export const isCount = (value: unknown): boolean =>
  typeof value === 'number' && !Number.isNaN(value)

export const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** As `issuesOf`, for a file: `known.json: /failures/0/requirement is required`. */
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
export const isDay = (text: unknown): boolean =>
  typeof text === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(text) && toInstant(text) !== undefined

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
