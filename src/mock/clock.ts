import { UsageError, formatValue } from '../errors.ts'
import { toInstant } from '../validate.ts'

/** Where the clock of a sandbox stands, as a plain value. */
export interface ClockState {
  /** Milliseconds since 1970 at which it was stopped. */
  readonly stoppedAt?: number | undefined
  /** What is added to it. */
  readonly offset: number
  /** How far it was moved on, all in all. */
  readonly moved: number
}

/** The clock of a sandbox, and its stopwatch. The time comes in from outside. */
export class SandboxClock {
  /** The time that came with what is applied: milliseconds since 1970. */
  at: number
  readonly #initial: number | undefined
  #state: ClockState

  /** @param stoppedAt milliseconds since 1970, for a clock that stands still from the start. */
  constructor(stoppedAt: number | undefined, at: number) {
    this.at = at
    this.#initial = stoppedAt
    this.#state = { stoppedAt, offset: 0, moved: 0 }
  }

  /** Milliseconds since 1970. */
  millis(at = this.at): number {
    return (this.#state.stoppedAt ?? at) + this.#state.offset
  }

  get isFrozen(): boolean {
    return this.#state.stoppedAt !== undefined
  }

  /** Milliseconds since some moment. It goes on while the clock stands still, and moves along when the clock is moved. */
  elapsed(): number {
    return this.at + this.#state.moved
  }

  /** Stops it at an instant, or lets it run on from there. */
  set(instant: Date | string, isFrozen = true): void {
    const at = toInstant(instant)
    if (at === undefined)
      throw new UsageError(`The clock takes a date such as 2030-12-06, not ${formatValue(instant)}.`)
    this.#move(isFrozen ? { stoppedAt: at, offset: 0 } : { offset: at - this.at })
  }

  advance(ms: number): void {
    // Written so that NaN is rejected as well.
    if (typeof ms !== 'number' || !(Math.abs(this.millis() + ms) <= farthest)) {
      throw new UsageError(
        `The clock advances by a number of milliseconds, to no later than 275760, not ${formatValue(ms)}.`,
      )
    }
    this.#move({ ...this.#state, offset: this.#state.offset + ms })
  }

  /** As the options say. */
  reset(): void {
    this.#state = { stoppedAt: this.#initial, offset: 0, moved: this.#state.moved }
  }

  save(): ClockState {
    return this.#state
  }

  restore(state: ClockState): void {
    this.#state = state
  }

  #move(next: Pick<ClockState, 'stoppedAt' | 'offset'>): void {
    const before = this.millis()
    this.#state = { ...next, moved: this.#state.moved }
    // A stopwatch does not go backwards.
    this.#state = { ...this.#state, moved: this.#state.moved + Math.max(0, this.millis() - before) }
  }
}

/** The milliseconds on either side of 1970 that a Date holds. */
const farthest = 8.64e15
