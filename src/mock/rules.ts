import { type Issue, UsageError } from '../errors.ts'
import { printJson } from '../json.ts'
import { operations } from '../spec/operations.ts'
import type { SandboxClock } from './clock.ts'
import { drawDelay } from './delay.ts'
import { type Asked, fits } from './fits.ts'
import type { MockReply } from './message.ts'
import { readPrefer } from './prefer.ts'
import { Random } from './random.ts'
import { type RateWindow, takeRequest } from './rate-limit.ts'
import { mostRules, readRule } from './read-rule.ts'
import type { Fault, Rule, RuleInForce, RuleReply } from './types.ts'

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

/** A rule in force and what is counted of it, as a plain value. */
export interface RuleState {
  readonly id: string
  readonly rule: Rule
  /** By the stopwatch. */
  readonly addedAt: number
  fitting: number
  used: number
  /** Where the generator of its delays stands. */
  random: number
  window?: RateWindow | undefined
}

/** The rules of a sandbox, as a plain value. */
export interface RulesState {
  /** How many there were. */
  readonly number: number
  readonly rules: readonly RuleState[]
}

/** What a rule takes beside its text. */
const ruleBytes = 500

/** The rules of a sandbox. */
export class Rules {
  readonly #initial: readonly Rule[]
  readonly #clock: SandboxClock
  readonly #seed: number
  readonly #sizes = new WeakMap<Rule, number>()
  #number = 0
  #kept: RuleState[] = []

  /** About how many bytes the rules take. */
  bytes = 0

  /**
   * @param initial the rules of the options, checked.
   * @param seed of delays that are drawn.
   */
  constructor(initial: readonly Rule[], clock: SandboxClock, seed: number) {
    this.#initial = initial
    this.#clock = clock
    this.#seed = seed
    this.reset()
  }

  /**
   * Adds rules. The last one goes first.
   *
   * @param capacity bytes that they may take.
   * @throws {UsageError} that tells all mistakes.
   */
  add(added: readonly Rule[], capacity: number): RuleInForce[] {
    const mistakes: Issue[] = []
    const read = added.map((rule, index) => readRule(rule, `rules/${index}`, mistakes))
    if (this.#kept.length + read.length > mostRules) {
      mistakes.push({ path: '', message: `A sandbox takes ${mostRules} rules. Remove some first.` })
    }
    if (mistakes.length === 0 && read.reduce((sum, rule) => sum + this.#sizeOf(rule), 0) > capacity) {
      mistakes.push({ path: '', message: 'There is no capacity for these rules. Remove some, or reset the sandbox.' })
    }
    if (mistakes.length > 0) throw new UsageError(mistakes)
    this.#keep([...this.#kept, ...read.map((rule) => this.#start(rule))])
    return this.list().slice(this.#kept.length - read.length)
  }

  /** The rules in force, in the order in which they were added. */
  list(): RuleInForce[] {
    return this.#kept.map((one) => ({ ...one.rule, id: one.id, used: one.used, active: !this.#isOver(one) }))
  }

  /** Removes the rule with this id, or all; returns whether there was one. */
  remove(id?: string): boolean {
    const before = this.#kept.length
    this.#keep(id === undefined ? [] : this.#kept.filter((one) => one.id !== id))
    return this.#kept.length < before
  }

  /** Back to the rules of the options. */
  reset(): void {
    this.#number = 0
    this.#keep(this.#initial.map((rule) => this.#start(rule)))
  }

  save(): RulesState {
    return { number: this.#number, rules: this.#kept.map((one) => ({ ...one })) }
  }

  restore({ number, rules }: RulesState): void {
    this.#number = number
    this.#keep(rules.map((one) => ({ ...one })))
  }

  /** What shall happen to a request, or undefined; a text when its header `Prefer` is wrong. */
  interveneIn(asked: Asked, overrides: boolean): Intervention | string | undefined {
    const header = overrides ? asked.request.headers['prefer'] : undefined
    // Most sandboxes have no rules, and most requests prefer nothing.
    if (this.#kept.length === 0 && header === undefined) return undefined
    const intervention: Intervention = { rule: '', headers: {} }
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
    for (let index = this.#kept.length - 1; index >= 0; index -= 1) {
      const one = this.#kept[index] as RuleState
      if (!fits(one.rule.when, asked) || !this.#isDue(one)) continue
      if (!this.#contribute(one, intervention)) continue
      one.used += 1
      if (intervention.rule === '') intervention.rule = one.id
    }
    return intervention.rule === '' ? undefined : intervention
  }

  #start(rule: Rule): RuleState {
    this.#number += 1
    const random = new Random(this.#seed + this.#number).state
    return { id: `rule-${this.#number}`, rule, addedAt: this.#clock.elapsed(), fitting: 0, used: 0, random }
  }

  #keep(rules: RuleState[]): void {
    this.#kept = rules
    this.bytes = rules.reduce((sum, { rule }) => sum + this.#sizeOf(rule), 0)
  }

  #sizeOf(rule: Rule): number {
    const size = this.#sizes.get(rule) ?? ruleBytes + printJson(rule).length
    this.#sizes.set(rule, size)
    return size
  }

  #ageOf({ addedAt }: RuleState): number {
    return this.#clock.elapsed() - addedAt
  }

  #isOver(one: RuleState): boolean {
    const { times, during } = one.rule
    if (times !== undefined && one.used >= times) return true
    return during !== undefined && this.#ageOf(one) >= (during.afterMs ?? 0) + during.forMs
  }

  /** Whether a rule is to be applied to a request that fits it; counts it. */
  #isDue(one: RuleState): boolean {
    if (this.#isOver(one)) return false
    if (this.#ageOf(one) < (one.rule.during?.afterMs ?? 0)) return false
    one.fitting += 1
    return one.fitting > (one.rule.skip ?? 0)
  }

  /** Adds what a rule does and newer ones have left open; returns whether it did anything. */
  #contribute(one: RuleState, intervention: Intervention): boolean {
    const { rule } = one
    const { reply, fault, ordinary = false } = intervention
    const isAnswered = ordinary || reply !== undefined || fault !== undefined
    const answers = !isAnswered && (rule.reply !== undefined || rule.fault !== undefined)
    const delay = intervention.delayMs === undefined ? rule.delayMs : undefined
    const limit = isAnswered ? undefined : rule.rateLimit
    if (delay !== undefined) {
      const random = new Random(one.random)
      intervention.delayMs = drawDelay(delay, random.next)
      one.random = random.state
    }
    if (answers) {
      intervention.rule = one.id
      if (rule.reply !== undefined) intervention.reply = rule.reply
      if (rule.fault !== undefined) intervention.fault = rule.fault
    }
    if (limit !== undefined && !answers) {
      const { window, headers, isExceeded } = takeRequest(limit, one.window, this.#clock.elapsed())
      one.window = window
      // Of several limits the one that is exceeded is shown, or else the newest.
      intervention.headers = isExceeded
        ? { ...intervention.headers, ...headers }
        : { ...headers, ...intervention.headers }
      if (isExceeded) {
        intervention.rule = one.id
        intervention.reply = { status: 429, message: 'There were too many requests.' }
      }
    }
    return answers || delay !== undefined || limit !== undefined
  }
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
