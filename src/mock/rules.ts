import { type Issue, UsageError } from '../errors.ts'
import { type JsonValue, printJson } from '../json.ts'
import type { OperationId } from '../spec/operations.ts'
import { operations } from '../spec/operations.ts'
import type { WorldClock } from './clock.ts'
import { createDelay, type NextDelay } from './delay.ts'
import { fits } from './fits.ts'
import type { MockReply, MockRequest } from './message.ts'
import { readPrefer } from './prefer.ts'
import { createRandom } from './random.ts'
import { createRateLimit, type RateLimit } from './rate-limit.ts'
import { readRule } from './read-rule.ts'
import { mostRules } from './schemas.ts'
import type { Fault, Rule, RuleInForce, RuleReply } from './rule.ts'

/** One request to an operation, let in. */
export interface Asked {
  operation: OperationId
  request: MockRequest
  query: string
  petId: string | undefined
  /** Read once, by the first rule that needs them. */
  parameters?: URLSearchParams
  sent?: { body: JsonValue | undefined }
}

/** What rules do to one request. */
export interface Intervention {
  /** The id of the rule that answers, or of the newest that did anything; `prefer`. */
  rule: string
  reply?: RuleReply
  delayMs?: number
  fault?: Fault
  /** The request wants the ordinary answer, whatever rules say. */
  ordinary?: true
  /** Further headers of the answer. */
  headers: Record<string, string>
}

/** The rules of one world. */
export interface Rules {
  add: (rules: readonly Rule[]) => RuleInForce[]
  list: () => RuleInForce[]
  remove: (id?: string) => boolean
  /** Back to the rules of the options. */
  reset: () => void
  /** What shall happen to a request, or undefined; a text when its header `Prefer` is wrong. */
  interveneIn: (asked: Asked, overrides: boolean) => Intervention | string | undefined
}

interface Kept {
  readonly id: string
  readonly rule: Rule
  /** About what it takes; 0 for a rule of the options, which is there once for all worlds. */
  readonly bytes: number
  readonly addedAt: number
  readonly nextDelay: NextDelay | undefined
  readonly limit: RateLimit | undefined
  fitting: number
  used: number
}

/** What a rule takes beside its text. */
const ruleBytes = 500
/** Bytes of the rules of one world: 8 MiB; of all worlds of a mock: 64 MiB. */
const mostBytes = 8 * 2 ** 20
const mostBytesOfAll = 64 * 2 ** 20

/**
 * @param initial the rules of the options, checked.
 * @param budget the bytes that the rules of all worlds hold together.
 * @param seed of delays that are drawn.
 */
export function createRules(
  initial: readonly Rule[],
  clock: WorldClock,
  seed: number,
  budget: { used: number } = { used: 0 },
): Rules {
  let kept: Kept[] = []
  let held = 0
  let number = 0

  const bytesOf = (some: readonly Kept[]): number => some.reduce((sum, { bytes }) => sum + bytes, 0)
  const replace = (next: Kept[]): void => {
    kept = next
    budget.used -= held
    held = bytesOf(kept)
    budget.used += held
  }
  const keep = (rule: Rule, bytes: number): Kept => {
    number += 1
    return {
      id: `rule-${number}`,
      rule,
      bytes,
      addedAt: clock.elapsed(),
      nextDelay: rule.delayMs === undefined ? undefined : createDelay(rule.delayMs, createRandom(seed + number).next),
      limit: rule.rateLimit === undefined ? undefined : createRateLimit(rule.rateLimit, clock),
      fitting: 0,
      used: 0,
    }
  }
  const age = ({ addedAt }: Kept): number => clock.elapsed() - addedAt
  const isOver = (one: Kept): boolean => {
    const { times, during } = one.rule
    if (times !== undefined && one.used >= times) return true
    return during !== undefined && age(one) >= (during.afterMs ?? 0) + during.forMs
  }
  const toRuleInForce = (one: Kept): RuleInForce => ({ ...one.rule, id: one.id, used: one.used, active: !isOver(one) })

  /** Whether a rule is to be applied to a request that fits it; counts it. */
  function isDue(one: Kept): boolean {
    if (isOver(one)) return false
    if (age(one) < (one.rule.during?.afterMs ?? 0)) return false
    one.fitting += 1
    return one.fitting > (one.rule.skip ?? 0)
  }

  /** Adds what a rule does and newer ones have left open; tells whether it did anything. */
  function contribute(one: Kept, intervention: Intervention): boolean {
    const { rule, limit, nextDelay } = one
    const { reply, fault, ordinary = false } = intervention
    const isAnswered = ordinary || reply !== undefined || fault !== undefined
    const answers = !isAnswered && (rule.reply !== undefined || rule.fault !== undefined)
    const delays = nextDelay !== undefined && intervention.delayMs === undefined
    if (delays) intervention.delayMs = nextDelay()
    if (answers) {
      intervention.rule = one.id
      if (rule.reply !== undefined) intervention.reply = rule.reply
      if (rule.fault !== undefined) intervention.fault = rule.fault
    }
    if (limit !== undefined && !isAnswered && !answers) {
      const { headers, isExceeded } = limit.take()
      // Of several limits the one that is exceeded is told, or else the newest.
      intervention.headers = isExceeded
        ? { ...intervention.headers, ...headers }
        : { ...headers, ...intervention.headers }
      if (isExceeded) {
        intervention.rule = one.id
        intervention.reply = { status: 429, message: 'There were too many requests.' }
      }
    }
    return answers || delays || (limit !== undefined && !isAnswered)
  }

  function interveneIn(asked: Asked, overrides: boolean): Intervention | string | undefined {
    const intervention: Intervention = { rule: '', headers: {} }
    const header = overrides ? asked.request.headers['prefer'] : undefined
    if (header !== undefined) {
      const preferred = readPrefer(header, operations[asked.operation].successStatus)
      if (typeof preferred === 'string') return preferred
      if (preferred !== undefined) {
        const { applied, ...wishes } = preferred
        Object.assign(intervention, wishes)
        intervention.rule = 'prefer'
        if (applied !== '') intervention.headers['preference-applied'] = applied
      }
    }
    for (let index = kept.length - 1; index >= 0; index -= 1) {
      const one = kept[index] as Kept
      if (!fits(one.rule.when, asked) || !isDue(one)) continue
      if (!contribute(one, intervention)) continue
      one.used += 1
      if (intervention.rule === '') intervention.rule = one.id
    }
    return intervention.rule === '' ? undefined : intervention
  }

  const rules: Rules = {
    add(added) {
      const mistakes: Issue[] = []
      const read = added.map((rule, index) => readRule(rule, `rules/${index}`, mistakes))
      if (kept.length + read.length > mostRules)
        mistakes.push({ path: '', message: `A world takes ${mostRules} rules. Remove some first.` })
      const sizes = mistakes.length > 0 ? [] : read.map((rule) => ruleBytes + printJson(rule).length)
      const size = sizes.reduce((sum, bytes) => sum + bytes, 0)
      if (held + size > mostBytes)
        mistakes.push({ path: '', message: 'The rules of a world take at most 8 MiB. Remove some first.' })
      else if (budget.used + size > mostBytesOfAll) {
        mistakes.push({
          path: '',
          message: 'The rules of all sandboxes together take at most 64 MiB. Remove some first.',
        })
      }
      if (mistakes.length > 0) throw new UsageError(mistakes)
      const more = read.map((rule, index) => keep(rule, sizes[index] ?? 0))
      replace([...kept, ...more])
      return more.map(toRuleInForce)
    },
    list: () => kept.map(toRuleInForce),
    remove(id) {
      const before = kept.length
      replace(id === undefined ? [] : kept.filter((one) => one.id !== id))
      return kept.length < before
    },
    reset() {
      number = 0
      replace(initial.map((rule) => keep(rule, 0)))
    },
    interveneIn(asked, overrides) {
      // Most worlds have no rules, and most requests prefer nothing.
      if (kept.length === 0 && (!overrides || asked.request.headers['prefer'] === undefined)) return undefined
      return interveneIn(asked, overrides)
    },
  }
  rules.reset()
  return rules
}

/** The answer to a request in which rules intervene. */
export function withIntervention(reply: MockReply, { rule, delayMs, fault }: Intervention): MockReply {
  const changed: MockReply = { ...reply, rule }
  if (delayMs !== undefined) changed.delayMs = delayMs
  if (fault === 'reset') changed.wire = { ...reply.wire, reset: true }
  else if (fault === 'silence') changed.wire = { ...reply.wire, silent: true }
  else if (fault === 'truncated-body') changed.wire = truncated(reply)
  else if (fault !== undefined) changed.wire = { ...reply.wire, bodyMs: fault.slowBodyMs }
  return changed
}

/** Half of the body, of which the whole is announced. */
function truncated({ body }: MockReply): NonNullable<MockReply['wire']> {
  const bytes = new TextEncoder().encode(body)
  return { bytes: bytes.slice(0, bytes.length >> 1), contentLength: bytes.length }
}
