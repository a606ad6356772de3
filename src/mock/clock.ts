import { UsageError } from '../errors.ts'
import type { Clock } from './sandbox.ts'
import { told } from './told.ts'

/** The clock of a world, and its stopwatch. */
export interface WorldClock extends Clock {
  /** Milliseconds since 1970. */
  millis: () => number
  /** Milliseconds since some moment. It goes on while the clock stands still, and moves along when the clock is moved. */
  elapsed: () => number
}

/**
 * A clock.
 *
 * @param initial milliseconds since 1970, as the options say.
 * @param stopwatch milliseconds since some moment.
 */
export function createClock(initial: () => number, stopwatch: () => number): WorldClock {
  let running = initial
  /** What is added to it. */
  let offset = 0
  let moved = 0

  const millis = (): number => running() + offset
  const moveTo = (next: () => number, nextOffset: number): void => {
    // A stopwatch does not go backwards.
    moved += Math.max(0, next() + nextOffset - millis())
    running = next
    offset = nextOffset
  }
  return {
    now: () => new Date(millis()),
    millis,
    elapsed: () => stopwatch() + moved,
    set(instant) {
      const at = toInstant(instant)
      if (at === undefined) throw new UsageError(`The clock takes a date such as 2030-12-06, not ${told(instant)}.`)
      moveTo(() => at, 0)
    },
    advance(ms) {
      // Written so that NaN, and whatever is no number, is refused as well.
      if (typeof ms !== 'number' || !(Math.abs(millis() + ms) <= farthest)) {
        throw new UsageError(
          `The clock advances by a number of milliseconds, to no later than 275760, not ${told(ms)}.`,
        )
      }
      moveTo(running, offset + ms)
    },
    reset() {
      running = initial
      offset = 0
    },
  }
}

/** The milliseconds on either side of 1970 that a Date can tell. */
const farthest = 8.64e15

/** Milliseconds since 1970, or undefined when it is no instant. */
export function toInstant(instant: unknown): number | undefined {
  const at =
    instant instanceof Date ? instant.getTime() : typeof instant === 'string' ? Date.parse(instant) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}
