import { type Issue, sentenceOf } from '../../errors.ts'
import { issuesOf } from '../../validate.ts'
import type { OperationId } from '../../spec/operations.ts'
import {
  conditionIssues,
  fieldsIn,
  jsonIssues,
  type OperationCall,
  parametersIn,
  withLowerCase,
} from './condition.ts'
import { copyJson } from '../pets/pet.ts'
import type { Delay, Rule, RuleStep } from '../schemas/schemas.gen.ts'
import { validators } from '../schemas/validators.gen.ts'

/** Of one sandbox. */
export const maxRules = 1_000

/** The argument of a rule that is a function: `(request: RuleRequest) => { reply, delayMs, fault } | undefined`. */
export interface RuleRequest {
  operation: OperationId
  method: string
  /** As sent: `/v1/pets?limit=5`. */
  target: string
  /** The decoded query parameters; the first value of a repeated one. */
  query: Readonly<Record<string, string>>
  /** The petId as it is in the path; undefined for other operations. */
  petId: string | undefined
  /** Names are in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The parsed body; undefined when it is not a JSON object. A large integer is a bigint. */
  body: Readonly<Record<string, unknown>> | undefined
}

/**
 * A rule that is a function: called with each request of an operation with a valid key, it returns the effect on that
 * request, or undefined. It must be synchronous. When it throws or returns something else, the response is 500 with a
 * message. The control API only shows its name.
 */
export type RuleFunction = (
  request: RuleRequest,
) => Pick<Rule, 'reply' | 'delayMs' | 'fault'> | undefined

/** A validated rule. With `decide`, it has no other fields. */
export interface ReadRule extends Rule {
  decide?: RuleFunction
}

/** How often a rule applies. */
export const timesOf = ({ times, sequence }: Rule): number | undefined => times ?? sequence?.length

/** Adds mistakes to `issues`, below the `path` of the rule: `rules/0`. */
export function readRule(value: unknown, path: string, issues: Issue[]): ReadRule {
  if (typeof value === 'function') return { decide: value as RuleFunction }
  const found: Issue[] = issuesOf(validators.Rule, value, { at: path, quotes: 'scalars' })
  const rule = (found.length === 0 ? value : {}) as Rule
  const { when, sequence } = rule
  // What a schema cannot express.
  found.push(...effectIssues(rule, path))
  if (when !== undefined) found.push(...conditionIssues(when, `${path}/when`))
  for (const [index, step] of (sequence ?? []).entries())
    found.push(...effectIssues(step, `${path}/sequence/${index}`))
  for (const name of sequence === undefined ? [] : (['reply', 'delayMs', 'fault'] as const)) {
    if (rule[name] !== undefined)
      found.push({ path: `${path}/${name}`, message: 'cannot be combined with sequence.' })
  }
  issues.push(...found)
  const lower = {
    ...withLowerCaseReply(rule),
    ...(when && { when: withLowerCase(when) }),
    ...(sequence && { sequence: sequence.map(withLowerCaseReply) }),
  }
  return (copyJson(lower) as Rule | undefined) ?? {}
}

function effectIssues({ reply, delayMs }: RuleStep, path: string): Issue[] {
  const issues: Issue[] = []
  if (delayMs !== undefined && !isOrdered(delayMs)) {
    const [low, high] = Object.keys(delayMs)
    issues.push({ path: `${path}/delayMs`, message: `must have its ${low} at most its ${high}.` })
  }
  if (reply?.body !== undefined) issues.push(...jsonIssues(reply.body, `${path}/reply/body`))
  return issues
}

const withLowerCaseReply = <Effect extends RuleStep>(effect: Effect): Effect =>
  effect.reply === undefined ? effect : { ...effect, reply: withLowerCase(effect.reply) }

/**
 * The effects of a rule on one request, with the next step of its sequence. When its function fails, the response is 500.
 *
 * @param used the number of requests that the rule applied to.
 */
export function effectsOf(rule: ReadRule, id: string, used: number, call: OperationCall): Rule {
  const { decide, sequence } = rule
  if (sequence !== undefined) return { ...rule, ...sequence[used % sequence.length] }
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

export function isDelay(value: unknown): value is Delay {
  return issuesOf(validators.Rule, { delayMs: value }).length === 0 && isOrdered(value as Delay)
}

function isOrdered(delay: Delay): boolean {
  if (typeof delay === 'number') return true
  return 'from' in delay ? delay.from <= delay.to : delay.median <= delay.p99
}

function toRuleRequest(call: OperationCall): RuleRequest {
  const { operation, petId, request } = call
  const { method, target, headers } = request
  const query = Object.fromEntries(parametersIn(call))
  return { operation, method, target, query, petId, headers: { ...headers }, body: fieldsIn(call) }
}
