import type { ChoiceId } from '../spec/choices.ts'
import type { ClauseId } from '../spec/clauses.ts'
import { operations } from '../spec/operations.ts'
import type { OperationId } from '../spec/operations.ts'
import type { Int64 } from '../spec/types.ts'
import { looksLikeTheInterface } from './address.ts'
import type { PetList } from './catalog.ts'
import { judgeResponse } from './every-response.ts'
import { successClause, Unanswered } from './exchange.ts'
import type { Exchange, Plan } from './exchange.ts'
import { compareShown, denialOf, describe, expectNotDenied, isAbsent, petsOf, wrongStatus } from './expect.ts'
import type { Defect, Demand, Shown } from './expect.ts'
import { NotVerified, Violated } from './findings.ts'
import type { Suspicion, Violation } from './findings.ts'
import { observeResponse } from './observe.ts'
import type { Run } from './run.ts'

/** How often a valid key that was rejected, or a request that failed with a server error, is tried again. */
const secondChances = 2
/** Bytes of a response that a run need not count, and those of larger ones that it puts up with: it keeps their pets. */
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

/** What a list must show: at most so many pets, and of this status alone. */
export type PageDemand = Pick<Shown, 'atMost' | 'status'> & { atMost: number }

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
   * @param demand what silence breaks, and what the pets of a success must be; none for what calls no operation
   * @param again the plan of a repetition, where the first may have been carried out
   */
  async send(plan: Plan, demand?: Demand, again?: (attempt: number) => Plan): Promise<Exchange> {
    if (this.run.excess > mostExcess) {
      throw new Unanswered('aborted', 'the answers of the target are far too large, so the run was ended')
    }
    const exchange = await this.run.silence.send(this, { plan, again, demand })
    if (exchange.content.kind === 'unjudged') {
      const { problem } = exchange.content
      this.note(`A response was too much to be judged: ${problem}.`)
      throw new NotVerified(`${describe(exchange)}, but that is too much to be judged: ${problem}`)
    }
    return exchange
  }

  /** Judges what holds for every response and what the request demands, and remembers the pets that it shows. */
  judge(exchange: Exchange, shown?: Shown): Exchange {
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
    const { clauses, defects } = isGone ? { clauses: [], defects: [] } : judgeResponse(exchange)
    for (const clause of clauses) run.findings.judged.add(clause)
    for (const defect of defects) run.findings.report('every-response', toViolation(defect, exchange), this.check)
    for (const defect of shown ? compareShown(exchange, shown) : []) this.report(toViolation(defect, exchange))
    for (const [choice, value] of observeResponse(exchange)) this.observe(choice, value, exchange)
    const pets = petsOf(exchange)
    if (pets.length > 0) run.accepted = true
    run.catalog.see(pets, exchange)
    const list = toList(exchange, shown)
    if (list) run.lists.push(list)
    return exchange
  }

  /**
   * Sends a request that the specification answers with success, and demands it.
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
    const wanted = operations[operation].successStatus
    const isFailure = exchange.status >= 500 && denialOf(exchange) === undefined
    if (!alsoFine(exchange.status) && (exchange.status === 401 || isFailure)) {
      const failed = exchange
      for (let chance = 1; chance <= secondChances && exchange.status !== wanted; chance += 1) {
        exchange = await this.send(again?.(chance) ?? plan, demand, again)
      }
      if (failed.status >= 500) {
        const message = `${describe(failed)}: a server error on a request that the specification describes.`
        const cause = `fails with ${failed.status}`
        this.report(wrongStatus(failed, successClause[operation], wanted, { message, cause }))
      } else if (exchange.status === 401 && (await this.#keyIsDead(plan))) {
        throw new Unanswered('key', 'the key was rejected (401)')
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

  async #keyIsDead(plan: Plan): Promise<boolean> {
    if (!this.run.accepted) return true
    if (plan.method === 'GET' && plan.path === '/pets') return false
    const demand = { clause: 'list.success', what: 'GET /pets', expected: 'status 200' } as const
    return (await this.send({ method: 'GET', path: '/pets' }, demand)).status === 401
  }

  /**
   * Lists pets, and demands an array of at most so many, of one status alone where the request names it.
   *
   * @param clause the clause that an error breaks
   */
  async list(path: string, page: PageDemand, clause?: ClauseId): Promise<PetList> {
    const silent =
      clause ?? (page.status === undefined ? (ofLimit[page.atMost] ?? 'list.success') : 'list.status.filter')
    const demand: Demand = { clause: silent, what: `GET ${path}`, expected: 'status 200', shows: page }
    const exchange = await this.succeed({ method: 'GET', path }, demand, { clause: clause ?? 'list.success' })
    const list = toList(exchange, page)
    if (!list) throw new NotVerified('listPets does not answer with an array of Pet')
    return list
  }

  /** The same list for all checks that read the catalog as it is found. */
  read(path: string, page: PageDemand, clause?: ClauseId): Promise<PetList> {
    return this.once(path, () => this.list(path, page, clause))
  }

  /** The list of an earlier request, again. */
  relist(path: string): Promise<PetList> {
    const known = this.run.lists.find(({ exchange }) => exchange.plan.path === path)
    return this.list(path, known ? toPage(known) : { atMost: 100 })
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
    const path = `/pets/${id}`
    const demand: Demand = { clause: 'get.success', what: `GET ${path}`, expected: 'status 200', shows: { id } }
    const exchange = await this.succeed({ method: 'GET', path }, demand, { alsoFine: isAbsent })
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

  /** Records a violation and goes on. */
  report(violation: Violation): void {
    this.run.findings.report(this.check, violation)
  }

  /** Says that this check could not establish a clause. */
  leaveOpen(clause: ClauseId, reason: string): void {
    this.run.findings.leaveOpen(this.check, clause, reason)
  }

  note(text: string): void {
    this.run.findings.note(text)
  }

  observe(choice: ChoiceId, value: string, exchange: Exchange): void {
    this.run.findings.observe(choice, value, describe(exchange))
  }

  /**
   * Puts something aside that only a re-check, after the consistency window, can tell from a violation. The window begins
   * now, unless it is said when.
   */
  suspect(suspicion: Omit<Suspicion, 'check' | 'settledAt'>, seenAt = this.run.transport.elapsed()): void {
    const { suspicions, options } = this.run
    if (suspicions.has(suspicion.key)) return
    suspicions.set(suspicion.key, { ...suspicion, check: this.check, settledAt: seenAt + options.settleMs })
  }
}

/** What it breaks when a list with this limit gets no response. */
const ofLimit: Readonly<Partial<Record<number, ClauseId>>> = { 1: 'list.limit.min', 100: 'list.limit.max' }

const toPage = ({ atMost, status }: PetList): PageDemand => ({ atMost, ...(status !== undefined && { status }) })

/** The list of a response to a request that the specification describes. */
function toList(exchange: Exchange, shown: Shown | undefined): PetList | undefined {
  const { operation, status, content } = exchange
  const { atMost, clause, status: ofStatus } = shown ?? {}
  if (atMost === undefined || clause !== undefined || operation !== 'listPets' || status !== 200) return undefined
  if (content.kind !== 'json' || !Array.isArray(content.value)) return undefined
  const { length } = content.value
  return { exchange, pets: petsOf(exchange), length, atMost, status: ofStatus, complete: length < atMost }
}

function toViolation(defect: Defect & { cause?: string }, exchange: Exchange): Violation {
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
 * - `observe`: requests that the specification leaves open
 * - `remain`: what must still be so at the end
 */
export type Stage = 'survey' | 'read' | 'access' | 'create' | 'refuse' | 'compare' | 'observe' | 'remain'

/** One requirement as requests and expectations. */
export interface Check {
  /** Never reused: `list-pets.default-limit`. */
  id: string
  /** What it does, in one sentence. */
  title: string
  stage: Stage
  /** The clauses that it verifies, in the order in which it can. */
  clauses: readonly ClauseId[]
  /** Pets that it creates on a target that keeps the contract. */
  writes: number
  /** Set when it sends POST requests that the target has to refuse. */
  sendsInvalidBodies?: true
  /** Checks whose requests and responses it judges besides its own: where it is carried out again, they are, too. */
  dependsOn?: readonly string[]
  /**
   * Carries it out. On return, the clauses are verified but for those that it recorded as violated or left open.
   *
   * @throws {Violated} when an expectation does not hold
   * @throws {NotVerified} when the target gives no occasion
   */
  run(session: Session): Promise<void>
}
