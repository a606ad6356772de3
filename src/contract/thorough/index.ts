import type { Created } from '../catalog.ts'
import { count } from '../../report/text.ts'
import type { Sequences } from '../report.ts'
import type { Run } from '../run.ts'
import type { Check, Session } from '../session.ts'
import { expectFound } from '../suspicions/fetched.ts'
import { drawSequence, type SequenceStep } from './grammar.ts'
import { shrink } from './shrink.ts'
import { sequences, Trial, type Failure, type Outcome } from './trial.ts'
import { sleep } from '../waiting.ts'

/** Of the requests, pets and milliseconds of a run, so much may go into sequences; the rest is for what they find. */
const share = 0.75
const lastShare = 0.97
/** Pets of others that are fetched, one after the other. */
const maxFetchedPets = 100
/** After so many sequences the run waits until their pets must be visible, and looks at them. */
const betweenLooks = 40
/** A failure is looked for again so many times: one that comes and goes need not show at once. */
const maxTries = 8
/** Sequences that are tried at the most to make one shorter. */
const maxShrinkRuns = 40
/** The same, where each takes the consistency window. */
const maxWaits = 12
/** So many different failures end the search, and so many sequences that fail. */
const maxFailures = 5
const maxFailingSequences = 25
/** Of the pets that the checks created, so many are looked at again at the end. */
const revisited = 3

/** Random sequences of requests, held against a model of the specification: the depth `thorough`. */
export const sequencesCheck: Check = {
  id: sequences,
  title: 'Random sequences of requests keep what the specification says of each and of their pets (--depth thorough)',
  stage: 'explore',
  clauses: [],
  dependsOn: ['create-pet.ordinary'],
  async run(session) {
    await new Search(session).run()
  },
}

class Search {
  readonly #session: Session
  readonly #run: Run
  readonly #trial: Trial
  readonly #state: Sequences
  /** Failures that are dealt with, by what makes two of them the same. */
  readonly #known = new Set<string>()
  /** Which sequence created a pet. */
  readonly #origins = new Map<Created, number>()
  #unseen: Created[] = []

  constructor(session: Session) {
    const { run } = session
    this.#session = session
    this.#run = run
    this.#trial = new Trial(run)
    const { seed } = run.options.onlyFailed?.sequences ?? run.options
    this.#state = run.sequences = { seed, tried: 0, failed: [], notReproduced: [] }
  }

  async run(): Promise<void> {
    const { options, catalog, getRemoved, created } = this.#run
    for (const sighting of getRemoved ? [] : catalog.first().slice(0, maxFetchedPets)) {
      if (this.#has(share)) await expectFound(this.#session, sighting)
    }
    // From here on the pets that the checks created must be visible.
    await this.#look([...created])
    this.#trial.mayCreate = () => this.#written < share * options.maxWrites
    const { failed } = options.onlyFailed?.sequences ?? {}
    for (let count = 0; this.#has(share) && count < (failed?.length ?? Infinity); count += 1) {
      const nth = failed?.[count] ?? count
      const steps = drawSequence(this.#state.seed, nth)
      const outcome = await this.#trial.carryOut(steps)
      this.#state.tried += 1
      this.#keep(outcome, nth)
      if (outcome.failure) await this.#confirm(nth, steps, { ...outcome, failure: outcome.failure })
      if (outcome.ended !== undefined) {
        this.#session.note(`The sequences ended after ${this.#state.tried}: ${outcome.ended}.`)
        break
      }
      if (count % betweenLooks === betweenLooks - 1) await this.#look(this.#unseen)
    }
    await this.#look([...this.#unseen, ...created.slice(0, revisited)])
  }

  /** Pets that the run has created, or may have. */
  get #written(): number {
    return this.#run.writes + this.#run.transport.unsurePosts
  }

  /** Whether less than a share of what the run may spend is spent. */
  #has(part: number): boolean {
    const { options, transport } = this.#run
    return (
      this.#known.size < maxFailures &&
      this.#state.failed.length < maxFailingSequences &&
      transport.endReason === undefined &&
      transport.requests < part * options.maxRequests &&
      transport.elapsed() < part * options.maxDurationMs
    )
  }

  #keep({ made }: Outcome, nth: number): void {
    for (const pet of made) this.#origins.set(pet, nth)
    this.#unseen.push(...made)
  }

  /** Whether a failure is a new one. It is written down before anything else is tried. */
  #isNew(failure: Failure, nth: number | undefined): boolean {
    if (nth !== undefined && !this.#state.failed.includes(nth)) this.#state.failed.push(nth)
    const { violations } = this.#run.findings
    const isReported = violations.some(({ clause, cause }) => clause === failure.clause && cause === failure.cause)
    if (isReported && failure.isPlain) this.#session.report(failure)
    const key = keyOf(failure)
    if (isReported || this.#known.has(key)) return false
    this.#known.add(key)
    return true
  }

  /** Looks for the failure of a sequence again, and then for a shorter sequence that shows it. */
  async #confirm(nth: number, steps: readonly SequenceStep[], first: Failed): Promise<void> {
    if (!this.#isNew(first.failure, nth)) return
    await this.#reportBest(nth, first, async (keep) => {
      this.#trial.mayCreate = () => this.#written < this.#run.options.maxWrites
      const again = (shorter: readonly SequenceStep[]): Promise<Outcome> => this.#trial.carryOut(shorter)
      const tries = await this.#tryAgain(steps, first.failure, maxTries, again, keep)
      if (tries > 0) await this.#shrink(steps, first.failure, tries, maxShrinkRuns, again, keep)
    })
    this.#trial.mayCreate = () => this.#written < share * this.#run.options.maxWrites
  }

  /** How many tries it took until a sequence failed in the same way; 0 where none did. */
  async #tryAgain(
    steps: readonly SequenceStep[],
    failure: Failure,
    most: number,
    carryOut: (steps: readonly SequenceStep[]) => Promise<Outcome>,
    keep: (outcome: Failed) => void,
  ): Promise<number> {
    for (let tries = 1; tries <= most && this.#canTry(); tries += 1) {
      const outcome = await carryOut(steps)
      this.#unseen.push(...outcome.made)
      if (!outcome.failure || keyOf(outcome.failure) !== keyOf(failure)) continue
      keep({ ...outcome, failure: outcome.failure })
      return tries
    }
    return 0
  }

  #canTry(): boolean {
    const { options, transport } = this.#run
    const isCheap = this.#written < options.maxWrites || options.readOnly
    return isCheap && transport.endReason === undefined && transport.requests < lastShare * options.maxRequests
  }

  async #shrink(
    steps: readonly SequenceStep[],
    failure: Failure,
    tries: number,
    most: number,
    carryOut: (steps: readonly SequenceStep[]) => Promise<Outcome>,
    keep: (outcome: Failed) => void,
  ): Promise<void> {
    let left = most
    await shrink(steps, async (shorter) => {
      left -= 1
      if (left < 0 || !this.#canTry()) return undefined
      return (await this.#tryAgain(shorter, failure, tries, carryOut, keep)) > 0
    })
  }

  /**
   * Reports a failure by the last outcome that showed it again. One that did not show again is reported where a single
   * response shows it, and is a note otherwise; so is one of a run that ends meanwhile.
   */
  async #reportBest(
    nth: number,
    first: Failed,
    look: (keep: (outcome: Failed) => void) => Promise<void>,
    isSure = first.failure.isPlain,
  ): Promise<void> {
    let best: Failed | undefined
    try {
      await look((outcome) => (best = outcome))
    } finally {
      const { failure, exchanges } = best ?? first
      const where = `seed ${this.#state.seed}, sequence ${nth}`
      if (best) {
        // What was sent after it, such as a second try, does not show it.
        const end = Math.max(...failure.exchanges.map(({ sentAt }) => sentAt))
        const all = [...new Set([...failure.exchanges, ...exchanges])]
          .filter(({ sentAt }) => sentAt <= end)
          .toSorted((a, b) => a.sentAt - b.sentAt)
        const words = `The shortest sequence found that shows it has ${count(all.length, 'request')} (${where}).`
        this.#session.report({ ...failure, message: `${failure.message} ${words}`, exchanges: all })
      } else if (isSure) this.#session.report({ ...failure, message: `${failure.message} Seen in ${where}.` })
      else {
        this.#state.notReproduced.push(nth)
        this.#forget(failure, ` (${where})`)
      }
    }
  }

  /** What led to a failure may stand in an earlier sequence; a later one, with all of it, may still confirm it. */
  #forget(failure: Failure, where: string): void {
    this.#session.note(`Seen once, and not reproduced: ${failure.message}${where}`)
    if (this.#state.notReproduced.length < maxTries) this.#known.delete(keyOf(failure))
  }

  /** Whether another look at a pet of the run shows the same. */
  async #showsAgain(own: Created, failure: Failure): Promise<boolean> {
    for (let tries = 1; tries < maxTries && this.#canTry(); tries += 1) {
      const again = (await this.#trial.lookAt([own])).failure
      if (again && keyOf(again) === keyOf(failure)) return true
    }
    return false
  }

  /** Waits until pets must be visible, and looks at them. */
  async #look(pets: readonly Created[]): Promise<void> {
    this.#unseen = []
    if (pets.length === 0 || !this.#canTry()) return
    const wait = (until: number): Promise<void> => {
      const { clock, transport } = this.#run
      return sleep(clock, Math.max(0, until - transport.elapsed()), transport.signal)
    }
    await wait(Math.max(...pets.map(({ at }) => at)) + this.#run.windowMs)
    const first = await this.#trial.lookAt(pets)
    const { failure } = first
    if (!failure) return
    const own = pets.find(({ exchange }) => failure.exchanges.includes(exchange))
    const nth = own && this.#origins.get(own)
    if (!this.#isNew(failure, nth)) return
    const isSure = failure.isPlain || (own !== undefined && (await this.#showsAgain(own, failure)))
    if (nth === undefined) {
      if (isSure) this.#session.report(failure)
      else this.#forget(failure, '')
      return
    }
    const steps = drawSequence(this.#state.seed, nth)
    const again = (shorter: readonly SequenceStep[]): Promise<Outcome> => this.#trial.carryOutAndWait(shorter, wait)
    await this.#reportBest(
      nth,
      { ...first, failure },
      async (keep) => {
        const tries = await this.#tryAgain(steps, failure, 1, again, keep)
        if (tries > 0) await this.#shrink(steps, failure, 1, maxWaits, again, keep)
      },
      isSure,
    )
  }
}

/** An outcome with its failure. */
type Failed = Outcome & { failure: Failure }

/** Two failures are the same where this is. */
const keyOf = ({ clause, cause = '' }: Failure): string => `${clause} ${cause}`
