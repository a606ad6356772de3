import type { Created } from '../judge/catalog.ts'
import { count } from '../../report/text.ts'
import type { Sequences } from '../report/report.ts'
import type { Run } from '../session/run.ts'
import type { Check, Session } from '../session/session.ts'
import { expectFound } from '../checks/stored.ts'
import { drawSequence, type SequenceStep, shrink } from './grammar.ts'
import { SequenceRunner, sequences, type Failure, type Outcome } from './sequence-runner.ts'

/**
 * Shares of the limits of a run that sequences may use, and that their reproduction may use: a failure at the end of the
 * first one still has a quarter of the run to be found again, and what a run sends at its end has the rest.
 */
const share = 0.75
const lastShare = 0.97
/** Pets of others that are fetched first: as many as a list shows. */
const maxFetchedPets = 100
/** Sequences between two pauses after which the created pets are checked: each takes the consistency window, 5 s, and a run has about 200 sequences. */
const sequencesBetweenPauses = 40
/** Attempts to reproduce a failure: one that shows every second time is missed in 1 of 256 cases. */
const maxTries = 8
/** Sequences to try while shortening one, five for each of its eight steps; fewer if each takes the consistency window: a minute. */
const maxShrinkRuns = 40
const maxWaits = 12
/** The search ends after this many different failures, or failing sequences: each failure takes dozens of further sequences. */
const maxFailures = 5
const maxFailingSequences = 25
/** Pets of the other checks that are checked again at the end: the eldest, on which the most sequences could act. */
const revisited = 3

/** Random sequences of requests, compared with a model of the specification: the depth `thorough`. */
export const sequencesCheck: Check = {
  id: sequences,
  title: 'Random sequences of requests follow the specification (--depth thorough)',
  stage: 'explore',
  requirements: [],
  async run(session) {
    await new Search(session).run()
  },
}

class Search {
  readonly #session: Session
  readonly #run: Run
  readonly #runner: SequenceRunner
  readonly #state: Sequences
  readonly #known = new Set<string>()
  readonly #origins = new Map<Created, number>()
  #unchecked: Created[] = []

  constructor(session: Session) {
    const { run } = session
    this.#session = session
    this.#run = run
    this.#runner = new SequenceRunner(run)
    const { seed } = run.options.onlyFailed?.sequences ?? run.options
    this.#state = run.sequences = { seed, tried: 0, failed: [], notReproduced: [] }
  }

  async run(): Promise<void> {
    const { options, getRemoved, log } = this.#run
    const { catalog, created } = log
    for (const sighting of getRemoved ? [] : catalog.first().slice(0, maxFetchedPets)) {
      if (this.#hasBudget()) await expectFound(this.#session, sighting)
    }
    await this.#checkPets([...created])
    this.#runner.mayCreate = () => this.#run.written < share * options.maxWrites
    const { failed } = options.onlyFailed?.sequences ?? {}
    for (let count = 0; this.#hasBudget() && count < (failed?.length ?? Infinity); count += 1) {
      const nth = failed?.[count] ?? count
      const outcome = await this.#runner.run(drawSequence(this.#state.seed, nth))
      this.#state.tried += 1
      for (const pet of outcome.created) this.#origins.set(pet, nth)
      this.#unchecked.push(...outcome.created)
      if (hasFailed(outcome)) await this.#confirm(nth, outcome)
      if (outcome.ended !== undefined) {
        this.#session.findings.note(
          `The sequences ended after ${this.#state.tried}: ${outcome.ended}.`,
        )
        break
      }
      if (count % sequencesBetweenPauses === sequencesBetweenPauses - 1)
        await this.#checkPets(this.#unchecked)
    }
    await this.#checkPets([...this.#unchecked, ...created.slice(0, revisited)])
  }

  #hasBudget(): boolean {
    const { options, transport } = this.#run
    return (
      this.#known.size < maxFailures &&
      this.#state.failed.length < maxFailingSequences &&
      transport.endReason === undefined &&
      transport.requests < share * options.maxRequests &&
      transport.elapsed() < share * options.maxDurationMs
    )
  }

  #canTry(): boolean {
    const { options, transport } = this.#run
    const canCreate = this.#run.written < options.maxWrites || options.readOnly
    return (
      canCreate &&
      transport.endReason === undefined &&
      transport.requests < lastShare * options.maxRequests
    )
  }

  /** Records the sequence of a failure. Returns whether the failure is a new one. */
  #isNew(failure: Failure, nth: number | undefined): boolean {
    if (nth !== undefined && !this.#state.failed.includes(nth)) this.#state.failed.push(nth)
    const { violations } = this.#run.findings
    const isReported = violations.some(
      ({ requirement, cause }) => requirement === failure.requirement && cause === failure.cause,
    )
    if (isReported && failure.isPlain) this.#session.report(failure)
    const key = keyOf(failure)
    if (isReported || this.#known.has(key)) return false
    this.#known.add(key)
    return true
  }

  async #confirm(nth: number, first: Failed): Promise<void> {
    if (!this.#isNew(first.failure, nth)) return
    const { mayCreate } = this.#runner
    this.#runner.mayCreate = () => this.#run.written < this.#run.options.maxWrites
    const limits = { tries: maxTries, shrinkRuns: maxShrinkRuns }
    await this.#reproduce(nth, first, (steps) => this.#runner.run(steps), limits)
    this.#runner.mayCreate = mayCreate
  }

  /**
   * Repeats a sequence until it fails in the same way, then looks for a shorter one that does, and reports the best. A
   * failure that is not reproduced is reported if it `isSure`, and noted otherwise, also when the run ends meanwhile.
   */
  async #reproduce(
    nth: number,
    first: Failed,
    runSteps: (steps: readonly SequenceStep[]) => Promise<Outcome>,
    limits: { tries: number; shrinkRuns: number },
    isSure = first.failure.isPlain,
  ): Promise<void> {
    let best: Failed | undefined
    const untilFailure = async (steps: readonly SequenceStep[], maxTries: number) => {
      for (let tries = 1; tries <= maxTries && this.#canTry(); tries += 1) {
        const outcome = await runSteps(steps)
        this.#unchecked.push(...outcome.created)
        if (!hasFailed(outcome) || keyOf(outcome.failure) !== keyOf(first.failure)) continue
        return { outcome, tries }
      }
      return undefined
    }
    const steps = drawSequence(this.#state.seed, nth)
    try {
      const found = await untilFailure(steps, limits.tries)
      best = found?.outcome
      let runs = 0
      if (found) {
        await shrink(steps, async (shorter) => {
          runs += 1
          if (runs > limits.shrinkRuns || !this.#canTry()) return undefined
          // The first failure may come from what was sent before.
          const again =
            (await untilFailure(shorter, found.tries)) && (await untilFailure(shorter, found.tries))
          best = again?.outcome ?? best
          return again !== undefined
        })
      }
    } finally {
      this.#report(nth, first, best, isSure)
    }
  }

  #report(nth: number, first: Failed, best: Failed | undefined, isSure: boolean): void {
    const { failure, exchanges } = best ?? first
    const where = `seed ${this.#state.seed}, sequence ${nth}`
    if (best) {
      // Later requests, such as a second try, do not show the failure.
      const end = Math.max(...failure.exchanges.map(({ sentAt }) => sentAt))
      const all = [...new Set([...failure.exchanges, ...exchanges])]
        .filter(({ sentAt }) => sentAt <= end)
        .toSorted((a, b) => a.sentAt - b.sentAt)
      const words = `The shortest sequence found that shows it has ${count(all.length, 'request')} (${where}).`
      this.#session.report({ ...failure, message: `${failure.message} ${words}`, exchanges: all })
    } else if (isSure)
      this.#session.report({ ...failure, message: `${failure.message} Seen in ${where}.` })
    else {
      this.#state.notReproduced.push(nth)
      this.#forget(failure, ` (${where})`)
    }
  }

  /** The cause may be in an earlier sequence, so that a later one, which includes it, may still confirm the failure. */
  #forget(failure: Failure, where: string): void {
    this.#session.findings.note(`Seen once, and not reproduced: ${failure.message}${where}`)
    if (this.#state.notReproduced.length < maxTries) this.#known.delete(keyOf(failure))
  }

  /** Waits until pets must be visible, and checks that they are there. */
  async #checkPets(pets: readonly Created[]): Promise<void> {
    this.#unchecked = []
    if (pets.length === 0 || !this.#canTry()) return
    await this.#runner.waitFor(pets)
    const first = await this.#runner.checkPets(pets)
    if (!hasFailed(first)) return
    const { failure } = first
    const own = pets.find(({ exchange }) => failure.exchanges.includes(exchange))
    const nth = own && this.#origins.get(own)
    if (!this.#isNew(failure, nth)) return
    const isSure =
      failure.isPlain || (own !== undefined && (await this.#isShownAgain(own, failure)))
    if (nth === undefined) {
      if (isSure) this.#session.report(failure)
      else this.#forget(failure, '')
      return
    }
    const limits = { tries: 1, shrinkRuns: maxWaits }
    await this.#reproduce(nth, first, (steps) => this.#runner.runAndWait(steps), limits, isSure)
  }

  async #isShownAgain(own: Created, failure: Failure): Promise<boolean> {
    for (let tries = 1; tries < maxTries && this.#canTry(); tries += 1) {
      const again = (await this.#runner.checkPets([own])).failure
      if (again && keyOf(again) === keyOf(failure)) return true
    }
    return false
  }
}

type Failed = Outcome & { failure: Failure }

const hasFailed = (outcome: Outcome): outcome is Failed => outcome.failure !== undefined

const keyOf = ({ requirement, cause = '' }: Failure): string => `${requirement} ${cause}`
