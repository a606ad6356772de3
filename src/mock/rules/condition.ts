import type { Issue } from '../../errors.ts'
import { JsonNumber, type JsonValue, printJson } from '../../json.ts'
import { isSecretName } from '../../report/credentials.ts'
import type { HttpRequest } from '../../spec/http.ts'
import type { OperationId } from '../../spec/operations.ts'
import { isJsonObject, tryParseJson } from '../../validate.ts'
import { copyJson } from '../pets/pet.ts'
import { compileRegex, type Regex } from './regex.ts'
import type { RuleCondition, TextMatcher } from '../schemas/schemas.gen.ts'

/** A request of an operation with a valid key, and the parts of its target. */
export interface OperationCall {
  operation: OperationId
  request: HttpRequest
  query: string
  petId: string | undefined
  /** Parsed by the first rule that needs them. Of a repeated parameter, the first value stays. */
  parameters?: Map<string, string>
  sent?: { body: JsonValue | undefined }
}

/** What a condition looks at: a request to an operation, or an entry of a journal. */
export type Matchable = Omit<OperationCall, 'operation' | 'request'> & {
  operation: OperationCall['operation'] | undefined
  request: Pick<OperationCall['request'], 'headers' | 'body'>
}

type FieldMatcher = Exclude<TextMatcher, string> | { readonly equals: JsonValue }

/** Mistakes in a condition that its schema does not find. */
export function conditionIssues(when: RuleCondition, path: string): Issue[] {
  const { query = {}, headers = {}, petId, body = {} } = when
  const issues: Issue[] = []
  const check = (at: string, matcher: unknown): void => {
    const message = regexProblem(matcher)
    if (message !== undefined) issues.push({ path: `${at}/regex`, message: `${message}.` })
  }
  check(`${path}/petId`, petId)
  for (const [part, fields] of Object.entries({ query, headers })) {
    for (const [name, matcher] of Object.entries(fields)) {
      const at = `${path}/${part}/${name}`
      check(at, matcher)
      // Counting the uses of a rule must not find out a key part by part.
      const isPart = typeof matcher === 'object' && !('absent' in matcher)
      if (isPart && isSecretName(name))
        issues.push({ path: at, message: 'must be a whole value or { absent: true }.' })
    }
  }
  issues.push(...jsonIssues(body, `${path}/body`))
  for (const [name, value] of Object.entries(body)) {
    const matcher = matcherOf(value)
    if (matcher === undefined) continue
    const at = `${path}/body/${name}`
    check(at, matcher)
    const isText = (text: unknown): boolean => text === undefined || typeof text === 'string'
    const { regex, contains, absent = true } = matcher as Record<string, JsonValue>
    if (!isText(regex) || !isText(contains) || absent !== true) {
      const message = `must be ${matcherWords}; { equals: … } compares with any object.`
      issues.push({ path: at, message })
    }
  }
  return issues
}

const matcherWords = '{ regex: a string }, { contains: a string } or { absent: true }'

/** The message about a body that is no JSON, or has a rounded integer. */
export function jsonIssues(value: unknown, path: string): Issue[] {
  const copy = copyJson(value)
  const unsafe = copy === undefined ? undefined : unsafeIn(copy)
  if (copy === undefined) return [{ path, message: 'must be JSON, of at most 100 levels.' }]
  if (unsafe === undefined) return []
  const message = `has ${unsafe}, beyond 2^53, where a number is not exact. Write a bigint, such as ${BigInt(unsafe)}n.`
  return [{ path, message }]
}

/** Lower-cases header names, as requests and replies have them. */
export function withLowerCase<
  Part extends { headers?: Readonly<Record<string, unknown>> | undefined },
>(part: Part): Part {
  if (part.headers === undefined) return part
  const headers = Object.entries(part.headers).map(([name, value]) => [name.toLowerCase(), value])
  return { ...part, headers: Object.fromEntries(headers) as Part['headers'] }
}

/** The instructions of all regular expressions: what a request may take for each character. */
export function regexSize({ query = {}, headers = {}, petId, body = {} }: RuleCondition): number {
  return [petId, ...[query, headers, body].flatMap((fields) => Object.values(fields))]
    .map((matcher) => regexIn(matcher)?.size ?? 0)
    .reduce((sum, size) => sum + size, 0)
}

export function matches(when: RuleCondition | undefined, call: Matchable): boolean {
  if (when === undefined) return true
  const { operation, query, petId, headers, body } = when
  const operations = typeof operation === 'string' ? [operation] : operation
  if (operations !== undefined && !operations.some((name) => name === call.operation)) return false
  if (petId !== undefined && !isText(call.petId, petId)) return false
  if (query !== undefined) {
    const sent = parametersIn(call)
    for (const name in query) if (!isText(sent.get(name), query[name])) return false
  }
  if (headers !== undefined) {
    for (const name in headers) if (!isText(call.request.headers[name], headers[name])) return false
  }
  if (body === undefined) return true
  const fields = fieldsIn(call)
  return Object.keys(body).length === 0
    ? fields !== undefined
    : Object.entries(body).every(([name, wanted]) =>
        isValue(fields && valueAt(fields, name), wanted),
      )
}

/** The parsed query: of a repeated parameter, the first value. */
export const parametersIn = (call: Matchable): ReadonlyMap<string, string> =>
  (call.parameters ??= new Map([...new URLSearchParams(call.query)].toReversed()))

export function fieldsIn(call: Matchable): Readonly<Record<string, JsonValue>> | undefined {
  const { body } = (call.sent ??= { body: tryParseJson(call.request.body) })
  return isJsonObject(body) ? body : undefined
}

/** A field by its name, or a value by a JSON pointer (RFC 6901). */
export function valueAt(fields: JsonValue, name: string): JsonValue | undefined {
  if (!name.startsWith('/')) return fieldOf(fields, name)
  const steps = name.slice(1).split('/')
  return steps.reduce<JsonValue | undefined>(
    (value, step) => fieldOf(value, step.replaceAll('~1', '/').replaceAll('~0', '~')),
    fields,
  )
}

const fieldOf = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  isContainer(value) && Object.hasOwn(value, name) && !(Array.isArray(value) && name === 'length')
    ? (value as Record<string, JsonValue>)[name]
    : undefined

/** A repeated header counts as its values, separated by commas. */
function isText(
  sent: string | readonly string[] | undefined,
  wanted: TextMatcher | undefined,
): boolean {
  if (typeof wanted === 'string') return sent === wanted
  const text = typeof sent === 'object' ? sent.join(', ') : sent
  return wanted === undefined || fits(text, wanted)
}

function isValue(sent: JsonValue | undefined, wanted: JsonValue): boolean {
  const matcher = matcherOf(wanted)
  if (matcher === undefined) return sent !== undefined && isSame(sent, wanted)
  if ('equals' in matcher) return sent !== undefined && isSame(sent, matcher.equals)
  if ('absent' in matcher) return sent === undefined
  const text = typeof sent === 'string' ? sent : isNumber(sent) ? printJson(sent) : undefined
  return fits(text, matcher)
}

function fits(text: string | undefined, matcher: Exclude<TextMatcher, string>): boolean {
  if ('absent' in matcher) return text === undefined
  if (text === undefined) return false
  return 'contains' in matcher
    ? text.includes(matcher.contains)
    : (regexIn(matcher)?.test(text) ?? false)
}

/** An object with one of these names alone is a matcher. */
function matcherOf(value: JsonValue): FieldMatcher | undefined {
  if (!isContainer(value) || Array.isArray(value)) return undefined
  const [name = '', ...others] = Object.keys(value)
  return others.length === 0 && /^(?:regex|contains|absent|equals)$/.test(name)
    ? (value as unknown as FieldMatcher)
    : undefined
}

/** Compiled expressions, which are no part of the state. */
const compiled = new WeakMap<object, Regex | string>()

function compile(matcher: unknown): Regex | string | undefined {
  if (typeof matcher !== 'object' || matcher === null || !('regex' in matcher)) return undefined
  const { regex } = matcher
  if (typeof regex !== 'string') return undefined
  const known = compiled.get(matcher) ?? compileRegex(regex)
  compiled.set(matcher, known)
  return known
}

function regexIn(matcher: unknown): Regex | undefined {
  const result = compile(matcher)
  return typeof result === 'string' ? undefined : result
}

function regexProblem(matcher: unknown): string | undefined {
  const result = compile(matcher)
  return typeof result === 'string' ? result : undefined
}

/** Deep equality, with fields in any order. Its recursion is limited by the depth of `wanted`, at most 100. */
function isSame(sent: JsonValue, wanted: JsonValue): boolean {
  if (!isContainer(sent) || !isContainer(wanted)) {
    return (
      sent === wanted ||
      (isNumber(sent) && isNumber(wanted) && printJson(sent) === printJson(wanted))
    )
  }
  if (Array.isArray(sent) !== Array.isArray(wanted)) return false
  if (Array.isArray(sent) && Array.isArray(wanted)) {
    return (
      sent.length === wanted.length &&
      wanted.every((item, index) => isSame(sent[index] as JsonValue, item))
    )
  }
  return (
    sizeOf(sent) === Object.keys(wanted).length &&
    Object.entries(wanted).every(
      ([name, field]) =>
        Object.hasOwn(sent, name) && isSame(fieldOf(sent, name) as JsonValue, field),
    )
  )
}

/** Caches the number of fields: many rules may look at a large body. */
const sizes = new WeakMap<object, number>()

function sizeOf(sent: object): number {
  const size = sizes.get(sent) ?? Object.keys(sent).length
  sizes.set(sent, size)
  return size
}

/** A number, a bigint and a `JsonNumber` may stand for the same integer. */
function isNumber(value: JsonValue | undefined): value is number | bigint | JsonNumber {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof JsonNumber
}

function isContainer(
  value: JsonValue | undefined,
): value is JsonValue[] | { [name: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !(value instanceof JsonNumber)
}

/** An integer that JavaScript may have rounded; `parseJson` returns a bigint in its place. */
function unsafeIn(value: JsonValue): number | undefined {
  if (typeof value === 'number')
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? value : undefined
  if (!isContainer(value)) return undefined
  for (const item of Object.values(value)) {
    const unsafe = unsafeIn(item)
    if (unsafe !== undefined) return unsafe
  }
  return undefined
}
