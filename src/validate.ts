import { type Issue, didYouMean, sentenceOf } from './errors.ts'
import { JsonNumber, type JsonValue, parseJson } from './json.ts'

/** A mistake that a schema finds. */
export interface SchemaIssue extends Issue {
  /** `path` as a JSON pointer. */
  pointer: string
  /** `required`: a field is missing. `closed`: there is no such field. The others: the value is not what it must be. */
  code: 'required' | 'closed' | 'object' | 'type' | 'one' | 'minItems' | 'maxItems' | 'names' | 'options'
}

/** What compiled schemas report. */
interface Found {
  code: SchemaIssue['code']
  path: string
  params: {
    expected?: string
    /** The field that is missing, unknown or wrong, or has this name. */
    name?: string
    known?: readonly string[]
    limit?: number
    /** A pattern: `400|422|4[0-9]{2}`. */
    options?: string | undefined
  }
}

/** A function that `scripts/validators.mjs` has compiled from a schema. */
export interface Validator {
  (value: unknown): boolean
  errors?: Found[] | null
}

export interface Wording {
  /** The path of the value: `rules/0`. */
  at?: string
  /** Whether messages show invalid values. */
  quotes?: boolean
}

/** Validates a value. Returns at most twenty issues in the order of the schema; their paths have no leading slash. */
export function issuesOf(
  validate: Validator,
  value: unknown,
  { at = '', quotes = false }: Wording = {},
): SchemaIssue[] {
  if (validate(value)) return []
  const found = validate.errors ?? []
  // A value that is not an object is one issue; do not report its fields as missing.
  const noObjects = found.filter(({ code }) => code === 'object')
  return found
    .filter((one) => noObjects.every((other) => other === one || !`${one.path}/`.startsWith(`${other.path}/`)))
    .map(({ code, path, params }) => {
      const field = code === 'names' ? undefined : params.name
      const names = [...path.split('/').slice(1).map(unescaped), ...(field === undefined ? [] : [field])]
      const isWrong = !/^(required|closed|names)$/.test(code) && !(code === 'options' && params.options === undefined)
      const message = messageOf(code, params)
      const end = quotes && isWrong ? `, but was ${describeValue(names.reduce(fieldOf, value))}.` : '.'
      return {
        code,
        pointer: names.map((name) => `/${escaped(name)}`).join(''),
        path: [at, ...names].filter((part) => part !== '').join('/'),
        message: message.endsWith('?') ? message : message + end,
      }
    })
}

/** What was found so far: null where nothing was. The functions below add to it; the code of `scripts/validators.mjs` calls them. */
type SoFar = Found[] | null
type Test = (value: unknown) => boolean
type Fields = Readonly<Record<string, unknown>>

/** Limits the number of issues: a body of 9 MB can have millions. */
export function add(found: SoFar, path: string, details: Found['params'] | string, code: Found['code'] = 'one') {
  const all = found ?? []
  const params = typeof details === 'string' ? { expected: details } : details
  if (all.length < 20) all.push({ code, path, params })
  return all
}

export const needs = (found: SoFar, path: string, fields: Fields, names: readonly string[]): SoFar =>
  names.reduce((all, name) => (fields[name] === undefined ? add(all, path, { name }, 'required') : all), found)

export const field = (found: SoFar, path: string, fields: Fields, name: string, isRight: Test, expected: string) =>
  fields[name] === undefined || isRight(fields[name]) ? found : add(found, `${path}/${name}`, expected)

export const each = (found: SoFar, path: string, values: object, isRight: Test, expected: string): SoFar =>
  Object.entries(values).reduce(
    (all, [name, value]) => (isRight(value) ? all : add(all, `${path}/${escaped(name)}`, expected)),
    found,
  )

export const named = (found: SoFar, path: string, fields: Fields, isRight: Test, expected: string): SoFar =>
  Object.keys(fields).reduce((all, name) => (isRight(name) ? all : add(all, path, { name, expected }, 'names')), found)

export const closed = (found: SoFar, path: string, fields: Fields, known: readonly string[]): SoFar =>
  Object.keys(fields).reduce(
    (all, name) => (known.includes(name) ? all : add(all, path, { name, known }, 'closed')),
    found,
  )

export const counted = (found: SoFar, path: string, list: readonly unknown[], least: number, most: number): SoFar => {
  if (list.length < least) return add(found, path, { limit: least }, 'minItems')
  return list.length > most ? add(found, path, { limit: most }, 'maxItems') : found
}

/** Each field has one of its options, which stand in a table as one pattern: `accept|400|4[0-9]{2}`. */
export const chosen = (found: SoFar, path: string, fields: Fields, table: Readonly<Record<string, string>>): SoFar =>
  Object.entries(fields).reduce((all, [name, value]) => {
    const options = Object.hasOwn(table, name) ? table[name] : undefined
    const isRight = value === undefined || (typeof value === 'string' && new RegExp(`^(?:${options})$`).test(value))
    if (options !== undefined && isRight) return all
    return add(all, path, { name, options, known: Object.keys(table) }, 'options')
  }, found)

/** The first option of each field. */
export const defaultsOf = (table: Readonly<Record<string, string>>): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(table).map(([name, options]) => [name, options.split('|')[0]]))

export const isClosed = (value: JsonValue | undefined, names: readonly string[]): boolean =>
  isJsonObject(value) && Object.keys(value).every((name) => names.includes(name))

export const isNumber = (value: number, isInteger: boolean, least: number, most: number): boolean =>
  (isInteger ? Number.isInteger(value) : Number.isFinite(value)) && value >= least && value <= most

export const isInt64 = (value: unknown, least = -(2n ** 63n), most = 2n ** 63n - 1n): boolean =>
  (typeof value === 'bigint' || Number.isSafeInteger(value)) && (value as number) >= least && (value as number) <= most

export const isInstant = (text: string): boolean =>
  /^[^T]*T.+(?:Z|[+-]\d\d:\d\d)$/i.test(text) && toInstant(text) !== undefined

export const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\S+$/i.test(text) && URL.canParse(text)

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** As `issuesOf`, for a file: `known.json: /failures/0/clause is required`. */
export function issuesInFile(validate: Validator, value: unknown, file: string): SchemaIssue[] {
  return issuesOf(validate, value).map((issue) => ({
    ...issue,
    path: `${file}:${issue.pointer && ` ${issue.pointer}`}`,
    message: issue.message.replace(/\.$/, ''),
  }))
}

/** The message of an issue, to follow the name of the field. */
function messageOf(
  code: SchemaIssue['code'],
  { expected, known = [], limit, name = '', options }: Found['params'],
): string {
  if (code === 'required') return 'is required'
  if (code === 'closed') return `is unknown; there are ${known.length === 0 ? 'none here' : known.join(', ')}`
  if (code === 'type') return 'must be a list'
  if (code === 'minItems') return 'must not be empty'
  if (code === 'maxItems') return `must have at most ${limit} items`
  if (code === 'names') return `has ${JSON.stringify(name)}, which must be ${expected}`
  if (code === 'options') {
    if (options === undefined) return `is unknown${didYouMean(name, known)}`
    const values = options.split('|')
    const pattern = values.find((value) => value.includes('['))
    if (pattern === '[^]*') return 'must be a string'
    const named = values.filter((value) => value !== pattern).join(', ')
    return `must be one of ${named}${pattern === undefined ? '' : `, or match ^${pattern}$`}`
  }
  return `must be ${expected}`
}

/**
 * An issue as a sentence: `categoryId must be a string, but was 5.`
 *
 * @param whole the subject of issues without a path.
 */
export function toSentence(issue: Issue, whole: string): string {
  return sentenceOf({ ...issue, path: issue.path === '' ? whole : issue.path })
}

/** Whether a text is a calendar date: `2027-01-31`. */
export const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && toInstant(text) !== undefined

/**
 * Milliseconds since 1970 of a Date, a date, or a date with a time; undefined for anything else. Stricter than
 * `Date.parse`, which reads February 31 as March 3.
 */
export function toInstant(value: unknown): number | undefined {
  const [, day] = typeof value === 'string' ? (/^((?:[+-]\d{6}|\d{4})-\d{2}-\d{2})(?:T.*)?$/.exec(value) ?? []) : []
  if (day === undefined) return value instanceof Date && !Number.isNaN(value.getTime()) ? value.getTime() : undefined
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

/** Whether a JSON value is an object. */
export function isJsonObject(value: JsonValue | undefined): value is Record<string, JsonValue> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
}

const unescaped = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~')

const fieldOf = (value: unknown, name: string): unknown => (value as Record<string, unknown>)[name]

/** A value for a message, cut to 60 characters. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}...` : value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null && !(value instanceof JsonNumber)) return 'an object'
  const text = String(value)
  return text.length > 60 ? 'a long number' : text
}
