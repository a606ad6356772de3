import type { RequirementId } from '../../spec/requirements.ts'
import { operations, type OperationId } from '../../spec/operations.ts'
import type { Int64 } from '../../spec/types.ts'
import { collectAll } from '../http/waiting.ts'
import { type PetList, toList, widePaths } from '../judge/catalog.ts'
import { judgeResponse } from '../judge/every-response.ts'
import { NoResponse, type Exchange, type Plan } from '../http/exchange.ts'
import {
  compareShown,
  describe,
  expectNotDenied,
  isAbsent,
  isSuccess,
  pageOf,
  wrongStatus,
  type Demand,
} from '../judge/expect.ts'
import { type Findings, NotVerified, Violated, type Violation } from '../judge/findings.ts'
import { observeResponse } from '../judge/observe.ts'
import type { Log } from '../judge/run-log.ts'
import { claimOf, type Subject, type ClaimKind } from '../claims/table.ts'
import type { Run } from './run.ts'
import { secondTries } from './chance.ts'
import { keyRejectedOnce } from './key-trial.ts'

/**
 * Bytes of an ordinary response: 100 pets with names of 2,000 letters. And how many bytes of larger ones a run accepts, almost
 * four of the longest bodies (16 MiB): it keeps their pets in memory.
 */
const ordinaryResponseBytes = 250_000
const maxExcessBytes = 60_000_000

/** Bytes of a response that is far larger than any conforming one, and of headers that are not kept. */
const excessOf = ({ content, headersLeftOut = 0 }: Exchange): number =>
  headersLeftOut +
  (content.kind !== 'empty' && content.size > ordinaryResponseBytes ? content.size : 0)

interface SucceedOptions {
  /** The requirement that another status breaks. Default: the one of the demand. */
  requirement?: RequirementId
  /** Other statuses that the caller judges itself. */
  alsoFine?: (status: number) => boolean
}

/** The run as one check sees it: sends requests, judges responses, and records what the check finds. */
export class Session {
  readonly run: Run
  readonly log: Log
  readonly check: string
  /** Where it records what it finds. Default: the findings of the run. */
  readonly findings: Findings
  /** The question that its requests are to decide. */
  readonly #purpose: string | undefined

  constructor(run: Run, check: string, findings = run.findings, purpose?: string) {
    this.run = run
    this.log = run.log
    this.check = check
    this.findings = findings
    this.#purpose = purpose
  }

  /** The same check, with requests that are to decide a question. */
  withPurpose(purpose: string): Session {
    return new Session(this.run, this.check, this.findings, purpose)
  }

  /**
   * Sends a request and judges the response.
   *
   * @param demand what a missing response violates; none for requests outside the operations
   * @throws {NoResponse} when the key is not accepted
   */
  async send(plan: Plan, demand?: Demand): Promise<Exchange> {
    const exchange = await this.#send(plan, demand)
    if (exchange.status !== 401 || plan.credential !== undefined) return exchange
    const { keyTrial } = this.run
    const state = await keyTrial.stateAfter(exchange, {
      send: (list) => this.#send(list, { requirement: 'list.success', expected: 200 }),
      report: (violation) => this.report(violation),
    })
    if (state === 'rejected') {
      const { problem } = this.run.keys
      const why = problem === undefined ? '' : `, and ${problem}`
      throw new NoResponse('key', `the key was rejected (401)${why}`)
    }
    if (state === 'restored') {
      const again = plan.again?.() ?? plan
      // The next key may have expired, too, before it is this request's turn.
      const isReplaced = (exchange.keyNumber ?? 0) < this.run.keys.number
      return isReplaced ? this.send(again, demand) : this.#send(again, demand)
    }
    if (demand)
      this.report(keyRejectedOnce(exchange, 'other requests with the same key were accepted'))
    const isRejected = ({ status }: Exchange): boolean => status === 401
    return this.#sendAgain(plan, exchange, isRejected, (again) => this.#send(again, demand))
  }

  /** Sends a request a few times more, until it gets another response; as long as the run may. */
  async #sendAgain(
    plan: Plan,
    first: Exchange,
    isAlike: (response: Exchange) => boolean,
    send: (again: Plan) => Promise<Exchange>,
  ): Promise<Exchange> {
    let last = first
    try {
      for (let chance = 1; chance <= secondTries && isAlike(last); chance += 1)
        last = await send(plan.again?.() ?? plan)
    } catch (error) {
      if (!(error instanceof NotVerified)) throw error
    }
    return last
  }

  /** Sends a request, again where its response may be one of chance: the others say nothing about the request. */
  async #send(plan: Plan, demand?: Demand): Promise<Exchange> {
    const { chance, silence } = this.run
    // A sequence, which has findings of its own, is repeated as a whole.
    const isSequence = this.findings !== this.run.findings
    const odd: Exchange[] = []
    const judge = (response: Exchange): Exchange => {
      if (isSequence || !chance.isOdd(response, demand, odd.length > 0)) return this.judge(response)
      odd.push(response)
      return response
    }
    const isOdd = (response: Exchange): boolean => odd.includes(response)
    const send = async (one: Plan): Promise<Exchange> => {
      const exchange = await silence.send({ check: this.check, judge, plan: one, demand })
      if (exchange.content.kind !== 'unjudged') return exchange
      const { problem } = exchange.content
      this.findings.note(`A response could not be judged: ${problem}.`)
      throw new NotVerified(`${describe(exchange)}, but that could not be judged: ${problem}`)
    }
    try {
      const last = await this.#sendAgain(plan, await send(plan), isOdd, send)
      const mayNotRepeat = isOdd(last) && odd.length <= secondTries && chance.isKnown(last)
      if (!isOdd(last) || mayNotRepeat) {
        for (const response of odd.splice(0)) {
          this.log.add({ ...response, check: this.check })
          chance.count(response, mayNotRepeat ? undefined : last, this.check, demand)
        }
        if (mayNotRepeat)
          throw new NotVerified(`${describe(last)}, and the run may not send it again`)
        return last
      }
      chance.countUsual(last, demand)
    } finally {
      // What stays odd is what the target responds.
      odd.splice(0, odd.length, ...odd.map((response) => this.judge(response)))
    }
    return odd.at(-1) as Exchange
  }

  /** Checks a response against what holds for every response and against its request, and remembers its pets. */
  judge(response: Exchange): Exchange {
    const { run, check, findings } = this
    const purpose = response.plan.isAside ? undefined : this.#purpose
    const exchange: Exchange = { ...response, check, ...(purpose !== undefined && { purpose }) }
    if (exchange.headersLeftOut)
      this.findings.note(
        'Some responses have more headers than a report shows (100, or 16 KiB); the others were left out.',
      )
    const excess = excessOf(exchange)
    const known = excess === 0 ? 0 : run.log.exchanges.reduce((sum, one) => sum + excessOf(one), 0)
    if (known + excess > maxExcessBytes)
      run.transport.stop('the responses of the target are far too large, so the run was ended')
    // Until the key is accepted, its 401 may be one of a gateway.
    if (exchange.status === 401 && exchange.plan.credential === undefined && !run.keys.isAccepted) {
      run.log.add(exchange)
      return exchange
    }
    // The response to a removed operation follows no rule of the specification.
    const isGone = exchange.operation === 'getPet' && run.getRemoved && isAbsent(exchange.status)
    // Accepting an invalid key is the violation; the form of that response is no second one.
    const isAccepted = isSuccess(exchange) && exchange.plan.credential !== undefined
    const { requirements, mismatches } =
      isGone || isAccepted ? { requirements: [], mismatches: [] } : judgeResponse(exchange)
    for (const requirement of requirements) findings.judged.add(requirement)
    for (const mismatch of mismatches)
      if (!run.leftovers.keep(exchange, mismatch))
        findings.report('every-response', { ...mismatch, exchanges: [exchange] }, check)
    for (const mismatch of compareShown(exchange))
      if (!run.leftovers.keep(exchange, mismatch))
        this.report({ ...mismatch, exchanges: [exchange] })
    for (const [behavior, value] of observeResponse(exchange))
      this.findings.observe(behavior, value, exchange)
    run.log.add(exchange)
    return exchange
  }

  /** Sends a request that must succeed. Throws Violated for another response, and NotVerified when the key may not do it. */
  async succeed(
    plan: Plan,
    demand: Demand,
    { alsoFine = () => false, requirement = demand.requirement }: SucceedOptions = {},
  ): Promise<Exchange> {
    const exchange = await this.send(plan, demand)
    const operation = exchange.operation as OperationId
    const { success, successStatus: wanted } = operations[operation]
    if (exchange.status === 401) throw new NotVerified('the target rejects the valid key here')
    if (exchange.status === wanted || alsoFine(exchange.status)) return exchange
    expectNotDenied(exchange)
    // Another success, or a redirect, says nothing about a parameter, and a 404 stands for an empty list.
    const isMissing = exchange.status === 404
    const broken = exchange.status < 400 || isMissing ? success : requirement
    const alsoBreaks = isMissing ? [requirement] : []
    const message = `${describe(exchange, demand.what)} instead of ${wanted}.`
    throw new Violated(wrongStatus(exchange, broken, wanted, { message, alsoBreaks }))
  }

  /** Lists pets; demands 200 with an array. An error breaks `requirement`. */
  async list(path: string, requirement?: RequirementId): Promise<PetList> {
    const { atMost, status } = pageOf(path)
    const silent =
      requirement ??
      (status === undefined ? (requirementOfLimit[atMost] ?? 'list.success') : 'list.status.filter')
    const demand = { requirement: silent, expected: 200 }
    const exchange = await this.succeed({ method: 'GET', path }, demand, {
      requirement: requirement ?? 'list.success',
    })
    const list = toList(exchange)
    if (!list) throw new NotVerified('listPets does not respond with an array of Pet')
    return list
  }

  /** Lists pets once for all checks that read the catalog as it is found. */
  read(path: string, requirement?: RequirementId): Promise<PetList> {
    return this.run.once(path, () => this.list(path, requirement))
  }

  /** Reads the longest lists once for all checks of a stage; where one fails, the others show something, too. */
  readWide(): ReturnType<typeof collectAll<PetList>> {
    const { run } = this
    const paths = widePaths(run.assumptions.isSmoke)
    return collectAll(paths.map((path) => run.once(`compare ${path}`, () => this.list(path))))
  }

  /** Fetches a pet that exists. The caller judges 404, 405, 410 and 501. */
  async get(id: Int64): Promise<Exchange> {
    const demand = { requirement: 'get.success', expected: 200 } as const
    const plan = { method: 'GET', path: `/pets/${id}`, headers: { accept: '*/*' }, pet: id }
    return this.succeed(plan, demand, { alsoFine: isAbsent })
  }

  /** From the removal date on, observes once whether getPet is still there. */
  async checkRemovalOfGet(id: Int64): Promise<void> {
    const look = async (): Promise<void> => {
      const response = await this.get(id)
      this.findings.observe(
        'get.after-removal',
        response.status === 200 ? 'works' : String(response.status),
        response,
      )
    }
    if (this.run.getRemoved) await this.run.once('removal of getPet', look)
  }

  /** All items, or at the depth `smoke` those with the given indexes. */
  sample<Item>(items: readonly Item[], atSmoke: readonly number[]): readonly Item[] {
    return this.run.options.depth === 'smoke'
      ? items.filter((_, index) => atSmoke.includes(index))
      : items
  }

  /** Records a violation without stopping the check. */
  report(violation: Violation): void {
    this.findings.report(this.check, violation)
  }

  cannotVerify(requirement: RequirementId, reason: string): void {
    this.findings.cannotVerify(this.check, requirement, reason)
  }

  cannotReach(requirement: RequirementId, reason: string): void {
    this.findings.cannotReach(this.check, requirement, reason)
  }

  /** Schedules a re-check after the consistency window, which starts at `seenAt`, of what may be a violation; of what may not lag, at once. */
  claim<Kind extends ClaimKind>(
    kind: Kind,
    subject: Subject<Kind>,
    mayLag = true,
    seenAt = this.run.transport.elapsed(),
  ): void {
    const { claims, windowMs } = this.run
    const claim = claimOf(kind, subject, this.log)
    if (claims.some((one) => one.kind === kind && one.about === claim.about)) return
    const recheckAt = mayLag ? seenAt + windowMs : 0
    claims.push({ ...claim, check: this.check, mayLag, recheckAt })
  }
}

/** The requirement that a list with this limit breaks when it gets no response. */
const requirementOfLimit: Readonly<Partial<Record<number, RequirementId>>> = {
  1: 'list.limit.min',
  100: 'list.limit.max',
}

/**
 * When a check runs. Stages run one after another, the checks of a stage concurrently.
 *
 * - `survey`: the longest lists, for comparison with later responses
 * - `read`: the catalog as it is found
 * - `create`: ordinary and unusual creations
 * - `access`: requests without a valid key
 * - `reject`: creations that must be rejected
 * - `observe`: unspecified behavior
 * - `compare`: relations between responses
 * - `remain`: what must still hold at the end
 * - `explore`: random sequences of requests
 */
export type Stage = (typeof stages)[number]
export const stages = [
  'survey',
  'read',
  'create',
  'access',
  'reject',
  'observe',
  'compare',
  'remain',
  'explore',
] as const

/** One requirement as requests and expectations. */
export interface Check {
  /** Never reused: `list-pets.default-limit`. */
  id: string
  /** What it does, in one sentence. */
  title: string
  stage: Stage
  /** The requirements that it verifies, in the order in which it can. */
  requirements: readonly RequirementId[]
  /** Pets that it creates on a target that keeps the contract. Default: 0. */
  writes?: number
  /** Set when it runs at the depth `smoke`, too, with some of its requests; `writes` are the pets that it then creates. */
  smoke?: { writes: number }
  /** Set when it sends POST requests that the target must reject. */
  sendsInvalidBodies?: true
  /**
   * Runs the check. On return, its requirements are verified, except those that it recorded as violated or not verified.
   *
   * @throws {Violated} when an expectation does not hold
   * @throws {NotVerified} when a precondition is missing on the target
   * @throws {OutOfReach} when the interface cannot show it on the target
   */
  run(session: Session): Promise<void>
}
