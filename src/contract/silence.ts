import type { ClauseId } from '../spec/clauses.ts'
import type { PetList } from './catalog.ts'
import { mayCreate, operationOf, NoResponse, type Exchange, type Plan } from './exchange.ts'
import { nameOf, type Demand } from './expect.ts'
import { NotVerified, type Findings } from './findings.ts'
import type { Transport } from './transport.ts'
import { Turns } from './waiting.ts'

/** What of a run decides whether its target is alive. */
interface Target {
  readonly transport: Transport
  readonly options: { timeoutMs: number }
  readonly lists: readonly PetList[]
  readonly findings: Findings
  withCapacity<Result>(task: () => Promise<Result>): Promise<Result>
}

/** A request as a check sends it, and again. */
export interface Sending {
  check: string
  /** Judges the response. */
  judge(exchange: Exchange): Exchange
  plan: Plan
  /** The plan of a repetition, where the first may have been carried out. */
  again?: ((attempt: number) => Plan) | undefined
  /** Undefined for a request that calls no operation: no requirement is about it. */
  demand: Demand | undefined
}

/** A kind of request that got no response, while others did. */
interface Silent {
  /** The one that is sent again for all of its kind. */
  first: Sending
  tries: number
  /** Whether a gateway responded in place of the service. */
  byGateway: boolean
  failure: NoResponse
  /** All that got none, with when they were sent. */
  requests: (Sending & { sentAt: number })[]
}

/** Tries of a request, each followed by one that gets a response, until its silence is set aside for the end of the run. */
const mostTries = 6
/** So many are enough where each may create a pet, and no other request has failed. */
const fewTries = 3
/** So many where each takes all the time there is; the last one gets twice that. */
const slowTries = 2
/** Where it would take more to distinguish silence from accidents of the network, there is no verdict. */
const tooManyTries = 12
/** How likely an accident may look like silence. */
const accident = 1e-8
/** After so many requests of one kind, no more of it are sent where each may create a pet or takes all the time there is. */
const enoughRequests = 2
/** Requests of one kind under way at once that must be refused: a kind that hangs leaves connections to the others. */
const mostRefused = 2

/** Re-checks requests that get no response although the target is alive. */
export class Silence {
  readonly #target: Target
  readonly #found = new Map<ClauseId, Silent>()
  /** One request of a kind is insisted on at a time, so that those between are sure to come between. */
  readonly #inTurn = new Turns<ClauseId | 'alive' | undefined>(() => 1)
  readonly #amongFew = new Turns<ClauseId>(() => mostRefused)
  #dead: { at: number; error: unknown } = { at: -1, error: undefined }

  constructor(target: Target) {
    this.#target = target
  }

  get #transport(): Transport {
    return this.#target.transport
  }

  /**
   * Makes sure that a request is worth its cost.
   *
   * @throws {NoResponse} when so many of its kind got no response that no more need be sent
   */
  expectUnknown({ plan, demand }: { plan: Plan; demand: Demand }): void {
    if ((this.#found.get(demand.clause)?.requests.length ?? 0) < enoughRequests) return
    throw new NoResponse('silent', `${whatOf({ plan, demand })} was not sent: others of its kind got no response`)
  }

  /** Sends a request, and again where it gets no response. Throws as {@link Transport.send}, and where others get one. */
  async send(sending: Sending): Promise<Exchange> {
    const { plan, again, demand } = sending
    const send = async (): Promise<Exchange> => {
      if (demand && this.#found.get(demand.clause)?.failure.kind === 'timeout') this.expectUnknown({ plan, demand })
      try {
        return sending.judge(await this.#transport.send(plan, again, { tries: 1 }))
      } catch (error) {
        if (!isSilence(error)) throw error
        return this.#insist(sending, error)
      }
    }
    return demand?.expected.startsWith('status 4') ? this.#amongFew.of(demand.clause, send) : send()
  }

  /**
   * Sends a request again that got no response, each time after one that did.
   *
   * @throws {NoResponse} when it never gets one, or the target is not alive
   * @throws {NotVerified} when it takes longer than the timeout, or may create no more pets
   */
  async #insist(first: Sending, failure: NoResponse): Promise<Exchange> {
    const sentAt = this.#transport.elapsed()
    const { demand, plan } = first
    return this.#inTurn.of(demand?.clause, async () => {
      let silent = demand && this.#found.get(demand.clause)
      if (silent === undefined) {
        this.#expectNotDead(sentAt)
        const fresh: Silent = { first, tries: 1, failure, byGateway: failure.kind === 'gateway', requests: [] }
        const most = mayCreate(plan) ? fewTries : mostTries
        const isEnough = (): boolean => fresh.tries >= (fresh.failure.kind === 'timeout' ? slowTries : most)
        const exchange = await this.#sendUntil(fresh, isEnough)
        if (exchange) return exchange
        silent = fresh
        if (demand) this.#found.set(demand.clause, silent)
        else this.#target.findings.note(`${silentError(silent.failure, whatOf(first)).message}.`)
      }
      silent.requests.push({ ...first, sentAt })
      throw silentError(silent.failure, whatOf(first))
    })
  }

  /** At the end of the run: sends one request of each silent kind once more, and says what follows. */
  async confirm(): Promise<void> {
    await Promise.all([...this.#found.values()].map((silent) => this.#confirmOne(silent)))
  }

  async #confirmOne(silent: Silent): Promise<void> {
    const { first, tries, byGateway } = silent
    try {
      const isEnough = (): boolean => silent.tries > tries && silent.tries >= this.#enough()
      const send = (): Promise<Exchange | undefined> => this.#sendUntil(silent, isEnough)
      const response = await (mayCreate(first.plan) ? this.#target.withCapacity(send) : send())
      if (!response) this.#report(silent)
      else if (first.demand) {
        const reason = `${whatOf(first)} got a response at try ${silent.tries + 1} only`
        this.#target.findings.cannotVerify(first.check, first.demand.clause, reason)
      }
    } catch (error) {
      if (!(error instanceof NoResponse || error instanceof NotVerified)) throw error
      if (error instanceof NotVerified && !byGateway && silent.tries >= this.#enough()) this.#report(silent)
      else this.#cannotVerify(silent, error.message)
    }
  }

  #report(silent: Silent): void {
    const { first, failure, byGateway, requests } = silent
    if (byGateway || silent.tries > tooManyTries) {
      this.#cannotVerify(silent, silentError(failure, whatOf(first)).message)
      return
    }
    for (const { demand, plan, sentAt, check } of requests) {
      if (demand === undefined) continue
      const operation = operationOf(plan.method, plan.path)
      const content = { kind: 'empty' } as const
      this.#target.findings.report(check, {
        clause: demand.clause,
        alsoBreaks: demand.alsoBreaks ?? [],
        message: `${silentError(failure, whatOf({ plan, demand })).message}.`,
        expected: demand.expected,
        actual: 'no response',
        exchanges: [{ plan, operation, status: 0, headers: {}, content, sentAt, durationMs: 0 }],
        cause: 'no response',
      })
    }
  }

  /** Leaves unverified what no response could show, also where other checks verify it. */
  #cannotVerify({ requests }: Silent, reason: string): void {
    const { findings } = this.#target
    for (const { check, demand } of requests) {
      if (demand === undefined) continue
      findings.cannotVerify(check, demand.clause, reason)
      findings.suspected.add(demand.clause)
    }
  }

  /** Tries so many as accidents, as often as other requests met them, are most unlikely to follow one another. */
  #enough(): number {
    const { recovered, requests } = this.#transport
    if (recovered === 0) return fewTries
    return Math.min(tooManyTries + 1, Math.ceil(Math.log(accident) / Math.log(recovered / requests)))
  }

  /** Sends a request again until it gets a response, or has failed often enough: each time after one that got a response. */
  async #sendUntil(silent: Silent, isEnough: () => boolean): Promise<Exchange | undefined> {
    const { plan, again, judge } = silent.first
    const { timeoutMs } = this.#target.options
    for (;;) {
      await this.#expectAlive(silent.first)
      if (isEnough()) return undefined
      const isLate = silent.failure.kind === 'timeout' && silent.tries >= slowTries - 1
      try {
        const next = again?.(silent.tries) ?? plan
        const exchange = judge(
          await this.#transport.send(next, again, {
            tries: 1,
            timeoutMs: isLate ? 2 * timeoutMs : timeoutMs,
            // A kept connection may be closed just then, and a target may take no second one.
            fresh: silent.tries % 2 === 1,
          }),
        )
        if (exchange.durationMs > timeoutMs)
          throw new NotVerified(`${whatOf(silent.first)} takes longer than ${timeoutMs / 1_000} s (--timeout)`)
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
   * Sends a request that got a response before.
   *
   * @throws {NoResponse} when it gets none now: then silence shows nothing
   */
  async #expectAlive({ judge, plan }: Sending): Promise<void> {
    const known = this.#target.lists.findLast(({ exchange }) => exchange.plan.path !== plan.path)
    const path = known?.exchange.plan.path ?? (plan.path === '/pets?limit=1' ? '/pets' : '/pets?limit=1')
    const since = this.#transport.elapsed()
    // One at a time: while the target is away for a moment, that costs the run one request, and not one for each kind.
    await this.#inTurn.of('alive', async () => {
      this.#expectNotDead(since)
      try {
        judge(await this.#transport.send({ method: 'GET', path }))
      } catch (error) {
        this.#dead = { at: this.#transport.elapsed(), error }
        throw error
      }
    })
  }

  /** Throws what a request has thrown that got no response since then, although it got one before. */
  #expectNotDead(since: number): void {
    const { at, error } = this.#dead
    if (at < since) return
    // What fails at once, in a restart of the target, fails for all that are under way: that is one failure, and not many.
    if (error instanceof NoResponse && error.kind === 'timeout') this.#transport.countSilent()
    throw error
  }
}

/** Whether a request failed in a way that may be the service's own. */
const isSilence = (error: unknown): error is NoResponse =>
  error instanceof NoResponse && ['network', 'timeout', 'gateway'].includes(error.kind)

function silentError(failure: NoResponse, what: string): NoResponse {
  const how = failure.kind === 'gateway' ? 'gets no response of the service' : 'never gets a response'
  return new NoResponse('silent', `${what} ${how}, while other requests do: ${failure.message}`)
}

const whatOf = ({ demand, plan }: Pick<Sending, 'demand' | 'plan'>): string => demand?.what ?? nameOf(plan)
