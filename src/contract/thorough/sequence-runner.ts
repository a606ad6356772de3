import type { BehaviorId } from '../../spec/behaviors.ts'
import { petStatuses } from '../../spec/operations.ts'
import { bodyKinds, type CreateRequest, plainBody } from '../http/request-bodies.ts'
import { type Created, isWhole, longestLists } from '../judge/catalog.ts'
import { expectRejected } from '../checks/access.ts'
import { expect400, expectNoRejected } from '../checks/rejections.ts'
import { observedBy } from '../checks/unspecified.ts'
import {
  attempt,
  categoryFor,
  create,
  type CreateResult,
  expectAsSent,
  isQuotaUsedUp,
  sendInvalid,
} from '../session/creation.ts'
import { arrivalOf, NoResponse, type Exchange } from '../http/exchange.ts'
import { describe, expectNotDenied, wrongStatus, type Demand } from '../judge/expect.ts'
import { Findings, NotVerified, Violated, type Violation } from '../judge/findings.ts'
import type { Run } from '../session/run.ts'
import { Session } from '../session/session.ts'
import { explain } from '../judge/explanations.ts'
import { decide } from '../session/planner.ts'
import { awaitAll } from '../http/waiting.ts'
import { unknownIds, type SequenceStep } from './grammar.ts'
import { expectFetched, expectOwn } from './model.ts'

export const sequences = 'sequences'

export type Failure = Violation & {
  /** Whether a single response, or one and its request, proves it. */
  isPlain: boolean
}

export interface Outcome {
  failure: Failure | undefined
  /** All requests, in the order of the responses. */
  exchanges: Exchange[]
  created: Created[]
  /** Why no more sequences should be sent. */
  ended?: string
}

/**
 * Runs sequences, and compares the responses with a model: after the consistency window, created pets are there as
 * createPet returned them, and rejected ones are not. Nothing is assumed about other pets.
 */
export class SequenceRunner {
  readonly #run: Run
  mayCreate: () => boolean = () => true
  #hasAwaited = false
  /** Each sequence has its own, with findings of its own. */
  #session: Session
  #created: Created[] = []

  constructor(run: Run) {
    this.#run = run
    this.#session = new Session(run, sequences)
  }

  /** Runs a sequence up to its first failure. Its observations do not change the findings of the run. */
  run(steps: readonly SequenceStep[]): Promise<Outcome> {
    return this.#isolate(() => this.#runSteps(steps))
  }

  /** Like `run`, then waits until the new pets must be visible, and checks them. */
  runAndWait(steps: readonly SequenceStep[]): Promise<Outcome> {
    return this.#isolate(async () => {
      await this.#runSteps(steps)
      await this.waitFor(this.#created)
      await this.#checkPets(this.#created)
    })
  }

  /** Checks pets that must be visible: in getPet, and in the longest lists. */
  checkPets(pets: readonly Created[]): Promise<Outcome> {
    return this.#isolate(() => this.#checkPets(pets))
  }

  waitFor(pets: readonly Created[]): Promise<void> {
    const { transport, windowMs } = this.#run
    const until = Math.max(0, ...pets.map(({ exchange }) => arrivalOf(exchange))) + windowMs
    const waitMs = Math.max(0, until - transport.elapsed())
    return transport.wait(waitMs, 'replicas may not show the new pets yet (--settle)')
  }

  async #isolate(task: () => Promise<void>): Promise<Outcome> {
    const run = this.#run
    const before = { exchanges: run.log.exchanges.length, lists: run.log.lists.length }
    const findings = new Findings()
    this.#session = new Session(run, sequences, findings)
    this.#created = []
    let exchanges: Exchange[] = []
    let failure: Failure | undefined
    let ended: string | undefined
    try {
      await task()
    } catch (error) {
      if (error instanceof Violated) {
        failure = { ...error.violation, isPlain: false }
      } else if (error instanceof NoResponse && error.kind !== 'aborted') {
        if (error.kind !== 'silent' && error.kind !== 'timeout') ended = error.message
      } else if (!(error instanceof NotVerified)) throw error
    } finally {
      const [first] = findings.violations
      if (first) failure = { ...first, isPlain: true }
      for (const requirement of findings.judged) run.findings.judged.add(requirement)
      // They are judged already; keeping those of all sequences would fill the memory.
      exchanges = run.log.forget(before).filter(({ purpose }) => purpose === undefined)
    }
    const created = this.#created
    const explaining = failure && explain(failure, run.log, run.assumptions)
    const innocent = explaining && (await decide(new Session(run, sequences), explaining))
    if (failure && innocent && (innocent.name !== 'late' || (await this.#isLate(failure))))
      failure = undefined
    return { failure, exchanges, created, ...(ended !== undefined && { ended }) }
  }

  /** Whether a missing pet is there much later, at the first such failure. Then all pets get that time. */
  async #isLate({ exchanges }: Failure): Promise<boolean> {
    const run = this.#run
    const own = run.log.created.find(({ exchange }) => exchanges.includes(exchange))
    if (!own || this.#hasAwaited) return false
    this.#hasAwaited = true
    const { failure } = await this.#isolate(async () => {
      await run.transport.wait(run.patienceMs(), 'a new pet is missing and may be late')
      await this.#checkPets([own])
    })
    if (failure === undefined) run.windowMs += run.patienceMs()
    return failure === undefined
  }

  async #runSteps(steps: readonly SequenceStep[]): Promise<void> {
    for (const step of steps) {
      await this.#runStep(step)
      if (this.#session.findings.violations.length > 0) return
    }
  }

  async #runStep(step: SequenceStep): Promise<void> {
    try {
      if (step.op === 'together') await awaitAll(step.steps.map((one) => this.#runStep(one)))
      else if (step.op === 'list') await this.#list(step)
      else if (step.op === 'create') await this.#create(step)
      else if (step.op === 'again') await this.#createAgain(step)
      else if (step.op === 'get') await this.#get(step)
      else await this.#getOther(step.id)
    } catch (error) {
      if (!(error instanceof NotVerified)) throw error
    }
  }

  async #list({ query, isDescribed, as }: SequenceStep & { op: 'list' }): Promise<void> {
    const path = query === '' ? '/pets' : `/pets?${query}`
    if (as) return expectRejected(this.#session, { method: 'GET', path, credential: as })
    if (!isDescribed) {
      const demand = { requirement: 'error.body', expected: 'a success, or an Error body' } as const
      const response = await this.#session.send({ method: 'GET', path }, demand)
      this.#compareOption(observedBy(path), optionOf(response))
      return expectNoRejected(this.#session, response)
    }
    await expectOwn(this.#session, await this.#session.list(path))
  }

  async #create({ kind: what, status, as }: SequenceStep & { op: 'create' }): Promise<void> {
    const { run } = this.#session
    const kind = bodyKinds[what]
    if (!kind || run.options.readOnly || run.log.created.length === 0) return
    if (kind.kind !== 'invalid' && !as && !this.mayCreate()) return
    const { categoryId = categoryFor(run).id, body = plainBody } = kind
    const headers = { 'content-type': 'application/json', ...kind.headers }
    if (as || kind.kind === 'invalid') {
      const valid = { name: run.nextName(), categoryId, status }
      const plan = { method: 'POST', path: '/pets', headers, body: body(valid) }
      if (as) return expectRejected(this.#session, { ...plan, credential: as })
      const demand: Demand = {
        requirement: kind.requirement,
        what: `POST /pets with ${what}`,
        expected: 400,
      }
      const response = await sendInvalid(this.#session, plan, demand)
      const { status: got } = response
      if (got > 400 && got < 500 && (await isQuotaUsedUp(this.#session))) return
      return expect400(this.#session, demand, response)
    }
    const request: CreateRequest = { ...kind, status }
    if (kind.kind === 'ordinary') {
      const result = await create(this.#session, request, kind.requirement)
      const { created } = result
      if (created && status === undefined)
        this.#compareOption('create.default-status', created.pet.status ?? 'absent')
      return this.#remember(result)
    }
    const result = await attempt(this.#session, request, what, kind.requirement)
    if (result.exchange.status >= 500)
      this.#run.findings.note(
        `${describe(result.exchange)} to a creation with ${what}: a server error.`,
      )
    return this.#remember(result)
  }

  async #createAgain({ back, other }: SequenceStep & { op: 'again' }): Promise<void> {
    const { run } = this.#session
    const own = this.#petOf(back)
    if (!own || !isWhole(own.pet) || run.options.readOnly || !this.mayCreate()) return
    const { name, categoryId, status } = own.pet
    const next = petStatuses[(petStatuses.indexOf(status ?? 'sold') + 1) % 3]
    const request = { name: () => name, categoryId, status: other ? next : status }
    run.names.repeated = name
    const result = await attempt(this.#session, request, 'a name that another pet has')
    this.#compareOption('create.name.duplicate', optionOf(result.exchange))
    return this.#remember(result)
  }

  /** Checks a created pet and remembers it; expects no pet if the target rejected. */
  #remember(result: CreateResult): void {
    const { exchange, created } = result
    if (exchange.status !== 201) expectNotDenied(exchange)
    if (!created) return
    expectAsSent(this.#session, result)
    this.#created.push(created)
  }

  /** Notes unspecified behavior that varies: the specification does not forbid it, but clients should know. */
  #compareOption(behavior: BehaviorId | undefined, option: string): void {
    const known = behavior && this.#run.findings.observed.get(behavior)?.value
    const isStatus = (value: string): boolean => /^\d{3}$/.test(value)
    if (typeof known !== 'string' || known === option || (!isStatus(known) && option === accepted))
      return
    this.#run.findings.note(
      `${behavior} is not the same each time: ${known}, and ${option} in a sequence.`,
    )
  }

  #petOf(back: number): Created | undefined {
    const all = this.#run.log.created
    return this.#created.at(-1 - back) ?? all[all.length - 1 - back]
  }

  async #get({ back, offset, as }: SequenceStep & { op: 'get' }): Promise<void> {
    const { run } = this.#session
    const own = this.#petOf(back)
    const listed = run.log.catalog.first()
    const id = own?.pet.id ?? listed[back % Math.max(1, listed.length)]?.pet.id
    if (id === undefined || run.getRemoved) return
    const path = `/pets/${BigInt.asIntN(64, BigInt(id) + (offset ?? 0n))}`
    if (as) return expectRejected(this.#session, { method: 'GET', path, credential: as })
    if (offset !== undefined) return this.#getOther(path.slice('/pets/'.length))
    if (own) await expectFetched(this.#session, own)
  }

  async #getOther(id: string): Promise<void> {
    const { run } = this.#session
    if (run.getRemoved) return
    const isInteger = /^-?\d{1,19}$/.test(id) && BigInt.asIntN(64, BigInt(id)) === BigInt(id)
    const demand = {
      requirement: isInteger ? 'get.not-found' : 'error.body',
      expected: 404,
    } as const
    const path = `/pets/${id}`
    const response = await this.#session.send({ method: 'GET', path }, demand)
    this.#compareOption(observedBy(path), optionOf(response))
    if (!isInteger || response.status === 404 || response.status === 200) return
    if (!run.log.getWorks && !unknownIds.includes(id)) return
    // Another user's pet, which this key may not see, may have an id next to a known one.
    if (!run.log.getWorks || !unknownIds.includes(id)) expectNotDenied(response)
    const message = `${describe(response)} instead of 404, or the pet with this id.`
    this.#session.report(
      wrongStatus(response, 'get.not-found', '404 and an Error body', { message }),
    )
  }

  async #checkPets(pets: readonly Created[]): Promise<void> {
    const { run } = this.#session
    if (!run.getRemoved) for (const own of pets) await expectFetched(this.#session, own)
    for (const path of longestLists) await expectOwn(this.#session, await this.#session.list(path))
  }
}

/** Stands for any option of a success. */
const accepted = 'a success'

const optionOf = ({ status }: Exchange): string => (status < 400 ? accepted : String(status))
