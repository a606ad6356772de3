import { setTimeout as sleep } from 'node:timers/promises'
import { Unanswered } from './exchange.ts'

/** The longest pause that follows a refusal which names none, in milliseconds. */
const longestPauseMs = 2_000
/** Repetitions of one request at the most. */
const maximumAttempts = 12

/** Waits for a server that says "not now", on behalf of all requests at once, within one budget for the whole run. */
export class Patience {
  readonly #budgetMs: number
  #spentMs = 0
  #until = 0

  constructor(budgetMs: number) {
    this.#budgetMs = budgetMs
  }

  /** Resolves when requests may be sent again. */
  async pause(): Promise<void> {
    for (let now = performance.now(); now < this.#until; now = performance.now()) await sleep(this.#until - now)
  }

  /**
   * Notes that a request was not answered by the service.
   *
   * @param status 429, 502, 503 or 504; undefined when the connection failed.
   * @param retryAfterMs what the server asked for, in milliseconds.
   * @param attempt 0 for the first try.
   * @throws {Unanswered} when the budget does not reach for another try.
   */
  notNow(status: number | undefined, retryAfterMs: number | undefined, attempt: number): void {
    const now = performance.now()
    const pause = retryAfterMs ?? Math.min(longestPauseMs, 50 * 2 ** attempt)
    const until = Math.max(this.#until, now + pause)
    const added = until - Math.max(now, this.#until)
    if (attempt + 1 >= maximumAttempts || this.#spentMs + added > this.#budgetMs) {
      const asked = retryAfterMs === undefined ? '' : `, which asks to wait ${Math.ceil(retryAfterMs / 1000)} s,`
      throw new Unanswered(
        status === 429 ? 'rate-limit' : 'gateway',
        status === undefined
          ? 'the connection kept failing'
          : `the target answered ${status}${asked} and the retry budget does not reach for another try`,
      )
    }
    this.#spentMs += added
    this.#until = until
  }
}
