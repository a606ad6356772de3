import { setMaxListeners } from 'node:events'
import { contentOf, readBody, Stalls } from './response-body.ts'
import { keepHeaders } from './response-headers.ts'
import {
  type ConnectionOptions,
  type Connections,
  createConnections,
  unlessAborted,
} from './connection.ts'
import { otherCaseKey, validKey } from './credentials.ts'
import {
  flatten,
  ofConnection,
  rejectionBy,
  retryAfter,
  toFailure,
  type ConnectionFailure,
} from './failure.ts'
import {
  headersOf,
  mayCreate,
  operationOf,
  NoResponse,
  type Exchange,
  type Plan,
} from './exchange.ts'
import type { Keys } from './keys.ts'
import { sleep, Limiter, Throttle, type RunClock } from './waiting.ts'

/** A `dispatcher` belongs to the caller, and is not destroyed. */
export interface TransportOptions extends ConnectionOptions {
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  readonly concurrency: number
  /** Requests per second. */
  readonly rate?: number | undefined
  readonly retryBudgetMs: number
  readonly maxRequests?: number
  readonly maxDurationMs?: number
  readonly proxy?: URL | undefined
  readonly dispatcher?: Connections | undefined
  readonly signal?: AbortSignal | undefined
}

/** What one attempt at a request gave: a response, complete or cut off, or a failure. */
type Attempt = Responded | Failed
type Responded = { exchange: Exchange; isCut?: boolean; failure?: undefined }
type Failed = ConnectionFailure & {
  exchange?: undefined
  status?: number
  retryAfterMs?: number | undefined
  /** Whether the valid key gets the same wherever it is accepted. */
  isForAll?: true
}

/** Attempts at a request whose connections fail, while the target has sent no response yet: a closed port is reported after 1.6 s. */
const networkTries = 6
/** Attempts that may be rejected for their connection, and bodies that may be cut: by a network that fails one in ten, three are in 1 of 1,000 cases. */
const [connectionTries, maxCuts] = [3, 3]
/** Attempts at a request that is rejected, 13 s, or that a target which responded before gives no response: half a minute, in which it starts again. */
const [rejectedTries, restartTries] = [12, 20]
/**
 * The run ends after this many requests in a row without a response. After the first one, it would not outlast half a minute;
 * after 60, it takes eight minutes at a target that has stopped to respond.
 */
const silentRequests = 6
/**
 * With this many failed connections, 429 and 503, and one in `oneIn` requests, they go one at a time: more may not be allowed.
 * If the first one were enough, a run would take half a minute where one in ten requests fails, not a second. If 40 were
 * needed, or every second request, a run would send up to 314 requests at a limiter, not 293; if they never did, 709.
 */
const crowded = { failures: 4, oneIn: 8 }
/** The rests of a run whose valid key is blocked: the first one, each next one twice as long, and the longest one. Seven fit the usual budget, 60 s. */
const blocked = { restMs: 500, maxRestMs: 16_000 }
/**
 * A target fails by turns if this many rejections, and one in `oneIn` requests, come after another response, and some
 * of them after a rest, of which there are a few: a little more than the second by which limiters count. One of three
 * servers that is down rejects twice as many.
 */
const byTurns = { turns: 10, oneIn: 6, afterRests: 2, rests: 10, restMs: 1_100 }
/**
 * The distances of few requests: the first rejection makes them slow. With the usual ones, a limiter of one to ten requests a
 * second that names no time uses up the 30 requests of a smoke run.
 */
const tightGaps = { min: 250, max: 1_000, byLimit: 1_500 }
/** The distance of the requests that find out whether a target is ready; and for how long a 401 may still change: services may load their keys after their start. */
const [readyPollMs, keysLoadMs] = [500, 15_000]
/** How often the valid key must get a list beside a kind of page that counts as the service's, and the rest before the next time: limiters count by the second. */
const [pageProofs, pageRestMs] = [2, 1_000]
/** Shorter waits are not worth a line. */
const leastAnnouncedMs = 1_000
/** Requests with the valid key, one after another, that must get a page where a limiter or a firewall blocks it. */
const knownTries = 2

/** Sends requests to one base URL; retries what is no verdict on the service: rate limits, gateways, resets. */
export class Transport {
  /** Requests sent, retries included. */
  requests = 0
  /** Milliseconds of each response of the service. */
  readonly durations: number[] = []
  /** Failed attempts of requests that got a response in the end. */
  recovered = 0
  /** POST requests that may have created a pet, although no whole response came. */
  unsurePosts = 0
  /** Requests in a row without a response, which end the run. */
  silent = 0
  /** What a target that fails by turns responds, and how often; undefined for others, and once it no longer does. */
  failsByTurns: string | undefined
  /** If set: every attempt, also those that are no verdict on the service; without a response, its status is 0. */
  attempts: Exchange[] | undefined
  /** Called before the run waits for a second or more, with a line that says how long and why. */
  onWait: (line: string) => void = () => {}
  readonly #options: TransportOptions
  readonly #keys: Keys
  readonly #connections: Connections
  readonly #origin: string
  readonly #prefix: string
  readonly #throttle: Throttle
  readonly #clock: RunClock
  readonly #closing = new AbortController()
  readonly #stopping = new AbortController()
  /** Ends each attempt in progress. `AbortSignal.any` for each of them would cost more than the rest of an attempt. */
  readonly #inProgress = new Set<AbortController>()
  readonly #startedAt: number
  readonly #limiter: Limiter
  /** A list that the valid key got. Whether it still gets it distinguishes a limiter or a firewall from the service. */
  #known: Plan | undefined
  /** How often the valid key got a list beside a kind of page, and when last: then the service itself sends it. */
  readonly #ownPages = new Map<string, { proofs: number; at: number }>()
  #failures = 0
  #isCrowded = false
  /** The rejections that name no time to wait: since when, how many, those after another response or a rest; whether the last response was one. */
  readonly #turns = {
    since: Infinity,
    rejections: 0,
    turns: 0,
    afterRests: 0,
    rests: 0,
    isLast: false,
  }
  /** When the last attempt ended. */
  #endedAt = 0
  readonly #stalls = new Stalls()

  constructor(options: TransportOptions, clock: RunClock, keys: Keys) {
    this.#keys = keys
    this.#clock = clock
    this.#startedAt = clock.now()
    const url = new URL(options.baseUrl)
    this.#options = options
    this.#limiter = new Limiter(() => (this.#isCrowded ? 1 : options.concurrency))
    this.#origin = url.origin
    this.#prefix = url.pathname.replace(/\/$/, '')
    // Each connection adds a listener.
    setMaxListeners(0, this.#closing.signal, this.signal)
    this.#throttle = new Throttle(
      clock,
      this.signal,
      options.retryBudgetMs,
      this.#isTight ? tightGaps : undefined,
      options.rate === undefined ? 0 : 1_000 / options.rate,
      (ms, why) => this.#announce(ms, why),
    )
    this.#connections =
      options.dispatcher ??
      createConnections(url, options.proxy, options, options.concurrency, this.#closing.signal)
    if (options.signal?.aborted) this.#stopByCaller()
    options.signal?.addEventListener('abort', this.#stopByCaller)
    if (options.maxDurationMs !== undefined) void this.#stopAfter(options.maxDurationMs)
  }

  readonly #stopByCaller = (): void => this.stop('the run was stopped before its end')

  /** Ends the run: no more requests are sent. */
  stop(reason: string): void {
    const why = new NoResponse('aborted', reason)
    for (const one of [this.#stopping, ...this.#inProgress]) one.abort(why)
  }

  async #stopAfter(ms: number): Promise<void> {
    await sleep(this.#clock, ms, this.#closing.signal)
    if (!this.#closing.signal.aborted)
      this.stop(`the run was ended after ${ms / 1000} s (--max-duration)`)
  }

  /** Aborted by the caller, or at the end of `maxDurationMs`. Its reason is a {@link NoResponse}. */
  get signal(): AbortSignal {
    return this.#stopping.signal
  }

  /** Waits, unless the run is stopped; with a reason, a wait of a second or more is worth a line. */
  wait(ms: number, why?: string): Promise<void> {
    if (why !== undefined) this.#announce(ms, why)
    return sleep(this.#clock, ms, this.signal)
  }

  #announce(ms: number, why: string): void {
    if (ms >= leastAnnouncedMs) this.onWait(`waiting ${Math.ceil(ms / 1_000)} s: ${why}`)
  }

  /** Milliseconds since the start of the run. */
  elapsed(): number {
    return this.#clock.now() - this.#startedAt
  }

  /** A transport for another base URL, without retries after rejections. */
  elsewhere(baseUrl: string): Transport {
    return new Transport({ ...this.#options, baseUrl, retryBudgetMs: 0 }, this.#clock, this.#keys)
  }

  close(): void {
    this.#closing.abort()
    this.#options.signal?.removeEventListener('abort', this.#stopByCaller)
  }

  /**
   * Returns the response of the service. At most `tries` attempts fail; each takes at most `timeoutMs`. With `fresh`, the
   * first one opens a connection, as retries do. Throws NoResponse when all fail.
   */
  async send(
    plan: Plan,
    {
      tries,
      timeoutMs,
      fresh = false,
    }: { tries?: number; timeoutMs?: number; fresh?: boolean } = {},
  ): Promise<Exchange> {
    return this.#repeat(async (attempt) => {
      // Jetty takes a header for an earlier one in other letter case; a kept connection may end without a word.
      const isOtherCase = plan.credential === otherCaseKey && this.#failures === 0
      const isDoubtful =
        (this.unsurePosts > 0 && mayCreate(plan)) || (this.#isTight && this.#isCrowded)
      const isFresh = fresh || plan.opensConnection || attempt > 0 || isOtherCase || isDoubtful
      const result = await this.#try(attempt === 0 ? plan : (plan.again?.() ?? plan), {
        timeoutMs,
        fresh: isFresh,
      })
      if (mayCreate(plan) && isUnsure(result)) this.unsurePosts += 1
      return result
    }, tries)
  }

  /**
   * Polls until the service responds with a list: an ingress responds before its service has started. Ends early when a
   * 401 stays, at a rate limit, and at a failure that waiting does not fix. Its requests are not those of the run.
   */
  async waitUntilReady(timeoutMs: number): Promise<void> {
    const until = this.elapsed() + timeoutMs
    let rejectedSince = Infinity
    while (this.elapsed() < until && this.endReason === undefined) {
      const sent = this.requests
      await this.#throttle.turn()
      const response = await this.#try({ method: 'GET', path: '/pets?limit=1' }).catch(
        () => undefined,
      )
      this.requests = sent
      // A rate limit shows that the target is up.
      if (response?.failure && ['rate-limit', 'tls', 'proxy'].includes(response.failure.kind)) break
      const exchange = response?.exchange
      if (exchange && isList(exchange)) break
      const now = this.elapsed()
      rejectedSince = exchange?.status === 401 ? Math.min(rejectedSince, now) : Infinity
      if (now - rejectedSince >= keysLoadMs) break
      await this.wait(Math.min(readyPollMs, Math.max(0, until - now)))
    }
    this.durations.length = 0
  }

  async #repeat(
    attemptOnce: (attempt: number) => Promise<Attempt>,
    maxTries?: number,
  ): Promise<Exchange> {
    let [cuts, failures] = [0, 0]
    for (let attempt = 0; ; attempt += 1) {
      await this.#throttle.resume()
      const result = await this.#limiter.run(async () => {
        await this.#throttle.turn()
        return this.#unlessBlocked(await attemptOnce(attempt), () => attemptOnce(attempt))
      })
      if (result.failure === undefined) {
        if (result.isCut) cuts += 1
        else this.silent = 0
        if (this.#isFinal(result, attempt, cuts)) return result.exchange
        this.#throttle.pause(attempt)
      } else {
        if (result.failure.kind !== 'rate-limit') failures += 1
        this.#scheduleRetry(result, attempt, failures, maxTries)
      }
    }
  }

  /**
   * A page that the valid key gets at the same moment as well is one of a limiter or a firewall: no verdict on the service,
   * and a reason to wait. Pages of a kind are the service's own once the valid key got a list beside them, twice.
   */
  async #unlessBlocked(result: Attempt, again: () => Promise<Attempt>): Promise<Attempt> {
    for (let latest = result; ; latest = await again()) {
      if (latest.failure || latest.isCut || !this.#known || !mayBeOfFirewall(latest.exchange))
        return latest
      const kind = kindOfPage(latest.exchange)
      if (this.#isOwnPage(kind)) return latest
      const { status, plan } = latest.exchange
      const control = await this.#tryKnown(this.#known, status)
      if (control.failure) return control
      // A page that is known as the service's own shows no limiter.
      const isBlocked = control.exchange.status === status && !isList(control.exchange)
      if (isBlocked && !this.#isOwnPage(kindOfPage(control.exchange))) return this.#blocked(status)
      if (!isList(control.exchange)) return latest
      this.#countProof(kind)
      const isRepeatable = plan.method === 'GET' || status >= 400
      if (!isRepeatable || this.#isOwnPage(kind)) return latest
      await sleep(this.#clock, pageRestMs, this.signal)
      await this.#throttle.turn()
    }
  }

  /** Requests a list that the valid key got before, again where it gets a page: a limiter that blocks it does not let the next one pass. */
  async #tryKnown(known: Plan, status: number): Promise<Attempt> {
    for (let tries = this.#isTight ? 1 : knownTries; ; tries -= 1) {
      await this.#throttle.turn('at the same moment')
      const control = await this.#try(known)
      const isPage = control.exchange?.status === status && !isList(control.exchange)
      if (!isPage || tries <= 1) return control
    }
  }

  #isOwnPage(kind: string): boolean {
    return (this.#ownPages.get(kind)?.proofs ?? 0) >= (this.#isTight ? 1 : pageProofs)
  }

  /** Counts that the valid key got a list beside a page. Pages of concurrent requests show the same moment. */
  #countProof(kind: string): void {
    const { proofs, at } = this.#ownPages.get(kind) ?? { proofs: 0, at: -Infinity }
    const now = this.elapsed()
    if (now - at < pageRestMs) return
    this.#ownPages.set(kind, { proofs: proofs + 1, at: now })
    // What was taken for a limiter may have been the same page.
    if (this.#isOwnPage(kind)) this.#throttle.goOn()
  }

  #blocked(status: number): Failed {
    this.#isCrowded = true
    this.#throttle.slowDown(true)
    const what = `a rate limit or a firewall responds ${status}, also to the valid key`
    const failure = new NoResponse('rate-limit', what)
    return { failure, fatal: false, unsent: true, status, isForAll: true }
  }

  /** Whether a response counts: not one that was cut, nor one that may be about its connection. */
  #isFinal({ exchange, isCut = false }: Responded, attempt: number, cuts: number): boolean {
    // A body cut once is an accident of the network; cut every time, it is what the service sends.
    if (cuts > 1) this.#stalls.isPatient = cuts < maxCuts
    const isRejected = attempt < connectionTries && ofConnection.includes(exchange.status)
    if (isRejected && this.#isTight) this.#isCrowded = true
    return cuts === maxCuts || !(isCut || isRejected)
  }

  /** @throws {NoResponse} when there is no further try: after `maxTries` failures, if given, or when the budget is spent */
  #scheduleRetry(
    { failure, fatal, status, retryAfterMs, isForAll }: Failed,
    attempt: number,
    failures: number,
    maxTries?: number,
  ): void {
    if (isForAll) {
      // Rejected requests may keep those after them blocked.
      const restMs = Math.min(blocked.maxRestMs, blocked.restMs * 2 ** attempt)
      if (!this.#throttle.rest(restMs, failure.message))
        this.stop(
          `${failure.message}, and the remaining --retry-budget is too short for another try`,
        )
      return
    }
    if (status !== undefined) {
      const most = this.#triesOf(failure, status)
      this.#throttle.pause(attempt, status, retryAfterMs, most, failure.message)
      if (failures === maxTries) throw failure
      return
    }
    const isLast = fatal || failures >= (maxTries ?? this.#triesOf(failure))
    if (isLast || !this.#throttle.allows(attempt)) {
      // A caller that bounds the tries finds out itself whether the target is alive.
      if (maxTries === undefined) this.silent += 1
      throw failure
    }
    this.#throttle.pause(attempt)
  }

  /** A target that responded before may be starting again. */
  #triesOf({ kind }: NoResponse, status?: number): number {
    if (kind === 'timeout') return 2
    if (kind !== 'rate-limit' && this.durations.length > 0 && this.silent === 0) return restartTries
    return status === undefined ? networkTries : rejectedTries
  }

  /** Why no more requests are sent; undefined while they are. */
  get endReason(): string | undefined {
    if (this.signal.aborted) return (this.signal.reason as NoResponse).message
    return this.silent < silentRequests
      ? undefined
      : `the target left ${silentRequests} requests in a row without a response, and the run ended there`
  }

  async #try(
    plan: Plan,
    {
      timeoutMs = this.#options.timeoutMs,
      fresh = false,
    }: { timeoutMs?: number | undefined; fresh?: boolean } = {},
  ): Promise<Attempt> {
    this.#expectMaySend()
    this.requests += 1
    const sentAt = this.elapsed()
    const isRested = this.#inProgress.size === 0 && sentAt - this.#endedAt >= byTurns.restMs
    const ending = new AbortController()
    const { signal } = ending
    this.#inProgress.add(ending)
    const cancel = this.#clock.after(timeoutMs, () => ending.abort())
    const operation = operationOf(plan.method, plan.path)
    const note = (response: Omit<Exchange, 'plan' | 'operation' | 'sentAt' | 'durationMs'>) => {
      const durationMs = this.elapsed() - sentAt
      const exchange: Exchange = { plan, operation, sentAt, durationMs, ...response }
      this.attempts?.push(exchange)
      return exchange
    }
    try {
      const keyNumber = this.#keys.number
      const sent = plan.credential?.carry?.(plan, this.#keys.current) ?? plan
      const sending = this.#connections.request({
        origin: this.#origin,
        path: this.#prefix + sent.path,
        method: sent.method,
        headers: this.#headers(sent),
        body: sent.body ?? null,
        signal,
        ...(fresh && { reset: true }),
      })
      const arriving = await unlessAborted(sending, signal)
      const headers = flatten(arriving.headers)
      const status = arriving.statusCode
      const kind = `${operation} ${status}`
      const stalls = this.#stalls.areUsual(kind)
      const pauseMs = this.#stalls.pauseOf(kind) * timeoutMs
      const read = await readBody(arriving.body, pauseMs, signal, this.#clock)
      this.#stalls.count(kind, read)
      const content = contentOf(read, headers['content-encoding'])
      const { headers: kept, leftOut: headersLeftOut } = keepHeaders(headers)
      const exchange = note({ keyNumber, status, headers: kept, headersLeftOut, content })
      const rejection = rejectionBy(status, headers)
      if (rejection !== undefined) {
        const failure = new NoResponse(rejection, `the target responded ${status}`)
        const retryAfterMs = retryAfter(headers, this.#clock.now())
        const unsent = rejection === 'rate-limit' || status === 503
        if (retryAfterMs === undefined)
          this.#countTurn({ status, server: headers['server'], isRested })
        // No slower pace helps against a quota that ends long after the run.
        const isOver = (retryAfterMs ?? 0) > this.#options.retryBudgetMs
        if ((unsent || this.#isTight) && !isOver)
          this.#countFailure(
            true,
            rejection === 'rate-limit' || this.#turns.rests === byTurns.rests,
          )
        return { failure, fatal: false, unsent, status, retryAfterMs }
      }
      this.#throttle.speedUp()
      this.#countTurn()
      this.durations.push(exchange.durationMs)
      if (plan.credential === undefined && isList(exchange)) this.#known = plan
      if (plan.credential === undefined) this.#countKey(exchange)
      return { exchange, isCut: read.problem !== undefined && !read.final && !stalls }
    } catch (error) {
      note(lost)
      if (error instanceof NoResponse) throw error
      if (this.signal.aborted) throw this.signal.reason
      const failed = toFailure(error, this.#options.proxy, signal.aborted ? timeoutMs : undefined)
      if (failed.failure.kind === 'network') this.#countFailure(this.#isTight)
      return failed
    } finally {
      cancel()
      this.#inProgress.delete(ending)
      this.#endedAt = this.elapsed()
    }
  }

  /** Remembers what a response shows of the key: one may expire after invalid creations alone, which never succeed. */
  #countKey(exchange: Exchange): void {
    const { keyNumber = 0, operation, status } = exchange
    if (status < 400) this.#keys.accept(keyNumber)
    else if (operation && [400, 404].includes(status) && !mayBeOfFirewall(exchange))
      this.#keys.seemAccepted(keyNumber)
  }

  /** Whether so few requests are allowed that none should be rejected. */
  get #isTight(): boolean {
    return (this.#options.maxRequests ?? Infinity) < 100
  }

  #countFailure(slowsDown: boolean, byLimit = false): void {
    this.#failures += 1
    this.#isCrowded ||=
      this.#isTight || this.#failures >= Math.max(crowded.failures, this.requests / crowded.oneIn)
    if (slowsDown && this.#isCrowded && this.failsByTurns === undefined)
      this.#throttle.slowDown(byLimit)
  }

  /**
   * A target that fails by turns, such as one with a server that is down, does so at any pace, also after a rest: a limiter
   * does not. Going on until the end would take minutes, so the run ends after the retry budget.
   */
  #countTurn(failed?: { status: number; server: string | undefined; isRested: boolean }): void {
    const seen = this.#turns
    if (failed) {
      seen.since = Math.min(seen.since, this.elapsed())
      seen.rejections += 1
      if (!seen.isLast) seen.turns += 1
      if (failed.isRested) seen.afterRests += 1
    }
    seen.isLast = failed !== undefined
    if (seen.turns < Math.max(byTurns.turns, this.requests / byTurns.oneIn)) {
      this.failsByTurns = undefined
      return
    }
    if (seen.afterRests < byTurns.afterRests) {
      this.#isCrowded = true
      if (
        seen.rests < byTurns.rests &&
        this.#throttle.rest(byTurns.restMs, 'the target rejects many requests')
      )
        seen.rests += 1
      return
    }
    if (!failed) return
    const { retryBudgetMs } = this.#options
    const { rejections } = seen
    const [name = ''] = /^[\w.-]{1,30}/.exec(failed.server ?? '') ?? []
    const share = rejections / this.requests
    const which =
      share > 0.6 ? 'most responses are' : `every ${share > 0.4 ? 'second' : 'third'} response is`
    const what = `${which} ${failed.status}${name && ` from ${name}`} at any pace, perhaps because one of several servers is down`
    if (this.failsByTurns === undefined) {
      this.#throttle.goOn()
      this.onWait(
        `${what}; the run ends ${Math.ceil(retryBudgetMs / 1_000)} s after the first one (--retry-budget)`,
      )
    }
    this.failsByTurns = `${what} (${rejections} of ${this.requests})`
    if (this.elapsed() - seen.since > retryBudgetMs)
      this.stop(`${this.failsByTurns}, and --retry-budget is used up`)
  }

  #expectMaySend(): void {
    if (this.endReason === undefined && this.requests >= (this.#options.maxRequests ?? Infinity)) {
      this.stop(`the run has sent ${this.requests} requests and may send no more (--max-requests)`)
    }
    if (this.endReason !== undefined) throw new NoResponse('aborted', this.endReason)
  }

  #headers(plan: Plan): Record<string, string> {
    const headers = { ...headersOf(plan), ...this.#options.headers }
    const { field = 'authorization', header } = plan.credential ?? validKey
    const value = header(this.#keys.current)
    return value === undefined ? headers : { ...headers, [field]: value }
  }
}

const lost = { status: 0, headers: {}, content: { kind: 'empty' } } as const

/** Whether the service may have processed a request without a complete response. */
const isUnsure = (result: Attempt): boolean =>
  result.failure ? !result.unsent : result.isCut === true && result.exchange.status < 400

const isList = ({ operation, status, content }: Exchange): boolean =>
  operation === 'listPets' &&
  status === 200 &&
  (content.kind === 'unjudged' || (content.kind === 'json' && Array.isArray(content.value)))

/** Whether a response to an operation may be one of a limiter or a firewall: a 403, a redirect, or a page. */
export function mayBeOfFirewall({ operation, status, headers, content }: Exchange): boolean {
  if (operation === undefined) return false
  if (status === 403 || (status >= 300 && status < 400)) return true
  return content.kind === 'broken' && !/\bjson\b/i.test(headers['content-type'] ?? '')
}

/** The same for pages in response to similar requests, whatever they say: their text may change each time. */
function kindOfPage({ operation, plan, status, headers }: Exchange): string {
  const key = plan.credential === undefined ? 'valid' : 'no'
  const [mediaType] = (headers['content-type'] ?? '').split(';', 1)
  return `${operation}, ${key} key, ${status} ${mediaType}`
}
