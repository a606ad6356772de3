import { operations } from '../../spec/operations.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import type { Int64, PetStatus } from '../../spec/types.ts'
import type { Assumptions } from '../judge/explanations.ts'
import { Log } from '../judge/log.ts'
import { Findings, NotVerified, type Violation } from '../judge/findings.ts'
import type { Keys } from '../http/keys.ts'
import { KeyTrial } from './key-trial.ts'
import type { VerifyOptions } from './options.ts'
import type { Sequences } from '../report/report.ts'
import { Silence } from './silence.ts'
import { Transport } from '../http/transport.ts'
import { Limiter, type RunClock } from '../http/waiting.ts'

/** A possible violation that a lagging replica or a concurrent writer may explain, to be re-checked. */
export interface Suspicion {
  kind:
    | 'stored'
    | 'get'
    | 'missing'
    | 'short'
    | 'changed'
    | 'contradiction'
    | 'shared'
    | 'unstable'
    | 'repeated'
    | 'cause'
    | 'stray'
  /** The pet or the request. With the kind, it identifies duplicates. */
  of: string
  check: string
  requirements: readonly RequirementId[]
  /** The time of the run from which on no lag explains it. */
  recheckAt: number
  /** Re-checks once, by questions that begin with `key`. Returns the violation if it persists. */
  again(key: string): Promise<Violation | undefined>
}

/** The state that the checks of one run share. */
export class Run {
  readonly options: VerifyOptions
  readonly transport: Transport
  readonly silence: Silence
  readonly keyTrial: KeyTrial
  readonly clock: RunClock
  readonly keys: Keys
  /** The results of the random sequences, at the depth `thorough`. */
  sequences: Sequences | undefined
  findings = new Findings()
  readonly log: Log
  /** The category of ordinary pets. Default: the most common one of the catalog. */
  category: Int64 | undefined
  /** The statuses with which it rejected ordinary pets; `undefined` stands for none. */
  readonly rejectedStatuses = new Set<PetStatus | undefined>()
  readonly names: Names
  readonly suspicions: Suspicion[] = []
  /** Bytes of responses that were far larger than any conforming one, and of headers that are not kept. */
  excess = 0
  /** Milliseconds within which a new pet must be visible everywhere: longer than `settleMs` once a pet was seen later. */
  windowMs: number
  /** Creations repeated after 409 or 423, perhaps beside others. */
  conflicts = 0
  /** Invalid creations go three at a time; one at a time after those, and after lost responses: each may have created a pet. */
  readonly invalidLimiter = new Limiter(() =>
    this.transport.unsurePosts + this.conflicts === 0 ? 3 : 1,
  )
  /** Each creation under way reserves capacity for a pet; the first one beyond it finds out. */
  readonly #creations = new Limiter(() => Math.max(1, this.options.maxWrites - this.written))
  readonly #shared = new Map<string, Promise<void>>()
  readonly #once = new Map<string, Promise<unknown>>()

  constructor(options: VerifyOptions, clock: RunClock, keys: Keys) {
    this.options = options
    this.keys = keys
    this.clock = clock
    this.windowMs = options.settleMs
    this.category = options.categoryId
    this.names = new Names(options.runId)
    this.log = new Log(this.names)
    this.transport = new Transport(options, clock, keys)
    this.silence = new Silence(this)
    this.keyTrial = new KeyTrial(this)
  }

  /** Does something once, with one result for all checks that need it. */
  once<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const result = this.#once.get(key) ?? task()
    this.#once.set(key, result)
    return result as Promise<Result>
  }

  /** Does something that others do at the moment together with them. */
  async share(key: string, task: () => Promise<void>): Promise<void> {
    const shared = this.#shared.get(key) ?? task()
    this.#shared.set(key, shared)
    try {
      await shared
    } finally {
      this.#shared.delete(key)
    }
  }

  get assumptions(): Assumptions {
    const { windowMs, getRemoved, options } = this
    return { windowMs, getRemoved, isSmoke: options.depth === 'smoke' }
  }

  /** A name that no other pet has. */
  nextName(): string {
    return this.names.next((name) => this.log.catalog.first().some(({ pet }) => pet.name === name))
  }

  /** A number that no other run sends as a name, made from the run id. */
  get uniqueNumber(): string {
    const letters = [...this.options.runId.toLowerCase()].map((one) =>
      String(one.charCodeAt(0) % 100).padStart(2, '0'),
    )
    return `9${letters.join('').slice(0, 14)}`
  }

  /** Runs a task with capacity for one pet reserved, once there is some. Throws NotVerified when there will be none. */
  withCapacity<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.#creations.run(() => {
      if (this.written >= this.options.maxWrites) throw this.#noMoreWrites()
      return task()
    })
  }

  /** @throws {NotVerified} when attempts without a response leave no capacity to retry a creation */
  expectCapacityForRepetition(): void {
    if (this.written + this.#creations.running > this.options.maxWrites) throw this.#noMoreWrites()
  }

  /** Whether an optional creation leaves enough capacity for retries of requests without a response. */
  get hasSpareWrites(): boolean {
    return this.written + this.#creations.running + 3 <= this.options.maxWrites
  }

  /** Pets that the run has created or may have created. */
  get written(): number {
    return this.log.writes + this.transport.unsurePosts
  }

  #noMoreWrites(): NotVerified {
    const { unsurePosts } = this.transport
    const unsure =
      unsurePosts === 0 ? '' : `, and perhaps ${unsurePosts} more by requests that got no response,`
    return new NotVerified(
      `the run has created ${this.log.writes} pets${unsure} and may create no more (--max-writes)`,
    )
  }

  /** Whether getPet may be removed: the date has passed, and it has returned no pet. */
  get getRemoved(): boolean {
    return (
      !this.log.getWorks && this.options.now.getTime() >= Date.parse(operations.getPet.removalDate)
    )
  }
}

/** Names whose letters need no escape in JSON. */
const usable = /^[\p{L}\p{N} '.-]{2,60}$/u
/** The fewest distinct names that a form must allow. */
const enough = 200
/** The letters at the end of a name that count. */
const counting = 3

/** The kinds of letters and digits, and all of a kind where that is known; of other scripts those that names show. */
const alphabets: readonly (readonly [kind: RegExp, all?: string])[] = [
  [/[a-z]/, 'abcdefghijklmnopqrstuvwxyz'],
  [/[A-Z]/, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
  [/\p{Ll}/u],
  [/\p{Lu}/u],
  [/\p{L}/u],
  [/\d/, '0123456789'],
]

export class Names {
  readonly #prefix: string
  readonly #runId: string
  readonly #made = new Set<string>()
  #template: string | undefined
  /** The name that the run sends in two creations. */
  repeated: string | undefined
  /** What of the template is changed, and the letters of all names that could serve. */
  #changes = /[a-z]/i
  #shown = ''
  #count = 0

  constructor(runId: string) {
    this.#runId = runId
    this.#prefix = `Petkit ${runId}`
  }

  /** A short recognizable name that no other pet has. */
  next(isTaken: (name: string) => boolean): string {
    let name: string
    do {
      this.#count += 1
      name =
        this.#template === undefined
          ? `${this.#prefix} ${this.#letters()}`
          : this.#imitation(this.#template)
    } while (
      this.#template !== undefined &&
      (this.#made.has(name) || isTaken(name)) &&
      this.#count < 10_000
    )
    this.#made.add(name)
    return name
  }

  owns(name: string | null): boolean {
    return name !== null && (name.includes(this.#prefix) || this.#made.has(name))
  }

  /**
   * Makes further names with the length, words, capitals and script of one of these, for a target that restricts names.
   * Without any usable one, names have their initial form again.
   *
   * @param only what may change in a name, such as its digits. Default: letters, or letters and digits where there are few
   * @returns false when none of them is usable
   */
  imitate(shown: readonly string[], only?: RegExp): boolean {
    const count = (name: string, kind: RegExp): number =>
      [...name].filter((char) => kind.test(char)).length
    const serving = shown.filter((name) => usable.test(name))
    this.#shown = serving.join('')
    for (const kind of only ? [only] : [/[a-z]/i, /\p{L}/u, /\p{L}|\d/u]) {
      const [best = ''] = [...serving].sort((a, b) => count(b, kind) - count(a, kind))
      const changed = [...best].filter((char) => kind.test(char)).slice(-counting)
      this.#changes = kind
      this.#template = best
      if (changed.reduce((names, char) => names * this.#lettersLike(char).length, 1) >= enough)
        return true
    }
    this.#template = undefined
    return false
  }

  #letters(): string {
    const index = this.#count - 1
    const round = Math.floor(index / 26 ** 2)
    return String.fromCharCode(
      65 + (Math.floor(index / 26) % 26),
      97 + (index % 26),
      ...(round > 0 ? [96 + round] : []),
    )
  }

  /** The last letters are a counter, those before them are from the run id. */
  #imitation(template: string): string {
    let count = this.#count
    const chars = [...template]
    const places = [...chars.keys()]
      .filter((at) => this.#changes.test(chars[at] ?? ''))
      .toReversed()
    for (const [fromEnd, at] of places.entries()) {
      const letters = this.#lettersLike(chars[at] ?? '')
      const place = places.length - 1 - fromEnd
      const own = this.#runId.toLowerCase().charCodeAt(place % this.#runId.length) - 97
      // The place of a digit or a hyphen is negative.
      chars[at] = letters.at((fromEnd < counting ? count : own) % letters.length) ?? ''
      count = Math.floor(count / letters.length)
    }
    return chars.join('')
  }

  #lettersLike(char: string): string[] {
    const [kind, all = this.#shown] = alphabets.find(([of]) => of.test(char)) ?? [/./u]
    return [...new Set(all)].filter(
      (letter) => kind.test(letter) && (all !== this.#shown || letter > '\x7f'),
    )
  }
}
