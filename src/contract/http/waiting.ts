import { NoResponse } from './exchange.ts'

/** The source of time of a run: tests replace it by a virtual one. */
export interface RunClock {
  /** Milliseconds since 1970, monotonic. */
  now(): number
  /** Calls back after `ms`, unless the returned function is called before. */
  after(ms: number, act: () => void): () => void
}

export const systemClock: RunClock = {
  now: () => performance.timeOrigin + performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
}

/** Resolves after `ms`, or as soon as the signal is aborted. Never rejects. */
export function sleep(clock: RunClock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const cancel = clock.after(ms, end)
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end)
  })
}

/** Runs tasks in order of arrival, a limited number of each key at a time. */
export class Limiter<Key = undefined> {
  readonly #limit: () => number
  readonly #queues = new Map<Key | undefined, { running: number; waiting: (() => void)[] }>()

  constructor(limit: () => number) {
    this.#limit = limit
  }

  /** The tasks under way. */
  get running(): number {
    return [...this.#queues.values()].reduce((sum, { running }) => sum + running, 0)
  }

  async run<Result>(task: () => Promise<Result>, key?: Key): Promise<Result> {
    const queue = this.#queues.get(key) ?? { running: 0, waiting: [] }
    this.#queues.set(key, queue)
    if (queue.running < this.#limit()) queue.running += 1
    else await new Promise<void>((resolve) => queue.waiting.push(resolve))
    try {
      return await task()
    } finally {
      queue.running -= 1
      while (queue.waiting.length > 0 && queue.running < this.#limit()) {
        queue.running += 1
        queue.waiting.shift()?.()
      }
    }
  }
}

/** Waits for every promise. `results` has the fulfilled values; `rethrow` throws the first rejection, if any. */
export async function collectAll<Result>(
  promises: readonly Promise<Result>[],
): Promise<{ results: Result[]; rethrow: () => void }> {
  const outcomes = await Promise.allSettled(promises)
  const rejected = outcomes.find((outcome) => outcome.status === 'rejected')
  return {
    results: outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
    rethrow() {
      if (rejected) throw rejected.reason
    },
  }
}

/** Like `Promise.all`, but rejects only after every promise has ended. */
export async function awaitAll<Result>(promises: readonly Promise<Result>[]): Promise<Result[]> {
  const { results, rethrow } = await collectAll(promises)
  rethrow()
  return results
}

/**
 * The shortest and the longest distance between requests, also by a rate limit, in milliseconds, and its changes: seven
 * rejections make it the longest one, and ninety responses end it. A limit of one request a second needs more than 1,000.
 */
const usualGaps = { min: 10, max: 500, byLimit: 1_500 }
const [byRejection, byResponse] = [2, 0.95]
/** The longest pause when the server names none: a run goes on so soon after a restart. */
const maxPauseMs = 2_000

/**
 * Decides when a request may be sent: after the pauses that "not now" demands, within one time budget for the whole run, and
 * at a distance to a target that rejects many requests and names no time to wait.
 */
export class Throttle {
  readonly #clock: RunClock
  readonly #signal: AbortSignal
  readonly #budgetMs: number
  readonly #gaps: typeof usualGaps
  readonly #leastGapMs: number
  readonly #onWait: (ms: number, why: string) => void
  #spentMs = 0
  #pausedUntil = 0
  /** Why requests pause, and why they go at a distance. */
  #pauseReason = ''
  #gapReason = '--rate sets the distance of requests'
  #sleeping: Promise<void> | undefined
  #gapMs = 0
  #freeAt = 0

  /**
   * @param signal ends every wait; a pause then rejects with its reason
   * @param leastGapMs the distance that the caller demands. Default: none
   * @param onWait called before a wait, with its milliseconds and its reason
   */
  constructor(
    clock: RunClock,
    signal: AbortSignal,
    budgetMs: number,
    gaps = usualGaps,
    leastGapMs = 0,
    onWait: (ms: number, why: string) => void = () => {},
  ) {
    this.#clock = clock
    this.#signal = signal
    this.#budgetMs = budgetMs
    this.#gaps = gaps
    this.#leastGapMs = leastGapMs
    this.#onWait = onWait
  }

  /** Resolves when no pause is left; rejects with the reason of the signal when the run is stopped first. */
  async resume(): Promise<void> {
    for (let now = this.#clock.now(); now < this.#pausedUntil; now = this.#clock.now()) {
      // Hundreds of requests may wait; they share one timer.
      this.#sleeping ??= this.#sleep(this.#pausedUntil - now)
      await this.#sleeping
    }
  }

  async #sleep(ms: number): Promise<void> {
    this.#onWait(ms, this.#pauseReason)
    await sleep(this.#clock, ms, this.#signal)
    this.#sleeping = undefined
    this.#signal.throwIfAborted()
  }

  /** Resolves when the distance to the request before is kept; for one that shows the same moment, only that of the caller. */
  async turn(when?: 'at the same moment'): Promise<void> {
    const now = this.#clock.now()
    const gapMs = Math.max(when === undefined ? this.#gapMs : 0, this.#leastGapMs)
    // Each request takes its own moment, so that those that wait at once do not leave at once.
    const at = gapMs > 0 ? Math.max(now, this.#freeAt) : now
    this.#freeAt = Math.max(this.#freeAt, at + gapMs)
    if (at <= now) return
    this.#onWait(at - now, this.#gapReason)
    await sleep(this.#clock, at - now, this.#signal)
  }

  /** Rejections of requests that were under way when a pause began show the same moment: they count once. */
  slowDown(byLimit = false): void {
    if (this.#clock.now() < this.#pausedUntil) return
    const longest = byLimit ? this.#gaps.byLimit : this.#gaps.max
    this.#gapReason = `the target ${byLimit ? 'limits' : 'rejects'} requests, so they are sent one by one`
    this.#gapMs = Math.min(longest, Math.max(this.#gaps.min, this.#gapMs * byRejection))
  }

  /** Ends the distance that rejections have made: they show nothing. */
  goOn(): void {
    this.#gapMs = 0
  }

  speedUp(): void {
    this.#gapMs = this.#gapMs * byResponse < this.#gaps.min / 2 ? 0 : this.#gapMs * byResponse
  }

  /**
   * Schedules a pause after a request that got no response from the service; without a status, the connection failed. The
   * first `attempt` is 0, and `what` happened. Throws NoResponse when the budget does not allow another one.
   */
  pause(
    attempt: number,
    status?: number,
    retryAfterMs?: number,
    maxAttempts = Infinity,
    what = status === undefined ? 'the connection failed' : `the target responded ${status}`,
  ): void {
    const { until, spentMs } = this.#after(attempt, retryAfterMs)
    const isLast = attempt + 1 >= maxAttempts
    if (isLast || spentMs > this.#budgetMs) {
      const wanted =
        retryAfterMs === undefined
          ? ''
          : ` and requires a wait of ${Math.ceil(retryAfterMs / 1000)} s`
      const end = isLast
        ? `, ${maxAttempts} times in a row`
        : ', and the remaining --retry-budget is too short for another try'
      throw new NoResponse(
        status !== undefined && status < 500 ? 'rate-limit' : 'gateway',
        what + wanted + end,
      )
    }
    this.#pauseUntil(
      until,
      spentMs,
      what + (retryAfterMs === undefined ? '' : ', with Retry-After'),
    )
  }

  /** Schedules a pause of a given length, if the budget allows it. Returns whether it does. */
  rest(ms: number, why: string): boolean {
    const { until, spentMs } = this.#after(0, ms)
    if (spentMs > this.#budgetMs) return false
    this.#pauseUntil(until, spentMs, why)
    return true
  }

  #pauseUntil(until: number, spentMs: number, reason: string): void {
    this.#spentMs = spentMs
    this.#pausedUntil = until
    this.#pauseReason = reason
  }

  /** Whether the budget is enough for the pause after an attempt. */
  allows(attempt: number): boolean {
    return this.#after(attempt).spentMs <= this.#budgetMs
  }

  #after(attempt: number, retryAfterMs = 0): { until: number; spentMs: number } {
    const now = this.#clock.now()
    const until = Math.max(
      this.#pausedUntil,
      now + Math.max(retryAfterMs, Math.min(maxPauseMs, 50 * 2 ** attempt)),
    )
    return { until, spentMs: this.#spentMs + until - Math.max(now, this.#pausedUntil) }
  }
}
