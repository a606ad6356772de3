import { type JsonValue, printJson } from '../../../json.ts'
import type { Rule, RuleInForce, RuleStep } from '../../../mock/schemas/schemas.gen.ts'
import { faultName, faultWords } from './kinds.ts'

/** `Fail 2 listPets requests with 503` */
export function sentenceOf(rule: RuleInForce | Rule): string {
  const { times, skip, during } = rule
  const requests = requestsOf(rule, times)
  const extras = [
    ...(skip === undefined ? [] : [`after ${skip} others`]),
    ...(during === undefined
      ? []
      : [
          `for ${durationWords(during.forMs)}${during.afterMs === undefined ? '' : `, from ${durationWords(during.afterMs)} on`}`,
        ]),
  ]
  return [mainOf(rule, requests), ...extras].join(', ')
}

function mainOf(rule: RuleInForce | Rule, requests: string): string {
  const { reply, delayMs, fault, sequence, rateLimit, times } = rule
  const delay = delayMs === undefined ? '' : `, delayed ${delayWords(delayMs)}`
  if ('function' in rule) return `Let the function ${rule.function} decide about ${requests}`
  if (sequence !== undefined)
    return `Respond to ${requestsOf(rule, times ?? sequence.length)} in sequence: ${sequence.map(stepWords).join(', ')}`
  if (rateLimit !== undefined)
    return `Allow ${rateLimit.requests} of ${requestsOf(rule, Infinity)} in ${durationWords(rateLimit.windowMs)}, and respond 429 to others`
  if (reply !== undefined) {
    const { status } = reply
    const broken = fault === undefined ? '' : `, with ${faultName(fault)}`
    return (
      (status < 400 ? `Respond ${status} to ${requests}` : `Fail ${requests} with ${status}`) +
      broken +
      delay
    )
  }
  if (fault !== undefined) {
    const slow = typeof fault === 'object' ? `, over ${durationWords(fault.slowBodyMs)}` : ''
    return `${faultWords[faultName(fault)]} ${requests}${slow}${delay}`
  }
  return `Delay ${requests} ${delayWords(delayMs ?? 0)}`
}

/** `every request`, `2 listPets requests (limit "5")`; for no finite number, `all requests`. */
function requestsOf({ when = {} }: Pick<Rule, 'when'>, times: number | undefined): string {
  const { operation = [] } = when
  const names = [operation].flat().join(' or ')
  const number =
    times === undefined ? 'every' : times === Infinity ? 'all' : times === 1 ? 'one' : String(times)
  const noun = times === undefined || times === 1 ? 'request' : 'requests'
  const conditions = conditionWords(when)
  return [number, names, noun, ...(conditions === '' ? [] : [`(${conditions})`])]
    .filter(Boolean)
    .join(' ')
}

/** The condition without its operation: `limit "5" and header x-trace containing "a"`. */
export function conditionWords({
  petId,
  query = {},
  headers = {},
  body,
}: NonNullable<Rule['when']>) {
  const each = (prefix: string, fields: object): string[] =>
    Object.entries(fields).map(
      ([name, wanted]) => `${prefix}${name} ${valueWords(wanted as JsonValue)}`,
    )
  return [
    ...(petId === undefined ? [] : [`petId ${valueWords(petId)}`]),
    ...each('', query),
    ...each('header ', headers),
    ...(body === undefined
      ? []
      : isFields(body)
        ? each('body ', body)
        : [`body ${valueWords(body)}`]),
  ].join(' and ')
}

const isFields = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function valueWords(wanted: JsonValue): string {
  if (!isFields(wanted)) return printJson(wanted)
  const [[kind, value] = ['']]: [string, JsonValue?][] = Object.entries(wanted)
  if (kind === 'absent') return 'absent'
  if (kind === 'contains') return `containing ${printJson(value)}`
  if (kind === 'regex') return `matching ${printJson(value)}`
  return printJson(kind === 'equals' ? value : wanted)
}

const delayWords = (delay: NonNullable<RuleStep['delayMs']>): string => {
  if (typeof delay === 'number') return `by ${durationWords(delay)}`
  return 'from' in delay
    ? `by ${durationWords(delay.from)} to ${durationWords(delay.to)}`
    : `by ${durationWords(delay.median)} at the median, and ${durationWords(delay.p99)} for 1 in 100`
}

/** `503`, `reset`, `200 after 2 s`, `as usual` */
function stepWords({ reply, fault, delayMs }: RuleStep): string {
  const what = [
    ...(reply === undefined ? [] : [String(reply.status)]),
    ...(fault === undefined ? [] : [faultName(fault)]),
  ].join(' with ')
  return `${what || 'as usual'}${delayMs === undefined ? '' : ` delayed ${delayWords(delayMs)}`}`
}

/** `2 s`, `500 ms`, on one line */
export const durationWords = (ms: number): string =>
  ms >= 1_000 && ms % 100 === 0 ? `${ms / 1_000}\u00a0s` : `${ms}\u00a0ms`
