import { operations } from '../spec/operations.ts'
import { Catalog, type Created, type PetList } from './catalog.ts'
import type { Exchange } from './exchange.ts'
import { Findings, NotVerified, type IsSelected, type Suspicion } from './findings.ts'
import type { VerifyOptions } from './options.ts'
import type { Sequences } from './report.ts'
import { Silence } from './silence.ts'
import { Transport } from './transport.ts'
import { Turns, type Clock } from './waiting.ts'

/** What one run knows and shares between its checks. */
export class Run {
  readonly options: VerifyOptions
  readonly transport: Transport
  readonly silence: Silence
  readonly clock: Clock
  /** What came of the random sequences, at the depth `thorough`. */
  sequences: Sequences | undefined
  findings: Findings
  readonly catalog = new Catalog()
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
  /** Whether the key was rejected wherever it was tried. */
  keyIsDead = false
  /** Bytes of the responses that were far larger than any conforming one. */
  excess = 0
  /** Whether getPet has ever returned a pet. */
  getWorks = false
  /** Resolves when getPet was requested for a pet that is there, to see whether it has been removed. */
  removalSeen: Promise<void> | undefined
  /** The name that the run sends in two creations. */
  repeatedName: string | undefined
  /** Creations that the target carried out, whether it should have or not. */
  writes = 0
  /**
   * Creations that must be refused are sent three at once, and one where responses were lost: each of these may have created
   * a pet, and what capacity is left shall be enough to decide about one of them.
   */
  readonly invalidInTurn = new Turns<'any'>(() => (this.transport.unsurePosts === 0 ? 3 : 1))
  #reserved = 0
  readonly #waiting: (() => void)[] = []

  constructor(options: VerifyOptions, clock: Clock, isSelected?: IsSelected) {
    this.findings = new Findings(isSelected)
    this.options = options
    this.clock = clock
    this.names = new Names(options.runId)
    this.transport = new Transport(options, clock)
    this.silence = new Silence(this)
  }

  /** A name that no other pet has. */
  nextName(): string {
    return this.names.next((name) => this.catalog.first().some(({ pet }) => pet.name === name))
  }

  /** A number that no other run sends as a name. */
  get ownNumber(): string {
    const letters = [...this.options.runId].map((letter) =>
      String(letter.toLowerCase().charCodeAt(0) % 100).padStart(2, '0'),
    )
    return `9${letters.join('').slice(0, 14)}`
  }

  /**
   * Carries something out with capacity for one pet; waits while requests under way may still turn out to have created none.
   *
   * @throws {NotVerified} when the run may create no more pets
   */
  async withCapacity<Result>(task: () => Promise<Result>): Promise<Result> {
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
   * Makes sure that a creation may be sent again, for which capacity is set aside already.
   *
   * @throws {NotVerified} when the tries without a response may have created all that the run may create
   */
  expectCapacityForRepetition(): void {
    if (this.#written + this.#reserved > this.options.maxWrites) throw this.#noMoreWrites()
  }

  /** Whether a creation that is not needed leaves enough to look for the reason of requests that got no response. */
  get hasSpareWrites(): boolean {
    return this.#written + this.#reserved + 3 <= this.options.maxWrites
  }

  /** Milliseconds within which a new pet must be visible everywhere. */
  get windowMs(): number {
    return this.options.settleMs
  }

  /** Pets that the run has created, or may have. */
  get #written(): number {
    return this.writes + this.transport.unsurePosts
  }

  #noMoreWrites(): NotVerified {
    const { unsurePosts } = this.transport
    const unsure = unsurePosts === 0 ? '' : `, and perhaps ${unsurePosts} more by requests that got no response,`
    return new NotVerified(`the run has created ${this.writes} pets${unsure} and may create no more (--max-writes)`)
  }

  /** Whether getPet may be gone: its removal date has come, and it has not returned a pet. */
  get getRemoved(): boolean {
    return !this.getWorks && this.options.now.getTime() >= Date.parse(operations.getPet.removalDate)
  }
}

/** Names whose letters can be changed without a quote or an escape in JSON, and are enough to distinguish many. */
const usable = /^(?=(?:.*[a-z]){3})[\p{L}\p{N} '.-]{3,60}$/iu

/** So many letters at the end of a name distinguish it from the others of a run. */
const counting = 3

/** The names of the pets that a run creates. */
export class Names {
  readonly #prefix: string
  readonly #runId: string
  readonly #made = new Set<string>()
  #template: string | undefined
  #count = 0

  /** @param runId letters. */
  constructor(runId: string) {
    this.#runId = runId
    this.#prefix = `Petkit ${runId}`
  }

  /** A name that no other pet has: short, of letters and spaces, recognisable. */
  next(isTaken: (name: string) => boolean): string {
    let name: string
    do {
      this.#count += 1
      name = this.#template === undefined ? `${this.#prefix} ${this.#letters()}` : this.#inTheFormOf(this.#template)
    } while (this.#template !== undefined && (this.#made.has(name) || isTaken(name)) && this.#count < 10_000)
    this.#made.add(name)
    return name
  }

  /** Whether a pet with this name is the run's own. */
  owns(name: string): boolean {
    return name.includes(this.#prefix) || this.#made.has(name)
  }

  /**
   * From now on, names have the form of one of these: its length, its words, its capitals. Where a target refuses names
   * such as the run's, those that it shows show what it takes.
   *
   * @returns false when none of them can serve.
   */
  follow(shown: readonly string[]): boolean {
    const letters = (name: string): number => name.replace(/[^a-z]/gi, '').length
    const [best] = shown.filter((name) => usable.test(name)).sort((a, b) => letters(b) - letters(a))
    this.#template = best
    return best !== undefined
  }

  /** Back to the form that the run began with. */
  unfollow(): void {
    this.#template = undefined
  }

  #letters(): string {
    const index = this.#count - 1
    return String.fromCharCode(65 + (Math.floor(index / 26) % 26), 97 + (index % 26))
  }

  /** The last letters count, and those before them are of the run. */
  #inTheFormOf(template: string): string {
    const places = template.replace(/[^a-z]/gi, '').length
    let place = 0
    return template.replace(/[a-z]/gi, (letter) => {
      const fromEnd = places - 1 - place
      const own =
        fromEnd < counting
          ? String.fromCharCode(97 + (Math.floor(this.#count / 26 ** fromEnd) % 26))
          : (this.#runId[place % this.#runId.length] ?? 'a')
      place += 1
      return letter === letter.toLowerCase() ? own.toLowerCase() : own.toUpperCase()
    })
  }
}
