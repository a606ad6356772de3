import type { ChoiceId } from '../spec/choices.ts'
import type { ClauseId } from '../spec/clauses.ts'
import type { OperationId } from '../spec/operations.ts'
import type { Int64, ExactPet, PetStatus } from '../spec/types.ts'
import { looksLikeTheInterface } from './address.ts'
import { validKey } from './credentials.ts'
import { judgeResponse, mostElements, readListQuery } from './every-response.ts'
import { mayCreate, Unanswered } from './exchange.ts'
import type { Exchange, Plan } from './exchange.ts'
import { observeAnswer } from './observe.ts'
import { NotVerified, Violation } from './findings.ts'
import type { Breach } from './findings.ts'
import type { PetList, Run, Suspicion } from './run.ts'
import { petDefects, toPet } from './shapes.ts'
import { demandOf } from './silence.ts'
import type { Demand } from './silence.ts'

const successStatus: Record<OperationId, number> = { listPets: 200, createPet: 201, getPet: 200 }
const successClause: Record<OperationId, ClauseId> = {
  listPets: 'list.success',
  createPet: 'create.success',
  getPet: 'get.success',
}
/** How often a valid key that was refused, or a request that failed with a server error, is tried again. */
const secondChances = 2
/** Bytes of a response that a run need not count, and those of larger ones that it puts up with: it keeps their pets. */
const usualSize = 250_000
const mostExcess = 60_000_000

/** What one check may do: send requests, judge answers, and say what it found. */
export class Session {
  readonly run: Run
  readonly check: string

  constructor(run: Run, check: string) {
    this.run = run
    this.check = check
  }

  /**
   * Sends a request and judges what holds for every answer.
   *
   * @param demand what its silence breaks; by default what the specification says of such a request with the key
   * @param again the plan of a repetition, where the first may have been carried out
   */
  async send(plan: Plan, demand?: Demand, again?: (attempt: number) => Plan): Promise<Exchange> {
    if (this.run.excess > mostExcess) {
      throw new Unanswered('aborted', 'the answers of the target are far too large, so the run was ended')
    }
    const exchange = await this.run.silence.send(this, { plan, again, demand: demand ?? demandOf(plan) })
    if (exchange.content.kind === 'unjudged') {
      const { problem } = exchange.content
      this.note(`A response was too much to be judged: ${problem}.`)
      throw new NotVerified(`${describe(exchange)}, but that is too much to be judged: ${problem}`)
    }
    return exchange
  }

  /** Judges what holds for every answer, and remembers the pets that it shows. */
  judge(exchange: Exchange): Exchange {
    const { findings, catalogue, lists } = this.run
    this.run.firstResponse ??= exchange
    this.run.looksRight ||= looksLikeTheInterface(exchange)
    const size = exchange.content.kind === 'empty' ? 0 : exchange.content.size
    if (size > usualSize) this.run.excess += size
    // Whatever kind of success it is told as: a pet is there.
    const isSuccess = exchange.status >= 200 && exchange.status < 300
    if (isSuccess && exchange.operation === 'createPet') this.run.writes += 1
    // What is answered in the place of an operation that is gone is no answer of the service's operations.
    const isGone = exchange.operation === 'getPet' && this.run.getRemoved && isAbsent(exchange.status)
    const { clauses, defects } = isGone ? { clauses: [], defects: [] } : judgeResponse(exchange)
    for (const clause of clauses) findings.judged.add(clause)
    for (const defect of defects) {
      const { expected, actual, pointer } = defect
      const message = defect.message
        ? `${describe(exchange)}. ${defect.message}`
        : `${describe(exchange)}: ${actual}${pointer === '' ? '' : ` at ${pointer}`}, expected ${expected}.`
      findings.breach('every-response', { ...defect, message, exchanges: [exchange] }, this.check)
    }
    for (const [choice, value] of observeAnswer(exchange)) this.observe(choice, value, exchange)
    const pets = petsOf(exchange)
    if (pets.length > 0) this.run.letIn = true
    catalogue.see(pets, exchange)
    const list = toList(exchange, pets)
    if (list) lists.push(list)
    return exchange
  }

  /**
   * Sends a request that the specification answers with success, and demands it.
   *
   * @param clause the clause that a refusal breaks
   * @param again the plan of a repetition, where the first may have been carried out
   * @param alsoFine other statuses that the caller judges itself
   * @throws {Violation} when the answer is another
   * @throws {NotVerified} when the key may not do it
   */
  async succeed(
    plan: Plan,
    clause?: ClauseId,
    again?: (attempt: number) => Plan,
    alsoFine: (status: number) => boolean = () => false,
  ): Promise<Exchange> {
    const usual = demandOf(plan)
    const demand = usual && { ...usual, clause: clause ?? usual.clause }
    let exchange = await this.send(plan, demand, again)
    const operation = exchange.operation as OperationId
    const wanted = successStatus[operation]
    const isFailure = exchange.status >= 500 && denialOf(exchange) === undefined
    if (!alsoFine(exchange.status) && (exchange.status === 401 || isFailure)) {
      const failed = exchange
      for (let chance = 1; chance <= secondChances && exchange.status !== wanted; chance += 1) {
        exchange = await this.send(again?.(chance) ?? plan, demand, again)
      }
      if (failed.status >= 500) this.breach(serverError(failed, operation))
      else if (exchange.status === 401 && (await this.#keyIsDead(plan))) {
        throw new Unanswered('key', 'the key was rejected (401)')
      } else this.breach(refusedKey(failed))
      if (exchange.status === 401) throw new NotVerified('the target refuses the valid key here')
    }
    if (exchange.status === wanted || alsoFine(exchange.status)) return exchange
    expectNotDenied(exchange)
    const broken = clause ?? successClause[operation]
    throw new Violation({
      clause: broken,
      message: `${describe(exchange)} instead of ${wanted}.`,
      expected: `status ${wanted}`,
      actual: `status ${exchange.status}`,
      exchanges: [exchange],
      cause: `${operation} answers ${exchange.status}`,
    })
  }

  async #keyIsDead(plan: Plan): Promise<boolean> {
    if (!this.run.letIn) return true
    if (plan.method === 'GET' && plan.path === '/pets') return false
    return (await this.send({ method: 'GET', path: '/pets' })).status === 401
  }

  /**
   * Lists pets, and demands an array.
   *
   * @param clause the clause that a refusal breaks
   */
  async list(path: string, clause?: ClauseId): Promise<PetList> {
    const exchange = await this.succeed({ method: 'GET', path }, clause)
    const list = toList(exchange, petsOf(exchange))
    if (!list) throw new NotVerified('listPets does not answer with an array of Pet')
    return list
  }

  /** The same list for all checks that read the catalogue as it is found. */
  read(path: string, clause?: ClauseId): Promise<PetList> {
    const known = this.run.memory.get(path)
    if (known) return known
    const list = this.list(path, clause)
    this.run.memory.set(path, list)
    return list
  }

  /** Fetches a pet that exists; 404, 405, 410 and 501 are left to the caller. */
  async get(id: Int64): Promise<Exchange> {
    const exchange = await this.succeed({ method: 'GET', path: `/pets/${id}` }, 'get.success', undefined, isAbsent)
    if (exchange.status === 200) this.run.getWorks = true
    return exchange
  }

  /** From its removal date on, asks once whether getPet is still there. */
  async askWhetherGetIsRemoved(id: Int64): Promise<void> {
    const ask = async (): Promise<void> => {
      const answer = await this.get(id)
      this.observe('get.after-removal', answer.status === 200 ? 'works' : String(answer.status), answer)
    }
    if (this.run.getRemoved) await (this.run.removalSeen ??= ask())
  }

  /**
   * Sends a creation that the target has to refuse.
   *
   * @throws {NotVerified} when so many were carried out all the same that the run may create no more
   */
  async sendRefusable(plan: Plan, demand: Demand): Promise<Exchange> {
    const { run } = this
    const send = async (): Promise<Exchange> => {
      const exchange = await this.send(plan, demand, () => {
        if (mayCreate(plan)) run.expectRoomForRepetition()
        return plan
      })
      const name = plan.body?.match(/"name":"([^"]*)"/)?.[1]
      if (exchange.status >= 400 && name !== undefined && run.names.owns(name)) run.refused.set(name, exchange)
      if (exchange.status >= 400 && plan.body?.includes(`"name":${run.ownNumber}`)) {
        run.refused.set(run.ownNumber, exchange)
      }
      return exchange
    }
    return run.inTurnOfRefused(() => {
      run.silence.expectUnknown(demand)
      return run.withRoom(send)
    })
  }

  /** Records a breach and goes on. */
  breach(breach: Breach): void {
    this.run.findings.breach(this.check, breach)
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

  /** Puts something aside that only a second look, after the time to settle, can tell from a breach. */
  suspect(suspicion: Omit<Suspicion, 'check'>): void {
    const { suspicions } = this.run
    if (!suspicions.has(suspicion.key)) suspicions.set(suspicion.key, { ...suspicion, check: this.check })
  }

  /** Demands that the catalogue holds so many pets. */
  atLeast(count: number, status?: PetStatus): void {
    const found = this.run.catalogue.count(status)
    if (found >= count) return
    const what = status === undefined ? 'pets' : `pets with status ${status}`
    throw new NotVerified(`the catalogue shows ${found} ${what}; it takes ${count} to tell`)
  }
}

/** Waits for all, however each of them ends: `expectAll` throws what the first that failed has thrown. */
export async function settle<Result>(
  all: readonly Promise<Result>[],
): Promise<{ results: (Result | undefined)[]; expectAll: () => void }> {
  const settled = await Promise.allSettled(all)
  const failed = settled.find((one) => one.status === 'rejected')
  return {
    results: settled.map((one) => (one.status === 'fulfilled' ? one.value : undefined)),
    expectAll() {
      if (failed) throw failed.reason
    },
  }
}

/** Waits for all, and throws what the first that failed has thrown when none of them is under way any more. */
export async function settleAll<Result>(all: readonly Promise<Result>[]): Promise<Result[]> {
  const { results, expectAll } = await settle(all)
  expectAll()
  return results as Result[]
}

/** The statuses that may say that getPet, or the animal, is not there. */
export const isAbsent = (status: number): boolean => [404, 405, 410, 501].includes(status)

/**
 * Why the target does not do what the specification describes, where it says that this key may not, or that it has no
 * room left: permissions and quotas are not shown.
 */
function denialOf({ status, operation }: Exchange): string | undefined {
  if (status === 403) return `the key may not call ${operation} (the target answered 403)`
  if (status === 402) return `the target wants a payment, or a quota is used up (it answered 402 to ${operation})`
  if (status === 507) return `the target has no room left (it answered 507 to ${operation})`
  return undefined
}

/** @throws {NotVerified} when the target says that this key may not, or that it has no room left */
export function expectNotDenied(exchange: Exchange): void {
  const denied = denialOf(exchange)
  if (denied !== undefined) throw new NotVerified(denied)
}

/** One line about an exchange: `GET /pets?limit=5 answered 200`. */
export function describe({ plan, status }: Exchange): string {
  const { credential } = plan
  const presented = credential === undefined || credential === validKey ? '' : ` with ${credential.name}`
  return `${plan.method} ${plan.path}${presented} answered ${status}`
}

/** The pets of a successful answer that have the shape of a Pet. */
export function petsOf({ operation, status, content }: Exchange): ExactPet[] {
  if (content.kind !== 'json' || operation === undefined || status !== successStatus[operation]) return []
  const values = Array.isArray(content.value) ? content.value : [content.value]
  if ((operation === 'listPets') !== Array.isArray(content.value)) return []
  return values
    .slice(0, mostElements)
    .filter((value) => petDefects(value, '').length === 0)
    .map(toPet)
}

function toList(exchange: Exchange, pets: ExactPet[]): PetList | undefined {
  const { operation, status, content, plan } = exchange
  if (operation !== 'listPets' || status !== 200 || content.kind !== 'json' || !Array.isArray(content.value))
    return undefined
  const query = readListQuery(plan.path)
  const limit = query.limit ?? 20
  const [wanted, ...more] = query.statuses
  const known = wanted === undefined || wanted === 'available' || wanted === 'pending' || wanted === 'sold'
  if (typeof limit !== 'number' || limit < 1 || limit > 100 || more.length > 0 || !known) return undefined
  const { length } = content.value
  return { exchange, pets, length, limit, status: wanted, complete: length < limit }
}

function serverError(exchange: Exchange, operation: OperationId): Breach {
  return {
    clause: successClause[operation],
    message: `${describe(exchange)}: a server error on a request that the specification describes.`,
    expected: `status ${successStatus[operation]}`,
    actual: `status ${exchange.status}`,
    exchanges: [exchange],
    cause: `${operation} fails with ${exchange.status}`,
  }
}

function refusedKey(exchange: Exchange): Breach {
  return {
    clause: 'auth.bearer',
    message: `${describe(exchange)}, although other requests with the same key were let in.`,
    expected: 'the valid key is accepted each time',
    actual: 'status 401',
    exchanges: [exchange],
    cause: 'a valid key is refused',
  }
}
