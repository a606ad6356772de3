import type { ClauseId } from '../spec/clauses.ts'
import type { Int64, ExactPet, PetStatus } from '../spec/types.ts'
import { Catalogue } from './catalogue.ts'
import type { Clock } from './clock.ts'
import type { Exchange } from './exchange.ts'
import { Findings, NotVerified } from './findings.ts'
import type { Breach } from './findings.ts'
import type { VerifyOptions } from './options.ts'
import { Names } from './names.ts'
import { Silence } from './silence.ts'
import { Transport } from './transport.ts'

/** A pet that this run has created. */
export interface Created {
  /** What the service answered. */
  pet: ExactPet
  exchange: Exchange
  /** Milliseconds since the start of the run, when the answer was there. */
  at: number
  /** Whether a read has shown it as it was created. */
  wasRead: boolean
}

/** A list that the target answered. */
export interface PetList {
  exchange: Exchange
  /** The elements that are Pets. */
  pets: ExactPet[]
  /** All elements. */
  length: number
  /** The limit that was asked for, 20 when none was. */
  limit: number
  status: PetStatus | undefined
  /** Whether it shows every pet that matches, because it is not full. */
  complete: boolean
}

/** Something that looks like a breach but may be a replica that lags or a neighbour who writes: to be looked at again. */
export interface Suspicion {
  /** Suspicions with the same key are one. */
  key: string
  check: string
  clauses: readonly ClauseId[]
  /** From this moment of the run on, no lag explains it. */
  settledAt: number
  /** Looks again, once. Returns the breach where it is still so. */
  again(): Promise<Breach | undefined>
}

/** What one run knows and shares between its checks. */
export class Run {
  readonly options: VerifyOptions
  readonly transport: Transport
  readonly silence: Silence
  readonly findings = new Findings()
  readonly catalogue = new Catalogue()
  readonly created: Created[] = []
  /** The ordinary creations, on which all other checks of creation build. */
  ordinary: Promise<void> | undefined
  readonly names: Names
  /** The creations that the target refused, by the name that was sent. */
  readonly refused = new Map<string, Exchange>()
  readonly lists: PetList[] = []
  readonly suspicions = new Map<string, Suspicion>()
  /** Lists read once and used by several checks, by path. */
  readonly memory = new Map<string, Promise<PetList>>()
  /** The first response, and whether any since the start of the run looked like the interface. */
  firstResponse: Exchange | undefined
  looksRight = false
  /** Whether the key has ever been let in. */
  letIn = false
  /** Characters of the answers that were far larger than any lawful one. */
  excess = 0
  /** Whether getPet has ever answered with a pet. */
  getWorks = false
  /** Settles when getPet was asked for a pet that is there, to see whether it has been removed. */
  removalSeen: Promise<void> | undefined
  /** The name that the run sends in two creations. */
  repeatedName: string | undefined
  /** Creations that the target carried out, whether it should have or not. */
  writes = 0
  #refusing = 0
  readonly #waitingToBeRefused: (() => void)[] = []
  #reserved = 0
  readonly #waiting: (() => void)[] = []

  constructor(options: VerifyOptions, clock: Clock) {
    this.options = options
    this.names = new Names(options.runId)
    this.transport = new Transport(options, clock)
    this.silence = new Silence(this.transport)
  }

  /** A name that no other pet has. */
  nextName(): string {
    return this.names.next((name) => this.catalogue.first().some(({ pet }) => pet.name === name))
  }

  /** A number that no other run sends as a name. */
  get ownNumber(): string {
    const letters = [...this.options.runId].map((letter) =>
      String(letter.toLowerCase().charCodeAt(0) % 100).padStart(2, '0'),
    )
    return `9${letters.join('').slice(0, 14)}`
  }

  /**
   * Carries something out with room for one pet; waits while requests under way may still turn out to have created none.
   *
   * @throws {NotVerified} when the run may create no more pets
   */
  async withRoom<Result>(task: () => Promise<Result>): Promise<Result> {
    while (this.#written + this.#reserved >= this.options.maxWrites) {
      if (this.#reserved === 0) throw this.#noMoreWrites()
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    this.#reserved += 1
    try {
      return await task()
    } finally {
      this.#reserved -= 1
      for (const resolve of this.#waiting.splice(0)) resolve()
    }
  }

  /**
   * Makes sure that a creation may be sent again, for which room is set aside already.
   *
   * @throws {NotVerified} when the tries without an answer may have created all that the run may create
   */
  expectRoomForRepetition(): void {
    if (this.#written + this.#reserved > this.options.maxWrites) throw this.#noMoreWrites()
  }

  /**
   * Carries out a creation that must be refused when it is its turn. Three are under way at once, and one where answers were
   * lost: each of these may have created a pet, and what room is left shall be enough to tell of one of them for sure.
   */
  async inTurnOfRefused<Result>(send: () => Promise<Result>): Promise<Result> {
    while (this.#refusing >= (this.transport.unsurePosts === 0 ? 3 : 1)) {
      await new Promise<void>((resolve) => this.#waitingToBeRefused.push(resolve))
    }
    this.#refusing += 1
    try {
      return await send()
    } finally {
      this.#refusing -= 1
      for (const resolve of this.#waitingToBeRefused.splice(0)) resolve()
    }
  }

  /** Pets that the run has created, or may have. */
  get #written(): number {
    return this.writes + this.transport.unsurePosts
  }

  #noMoreWrites(): NotVerified {
    const { unsurePosts } = this.transport
    const unsure = unsurePosts === 0 ? '' : `, and perhaps ${unsurePosts} more by requests that got no answer,`
    return new NotVerified(`the run has created ${this.writes} pets${unsure} and may create no more (--max-writes)`)
  }

  /** The status under which the catalogue shows the fewest pets: there a new one is found most easily. */
  rarestStatus(): PetStatus {
    const count = (status: PetStatus): number => this.catalogue.count(status)
    return (['sold', 'pending', 'available'] as const).reduce((a, b) => (count(b) < count(a) ? b : a))
  }

  /** A category that the catalogue shows, or that the user named; 1 when there is neither. */
  category(): { id: Int64; known: boolean } {
    const counts = new Map<Int64, number>()
    for (const { pet } of this.catalogue.first()) counts.set(pet.categoryId, (counts.get(pet.categoryId) ?? 0) + 1)
    const { categoryId } = this.options
    if (categoryId !== undefined) return { id: categoryId, known: counts.has(categoryId) }
    const [commonest] = [...counts].sort(([, a], [, b]) => b - a)
    return commonest ? { id: commonest[0], known: true } : { id: 1, known: false }
  }

  /** Whether getPet may be gone: its removal date has come, and it has not answered with a pet. */
  get getRemoved(): boolean {
    return !this.getWorks && this.options.now.getTime() >= Date.UTC(2030, 11, 5)
  }
}
