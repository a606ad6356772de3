import { JsonNumber, type JsonValue, parseJson, printJson } from '../json.ts'
import type { RuleCondition } from './rule.ts'
import type { Asked } from './rules.ts'

/** Whether a request is one of those that a rule is for. */
export function fits(when: RuleCondition | undefined, asked: Asked): boolean {
  if (when === undefined) return true
  const { operation, query, petId, headers, body } = when
  const operations = typeof operation === 'string' ? [operation] : operation
  if (operations !== undefined && !operations.includes(asked.operation)) return false
  if (petId !== undefined && petId !== asked.petId) return false
  if (query !== undefined && !hasParameters(asked.query, query)) return false
  if (headers !== undefined) {
    for (const [name, value] of Object.entries(headers)) if (asked.request.headers[name] !== value) return false
  }
  return body === undefined || hasMembers(asked.request.body, body)
}

function hasParameters(query: string, wanted: Readonly<Record<string, string>>): boolean {
  const parameters = new URLSearchParams(query)
  return Object.entries(wanted).every(([name, value]) => parameters.get(name) === value)
}

function hasMembers(body: string, wanted: Readonly<Record<string, JsonValue>>): boolean {
  try {
    const sent = parseJson(body)
    return isContainer(sent) && !Array.isArray(sent) && Object.entries(wanted).every(isMemberOf(sent))
  } catch {
    return false
  }
}

const isMemberOf =
  (container: object) =>
  ([name, wanted]: [string, JsonValue]): boolean =>
    Object.hasOwn(container, name) && isSame((container as Record<string, JsonValue>)[name] as JsonValue, wanted)

/** The order of members does not matter. It goes no deeper than what is wanted, which is not deep. */
function isSame(sent: JsonValue, wanted: JsonValue): boolean {
  if (!isContainer(sent) || !isContainer(wanted)) {
    return sent === wanted || (isNumber(sent) && isNumber(wanted) && printJson(sent) === printJson(wanted))
  }
  return (
    Array.isArray(sent) === Array.isArray(wanted) &&
    Object.keys(sent).length === Object.keys(wanted).length &&
    Object.entries(wanted).every(isMemberOf(sent))
  )
}

/** A number, a bigint and a `JsonNumber` may stand for the same integer. */
function isNumber(value: JsonValue): boolean {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof JsonNumber
}

function isContainer(value: JsonValue): value is JsonValue[] | { [name: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !(value instanceof JsonNumber)
}
