import { setMaxListeners } from 'node:events'
import { decode, beginningOf, decompress, maximumBytes, readBody, tooLong, unjudged } from './body.ts'
import { createSender, unlessAborted, type Sender } from './connection.ts'
import { validKey } from './credentials.ts'
import { flatten, isGateway, retryAfter, toFailure, type ConnectionFailure } from './failure.ts'
import { headersOf, mayCreate, operationOf, NoResponse, type Content, type Exchange, type Plan } from './exchange.ts'
import type { VerifyOptions } from './options.ts'
import { RetryBudget, systemClock, Turns, type Clock } from './waiting.ts'

/** What the transport needs to know. Without a `proxy` it calls the target directly; a `dispatcher` is not destroyed. */
export type TransportOptions = Pick<
  VerifyOptions,
  'apiKey' | 'baseUrl' | 'concurrency' | 'headers' | 'retryBudgetMs' | 'timeoutMs'
> &
  Partial<
    Pick<
      VerifyOptions,
      'ca' | 'cert' | 'certKey' | 'dispatcher' | 'insecure' | 'maxDurationMs' | 'maxRequests' | 'proxy' | 'signal'
    >
  > & {
    /** Milliseconds after which a body that has begun and does not go on is broken. Default: 3000. */
    stallMs?: number
  }

/** One try of a request: a response, whole or cut off, or why none came. */
type Try =
  | { exchange: Exchange; isCut?: boolean; failure?: undefined }
  | (ConnectionFailure & { exchange?: undefined; status?: number; retryAfterMs?: number | undefined })

const usualStallMs = 3_000
/** Tries of a request that fails for the network's sake. */
const networkTries = 6
/** After so many requests in a row without a response the run ends. */
const silentRequests = 6
/** After so many failed connections, if they are one in so many, requests go one at a time: some targets take no more. */
const crowded = { failures: 4, oneIn: 8 }
/** Milliseconds between two looks at a target that is not ready. */
const readyPollMs = 250

/** Sends requests to one base URL, again where a response is no verdict: 429, 502, 503, 504, 520 to 530, resets. */
export class Transport {
  /** Requests sent, with every repetition. */
  requests = 0
  /** Milliseconds of each response, those of gateways apart. */
  readonly durations: number[] = []
  /** Tries that failed of requests which got a response in the end. */
  recovered = 0
  /** POST requests that may have created a pet, although no whole response came. */
  unsurePosts = 0
  readonly #options: TransportOptions
  readonly #sender: Sender
  readonly #origin: string
  readonly #prefix: string
  readonly #retryBudget: RetryBudget
  readonly #clock: Clock
  readonly #closing = new AbortController()
  readonly #stopping = new AbortController()
  readonly #startedAt: number
  readonly #inTurn: Turns<'any'>
  #silent = 0
  #failedConnections = 0
  #isCrowded = false

  constructor(options: TransportOptions, clock: Clock = systemClock) {
    this.#clock = clock
    this.#startedAt = clock.now()
    const url = new URL(options.baseUrl)
    this.#options = options
    this.#inTurn = new Turns(() => (this.#isCrowded ? 1 : options.concurrency))
    this.#origin = url.origin
    this.#prefix = url.pathname.replace(/\/$/, '')
    // Each connection listens to it.
    setMaxListeners(0, this.#closing.signal, this.signal)
    this.#retryBudget = new RetryBudget(options.retryBudgetMs, this.signal, clock)
    this.#sender =
      options.dispatcher ??
      createSender(url.protocol === 'https:', options.proxy, options, options.concurrency, this.#closing.signal)
    if (options.signal?.aborted) this.#stopByCaller()
    options.signal?.addEventListener('abort', this.#stopByCaller)
    if (options.maxDurationMs !== undefined) void this.#stopAfter(options.maxDurationMs)
  }

  readonly #stopByCaller = (): void => this.#stop('the run was stopped before its end')

  #stop(reason: string): void {
    this.#stopping.abort(new NoResponse('aborted', reason))
  }

  async #stopAfter(ms: number): Promise<void> {
    await this.#clock.sleep(ms, this.#closing.signal)
    if (!this.#closing.signal.aborted) this.#stop(`the run was ended after ${ms / 1000} s (--max-duration)`)
  }

  /** Ends every wait of the run, by its caller or because its time is over. Its reason is an {@link NoResponse}. */
  get signal(): AbortSignal {
    return this.#stopping.signal
  }

  /** Milliseconds since the start of the run. */
  elapsed(): number {
    return this.#clock.now() - this.#startedAt
  }

  /** One that sends its requests to another base URL, and has no patience. */
  elsewhere(baseUrl: string): Transport {
    return new Transport({ ...this.#options, baseUrl, retryBudgetMs: 0 }, this.#clock)
  }

  close(): void {
    this.#closing.abort()
    this.#options.signal?.removeEventListener('abort', this.#stopByCaller)
  }

  /**
   * Sends a request and returns the response of the service.
   *
   * @param again called for the plan of each repetition of a request that may have been carried out already.
   * @param bounds how many tries may fail, for the network's or a gateway's sake, the milliseconds of each, and whether
   * the first one has a connection of its own, as the others do.
   * @throws {NoResponse} when no try got a response of the service itself.
   */
  async send(
    plan: Plan,
    again: (attempt: number) => Plan = () => plan,
    { tries, timeoutMs, fresh = false }: { tries?: number; timeoutMs?: number; fresh?: boolean } = {},
  ): Promise<Exchange> {
    return this.#repeat(async (attempt) => {
      const result = await this.#try(attempt === 0 ? plan : again(attempt), { timeoutMs, fresh: fresh || attempt > 0 })
      if (mayCreate(plan) && isUnsure(result)) this.unsurePosts += 1
      return result
    }, tries)
  }

  /** Counts a request that got no response when others did not either. */
  countSilent(): void {
    this.#silent += 1
  }

  /** Waits until the target responds at all, gateways apart; a refusal that time does not fix ends it quietly, too. */
  async waitUntilReady(timeoutMs: number): Promise<void> {
    const until = this.elapsed() + timeoutMs
    while (this.elapsed() < until && this.endedBecause === undefined) {
      const response = await this.#try({ method: 'GET', path: '/pets?limit=1' }).catch(() => undefined)
      // A target that limits requests is there.
      if (!response?.failure || ['rate-limit', 'tls', 'proxy'].includes(response.failure.kind)) return
      const wait = Math.min(readyPollMs, Math.max(0, until - this.elapsed()))
      await this.#clock.sleep(wait, this.signal)
    }
  }

  async #repeat(attemptOnce: (attempt: number) => Promise<Try>, mostTries?: number): Promise<Exchange> {
    let [cuts, failures] = [0, 0]
    for (let attempt = 0; ; attempt += 1) {
      await this.#retryBudget.pause()
      const result = await this.#inTurn.of('any', () => attemptOnce(attempt))
      const { exchange, failure } = result
      if (failure === undefined) {
        if (!result.isCut) this.#silent = 0
        else cuts += 1
        // Once is an accident of the network; a body that never arrives whole is what the service responds.
        if (!result.isCut || cuts === 3) return exchange
        this.#retryBudget.spend(undefined, undefined, attempt)
        continue
      }
      const { status, retryAfterMs, fatal } = result
      if (status !== 429) failures += 1
      if (status !== undefined) {
        this.#retryBudget.spend(status, retryAfterMs, attempt)
        if (failures === mostTries) throw failure
      } else if (fatal || failures >= (mostTries ?? (failure.kind === 'timeout' ? 2 : networkTries))) {
        // Who bounds the tries finds out whether the target is alive.
        if (mostTries === undefined) this.#silent += 1
        throw failure
      } else this.#retryBudget.spend(undefined, undefined, attempt, failure)
    }
  }

  /** Why no more requests are sent, in words; undefined while they are. */
  get endedBecause(): string | undefined {
    if (this.signal.aborted) return (this.signal.reason as NoResponse).message
    return this.#silent < silentRequests
      ? undefined
      : `the target left ${silentRequests} requests in a row without a response, and the run ended there`
  }

  async #try(
    plan: Plan,
    { timeoutMs = this.#options.timeoutMs, fresh = false }: { timeoutMs?: number | undefined; fresh?: boolean } = {},
  ): Promise<Try> {
    if (this.endedBecause === undefined && this.requests >= (this.#options.maxRequests ?? Infinity)) {
      this.#stop(`the run has sent ${this.requests} requests and may send no more (--max-requests)`)
    }
    if (this.endedBecause !== undefined) throw new NoResponse('aborted', this.endedBecause)
    this.requests += 1
    const sentAt = this.elapsed()
    const [late, over] = [new AbortController(), new AbortController()]
    const signal = AbortSignal.any([this.signal, late.signal])
    const watch = async (): Promise<void> => {
      await this.#clock.sleep(timeoutMs, over.signal)
      if (!over.signal.aborted) late.abort()
    }
    void watch()
    try {
      const sending = this.#sender.request({
        origin: this.#origin,
        path: this.#prefix + plan.path,
        method: plan.method,
        headers: this.#headers(plan),
        body: plan.body ?? null,
        signal,
        ...(fresh && { fresh }),
      })
      const response = await unlessAborted(sending, signal)
      const headers = flatten(response.headers)
      const status = response.statusCode
      const read = await readBody(response.body, this.#options.stallMs ?? usualStallMs, signal, this.#clock)
      // What follows is the time of this machine, not that of the target.
      // A reason of its own costs no DOMException.
      over.abort('over')
      if (status === 429 || isGateway(status)) {
        const failure = new NoResponse(status === 429 ? 'rate-limit' : 'gateway', `the target responded ${status}`)
        const unsent = status === 429 || status === 503
        return { failure, fatal: false, unsent, status, retryAfterMs: retryAfter(headers, this.#clock.now()) }
      }
      const durationMs = this.elapsed() - sentAt
      this.durations.push(durationMs)
      const exchange = {
        plan,
        operation: operationOf(plan.method, plan.path),
        status,
        headers,
        sentAt,
        durationMs,
      }
      if (read.problem !== undefined) {
        const { bytes, problem, final } = read
        const broken = { kind: 'broken', text: beginningOf(bytes), problem, size: bytes.length } as const
        const cut: Exchange = { ...exchange, content: final ? unjudged(bytes, problem) : broken }
        return { exchange: cut, isCut: !final }
      }
      const plain = decompress(read.bytes, headers['content-encoding'])
      const isTooLong = typeof plain === 'string' && plain.startsWith(tooLong)
      const content: Content =
        typeof plain === 'string'
          ? { kind: isTooLong ? 'unjudged' : 'broken', text: '', problem: plain, size: maximumBytes }
          : decode(plain)
      return { exchange: { ...exchange, content } }
    } catch (error) {
      if (error instanceof NoResponse) throw error
      if (this.signal.aborted) throw this.signal.reason
      const failed = toFailure(error, this.#options.proxy, late.signal.aborted ? timeoutMs : undefined)
      if (failed.failure.kind === 'network') this.#failedConnections += 1
      const { failures, oneIn } = crowded
      this.#isCrowded ||= this.#failedConnections >= Math.max(failures, this.requests / oneIn)
      return failed
    } finally {
      over.abort('over')
    }
  }

  #headers(plan: Plan): Record<string, string> {
    const headers = { ...headersOf(plan), ...this.#options.headers }
    const authorization = (plan.credential ?? validKey).header(this.#options.apiKey)
    return authorization === undefined ? headers : { ...headers, authorization }
  }
}

/** Whether a request may have been carried out all the same. */
function isUnsure(result: Try): boolean {
  return result.failure ? !result.unsent : result.isCut === true && result.exchange.status < 400
}
