import { UsageError, formatValue } from '../../errors.ts'
import { toInstant } from '../../validate.ts'

export interface ClockState {
  /** Milliseconds since 1970 when the clock is stopped. */
  readonly stoppedAt?: number | undefined
  /** Milliseconds that are added to the time. */
  readonly offset: number
  /** Milliseconds by which the clock was moved forward in total. */
  readonly moved: number
}

/** The clock of a sandbox, and its stopwatch. The caller supplies the time. */
export class SandboxClock {
  /** The real time: milliseconds since 1970. */
  at: number
  readonly #initial: number | undefined
  /** A value that is replaced, and never changed. */
  state: ClockState

  /** @param stoppedAt milliseconds since 1970; undefined for a running clock. */
  constructor(stoppedAt: number | undefined, at: number) {
    this.at = at
    this.#initial = stoppedAt
    this.state = { stoppedAt, offset: 0, moved: 0 }
  }

  /** Milliseconds since 1970. */
  millis(at = this.at): number {
    return Math.min((this.state.stoppedAt ?? at) + this.state.offset, farthest)
  }

  /** The stopwatch in milliseconds. It runs while the clock is stopped, and jumps when the clock is moved forward. */
  elapsed(): number {
    return this.at + this.state.moved
  }

  /** Stops the clock at an instant, or lets it run from there. */
  set(instant: Date | string, isFrozen = true): void {
    const at = toInstant(instant)
    if (at === undefined)
      throw new UsageError(
        `The clock takes a date such as 2030-12-06, not ${formatValue(instant)}.`,
      )
    this.#move(isFrozen ? { stoppedAt: at, offset: 0 } : { offset: at - this.at })
  }

  advance(ms: number): void {
    // The negation also rejects NaN.
    if (typeof ms !== 'number' || !(Math.abs(this.millis() + ms) <= farthest)) {
      throw new UsageError(
        `The clock advances by a number of milliseconds, to no later than the year 275760, not ${formatValue(ms)}.`,
      )
    }
    this.#move({ ...this.state, offset: this.state.offset + ms })
  }

  reset(): void {
    this.state = { stoppedAt: this.#initial, offset: 0, moved: this.state.moved }
  }

  #move(next: Pick<ClockState, 'stoppedAt' | 'offset'>): void {
    const { moved } = this.state
    const before = this.millis()
    this.state = { ...next, moved }
    // The stopwatch never goes backwards.
    this.state = { ...next, moved: moved + Math.max(0, this.millis() - before) }
  }
}

const farthest = 8.64e15
