import { operations } from '../../spec/operations.ts'
import type { Int64 } from '../../spec/types.ts'
import { patience } from '../judge/explanations.ts'
import { Log } from '../judge/run-log.ts'
import { Findings, NotVerified } from '../judge/findings.ts'
import { isConflict } from '../judge/expect.ts'
import type { Assumptions } from '../judge/questions.ts'
import type { Claim } from '../claims/table.ts'
import type { Keys } from '../http/keys.ts'
import { Chance } from './chance.ts'
import { KeyTrial } from './key-trial.ts'
import { Leftovers } from './leftovers.ts'
import { Names } from './names.ts'
import type { VerifyOptions } from './options.ts'
import type { Sequences } from '../report/report.ts'
import { Silence } from './silence.ts'
import { Transport } from '../http/transport.ts'
import { Limiter, type RunClock } from '../http/waiting.ts'

/** The state that the checks of one run share. */
export class Run {
  readonly options: VerifyOptions
  readonly transport: Transport
  readonly silence: Silence
  readonly keyTrial: KeyTrial
  readonly chance: Chance
  readonly keys: Keys
  /** The results of the random sequences, at the depth `thorough`. */
  sequences: Sequences | undefined
  findings = new Findings()
  /** Whether what is certain by now fails the run: then, no patience changes its verdict. */
  fails!: () => boolean
  readonly log: Log
  /** An address on the same host that responds like the service, where the base URL does not. */
  suggestedBaseUrl: string | undefined
  /** The category of ordinary pets. Default: the most common one of the catalog. */
  category: Int64 | undefined
  readonly names: Names
  readonly leftovers: Leftovers
  readonly claims: Claim[] = []
  /** Milliseconds within which a new pet must be visible everywhere: longer than `settleMs` once a pet was seen later. */
  windowMs: number
  /** Invalid creations go three at a time; one at a time after those, and after lost responses: each may have created a pet. */
  readonly invalidLimiter = new Limiter(() =>
    this.transport.unsurePosts + this.conflicts === 0 ? 3 : 1,
  )
  /** Each creation under way reserves capacity for a pet; the first one beyond it finds out. */
  readonly #creations = new Limiter(() => Math.max(1, this.options.maxWrites - this.written))
  readonly #shared = new Map<string, Promise<void>>()
  /** Whether a creation that conflicted did not when it was sent again: it met others, perhaps those of another run. */
  hasPassedLater = false
  readonly #once = new Map<string, Promise<unknown>>()

  constructor(options: VerifyOptions, clock: RunClock, keys: Keys) {
    this.options = options
    this.keys = keys
    this.windowMs = options.settleMs
    this.category = options.categoryId
    this.names = new Names(options.runId)
    this.log = new Log(this.names)
    this.leftovers = new Leftovers(this.log)
    this.transport = new Transport(options, clock, keys)
    this.silence = new Silence(this)
    this.keyTrial = new KeyTrial(this)
    this.chance = new Chance(this)
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
    const writesLeft = options.readOnly ? undefined : options.maxWrites - this.written
    return { windowMs, getRemoved, isSmoke: options.depth === 'smoke', writesLeft }
  }

  /** The milliseconds until a re-check of what may be late: some windows. */
  patienceMs(windows: number = patience.windows[0]): number {
    return windows * Math.min(this.windowMs, patience.longestWindowMs)
  }

  /** A name that no other pet has. */
  nextName(): string {
    return this.names.next((name) =>
      this.log.catalog.first().some(({ pet }) => pet.name?.startsWith(name)),
    )
  }

  /** A number that no other run sends as a name, made from the run id. */
  get uniqueNumber(): string {
    return String(9e14 + this.names.number)
  }

  /** Runs a task with capacity for one pet reserved, once there is some. Throws NotVerified when there will be none: in a read-only run. */
  withCapacity<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.#creations.run(() => {
      if (this.options.readOnly) throw new NotVerified('the run is read-only')
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

  /** Creations that were rejected for the state of the target, perhaps beside others. */
  get conflicts(): number {
    return this.log.exchanges.filter(
      ({ operation, status }) => operation === 'createPet' && isConflict(status),
    ).length
  }

  /** Whether getPet may be removed: the date has passed, and it has returned no pet. */
  get getRemoved(): boolean {
    return (
      !this.log.getWorks && this.options.now.getTime() >= Date.parse(operations.getPet.removalDate)
    )
  }
}
