import { expectNone, fail, type Issue } from '../../errors.ts'
import { operations } from '../../spec/operations.ts'
import { bytesOfJson } from '../pets/pet.ts'
import { type Preferred, readPrefer } from './prefer.ts'
import { Random } from '../pets/seed.ts'
import { matches, type OperationCall, regexSize } from './condition.ts'
import { effectsOf, maxRules, type ReadRule, readRule, type RuleFunction, timesOf } from './rule.ts'
import type { Delay, Rule, RuleInForce, RulePatch } from '../schemas/schemas.gen.ts'

/** What the header `Prefer` and rules do to a response. */
export interface Intervention extends Omit<Preferred, 'applied'> {
  /** `prefer`, the id of the rule that responds, or the id of the newest rule with an effect. */
  rule: string
  headers: Record<string, string>
}

/** A rule in force with its counters: a plain value. */
export interface RuleState {
  readonly id: string
  readonly rule: ReadRule
  /** By the stopwatch. */
  readonly addedAt: number
  /** The number of the latest request before it was added. Absent in states of earlier versions. */
  readonly after?: number
  disabled: boolean
  /** Counts matching requests, for `skip`. */
  fitting: number
  used: number
  /** The state of the generator for its delays. */
  random: number
  /** The open window of its rate limit: when it ends by the stopwatch, and how many requests are left. */
  window?: { readonly until: number; readonly left: number } | undefined
}

export interface RulesState {
  readonly number: number
  readonly rules: readonly RuleState[]
}

/** The number of the latest request before a rule was added: not for users. */
export const addedAfter = new WeakMap<RuleInForce, number>()

/** The approximate size of a rule without its text. */
const ruleBytes = 500
/** Instructions of the regular expressions of all rules: a request takes at most about 50 ms for them. */
const maxRegexSizeOfAll = 5_000

/** What rules need of the clock of their sandbox. */
interface Stopwatch {
  /** Milliseconds, which never go back. */
  elapsed: () => number
}

export class Rules {
  readonly #initial: readonly ReadRule[]
  readonly #clock: Stopwatch
  #seed: number
  readonly #sizes = new WeakMap<ReadRule, number>()
  #number = 0
  #kept: RuleState[] = []

  /** Counts all changes, and all uses. */
  version = 0
  /** Counts changes alone. */
  changes = 0
  bytes = 0
  /** The number of the latest request when a user changed something. */
  latest = 0

  /** @param seed for random delays. */
  constructor(initial: readonly ReadRule[], clock: Stopwatch, seed: number) {
    this.#initial = initial
    this.#clock = clock
    this.#seed = seed
    this.reset()
  }

  /** @param capacity bytes that they may take. */
  add(added: readonly (Rule | RuleFunction)[], capacity: number): RuleInForce[] {
    if (this.#kept.length + added.length > maxRules)
      fail(`A sandbox takes ${maxRules} rules. Remove some first.`)
    const mistakes: Issue[] = []
    const read = added.map((rule, index) => readRule(rule, `rules/${index}`, mistakes))
    if (
      mistakes.length === 0 &&
      read.reduce((sum, rule) => sum + this.#sizeOf(rule), 0) > capacity
    ) {
      mistakes.push({
        path: '',
        message: 'There is no capacity for these rules. Remove some, or reset the sandbox.',
      })
    }
    const regexes = [...this.#kept, ...read.map((rule) => ({ rule }))]
    if (
      regexes.reduce((sum, { rule }) => sum + regexSize(rule.when ?? {}), 0) > maxRegexSizeOfAll
    ) {
      mistakes.push({
        path: '',
        message:
          'The regular expressions of all rules are too large together. Use contains, or remove some rules.',
      })
    }
    expectNone(mistakes)
    this.#keep([...this.#kept, ...read.map((rule) => this.#start(rule))])
    return this.list().slice(this.#kept.length - read.length)
  }

  list(): RuleInForce[] {
    return this.#kept.map((one) => this.#show(one))
  }

  #show(one: RuleState): RuleInForce {
    const { id, used, disabled } = one
    const { decide, ...rule } = one.rule
    const times = timesOf(rule)
    const shown = {
      ...rule,
      ...(decide !== undefined && { function: decide.name || 'anonymous' }),
      id,
      used,
      ...(times !== undefined && { remaining: Math.max(0, times - used) }),
      enabled: !disabled,
      active: !disabled && !this.#isOver(one),
    }
    addedAfter.set(shown, one.after ?? 0)
    return shown
  }

  change(id: string, patch: RulePatch): RuleInForce | undefined {
    const { enabled, position } = patch
    const one = this.#kept.find((rule) => rule.id === id)
    if (one === undefined) return undefined
    if (enabled !== undefined) one.disabled = !enabled
    const others = this.#kept.filter((rule) => rule !== one)
    this.#keep(position === undefined ? this.#kept : others.toSpliced(position, 0, one))
    return this.#show(one)
  }

  remove(id?: string): boolean {
    const before = this.#kept.length
    this.#keep(id === undefined ? [] : this.#kept.filter((one) => one.id !== id))
    return this.#kept.length < before
  }

  /** Back to the rules of the options. */
  reset(seed = this.#seed): void {
    this.#seed = seed
    this.#number = 0
    this.#keep(this.#initial.map((rule) => this.#start(rule)))
  }

  /** @param onFunction called with the id of each rule that is a function, which is omitted. */
  save(onFunction: (id: string) => void): RulesState {
    for (const { id, rule } of this.#kept) if (rule.decide !== undefined) onFunction(id)
    const plain = this.#kept.filter(({ rule }) => rule.decide === undefined)
    return { number: this.#number, rules: plain.map((one) => ({ ...one })) }
  }

  restore({ number, rules }: RulesState, latest: number): void {
    this.#number = number
    this.#keep(rules.map((one) => ({ ...one, after: Math.min(one.after ?? 0, latest) })))
  }

  /** Returns undefined when nothing applies, and a message when the header `Prefer` is invalid. */
  intervene(call: OperationCall, overrides: boolean): Intervention | string | undefined {
    const header = overrides ? call.request.headers['prefer'] : undefined
    // Fast path.
    if (this.#kept.length === 0 && header === undefined) return undefined
    const intervention: Intervention = { rule: '', headers: {} }
    if (header !== undefined) {
      const preferred = readPrefer(header, operations[call.operation].successStatus)
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
      if (!matches(one.rule.when, call) || !this.#isDue(one)) continue
      if (!this.#contribute(one, effectsOf(one.rule, one.id, one.used, call), intervention))
        continue
      one.used += 1
      this.version += 1
      if (intervention.rule === '') intervention.rule = one.id
    }
    return intervention.rule === '' ? undefined : intervention
  }

  #start(rule: ReadRule): RuleState {
    this.#number += 1
    const random = new Random(this.#seed + this.#number).state
    return {
      id: `rule-${this.#number}`,
      rule,
      addedAt: this.#clock.elapsed(),
      after: this.latest,
      disabled: false,
      fitting: 0,
      used: 0,
      random,
    }
  }

  #keep(rules: RuleState[]): void {
    this.#kept = rules
    this.version += 1
    this.changes += 1
    this.bytes = rules.reduce((sum, { rule }) => sum + this.#sizeOf(rule), 0)
  }

  #sizeOf(rule: ReadRule): number {
    const size = this.#sizes.get(rule) ?? ruleBytes + bytesOfJson(rule)
    this.#sizes.set(rule, size)
    return size
  }

  #ageOf({ addedAt }: RuleState): number {
    return this.#clock.elapsed() - addedAt
  }

  #isOver(one: RuleState): boolean {
    const { during } = one.rule
    const times = timesOf(one.rule)
    if (times !== undefined && one.used >= times) return true
    return during !== undefined && this.#ageOf(one) >= (during.afterMs ?? 0) + during.forMs
  }

  /** Whether a rule applies to a matching request, which it counts. */
  #isDue(one: RuleState): boolean {
    if (one.disabled || this.#isOver(one)) return false
    if (this.#ageOf(one) < (one.rule.during?.afterMs ?? 0)) return false
    if (one.rule.skip === undefined) return true
    one.fitting += 1
    this.version += 1
    return one.fitting > one.rule.skip
  }

  /** Adds the effects of a rule that newer rules do not have; returns whether there were any. */
  #contribute(one: RuleState, rule: Rule, intervention: Intervention): boolean {
    const { reply, fault, ordinary = false } = intervention
    const isDecided = ordinary || reply !== undefined || fault !== undefined
    const isOrdinary =
      rule.sequence !== undefined && rule.reply === undefined && rule.fault === undefined
    const decides =
      !isDecided && (isOrdinary || rule.reply !== undefined || rule.fault !== undefined)
    const delay = intervention.delayMs === undefined ? rule.delayMs : undefined
    const limit = isDecided ? undefined : rule.rateLimit
    if (delay !== undefined) {
      const random = new Random(one.random)
      intervention.delayMs = drawDelay(delay, random.next)
      one.random = random.state
    }
    if (decides) {
      intervention.rule = one.id
      if (rule.reply !== undefined) intervention.reply = rule.reply
      if (rule.fault !== undefined) intervention.fault = rule.fault
      // The step of a sequence that has no effect: older rules must not replace the ordinary response.
      if (isOrdinary) intervention.ordinary = true
    } else if (limit !== undefined) this.#takeRequest(one, limit, intervention)
    return decides || delay !== undefined || limit !== undefined
  }

  /**
   * Counts a request for a rate limit, whose window begins with its first request. The headers are those of the IETF draft
   * "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers), and Retry-After of RFC 9110.
   */
  #takeRequest(
    one: RuleState,
    { requests, windowMs }: RateLimit,
    intervention: Intervention,
  ): void {
    const now = this.#clock.elapsed()
    const isOpen = one.window !== undefined && now < one.window.until
    const { until, left } =
      isOpen && one.window ? one.window : { until: now + windowMs, left: requests }
    one.window = { until, left: Math.max(0, left - 1) }
    const seconds = String(Math.ceil((until - now) / 1000))
    const headers = {
      'ratelimit-policy': `"default";q=${requests};w=${Math.ceil(windowMs / 1000)}`,
      ratelimit: `"default";r=${one.window.left};t=${seconds}`,
    }
    // With several limits, the headers show the exceeded one, or else the newest.
    if (left > 0) intervention.headers = { ...headers, ...intervention.headers }
    else {
      intervention.headers = { ...intervention.headers, ...headers, 'retry-after': seconds }
      intervention.rule = one.id
      intervention.reply = { status: 429, message: 'There were too many requests.' }
    }
  }
}

type RateLimit = NonNullable<Rule['rateLimit']>

/** The 99th percentile of the standard normal distribution. */
const z99 = 2.326347874
const maxDelay = 600_000

/** Picks a delay; log-normal by the Box-Muller transform. */
function drawDelay(delay: Delay, random: () => number): number {
  if (typeof delay === 'number') return delay
  if ('from' in delay) return delay.from + Math.round(random() * (delay.to - delay.from))
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const spread = Math.log(delay.p99 / delay.median) / z99
  return Math.min(maxDelay, Math.round(delay.median * Math.exp(spread * normal)))
}
