import { NoResponse } from './exchange.ts'

/** The time of a run. Everything that waits, or measures, does so by it. */
export interface Clock {
  /** Milliseconds since 1970, and never fewer than before. */
  now(): number
  /** Resolves after so many milliseconds, or as soon as the signal is aborted. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  // That of node:timers/promises makes an error of each signal that is aborted, as two are by each response.
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      if (signal?.aborted) end()
      else signal?.addEventListener('abort', end)
    }),
}

/** Carries out tasks, so many of each kind at once, in the order in which they come. */
export class Turns<Kind> {
  readonly #most: () => number
  readonly #kinds = new Map<Kind, { underWay: number; waiting: (() => void)[] }>()

  constructor(most: () => number) {
    this.#most = most
  }

  async of<Result>(kind: Kind, task: () => Promise<Result>): Promise<Result> {
    const its = this.#kinds.get(kind) ?? { underWay: 0, waiting: [] }
    this.#kinds.set(kind, its)
    if (its.underWay < this.#most()) its.underWay += 1
    else await new Promise<void>((resolve) => its.waiting.push(resolve))
    try {
      return await task()
    } finally {
      its.underWay -= 1
      while (its.waiting.length > 0 && its.underWay < this.#most()) {
        its.underWay += 1
        its.waiting.shift()?.()
      }
    }
  }
}

/** Waits for all, however each of them ends: `expectAll` throws what the first that failed has thrown. */
export async function waitFor<Result>(
  all: readonly Promise<Result>[],
): Promise<{ results: (Result | undefined)[]; expectAll: () => void }> {
  const outcomes = await Promise.allSettled(all)
  const failed = outcomes.find((one) => one.status === 'rejected')
  return {
    results: outcomes.map((one) => (one.status === 'fulfilled' ? one.value : undefined)),
    expectAll() {
      if (failed) throw failed.reason
    },
  }
}

/** Waits for all, and throws what the first that failed has thrown when none of them is under way any more. */
export async function settleAll<Result>(all: readonly Promise<Result>[]): Promise<Result[]> {
  const { results, expectAll } = await waitFor(all)
  expectAll()
  return results as Result[]
}

/** The longest pause after a refusal that names none, in milliseconds. */
const longestPauseMs = 2_000
/** Repetitions of one request at the most. */
const mostAttempts = 12

/** Waits for a server that says "not now", on behalf of all requests at once, within one budget for the whole run. */
export class RetryBudget {
  readonly #clock: Clock
  readonly #budgetMs: number
  readonly #signal: AbortSignal | undefined
  #spentMs = 0
  #until = 0
  #sleeping: Promise<void> | undefined

  /** @param signal ends every wait, which rejects with its reason */
  constructor(budgetMs: number, signal?: AbortSignal, clock: Clock = systemClock) {
    this.#clock = clock
    this.#budgetMs = budgetMs
    this.#signal = signal
  }

  /**
   * Resolves when requests may be sent again.
   *
   * @throws {NoResponse} when the run is stopped before, the reason of the signal
   */
  async pause(): Promise<void> {
    for (let now = this.#clock.now(); now < this.#until; now = this.#clock.now()) {
      // Hundreds may wait: one timer is enough for all of them.
      this.#sleeping ??= this.#sleep(this.#until - now)
      await this.#sleeping
    }
  }

  async #sleep(ms: number): Promise<void> {
    await this.#clock.sleep(ms, this.#signal)
    this.#sleeping = undefined
    this.#signal?.throwIfAborted()
  }

  /**
   * Notes that the service did not respond to a request.
   *
   * @param status 429, or that of a gateway; undefined when the connection failed
   * @param retryAfterMs what the server wants, in milliseconds
   * @param attempt 0 for the first
   * @param failure thrown in place of an error about the budget
   * @throws {NoResponse} when the budget does not reach for another attempt
   */
  spend(status: number | undefined, retryAfterMs: number | undefined, attempt: number, failure?: NoResponse): void {
    const now = this.#clock.now()
    // A server that wants no time at all, or one that its clock has passed, still gets some.
    const pause = Math.max(retryAfterMs ?? 0, Math.min(longestPauseMs, 50 * 2 ** attempt))
    const until = Math.max(this.#until, now + pause)
    const added = until - Math.max(now, this.#until)
    const isLast = attempt + 1 >= mostAttempts
    if (isLast || this.#spentMs + added > this.#budgetMs) {
      if (failure) throw failure
      const what = status === undefined ? 'the connection failed' : `the target responded ${status}`
      const wanted = retryAfterMs === undefined ? '' : ` and wants a wait of ${Math.ceil(retryAfterMs / 1000)} s`
      const end = isLast
        ? `, ${mostAttempts} times in a row`
        : ', and what is left of the time for such waits (--retry-budget) does not reach for another try'
      throw new NoResponse(status === 429 ? 'rate-limit' : 'gateway', what + wanted + end)
    }
    this.#spentMs += added
    this.#until = until
  }
}
