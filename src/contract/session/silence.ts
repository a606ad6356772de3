import type { RequirementId } from '../../spec/requirements.ts'
import type { Log } from '../judge/run-log.ts'
import { noHeader } from '../http/credentials.ts'
import { mayCreate, operationOf, NoResponse, type Exchange, type Plan } from '../http/exchange.ts'
import { isRejection, nameOf, type Demand } from '../judge/expect.ts'
import { errorMismatches } from '../judge/shapes.ts'
import { NotVerified, type Findings } from '../judge/findings.ts'
import type { Depth } from './limits.ts'
import type { Transport } from '../http/transport.ts'
import { Limiter } from '../http/waiting.ts'

/** The part of a run that is needed here. */
interface RunPart {
  readonly transport: Transport
  readonly options: { depth: Depth; timeoutMs: number }
  readonly log: Pick<Log, 'lists'>
  readonly findings: Findings
  withCapacity<Result>(task: () => Promise<Result>): Promise<Result>
}

interface CheckRequest {
  check: string
  judge(exchange: Exchange): Exchange
  plan: Plan
  /** Undefined for a request that calls no operation: no requirement is about it. */
  demand: Demand | undefined
}

/** A kind of request that got no response while other kinds did. */
interface SilentKind {
  /** The one that is retried on behalf of all. */
  first: CheckRequest
  tries: number
  /** Whether a gateway responded instead of the service. */
  byGateway: boolean
  failure: NoResponse
  requests: (CheckRequest & { sentAt: number })[]
}

/** Attempts at a request, each after another request got a response, before it waits for the end of the run: a network that loses one in ten fails all in one of a million cases. */
const maxTries = 6
/** Attempts when each may create a pet and no other request has failed: each may leave one. */
const fewTries = 3
/** Attempts when each takes the whole timeout, usually 10 s; the last one gets twice that. */
const slowTries = 2
/** There is no verdict if more attempts are needed to distinguish silence from network failures: where more than one request in five fails. */
const tooManyTries = 12
/** The accepted probability of mistaking network failures for silence: of 180 requests, less than one in 500,000 runs. */
const accident = 1e-8
/** A kind whose attempts create pets or take the whole timeout is given up after this many requests. */
const enoughRequests = 2
/** Milliseconds before an attempt: twice as many before each further one, up to a limit. */
const [firstRestMs, maxRestMs] = [50, 1_000]
/** Concurrent requests of a kind that must be rejected, so that a kind that hangs leaves connections to the others. */
const maxRejected = 2

/** Finds requests that never get a response although the target is alive. */
export class Silence {
  readonly #run: RunPart
  readonly #transport: Transport
  readonly #kinds = new Map<RequirementId, SilentKind>()
  /** Of each kind, one request is retried at a time, so that requests of other kinds run in between. */
  readonly #retries = new Limiter<RequirementId | 'alive' | undefined>(() => 1)
  readonly #rejections = new Limiter<RequirementId>(() => maxRejected)
  /** The requests whose connections failed since the last response. */
  readonly lost = new Set<string>()
  #dead: { at: number; error: unknown } = { at: -1, error: undefined }

  constructor(run: RunPart) {
    this.#run = run
    this.#transport = run.transport
  }

  /** @throws {NoResponse} when the kind of an expensive request is known to be silent */
  expectNotSilent({ plan, demand }: { plan: Plan; demand: Demand }): void {
    if ((this.#kinds.get(demand.requirement)?.requests.length ?? 0) < enoughRequests) return
    throw new NoResponse(
      'silent',
      `${whatOf({ plan, demand })} was not sent: similar requests got no response`,
    )
  }

  /** Sends a request; retries it when it gets no response. Throws as {@link Transport.send}, and when its kind is silent. */
  async send(request: CheckRequest): Promise<Exchange> {
    const { plan, demand } = request
    const send = async (): Promise<Exchange> => {
      if (demand && this.#kinds.get(demand.requirement)?.failure.kind === 'timeout')
        this.expectNotSilent({ plan, demand })
      try {
        // Whether another request gets a response is one more of the few requests of a smoke run.
        const tries = this.#run.options.depth === 'smoke' ? 2 : 1
        const exchange = await this.#transport.send(plan, { tries })
        this.lost.clear()
        return request.judge(exchange)
      } catch (error) {
        if (!isSilence(error)) throw error
        if ((error.cause as NodeJS.ErrnoException)?.code !== 'ECONNREFUSED')
          this.lost.add(nameOf(plan))
        return this.#retry(request, error)
      }
    }
    return demand && mustBeRejected(demand)
      ? this.#rejections.run(send, demand.requirement)
      : send()
  }

  /**
   * Retries a request that got no response, each time after another request got one.
   *
   * @throws {NoResponse} when it never gets one, or the target is not alive
   * @throws {NotVerified} when it takes longer than the timeout, or may create no more pets
   */
  #retry(first: CheckRequest, failure: NoResponse): Promise<Exchange> {
    const sentAt = this.#transport.elapsed()
    const { demand, plan } = first
    return this.#retries.run(async () => {
      let silent = demand && this.#kinds.get(demand.requirement)
      if (silent === undefined) {
        this.#expectNotDead(sentAt)
        const fresh: SilentKind = {
          first,
          tries: 1,
          failure,
          byGateway: failure.kind === 'gateway',
          requests: [],
        }
        const limit = mayCreate(plan) ? fewTries : maxTries
        const isEnough = (): boolean =>
          fresh.tries >= (fresh.failure.kind === 'timeout' ? slowTries : limit)
        const exchange = await this.#sendUntil(fresh, isEnough)
        if (exchange) return exchange
        silent = fresh
        if (demand) this.#kinds.set(demand.requirement, silent)
        else this.#run.findings.note(`${silentError(silent.failure, whatOf(first)).message}.`)
      }
      silent.requests.push({ ...first, sentAt })
      throw silentError(silent.failure, whatOf(first))
    }, demand?.requirement)
  }

  /** At the end of the run: sends one request of each silent kind once more, and records the result. */
  async confirm(): Promise<void> {
    const atOnce = new Limiter(() => (this.#transport.recovered === 0 ? Infinity : 1))
    await Promise.all(
      [...this.#kinds.values()].map((silent) => atOnce.run(() => this.#confirmOne(silent))),
    )
  }

  async #confirmOne(silent: SilentKind): Promise<void> {
    const { first, tries, byGateway } = silent
    try {
      const isEnough = (): boolean => silent.tries > tries && silent.tries >= this.#enough()
      const send = (): Promise<Exchange | undefined> => this.#sendUntil(silent, isEnough)
      const response = await (mayCreate(first.plan) ? this.#run.withCapacity(send) : send())
      if (!response) this.#report(silent)
      else if (first.demand) {
        const reason = `${whatOf(first)} got its first response at attempt ${silent.tries + 1}`
        this.#run.findings.cannotVerify(first.check, first.demand.requirement, reason)
      }
    } catch (error) {
      if (!(error instanceof NoResponse || error instanceof NotVerified)) throw error
      if (error instanceof NotVerified && !byGateway && silent.tries >= this.#enough())
        this.#report(silent)
      else this.#cannotVerify(silent, error.message)
    }
  }

  #report(silent: SilentKind): void {
    const { first, failure, byGateway, requests } = silent
    if (byGateway || silent.tries > tooManyTries) {
      this.#cannotVerify(silent, silentError(failure, whatOf(first)).message)
      return
    }
    for (const { demand, plan, sentAt, check } of requests) {
      if (demand === undefined) continue
      const operation = operationOf(plan.method, plan.path)
      const content = { kind: 'empty' } as const
      this.#run.findings.report(check, {
        requirement: demand.requirement,
        alsoBreaks: demand.alsoBreaks ?? [],
        message: `${silentError(failure, whatOf({ plan, demand })).message}.`,
        expected:
          typeof demand.expected === 'number' ? `status ${demand.expected}` : demand.expected,
        actual: 'no response',
        kind: 'silence',
        exchanges: [{ plan, operation, status: 0, headers: {}, content, sentAt, durationMs: 0 }],
        cause: 'no response',
      })
    }
  }

  /** Records the requirements as not verified, even if other checks verify them. */
  #cannotVerify({ requests }: SilentKind, reason: string): void {
    const { findings } = this.#run
    for (const { check, demand } of requests)
      if (demand) findings.keepOpen(check, [demand.requirement], reason)
  }

  /** The attempts after which network failures, at the rate that other requests met them, are too unlikely an explanation. */
  #enough(): number {
    const { recovered, requests } = this.#transport
    if (recovered === 0) return fewTries
    return Math.min(
      tooManyTries + 1,
      Math.ceil(Math.log(accident) / Math.log(recovered / requests)),
    )
  }

  /** Retries a request until it gets a response or has failed often enough, each time after another request got one. */
  async #sendUntil(silent: SilentKind, isEnough: () => boolean): Promise<Exchange | undefined> {
    const { plan, judge } = silent.first
    const { timeoutMs } = this.#run.options
    for (;;) {
      await this.#expectAlive(silent.first)
      if (isEnough()) return undefined
      // A limit on connections lets the next one through only after a while, and the one before was the last.
      await this.#transport.wait(Math.min(maxRestMs, firstRestMs * 2 ** silent.tries))
      const isLate = silent.failure.kind === 'timeout' && silent.tries >= slowTries - 1
      try {
        const exchange = judge(
          await this.#transport.send(
            {
              ...(plan.again?.() ?? plan),
              // Alternates: an idle connection may just be closing, and a target may allow no second one.
              ...(silent.tries % 2 === 1 && { opensConnection: true }),
            },
            { tries: 1, timeoutMs: isLate ? 2 * timeoutMs : timeoutMs },
          ),
        )
        if (exchange.durationMs > timeoutMs)
          throw new NotVerified(
            `${whatOf(silent.first)} takes longer than ${timeoutMs / 1_000} s (--timeout)`,
          )
        this.#transport.recovered += silent.tries
        return exchange
      } catch (error) {
        if (!isSilence(error)) throw error
        silent.tries += 1
        silent.failure = error
        silent.byGateway ||= error.kind === 'gateway'
      }
    }
  }

  /**
   * Sends a request that got a response before, or one without a key if no list arrived yet.
   *
   * @throws {NoResponse} when it gets none now: then the silence of others shows nothing
   */
  async #expectAlive({ judge, plan }: CheckRequest): Promise<void> {
    const known = this.#run.log.lists.findLast(({ exchange }) => exchange.plan.path !== plan.path)
    const path =
      known?.exchange.plan.path ?? (plan.path === '/pets?limit=1' ? '/pets' : '/pets?limit=1')
    const since = this.#transport.elapsed()
    // One at a time: a short outage then costs the run one request, not one for each kind.
    await this.#retries.run(async () => {
      this.#expectNotDead(since)
      if (known === undefined && (await this.#rejectsWithoutKey(path))) return
      try {
        judge(await this.#transport.send({ method: 'GET', path, isAside: true }))
      } catch (error) {
        this.#dead = { at: this.#transport.elapsed(), error }
        throw error
      }
    }, 'alive')
  }

  /** Whether the service itself responds to a request without a key. Then the missing list is its own fault. */
  async #rejectsWithoutKey(path: string): Promise<boolean> {
    const plan = { method: 'GET', path, credential: noHeader }
    try {
      const { status, content } = await this.#transport.send(plan, { tries: 1 })
      // A gateway in front of a service that is down does not know the Error body.
      return (
        status === 401 &&
        content.kind === 'json' &&
        errorMismatches(content.value, status).length === 0
      )
    } catch (error) {
      if (isSilence(error)) return false
      throw error
    }
  }

  /** Throws the error of the last liveness request, if it failed at or after `since`. */
  #expectNotDead(since: number): void {
    const { at, error } = this.#dead
    if (at < since) return
    // A restart of the target fails all concurrent requests at once, which counts as one failure; timeouts count each.
    if (error instanceof NoResponse && error.kind === 'timeout') this.#transport.silent += 1
    throw error
  }
}

const mustBeRejected = ({ expected }: Demand): boolean =>
  typeof expected === 'number' && isRejection(expected)

/** Whether a failure may be the service's own. */
const isSilence = (error: unknown): error is NoResponse =>
  error instanceof NoResponse && ['network', 'malformed', 'timeout', 'gateway'].includes(error.kind)

function silentError(failure: NoResponse, what: string): NoResponse {
  const how =
    failure.kind === 'gateway'
      ? 'gets no response from the service'
      : `never gets a ${failure.kind === 'malformed' ? 'valid response' : 'response'}`
  return new NoResponse('silent', `${what} ${how}, while other requests do: ${failure.message}`)
}

const whatOf = ({ demand, plan }: Pick<CheckRequest, 'demand' | 'plan'>): string =>
  demand?.what ?? nameOf(plan)
