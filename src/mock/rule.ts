import { type Issue, sentenceOf } from '../errors.ts'
import { JsonNumber, type JsonValue, printJson } from '../json.ts'
import { isJsonObject, issuesOf, tryParseJson } from '../validate.ts'
import { copyJson } from './pet.ts'
import type { OperationCall, RuleRequest } from './message.ts'
import type { Delay, Rule, RuleCondition, RuleFunction } from './types.ts'
import { validators } from './validators.gen.ts'

/** Of one sandbox. */
export const maxRules = 1_000

/** A validated rule. With `decide`, it has no other fields. */
export interface ReadRule extends Rule {
  decide?: RuleFunction
}

/** Adds mistakes to `issues`, below the `path` of the rule: `rules/0`. */
export function readRule(value: unknown, path: string, issues: Issue[]): ReadRule {
  if (typeof value === 'function') return { decide: value as RuleFunction }
  const found: Issue[] = issuesOf(validators.Rule, value, { at: path })
  const rule = (found.length === 0 ? value : {}) as Rule
  const { when, reply, delayMs } = rule
  // What a schema cannot express.
  if (delayMs !== undefined && !isOrdered(delayMs)) {
    const [low, high] = Object.keys(delayMs)
    found.push({ path: `${path}/delayMs`, message: `must have its ${low} at most its ${high}.` })
  }
  for (const [part, fields] of Object.entries({ when, reply })) {
    if (fields?.body === undefined) continue
    const at = `${path}/${part}/body`
    const copy = copyJson(fields.body)
    const unsafe = copy === undefined ? undefined : unsafeIn(copy)
    if (copy === undefined)
      found.push({ path: at, message: 'must be JSON, of at most 100 levels.' })
    else if (unsafe !== undefined) {
      const message = `has ${unsafe}, beyond 2^53, where a number is not exact. Write a bigint, such as ${BigInt(unsafe)}n.`
      found.push({ path: at, message })
    }
  }
  issues.push(...found)
  const lower = {
    ...(when && { when: withLowerCase(when) }),
    ...(reply && { reply: withLowerCase(reply) }),
  }
  return (copyJson({ ...rule, ...lower }) as Rule | undefined) ?? {}
}

/** The effects of a rule on one request. When its function fails, the response is 500. */
export function effectsOf(rule: ReadRule, id: string, call: OperationCall): Rule {
  const { decide } = rule
  if (decide === undefined) return rule
  const issues: Issue[] = []
  try {
    const decided: unknown = decide(toRuleRequest(call))
    if (decided === undefined) return {}
    if (decided instanceof Promise) {
      decided.catch(() => {})
      throw new TypeError('It must not be async: the mock responds at once.')
    }
    const read = readRule(decided, id, issues)
    const isReaction = Object.keys(read).every((name) =>
      ['reply', 'delayMs', 'fault'].includes(name),
    )
    if (!isReaction) throw new TypeError('It may return reply, delayMs and fault alone.')
    if (issues.length === 0) return read
  } catch (error) {
    issues.push({ path: '', message: error instanceof Error ? error.message : String(error) })
  }
  return {
    reply: {
      status: 500,
      message: `The function of ${id} failed. ${issues.map(sentenceOf).join(' ')}`,
    },
  }
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

export function isDelay(value: unknown): value is Delay {
  return issuesOf(validators.Rule, { delayMs: value }).length === 0 && isOrdered(value as Delay)
}

function isOrdered(delay: Delay): boolean {
  if (typeof delay === 'number') return true
  return 'from' in delay ? delay.from <= delay.to : delay.median <= delay.p99
}

/** Lower-cases header names, as requests and replies have them. */
function withLowerCase<Part extends { headers?: Readonly<Record<string, string>> }>(
  part: Part,
): Part {
  if (part.headers === undefined) return part
  const headers = Object.entries(part.headers).map(([name, value]) => [name.toLowerCase(), value])
  return { ...part, headers: Object.fromEntries(headers) as Record<string, string> }
}

export function matches(when: RuleCondition | undefined, call: OperationCall): boolean {
  if (when === undefined) return true
  const { operation, query, petId, headers, body } = when
  const operations = typeof operation === 'string' ? [operation] : operation
  if (operations !== undefined && !operations.includes(call.operation)) return false
  if (petId !== undefined && petId !== call.petId) return false
  if (query !== undefined) {
    const sent = parametersIn(call)
    for (const name in query) if (sent.get(name) !== query[name]) return false
  }
  if (headers !== undefined) {
    for (const name in headers) if (call.request.headers[name] !== headers[name]) return false
  }
  if (body === undefined) return true
  const fields = fieldsIn(call)
  return fields !== undefined && Object.entries(body).every(isFieldOf(fields))
}

function toRuleRequest(call: OperationCall): RuleRequest {
  const { operation, petId, request } = call
  const { method, target, headers } = request
  const query = Object.fromEntries(parametersIn(call))
  return { operation, method, target, query, petId, headers: { ...headers }, body: fieldsIn(call) }
}

const parametersIn = (call: OperationCall): ReadonlyMap<string, string> =>
  (call.parameters ??= new Map([...new URLSearchParams(call.query)].toReversed()))

function fieldsIn(call: OperationCall): Readonly<Record<string, JsonValue>> | undefined {
  const { body } = (call.sent ??= { body: tryParseJson(call.request.body) })
  return isJsonObject(body) ? body : undefined
}

const isFieldOf =
  (container: object) =>
  ([name, wanted]: [string, JsonValue]): boolean =>
    Object.hasOwn(container, name) &&
    isSame((container as Record<string, JsonValue>)[name] as JsonValue, wanted)

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
    sizeOf(sent) === Object.keys(wanted).length && Object.entries(wanted).every(isFieldOf(sent))
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
function isNumber(value: JsonValue): boolean {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof JsonNumber
}

function isContainer(value: JsonValue): value is JsonValue[] | { [name: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !(value instanceof JsonNumber)
}
