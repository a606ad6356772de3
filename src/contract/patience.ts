import { systemClock } from './clock.ts'
import type { Clock } from './clock.ts'
import { Unanswered } from './exchange.ts'

/** The longest pause that follows a refusal which names none, in milliseconds. */
const longestPauseMs = 2_000
/** Repetitions of one request at the most. */
const maximumAttempts = 12

/** Waits for a server that says "not now", on behalf of all requests at once, within one budget for the whole run. */
export class Patience {
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
   * @throws {Unanswered} when the run is stopped before, the reason of the signal
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
   * Notes that a request was not answered by the service.
   *
   * @param status 429, or that of a gateway; undefined when the connection failed.
   * @param retryAfterMs what the server asked for, in milliseconds.
   * @param attempt 0 for the first try.
   * @throws {Unanswered} when the budget does not reach for another try.
   */
  notNow(status: number | undefined, retryAfterMs: number | undefined, attempt: number): void {
    const now = this.#clock.now()
    // A server that asks for no time at all, or for one that its clock has passed, still gets some.
    const pause = Math.max(retryAfterMs ?? 0, Math.min(longestPauseMs, 50 * 2 ** attempt))
    const until = Math.max(this.#until, now + pause)
    const added = until - Math.max(now, this.#until)
    if (attempt + 1 >= maximumAttempts || this.#spentMs + added > this.#budgetMs) {
      const answered = status === undefined ? 'the connection failed' : `the target answered ${status}`
      const asked = retryAfterMs === undefined ? '' : ` and asked to wait ${Math.ceil(retryAfterMs / 1000)} s`
      const end =
        attempt + 1 >= maximumAttempts
          ? `, ${maximumAttempts} times in a row`
          : ', and what is left of the time for such waits (--retry-budget) does not reach for another try'
      throw new Unanswered(status === 429 ? 'rate-limit' : 'gateway', answered + asked + end)
    }
    this.#spentMs += added
    this.#until = until
  }
}
