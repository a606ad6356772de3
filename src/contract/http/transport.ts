import { setMaxListeners } from 'node:events'
import { contentOf, readBody, Stalls } from './response-body.ts'
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
  type Attempt,
  type Failed,
} from './failure.ts'
import { createFirewall, isList, mayBeOfFirewall } from './firewall.ts'
import {
  headersOf,
  keepHeaders,
  mayCreate,
  operationOf,
  NoResponse,
  type Exchange,
  type Plan,
} from './exchange.ts'
import type { Keys } from './keys.ts'
import { sleep, Limiter, Throttle, createOutageWatch, type RunClock } from './waiting.ts'

/** A `dispatcher` belongs to the caller, and is not destroyed. */
export interface TransportOptions extends ConnectionOptions {
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  readonly concurrency: number
  /** Requests per second. */
  readonly rate?: number | undefined
  readonly retryBudgetMs: number
  readonly maxRequests: number
  readonly maxDurationMs: number
  readonly dispatcher?: Connections | undefined
  readonly signal?: AbortSignal | undefined
}

/** Attempts at a request whose connections fail, while the target has sent no response yet: a closed port is reported after 1.6 s. */
const networkTries = 6
/** Attempts that may be rejected for their connection, and bodies that may be cut: by a network that fails one in ten, three are in 1 of 1,000 cases. */
const [connectionTries, maxCuts] = [3, 3]
/** Attempts at a request that is rejected, which take 13 s; and at one without a response, once the target has responded: half a minute, in which it may start again. */
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
/** So few requests are allowed in a run that none should be rejected. */
const fewRequests = 100
/** The rests of a run whose valid key is blocked: the first one, each next one twice as long, and the longest one. Seven fit the usual budget, 60 s. */
const blocked = { restMs: 500, maxRestMs: 16_000 }
/** The distance of the requests that find out whether a target is ready; and for how long a 401 may still change: services may load their keys after their start. */
const [readyPollMs, keysLoadMs] = [500, 15_000]
/** Shorter waits are not worth a line. */
const leastAnnouncedMs = 1_000

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
  readonly outage: ReturnType<typeof createOutageWatch>
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
  readonly #firewall: ReturnType<typeof createFirewall>
  #failures = 0
  /** When the last attempt ended. */
  #endedAt = 0
  readonly #stalls = new Stalls()

  constructor(options: TransportOptions, clock: RunClock, keys: Keys) {
    this.#keys = keys
    this.#clock = clock
    this.#startedAt = clock.now()
    const url = new URL(options.baseUrl)
    this.#options = options
    this.#limiter = new Limiter(() => (this.#throttle.isCrowded ? 1 : options.concurrency))
    this.#origin = url.origin
    this.#prefix = url.pathname.replace(/\/$/, '')
    // Each connection adds a listener.
    setMaxListeners(0, this.#closing.signal, this.signal)
    this.#throttle = new Throttle({
      clock,
      signal: this.signal,
      budgetMs: options.retryBudgetMs,
      isTight: options.maxRequests < fewRequests,
      leastGapMs: 1_000 / (options.rate ?? Infinity),
      onWait: (ms, why) => this.#announce(ms, why),
    })
    this.outage = createOutageWatch(this, this.#throttle)
    this.#firewall = createFirewall(this.#throttle, (plan) => this.#try(plan))
    this.#connections =
      options.dispatcher ??
      createConnections(url, options, options.concurrency, this.#closing.signal)
    if (options.signal?.aborted) this.#stopByCaller()
    options.signal?.addEventListener('abort', this.#stopByCaller)
    void this.#stopAfter(options.maxDurationMs)
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
    return this.#throttle.sleep(ms)
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
   * Returns the response of the service. At most `tries` attempts fail; each takes at most `timeoutMs`. Throws
   * NoResponse when all fail.
   */
  async send(
    plan: Plan,
    { tries, timeoutMs }: { tries?: number; timeoutMs?: number } = {},
  ): Promise<Exchange> {
    let [cuts, failures] = [0, 0]
    for (let attempt = 0; ; attempt += 1) {
      const attemptOnce = async (): Promise<Attempt> => {
        // Jetty takes a header for an earlier one in other letter case; a kept connection may end without a word.
        const isOtherCase = plan.credential === otherCaseKey && this.#failures === 0
        const { pace, isCrowded } = this.#throttle
        const isDoubtful = (this.unsurePosts > 0 && mayCreate(plan)) || (pace.isTight && isCrowded)
        const result = await this.#try(attempt === 0 ? plan : (plan.again?.() ?? plan), {
          timeoutMs,
          opensConnection: plan.opensConnection || attempt > 0 || isOtherCase || isDoubtful,
        })
        if (mayCreate(plan) && isUnsure(result)) this.unsurePosts += 1
        return result
      }
      await this.#throttle.resume()
      const result = await this.#limiter.run(async () => {
        await this.#throttle.turn()
        return this.#firewall.unlessBlocked(await attemptOnce(), attemptOnce)
      })
      if (result.failure === undefined) {
        const { exchange, isCut = false } = result
        if (isCut) cuts += 1
        else this.silent = 0
        // A body cut once is an accident of the network; cut every time, it is what the service sends.
        if (cuts > 1) this.#stalls.isPatient = cuts < maxCuts
        const isRejected = attempt < connectionTries && ofConnection.includes(exchange.status)
        if (cuts === maxCuts || !(isCut || isRejected)) return exchange
        if (isRejected && this.#throttle.pace.isTight) this.#throttle.sendOneByOne()
        // So few attempts need no budget.
        this.#throttle.rest('a connection was cut or rejected', attempt)
      } else {
        if (result.failure.kind !== 'rate-limit') failures += 1
        this.#scheduleRetry(result, attempt, failures, tries)
      }
    }
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

  /** @throws {NoResponse} when there is no further try: after `maxTries` failures, if given, or when the budget is spent */
  #scheduleRetry(
    { failure, fatal, status, retryAfterMs, blocksValidKey }: Failed,
    attempt: number,
    failures: number,
    maxTries?: number,
  ): void {
    if (blocksValidKey) {
      // Rejected requests may keep those after them blocked.
      const restMs = Math.min(blocked.maxRestMs, blocked.restMs * 2 ** attempt)
      if (!this.#throttle.rest(failure.message, 0, restMs))
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
    if (isLast || !this.#throttle.rest(failure.message, attempt)) {
      // A caller that bounds the tries finds out itself whether the target is alive.
      if (maxTries === undefined) this.silent += 1
      throw failure
    }
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
      opensConnection = false,
    }: { timeoutMs?: number | undefined; opensConnection?: boolean } = {},
  ): Promise<Attempt> {
    this.#expectMaySend()
    this.requests += 1
    const sentAt = this.elapsed()
    const restedMs = this.#inProgress.size === 0 ? sentAt - this.#endedAt : 0
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
        ...(opensConnection && { reset: true }),
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
        const unprocessed = rejection === 'rate-limit' || status === 503
        if (retryAfterMs === undefined)
          this.outage.count({ status, server: headers['server'], restedMs })
        // No slower pace helps against a quota that ends long after the run.
        const isOver = (retryAfterMs ?? 0) > this.#options.retryBudgetMs
        if ((unprocessed || this.#throttle.pace.isTight) && !isOver)
          this.#countFailure(true, rejection === 'rate-limit' || this.outage.restedEnough)
        return { failure, fatal: false, unprocessed, status, retryAfterMs }
      }
      this.#throttle.speedUp()
      this.outage.count()
      this.durations.push(exchange.durationMs)
      this.#firewall.see(exchange)
      if (plan.credential === undefined) this.#countKey(exchange)
      return { exchange, isCut: read.problem !== undefined && !read.final && !stalls }
    } catch (error) {
      note(lost)
      if (error instanceof NoResponse) throw error
      if (this.signal.aborted) throw this.signal.reason
      const failed = toFailure(error, this.#options.proxy, signal.aborted ? timeoutMs : undefined)
      if (failed.failure.kind === 'network') this.#countFailure(this.#throttle.pace.isTight)
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

  #countFailure(slowsDown: boolean, byLimit = false): void {
    this.#failures += 1
    const throttle = this.#throttle
    if (
      throttle.pace.isTight ||
      this.#failures >= Math.max(crowded.failures, this.requests / crowded.oneIn)
    )
      throttle.sendOneByOne()
    if (slowsDown && throttle.isCrowded && this.outage.failing === undefined)
      throttle.slowDown(byLimit)
  }

  #expectMaySend(): void {
    if (this.endReason === undefined && this.requests >= this.#options.maxRequests) {
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
  result.failure ? !result.unprocessed : result.isCut === true && result.exchange.status < 400
