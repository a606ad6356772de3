import type { ChoiceId } from '../../spec/choices.ts'
import type { Int64 } from '../../spec/types.ts'
import type { Created } from '../catalog.ts'
import { expect400, expectNoRefused } from '../checks/refusals.ts'
import {
  attempt,
  categoryFor,
  create,
  expectAsSent,
  isFull,
  sendInvalid,
  type CreateRequest,
  type CreateResult,
} from '../creation.ts'
import type { Credential } from '../credentials.ts'
import { NoResponse, type Exchange, type Plan } from '../exchange.ts'
import { describe, expectNotDenied, wrongStatus, type Demand } from '../expect.ts'
import { Findings, NotVerified, Violated, type Violation } from '../findings.ts'
import type { Run } from '../run.ts'
import { Session } from '../session.ts'
import { awaitAll } from '../waiting.ts'
import { bodyKinds, plainBody } from './bodies.ts'
import type { Back, SequenceStep } from './grammar.ts'
import { expectDenied, expectFetched, expectOwn, observedBy } from './model.ts'

/** The id under which the sequences report. */
export const sequences = 'sequences'

/** What a sequence showed that breaks the specification. */
export type Failure = Violation & {
  /** Set where one response, or one and what was sent for it, shows it beyond doubt. */
  isPlain: boolean
}

/** What came of carrying out a sequence. */
export interface Outcome {
  failure: Failure | undefined
  /** All requests with their responses, in the order of the responses. */
  exchanges: Exchange[]
  /** The pets that it created. */
  made: Created[]
  /** Why no other sequence need be tried: what the target wants is that nobody sends more. */
  ended?: string
}

/** A session that keeps its exchanges. */
class Recording extends Session {
  readonly exchanges: Exchange[] = []

  override judge(exchange: Exchange): Exchange {
    this.exchanges.push(exchange)
    return super.judge(exchange)
  }
}

/**
 * Carries out sequences, and holds the responses against a model: the pets that this run created are there, once the
 * consistency window is over, as createPet returned them; those that were refused are not. Nothing is known of other pets.
 */
export class Trial {
  readonly #run: Run
  /** What the run has found; while a sequence is under way, it has findings of its own. */
  readonly #found: Findings
  /** Whether sequences may create pets, where they need not. */
  mayCreate: () => boolean = () => true
  #session: Recording
  #made: Created[] = []

  constructor(run: Run) {
    this.#run = run
    this.#found = run.findings
    this.#session = new Recording(run, sequences)
  }

  /** Carries out a sequence up to its first failure. What it observes besides does not reach the findings of the run. */
  async carryOut(steps: readonly SequenceStep[]): Promise<Outcome> {
    return this.#apart(() => this.#follow(steps))
  }

  /** As `carryOut`, and then waits until the pets of the sequence must be visible, and looks at them. */
  async carryOutAndWait(steps: readonly SequenceStep[], wait: (until: number) => Promise<void>): Promise<Outcome> {
    return this.#apart(async () => {
      await this.#follow(steps)
      await wait(this.#dueAt(this.#made))
      await this.#lookAt(this.#made)
    })
  }

  /** Looks at pets that must be visible by now: in getPet, and in the widest lists. */
  async lookAt(pets: readonly Created[]): Promise<Outcome> {
    return this.#apart(() => this.#lookAt(pets))
  }

  /** When the last of these pets must be visible, in milliseconds of the run. */
  #dueAt(pets: readonly Created[]): number {
    return Math.max(0, ...pets.map(({ at }) => at)) + this.#run.windowMs
  }

  async #apart(task: () => Promise<void>): Promise<Outcome> {
    const run = this.#run
    const { length } = run.lists
    run.findings = new Findings()
    this.#session = new Recording(run, sequences)
    this.#made = []
    let failure: Failure | undefined
    let ended: string | undefined
    try {
      await task()
    } catch (error) {
      if (error instanceof Violated) failure = { ...error.violation, isPlain: false }
      else if (error instanceof NoResponse && error.kind !== 'aborted') {
        if (error.kind !== 'silent' && error.kind !== 'timeout') ended = error.message
      } else if (!(error instanceof NotVerified)) throw error
    } finally {
      const [first] = run.findings.violations
      if (first) failure = { ...first, isPlain: true }
      for (const clause of run.findings.judged) this.#found.judged.add(clause)
      run.findings = this.#found
      // The lists of the sequences are judged already, and would fill the memory.
      run.lists.length = length
    }
    return { failure, exchanges: this.#session.exchanges, made: this.#made, ...(ended !== undefined && { ended }) }
  }

  async #follow(steps: readonly SequenceStep[]): Promise<void> {
    for (const step of steps) {
      await this.#takeIfPossible(step)
      if (this.#run.findings.violations.length > 0) return
    }
  }

  /** What the target gives no occasion for is left out. */
  async #takeIfPossible(step: SequenceStep): Promise<void> {
    try {
      await this.#take(step)
    } catch (error) {
      if (!(error instanceof NotVerified)) throw error
    }
  }

  async #take(step: SequenceStep): Promise<void> {
    switch (step.op) {
      case 'together':
        await awaitAll(step.steps.map((one) => this.#takeIfPossible(one)))
        return
      case 'list':
        return this.#list(step)
      case 'create':
        return this.#create(step)
      case 'again':
        return this.#createAgain(step)
      case 'get':
        return this.#get(step)
      case 'get-id':
        await this.#getOther(step.id, step.as)
    }
  }

  async #list({ query, isDescribed, as }: SequenceStep & { op: 'list' }): Promise<void> {
    const path = query === '' ? '/pets' : `/pets?${query}`
    if (as) return expectDenied(this.#session, { method: 'GET', path, credential: as })
    if (!isDescribed) {
      const demand = { clause: 'error.body', expected: 'a success, or an Error body' } as const
      const response = await this.#session.send({ method: 'GET', path }, demand)
      const choice = observedBy[query]
      if (choice) this.#compareOption(choice, optionOf(response))
      return expectNoRefused(this.#session, response)
    }
    expectOwn(this.#session, await this.#session.list(path))
  }

  async #create({ kind: what, status, as }: SequenceStep & { op: 'create' }): Promise<void> {
    const { run } = this.#session
    const kind = bodyKinds[what]
    if (!kind || run.options.readOnly || run.created.length === 0) return
    if (kind.kind !== 'invalid' && !as && !this.mayCreate()) return
    const { categoryId = categoryFor(run).id, body } = kind
    const headers = { 'content-type': 'application/json', ...kind.headers }
    if (as || kind.kind === 'invalid') {
      const valid = { name: run.nextName(), categoryId, status }
      const text = (body ?? plainBody)(valid)
      const plan = { method: 'POST', path: '/pets', headers, ...(text !== undefined && { body: text }) }
      if (as) return expectDenied(this.#session, { ...plan, credential: as })
      const demand: Demand = { clause: kind.clause, what: `POST /pets with ${what}`, expected: 'status 400' }
      const response = await sendInvalid(this.#session, plan, demand)
      const { status: got } = response
      if (got > 400 && got < 500 && (await isFull(this.#session))) return
      return expect400(this.#session, demand, response)
    }
    const request: CreateRequest = {
      ...(kind.name && { name: kind.name }),
      ...(kind.mayChangeName && { mayChangeName: kind.mayChangeName }),
      ...(kind.headers && { headers: kind.headers }),
      ...(body && { body: (name: string, id: Int64, sent) => body({ name, categoryId: id, status: sent }) ?? '' }),
      ...(status !== undefined && { status }),
      categoryId,
    }
    if (kind.kind === 'ordinary') {
      const result = await create(this.#session, request, kind.clause)
      const { created } = result
      if (created && status === undefined) this.#compareOption('create.default-status', created.pet.status ?? 'absent')
      return this.#takeIn(result)
    }
    const result = await attempt(this.#session, request, what, kind.clause)
    if (result.exchange.status >= 500)
      this.#note(`${describe(result.exchange)} to a creation with ${what}: a server error.`)
    return this.#takeIn(result)
  }

  async #createAgain({ pet, other }: SequenceStep & { op: 'again' }): Promise<void> {
    const { run } = this.#session
    const own = this.#petOf(pet)
    if (!own || run.options.readOnly || !this.mayCreate()) return
    const { name, categoryId, status } = own.pet
    const statuses = ['available', 'pending', 'sold'] as const
    const next = statuses[(statuses.indexOf(status ?? 'sold') + 1) % 3]
    const request: CreateRequest = {
      name: () => name,
      categoryId,
      ...(other ? next && { status: next } : status && { status }),
    }
    run.repeatedName = name
    const result = await attempt(this.#session, request, 'a name that another pet has')
    this.#compareOption('create.name.duplicate', optionOf(result.exchange))
    return this.#takeIn(result)
  }

  /** Takes in what came of a creation that the target may refuse. */
  #takeIn(result: CreateResult): void {
    const { exchange, created } = result
    if (exchange.status !== 201) expectNotDenied(exchange)
    if (!created) return
    expectAsSent(this.#session, result)
    this.#made.push(created)
  }

  #note(text: string): void {
    this.#found.note(text)
  }

  /** The specification does not say that unspecified behavior is the same each time; a client should know where it is not. */
  #compareOption(choice: ChoiceId, option: string): void {
    const known = this.#found.observed.get(choice)?.value
    const isStatus = (value: string): boolean => /^\d{3}$/.test(value)
    if (typeof known !== 'string' || known === option || (!isStatus(known) && option === accepted)) return
    this.#note(`${choice} is not the same each time: ${known}, and ${option} in a sequence.`)
  }

  #petOf({ back }: Back): Created | undefined {
    const all = this.#run.created
    return this.#made.at(-1 - back) ?? all[all.length - 1 - back]
  }

  async #get({ pet, beside, as }: SequenceStep & { op: 'get' }): Promise<void> {
    const { run } = this.#session
    const own = this.#petOf(pet)
    const listed = run.catalog.first()
    const id = own?.pet.id ?? listed[pet.back % Math.max(1, listed.length)]?.pet.id
    if (id === undefined || run.getRemoved) return
    const path = `/pets/${BigInt.asIntN(64, BigInt(id) + (beside ?? 0n))}`
    if (as) return expectDenied(this.#session, { method: 'GET', path, credential: as })
    if (beside !== undefined) return this.#getOther(path.slice('/pets/'.length))
    if (own) await expectFetched(this.#session, own)
  }

  /** An id that no pet need have. What is shown under it is judged as every response. */
  async #getOther(id: string, as?: Credential): Promise<void> {
    const { run } = this.#session
    if (run.getRemoved) return
    const plan: Plan = { method: 'GET', path: `/pets/${id}` }
    if (as) return expectDenied(this.#session, { ...plan, credential: as })
    const isInteger = /^-?\d{1,19}$/.test(id) && BigInt.asIntN(64, BigInt(id)) === BigInt(id)
    const demand = { clause: isInteger ? 'get.not-found' : 'error.body', expected: 'status 404, or a Pet' } as const
    const response = await this.#session.send(plan, demand)
    const choice = observedBy[id]
    if (choice) this.#compareOption(choice, optionOf(response))
    if (!isInteger || response.status === 404 || response.status === 200) return
    if (!run.getWorks) expectNotDenied(response)
    const message = `${describe(response)} instead of 404, or the pet with this id.`
    this.#session.report(wrongStatus(response, 'get.not-found', '404 and an Error body', { message }))
  }

  async #lookAt(pets: readonly Created[]): Promise<void> {
    const { run } = this.#session
    if (!run.getRemoved) for (const own of pets) await expectFetched(this.#session, own)
    for (const query of ['', 'status=available&', 'status=pending&', 'status=sold&']) {
      expectOwn(this.#session, await this.#session.list(`/pets?${query}limit=100`))
    }
  }
}

/** What stands for any option of a success. */
const accepted = 'a success'

const optionOf = ({ status }: Exchange): string => (status < 400 ? accepted : String(status))
