import type { ChoiceId } from '../spec/choices.ts'
import type { ClauseId } from '../spec/clauses.ts'
import { operations, type OperationId } from '../spec/operations.ts'
import type { Int64 } from '../spec/types.ts'
import { looksLikeTheInterface } from './address.ts'
import type { PetList } from './catalog.ts'
import { judgeResponse } from './every-response.ts'
import { NoResponse, type Exchange, type Plan } from './exchange.ts'
import {
  compareShown,
  denialOf,
  describe,
  expectNotDenied,
  isAbsent,
  pageOf,
  petsOf,
  wrongStatus,
  type Defect,
  type Demand,
} from './expect.ts'
import { NotVerified, Violated, type Suspicion, type Violation } from './findings.ts'
import { observeResponse } from './observe.ts'
import type { Run } from './run.ts'

/** How often a valid key that was rejected, or a request that failed with a server error, is tried again. */
const secondChances = 2
/** Bytes of a response that a run need not count, and those of larger ones that it accepts: it keeps their pets. */
const usualSize = 250_000
const mostExcess = 60_000_000

/** What `succeed` accepts beside its demand. */
interface Tolerance {
  /** The clause that another status breaks. Default: the one of the demand. */
  clause?: ClauseId
  /** The plan of a repetition, where the first may have been carried out. */
  again?: (attempt: number) => Plan
  /** Other statuses that the caller judges itself. */
  alsoFine?: (status: number) => boolean
}

/** What one check may do: send requests, judge responses, and say what it found. */
export class Session {
  readonly run: Run
  readonly check: string

  constructor(run: Run, check: string) {
    this.run = run
    this.check = check
  }

  /**
   * Sends a request and judges the response.
   *
   * @param demand what silence breaks; none for what calls no operation
   * @param again the plan of a repetition, where the first may have been carried out
   * @throws {NoResponse} when the key is not accepted
   */
  async send(plan: Plan, demand?: Demand, again?: (attempt: number) => Plan): Promise<Exchange> {
    const exchange = await this.#send(plan, demand, again)
    if (exchange.status === 401 && plan.credential === undefined && (await this.#keyIsDead())) {
      throw new NoResponse('key', 'the key was rejected (401)')
    }
    return exchange
  }

  async #send(plan: Plan, demand?: Demand, again?: (attempt: number) => Plan): Promise<Exchange> {
    if (this.run.excess > mostExcess) {
      throw new NoResponse('aborted', 'the responses of the target are far too large, so the run was ended')
    }
    const judge = (response: Exchange): Exchange => this.judge(response)
    const exchange = await this.run.silence.send({ check: this.check, judge, plan, again, demand })
    if (exchange.content.kind === 'unjudged') {
      const { problem } = exchange.content
      this.note(`A response was too much to be judged: ${problem}.`)
      throw new NotVerified(`${describe(exchange)}, but that is too much to be judged: ${problem}`)
    }
    return exchange
  }

  /** Judges what holds for every response and what the request demands, and remembers the pets that it shows. */
  judge(exchange: Exchange): Exchange {
    const { run } = this
    run.firstResponse ??= exchange
    run.looksRight ||= looksLikeTheInterface(exchange)
    const size = exchange.content.kind === 'empty' ? 0 : exchange.content.size
    if (size > usualSize) run.excess += size
    // Whatever kind of success it is: a pet is there.
    const isSuccess = exchange.status >= 200 && exchange.status < 300
    if (isSuccess && exchange.operation === 'createPet') run.writes += 1
    // What comes in the place of an operation that is gone is no response of the service's operations.
    const isGone = exchange.operation === 'getPet' && run.getRemoved && isAbsent(exchange.status)
    // A success without a valid key is what is wrong, whatever it shows.
    const isAccepted = isSuccess && exchange.plan.credential !== undefined
    const { clauses, defects } = isGone || isAccepted ? { clauses: [], defects: [] } : judgeResponse(exchange)
    for (const clause of clauses) run.findings.judged.add(clause)
    for (const defect of defects) run.findings.report('every-response', toViolation(defect, exchange), this.check)
    for (const defect of compareShown(exchange)) this.report(toViolation(defect, exchange))
    for (const [choice, value] of observeResponse(exchange)) this.observe(choice, value, exchange)
    const pets = petsOf(exchange)
    run.catalog.see(pets, exchange)
    const list = toList(exchange, pets)
    const { credential, path } = exchange.plan
    if (list && credential === undefined && pageOf(path).isDescribed) run.lists.push(list)
    return exchange
  }

  /**
   * Sends a request that the specification responds to with success, and demands it.
   *
   * @throws {Violated} when the response is another
   * @throws {NotVerified} when the key may not do it
   */
  async succeed(
    plan: Plan,
    demand: Demand,
    { again, alsoFine = () => false, clause = demand.clause }: Tolerance = {},
  ): Promise<Exchange> {
    let exchange = await this.send(plan, demand, again)
    const operation = exchange.operation as OperationId
    const { success, successStatus: wanted } = operations[operation]
    const isFailure = exchange.status >= 500 && denialOf(exchange) === undefined
    if (!alsoFine(exchange.status) && (exchange.status === 401 || isFailure)) {
      const failed = exchange
      for (let chance = 1; chance <= secondChances && exchange.status !== wanted; chance += 1) {
        exchange = await this.send(again?.(chance) ?? plan, demand, again)
      }
      if (failed.status >= 500) {
        const message = `${describe(failed)}: a server error on a request that the specification describes.`
        const cause = `fails with ${failed.status}`
        this.report(wrongStatus(failed, success, wanted, { message, cause }))
      } else {
        const message = `${describe(failed)}, although other requests with the same key were accepted.`
        const expected = 'the valid key is accepted each time'
        this.report(wrongStatus(failed, 'auth.bearer', wanted, { message, expected }))
      }
      if (exchange.status === 401) throw new NotVerified('the target refuses the valid key here')
    }
    if (exchange.status === wanted || alsoFine(exchange.status)) return exchange
    expectNotDenied(exchange)
    throw new Violated(wrongStatus(exchange, clause, wanted))
  }

  /** Whether the key is accepted nowhere, from the beginning or by now: "its lifetime and its permissions: not shown". */
  async #keyIsDead(): Promise<boolean> {
    const { run } = this
    const demand = { clause: 'list.success', expected: 'status 200' } as const
    for (let chance = 1; chance <= secondChances && !run.keyIsDead; chance += 1) {
      if ((await this.#send({ method: 'GET', path: '/pets?limit=1' }, demand)).status !== 401) return false
    }
    return (run.keyIsDead = true)
  }

  /**
   * Lists pets, and demands an array of what the path names.
   *
   * @param clause the clause that an error breaks
   */
  async list(path: string, clause?: ClauseId): Promise<PetList> {
    const { atMost, status } = pageOf(path)
    const silent = clause ?? (status === undefined ? (ofLimit[atMost] ?? 'list.success') : 'list.status.filter')
    const demand = { clause: silent, expected: 'status 200' }
    const exchange = await this.succeed({ method: 'GET', path }, demand, { clause: clause ?? 'list.success' })
    const list = toList(exchange)
    if (!list) throw new NotVerified('listPets does not respond with an array of Pet')
    return list
  }

  /** The same list for all checks that read the catalog as it is found. */
  read(path: string, clause?: ClauseId): Promise<PetList> {
    return this.once(path, () => this.list(path, clause))
  }

  /** A list that is read once and used by several checks. */
  once(key: string, read: () => Promise<PetList>): Promise<PetList> {
    const { memory } = this.run
    const list = memory.get(key) ?? read()
    memory.set(key, list)
    return list
  }

  /** Fetches a pet that exists; 404, 405, 410 and 501 are left to the caller. */
  async get(id: Int64): Promise<Exchange> {
    const demand = { clause: 'get.success', expected: 'status 200' } as const
    const exchange = await this.succeed({ method: 'GET', path: `/pets/${id}` }, demand, { alsoFine: isAbsent })
    if (exchange.status === 200) this.run.getWorks = true
    return exchange
  }

  /** From its removal date on, finds out once whether getPet is still there. */
  async seeWhetherGetIsRemoved(id: Int64): Promise<void> {
    const look = async (): Promise<void> => {
      const response = await this.get(id)
      this.observe('get.after-removal', response.status === 200 ? 'works' : String(response.status), response)
    }
    if (this.run.getRemoved) await (this.run.removalSeen ??= look())
  }

  /** What a check tries: all of it, or the items at these places at the depth `smoke`. */
  sample<Item>(items: readonly Item[], atSmoke: readonly number[]): readonly Item[] {
    return this.run.options.depth === 'smoke' ? items.filter((_, place) => atSmoke.includes(place)) : items
  }

  /** Records a violation and goes on. */
  report(violation: Violation): void {
    this.run.findings.report(this.check, violation)
  }

  /** Says that this check could not establish a clause. */
  cannotVerify(clause: ClauseId, reason: string): void {
    this.run.findings.cannotVerify(this.check, clause, reason)
  }

  note(text: string): void {
    this.run.findings.note(text)
  }

  observe(choice: ChoiceId, value: string | readonly string[], exchange: Exchange): void {
    this.run.findings.observe(choice, value, describe(exchange), exchange)
  }

  /**
   * Puts something aside that only a re-check, after the consistency window, distinguishes from a violation. The window begins
   * now, unless it is said when.
   */
  suspect(suspicion: Omit<Suspicion, 'check' | 'recheckAt'>, seenAt = this.run.transport.elapsed()): void {
    const { suspicions, windowMs } = this.run
    if (suspicions.has(suspicion.key)) return
    suspicions.set(suspicion.key, { ...suspicion, check: this.check, recheckAt: seenAt + windowMs })
  }
}

/** What it breaks when a list with this limit gets no response. */
const ofLimit: Readonly<Partial<Record<number, ClauseId>>> = { 1: 'list.limit.min', 100: 'list.limit.max' }

/** The list of a response. */
export function toList(exchange: Exchange, pets = petsOf(exchange)): PetList | undefined {
  const { operation, plan, status: httpStatus, content } = exchange
  if (operation !== 'listPets' || httpStatus !== 200) return undefined
  if (content.kind !== 'json' || !Array.isArray(content.value)) return undefined
  const { length } = content.value
  const { atMost, status } = pageOf(plan.path)
  return { exchange, pets, length, atMost, status, complete: length < atMost }
}

/** A defect as a violation that a report shows. */
export function toViolation(defect: Defect & { cause?: string }, exchange: Exchange): Violation {
  const { expected, actual, pointer, message } = defect
  const place = pointer === '' ? '' : ` at ${pointer}`
  const words = message ? `. ${message}` : `: ${actual}${place}, expected ${expected}.`
  return { ...defect, message: describe(exchange) + words, exchanges: [exchange] }
}

/**
 * When a check runs. The stages follow one another; the checks of one stage run side by side.
 *
 * - `survey`: the widest lists, so that later responses can be held against them
 * - `read`: the catalog as it is found
 * - `access`: requests without a valid key
 * - `create`: ordinary and unusual creations
 * - `refuse`: creations that must be refused
 * - `compare`: what the responses say of each other
 * - `observe`: requests of unspecified behavior
 * - `remain`: what must still be so at the end
 * - `explore`: random sequences of requests
 */
export type Stage = 'survey' | 'read' | 'access' | 'create' | 'refuse' | 'compare' | 'observe' | 'remain' | 'explore'

/** One requirement as requests and expectations. */
export interface Check {
  /** Never reused: `list-pets.default-limit`. */
  id: string
  /** What it does, in one sentence. */
  title: string
  stage: Stage
  /** The clauses that it verifies, in the order in which it can. */
  clauses: readonly ClauseId[]
  /** Pets that it creates on a target that keeps the contract. Default: 0. */
  writes?: number
  /** Set when it runs at the depth `smoke`, too, with some of its requests; with how many pets it then creates. */
  smoke?: { writes: number }
  /** Set when it sends POST requests that the target has to refuse. */
  sendsInvalidBodies?: true
  /** Checks whose requests and responses it judges besides its own: where it is carried out again, they are, too. */
  dependsOn?: readonly string[]
  /**
   * Carries it out. On return, the clauses are verified but for those that it recorded as violated or not verified.
   *
   * @throws {Violated} when an expectation does not hold
   * @throws {NotVerified} when the target gives no occasion
   */
  run(session: Session): Promise<void>
}
