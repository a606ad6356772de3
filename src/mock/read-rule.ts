import { type Issue, sentenceOf } from '../errors.ts'
import { issuesOf } from '../validate.ts'
import { copyJson } from './catalog.ts'
import { toRuleRequest } from './fits.ts'
import type { OperationCall } from './message.ts'
import type { Delay, Rule, RuleFunction } from './types.ts'
import { validators } from './validators.gen.ts'

/** Rules that a sandbox takes. */
export const mostRules = 1_000

/** A rule that was read. One that is a function says nothing else. */
export interface ReadRule extends Rule {
  decide?: RuleFunction
}

/**
 * Reads a rule that somebody gave.
 *
 * @param path where it stands, for messages: `rules/0`.
 * @param issues receives what is wrong.
 */
export function readRule(value: unknown, path: string, issues: Issue[]): ReadRule {
  if (typeof value === 'function') return { decide: value as RuleFunction }
  const found: Issue[] = issuesOf(validators.Rule, value, { at: path })
  const rule = (found.length === 0 ? value : {}) as Rule
  const { when, reply, delayMs } = rule
  // What no schema can say.
  if (delayMs !== undefined && !isOrdered(delayMs)) {
    const [low, high] = Object.keys(delayMs)
    found.push({ path: `${path}/delayMs`, message: `must have its ${low} at most its ${high}.` })
  }
  for (const [part, fields] of Object.entries({ when, reply })) {
    if (fields?.body === undefined || copyJson(fields.body) !== undefined) continue
    found.push({ path: `${path}/${part}/body`, message: 'must be JSON, of at most 100 levels.' })
  }
  issues.push(...found)
  const lower = { ...(when && { when: withLowerCase(when) }), ...(reply && { reply: withLowerCase(reply) }) }
  return (copyJson({ ...rule, ...lower }) as Rule | undefined) ?? {}
}

/** What a rule says of one request. Where its function fails, that is the response. */
export function ruleFor(rule: ReadRule, id: string, call: OperationCall): Rule {
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
    const isReaction = Object.keys(read).every((name) => ['reply', 'delayMs', 'fault'].includes(name))
    if (!isReaction) throw new TypeError('It may return reply, delayMs and fault alone.')
    if (issues.length === 0) return read
  } catch (error) {
    issues.push({ path: '', message: error instanceof Error ? error.message : String(error) })
  }
  return { reply: { status: 500, message: `The function of ${id} failed. ${issues.map(sentenceOf).join(' ')}` } }
}

/** Whether a value is a delay. */
export function isDelay(value: unknown): value is Delay {
  return issuesOf(validators.Rule, { delayMs: value }).length === 0 && isOrdered(value as Delay)
}

function isOrdered(delay: Delay): boolean {
  if (typeof delay === 'number') return true
  return 'from' in delay ? delay.from <= delay.to : delay.median <= delay.p99
}

/** Requests and replies have the names of their headers in lower case. */
function withLowerCase<Part extends { headers?: Readonly<Record<string, string>> }>(part: Part): Part {
  if (part.headers === undefined) return part
  const headers = Object.entries(part.headers).map(([name, value]) => [name.toLowerCase(), value])
  return { ...part, headers: Object.fromEntries(headers) as Record<string, string> }
}
