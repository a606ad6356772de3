import { JsonNumber, type JsonValue, parseJson, printJson } from '../json.ts'
import type { RuleCondition } from './types.ts'
import type { OperationCall, RuleRequest } from './message.ts'

/** Whether a request is one of those that a rule is for. */
export function fits(when: RuleCondition | undefined, call: OperationCall): boolean {
  if (when === undefined) return true
  const { operation, query, petId, headers, body } = when
  const operations = typeof operation === 'string' ? [operation] : operation
  if (operations !== undefined && !operations.includes(call.operation)) return false
  if (petId !== undefined && petId !== call.petId) return false
  if (query !== undefined && !hasParameters((call.parameters ??= new URLSearchParams(call.query)), query)) return false
  if (headers !== undefined) {
    for (const [name, value] of Object.entries(headers)) if (call.request.headers[name] !== value) return false
  }
  return body === undefined || hasFields(fieldsIn(call), body)
}

/** A request as a rule that is a function gets it. */
export function toRuleRequest(call: OperationCall): RuleRequest {
  const { operation, petId, request } = call
  const { method, target, headers } = request
  // The first of several values stays.
  const query = Object.fromEntries([...new URLSearchParams(call.query)].toReversed())
  return { operation, method, target, query, petId, headers: { ...headers }, body: fieldsIn(call) }
}

/** The fields of the body, if it is an object. */
function fieldsIn(call: OperationCall): Readonly<Record<string, JsonValue>> | undefined {
  const { body } = (call.sent ??= { body: read(call.request.body) })
  return body !== undefined && isContainer(body) && !Array.isArray(body) ? body : undefined
}

function hasParameters(parameters: URLSearchParams, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([name, value]) => parameters.get(name) === value)
}

/** Undefined when it is not JSON. */
function read(body: string): JsonValue | undefined {
  try {
    return parseJson(body)
  } catch {
    return undefined
  }
}

function hasFields(sent: object | undefined, wanted: Readonly<Record<string, JsonValue>>): boolean {
  return sent !== undefined && Object.entries(wanted).every(isFieldOf(sent))
}

const isFieldOf =
  (container: object) =>
  ([name, wanted]: [string, JsonValue]): boolean =>
    Object.hasOwn(container, name) && isSame((container as Record<string, JsonValue>)[name] as JsonValue, wanted)

/** The order of fields does not matter. It goes no deeper than what is wanted, which is not deep. */
function isSame(sent: JsonValue, wanted: JsonValue): boolean {
  if (!isContainer(sent) || !isContainer(wanted)) {
    return sent === wanted || (isNumber(sent) && isNumber(wanted) && printJson(sent) === printJson(wanted))
  }
  return (
    Array.isArray(sent) === Array.isArray(wanted) &&
    sizeOf(sent) === Object.keys(wanted).length &&
    Object.entries(wanted).every(isFieldOf(sent))
  )
}

/** A body may have very many fields, and very many rules may look at it. */
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
