import type { Issue } from '../errors.ts'
import { operations } from '../spec/operations.ts'
import { delayMistake, longestDelayMs } from './delay.ts'
import { copyJson } from './json-copy.ts'
import type { Rule } from './rule.ts'

/** What each part of a rule may be; each text completes "... must be". */
type Shape = Record<string, (value: unknown) => string | undefined>

const count = (least: number, most: number) => (value: unknown) =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most
    ? undefined
    : `must be an integer from ${least} to ${most}`
const positive = (most: number) => (value: unknown) =>
  typeof value === 'number' && value > 0 && value <= most ? undefined : `must be a number above 0, and at most ${most}`
const notNegative = (value: unknown): string | undefined =>
  typeof value === 'number' && value >= 0 && value <= longestMs ? undefined : `must be a number from 0 to ${longestMs}`
const text = (value: unknown): string | undefined => (typeof value === 'string' ? undefined : 'must be a text')
const json = (value: unknown): string | undefined =>
  copyJson(value) === undefined ? 'must be JSON, of at most 100 levels' : undefined

/** The longest window, in milliseconds: what the header fields of a rate limit can still tell. */
export const longestMs = 1_000_000_000_000
/** The highest count, for the same reason. */
export const highestCount = 1_000_000_000_000

/** What HTTP says of a message and its connection belongs to whoever sends it. */
export const framing: readonly string[] = [
  'connection',
  'content-length',
  'keep-alive',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** The name of a header, in any letter case: rules keep it in lower case. */
export const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** The value of a header: no line breaks, and nothing beyond Latin-1. */
export const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/

const texts = (value: unknown): string | undefined =>
  isObject(value) && Object.values(value).every((member) => typeof member === 'string')
    ? undefined
    : 'must be an object of texts'
const headerFields = (value: unknown): string | undefined => {
  const mistake = texts(value)
  if (mistake !== undefined) return mistake
  for (const [name, field] of Object.entries(value as Record<string, string>)) {
    if (!headerName.test(name)) return `must have names of headers, and ${JSON.stringify(name)} is none`
    if (!headerValue.test(field)) {
      return `must have values without line breaks and within Latin-1, which that of ${JSON.stringify(name)} is not`
    }
  }
  return undefined
}

const repliedFields = (value: unknown): string | undefined => {
  const mistake = headerFields(value)
  if (mistake !== undefined) return mistake
  const framed = Object.keys(value as object).filter((name) => framing.includes(name.toLowerCase()))
  return framed.length === 0 ? undefined : `must not have ${framed.join(', ')}: the mock sends what is true`
}

const operationNames = Object.keys(operations)
const operation = (value: unknown): string | undefined => {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value]
  const known = names.length > 0 && names.every((name) => operationNames.includes(name as string))
  return known ? undefined : `must be one of ${operationNames.join(', ')}, or a list of them`
}

const status = (value: unknown): string | undefined =>
  Number.isInteger(value) && (value as number) >= 200 && (value as number) <= 599
    ? undefined
    : 'must be a status from 200 to 599'

/** Faults that need no more than their name. */
export const faults = ['reset', 'silence', 'truncated-body']
const fault = (value: unknown, path: string, mistakes: Issue[]): void => {
  if (faults.includes(value as string)) return
  if (isObject(value)) readShape(value, { slowBodyMs: positive(longestDelayMs) }, ['slowBodyMs'], path, mistakes)
  else mistakes.push({ path, message: `must be one of ${faults.join(', ')}, or { slowBodyMs }.` })
}

/** Rules that a world takes. */
export const mostRules = 1_000

const members = ['when', 'reply', 'delayMs', 'fault', 'rateLimit', 'skip', 'times', 'during']
const effects = ['reply', 'delayMs', 'fault', 'rateLimit']

/**
 * Reads a rule that somebody gave.
 *
 * @param path where it stands, for messages: `rules/0`.
 * @param mistakes receives a sentence for each.
 */
export function readRule(value: unknown, path: string, mistakes: Issue[]): Rule {
  if (!isObject(value)) {
    mistakes.push({ path, message: `must be an object with at least one of ${effects.join(', ')}.` })
    return {}
  }
  readShape(value, { skip: count(0, highestCount), times: count(1, highestCount) }, [], path, mistakes, members)
  const parts = value
  const part = (name: string, shape: Shape, required: readonly string[] = []): void => {
    if (parts[name] === undefined) return
    if (isObject(parts[name])) readShape(parts[name], shape, required, `${path}/${name}`, mistakes)
    else mistakes.push({ path: `${path}/${name}`, message: `must be an object.` })
  }
  part('when', { operation, query: texts, petId: text, headers: headerFields, body: jsonObject })
  part('reply', { status, code: text, message: text, headers: repliedFields, body: json }, ['status'])
  part('rateLimit', { requests: count(0, highestCount), windowMs: positive(longestMs) }, ['requests', 'windowMs'])
  part('during', { afterMs: notNegative, forMs: positive(longestMs) }, ['forMs'])
  if (parts['delayMs'] !== undefined) {
    const mistake = delayMistake(parts['delayMs'])
    if (mistake !== undefined) mistakes.push({ path: `${path}/delayMs`, message: `${mistake}.` })
  }
  if (parts['fault'] !== undefined) fault(parts['fault'], `${path}/fault`, mistakes)
  if (effects.every((name) => parts[name] === undefined)) {
    mistakes.push({ path, message: `does nothing: it needs at least one of ${effects.join(', ')}.` })
  }
  const { reply } = value as Rule
  if (isObject(reply) && reply.status < 300 && reply.body === undefined && reply.status !== 204) {
    mistakes.push({ path: `${path}/reply`, message: `needs a body: only errors have one of their own.` })
  }
  return (
    (copyJson({
      ...value,
      ...(isObject(parts['when']) && { when: withLowerCase(parts['when']) }),
      ...(isObject(reply) && { reply: withLowerCase(parts['reply'] as object) }),
    }) as Rule | undefined) ?? {}
  )
}

/** Requests and replies have the names of their headers in lower case. */
function withLowerCase(part: { headers?: unknown }): object {
  const { headers } = part
  if (!isObject(headers)) return part
  return {
    ...part,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  }
}

function readShape(
  value: Readonly<Record<string, unknown>>,
  shape: Shape,
  required: readonly string[],
  path: string,
  mistakes: Issue[],
  known: readonly string[] = Object.keys(shape),
): void {
  for (const [name, member] of Object.entries(value)) {
    if (!known.includes(name))
      mistakes.push({ path, message: `has no ${JSON.stringify(name)}. There are ${known.join(', ')}.` })
    else if (member !== undefined) {
      const mistake = shape[name]?.(member)
      if (mistake !== undefined) mistakes.push({ path: `${path}/${name}`, message: `${mistake}.` })
    }
  }
  for (const name of required)
    if (value[name] === undefined) mistakes.push({ path: `${path}/${name}`, message: `is required.` })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function jsonObject(value: unknown): string | undefined {
  return isObject(value) ? json(value) : 'must be an object'
}
