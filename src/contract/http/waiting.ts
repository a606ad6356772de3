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
/**
 * The distances of few requests: the first rejection makes them slow. With the usual ones, a limiter of one to ten requests a
 * second that names no time uses up the 30 requests of a smoke run.
 */
const tightGaps = { min: 250, max: 1_000, byLimit: 1_500 }
const [byRejection, byResponse] = [2, 0.95]
/** The longest pause when the server names none: a run goes on so soon after a restart. */
const maxPauseMs = 2_000

/** What the caller says of the pace of a run. */
interface Pace {
  readonly clock: RunClock
  /** Ends every wait; a pause then rejects with its reason. */
  readonly signal: AbortSignal
  /** Of all pauses of the run. */
  readonly budgetMs: number
  /** Whether so few requests are allowed that none should be rejected. */
  readonly isTight: boolean
  /** The distance that the caller demands. */
  readonly leastGapMs: number
  /** Called before a wait, with its milliseconds and its reason. */
  readonly onWait: (ms: number, why: string) => void
}

/**
 * Decides when a request may be sent: after the pauses that rejections demand, within one time budget for the whole run, and
 * at a distance to a target that rejects many requests and names no time to wait.
 */
export class Throttle {
  readonly pace: Pace
  /** Whether requests go one at a time: more may not be allowed. */
  isCrowded = false
  readonly #gaps: typeof usualGaps
  #spentMs = 0
  #pausedUntil = 0
  /** Why requests pause, and why they go at a distance. */
  #pauseReason = ''
  #gapReason = '--rate sets the distance of requests'
  #sleeping: Promise<void> | undefined
  #gapMs = 0
  #freeAt = 0

  constructor(pace: Pace) {
    this.pace = pace
    this.#gaps = pace.isTight ? tightGaps : usualGaps
  }

  /** Resolves when no pause is left; rejects with the reason of the signal when the run is stopped first. */
  async resume(): Promise<void> {
    for (let now = this.pace.clock.now(); now < this.#pausedUntil; now = this.pace.clock.now()) {
      // Hundreds of requests may wait; they share one timer.
      this.#sleeping ??= this.#sleepUntilResumed(this.#pausedUntil - now)
      await this.#sleeping
    }
  }

  /** Waits, unless the run is stopped. */
  sleep(ms: number): Promise<void> {
    return sleep(this.pace.clock, ms, this.pace.signal)
  }

  async #sleepUntilResumed(ms: number): Promise<void> {
    this.pace.onWait(ms, this.#pauseReason)
    await this.sleep(ms)
    this.#sleeping = undefined
    this.pace.signal.throwIfAborted()
  }

  /** Resolves when the distance to the request before is kept; one that shows the same moment needs none but that of the caller. */
  async turn(neededMs = this.#gapMs): Promise<void> {
    const now = this.pace.clock.now()
    const gapMs = Math.max(neededMs, this.pace.leastGapMs)
    // Each request takes its own moment, so that those that wait at once do not leave at once.
    const at = gapMs > 0 ? Math.max(now, this.#freeAt) : now
    this.#freeAt = Math.max(this.#freeAt, at + gapMs)
    if (at <= now) return
    this.pace.onWait(at - now, this.#gapReason)
    await this.sleep(at - now)
  }

  /** From now on, requests go one at a time. */
  sendOneByOne(): void {
    this.isCrowded = true
  }

  /** Rejections of requests that were under way when a pause began show the same moment: they count once. */
  slowDown(byLimit: boolean): void {
    if (this.pace.clock.now() < this.#pausedUntil) return
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
   * Schedules a pause after a rejection. The first `attempt` is 0, and `what` happened. Throws NoResponse after the last
   * attempt, and when the budget does not allow another one.
   */
  pause(
    attempt: number,
    status: number,
    retryAfterMs: number | undefined,
    maxAttempts: number,
    what: string,
  ): void {
    const isLast = attempt + 1 >= maxAttempts
    const why = what + (retryAfterMs === undefined ? '' : ', with Retry-After')
    if (!isLast && this.rest(why, attempt, retryAfterMs)) return
    const wanted =
      retryAfterMs === undefined
        ? ''
        : ` and requires a wait of ${Math.ceil(retryAfterMs / 1000)} s`
    const end = isLast
      ? `, ${maxAttempts} times in a row`
      : ', and the remaining --retry-budget is too short for another try'
    throw new NoResponse(status < 500 ? 'rate-limit' : 'gateway', what + wanted + end)
  }

  /** Schedules a pause after an attempt, of `leastMs` or more, if the budget allows it. Returns whether it does. */
  rest(why: string, attempt: number, leastMs = 0): boolean {
    const now = this.pace.clock.now()
    const ms = Math.max(leastMs, Math.min(maxPauseMs, 50 * 2 ** attempt))
    const until = Math.max(this.#pausedUntil, now + ms)
    const spentMs = this.#spentMs + until - Math.max(now, this.#pausedUntil)
    if (spentMs > this.pace.budgetMs) return false
    this.#spentMs = spentMs
    this.#pausedUntil = until
    this.#pauseReason = why
    return true
  }
}

/**
 * A part of a target is down if this many rejections, and one in `oneIn` requests, come after another response, and some
 * of them after a rest, of which there are a few: a little more than the second by which limiters count. One of three
 * servers that is down rejects twice as many.
 */
const outage = { changes: 10, oneIn: 6, afterRests: 2, rests: 10, restMs: 1_100 }

/** The part of a transport that is needed here. */
interface Paced {
  readonly requests: number
  readonly onWait: (line: string) => void
  stop(reason: string): void
}

/**
 * A target of which a part is down, such as one of several servers, fails at any pace, also after a rest: a limiter does
 * not. Going on until the end would take minutes, so the run ends after the retry budget.
 */
export function createOutageWatch(run: Paced, throttle: Throttle) {
  /** The rejections that name no time to wait: since when, how many, those after another response or a rest; whether the last response was one. */
  let [since, rejections, changes, afterRests, isLast] = [Infinity, 0, 0, 0, false]
  let rests = 0
  let failing: string | undefined
  const { clock, budgetMs } = throttle.pace
  return {
    /** What a target of which a part is down responds, and how often; undefined for others, and once it no longer does. */
    get failing(): string | undefined {
      return failing
    },

    /** Whether the run has rested as often as it may. */
    get restedEnough(): boolean {
      return rests === outage.rests
    },

    /** Counts a response: what it says if it is such a rejection, and how long no request was under way before. */
    count(failed?: { status: number; server: string | undefined; restedMs: number }): void {
      const { requests } = run
      if (failed) {
        since = Math.min(since, clock.now())
        rejections += 1
        if (!isLast) changes += 1
        if (failed.restedMs >= outage.restMs) afterRests += 1
      }
      isLast = failed !== undefined
      if (changes < Math.max(outage.changes, requests / outage.oneIn)) {
        failing = undefined
        return
      }
      if (afterRests < outage.afterRests) {
        throttle.sendOneByOne()
        if (
          rests < outage.rests &&
          throttle.rest('the target rejects many requests', 0, outage.restMs)
        )
          rests += 1
        return
      }
      if (!failed) return
      const [name = ''] = /^[\w.-]{1,30}/.exec(failed.server ?? '') ?? []
      const share = rejections / requests
      const which =
        share > 0.6 ? 'most responses are' : `every ${share > 0.4 ? 'second' : 'third'} response is`
      const what = `${which} ${failed.status}${name && ` from ${name}`} at any pace, perhaps because one of several servers is down`
      if (failing === undefined) {
        throttle.goOn()
        run.onWait(
          `${what}; the run ends ${Math.ceil(budgetMs / 1_000)} s after the first one (--retry-budget)`,
        )
      }
      failing = `${what} (${rejections} of ${requests})`
      if (clock.now() - since > budgetMs) run.stop(`${failing}, and --retry-budget is used up`)
    },
  }
}
