import type { ClauseId } from '../spec/clauses.ts'
import type { Int64, ExactPet, PetStatus } from '../spec/types.ts'
import { changes, difference, showField } from './catalogue.ts'
import type { Exchange, Plan } from './exchange.ts'
import { NotVerified, Violation } from './findings.ts'
import type { Breach } from './findings.ts'
import type { Created } from './run.ts'
import { describe, isAbsent } from './session.ts'
import type { Session } from './session.ts'
import { petDefects, toPet } from './shapes.ts'

/** A creation as a check wants it. */
export interface Order {
  /** Makes the name from one that no other pet has. Default: that name. */
  name?: (unique: string) => string
  /** Default: a category that the catalogue shows. */
  categoryId?: Int64
  /** Default: none is sent. */
  status?: PetStatus
  /** Makes the body. Default: a plain NewPet object. */
  body?: (name: string, categoryId: Int64, status: PetStatus | undefined) => string
  headers?: Record<string, string>
}

/** What came of an order. */
export interface Outcome {
  exchange: Exchange
  /** What was sent. */
  sent: { name: string; categoryId: Int64; status?: PetStatus }
  /** Set when the target created a pet. */
  created: Created | undefined
}

/**
 * Sends a creation that the specification answers with 201, and demands it.
 *
 * @param clause the clause that a refusal breaks
 */
export async function create(session: Session, order: Order, clause: ClauseId = 'create.success'): Promise<Outcome> {
  return place(session, order, async (plan, again) => {
    return session.succeed(plan, clause, again, (status) => isUnknown(session, status))
  }).catch(async (error: unknown) => {
    if (error instanceof Violation && (await isFull(session))) {
      throw new NotVerified('the target refuses by now what it has taken before: perhaps a quota is used up')
    }
    throw error
  })
}

/** Whether a body that the target has taken before, but for its name, is refused by now. */
export async function isFull(session: Session): Promise<boolean> {
  const [first] = session.run.created
  const taken = first?.exchange.plan.body
  if (first === undefined || taken === undefined) return false
  const name = /"name":"([^"\\]*)"/.exec(taken)?.[1]
  if (name === undefined) return false
  const { exchange } = await attempt(session, { body: (other) => taken.replace(name, other) })
  return exchange.status >= 400 && exchange.status < 500
}

/**
 * Sends a creation that the specification leaves the target free to refuse.
 *
 * @param what the creation in words
 * @param clause the clause that demands a response
 */
export async function attempt(
  session: Session,
  order: Order,
  what = 'an ordinary pet',
  clause: ClauseId = 'create.success',
): Promise<Outcome> {
  const demand = { clause, what: `POST /pets with ${what}`, expected: 'status 201, or an Error body' }
  return place(session, order, (plan, again) => session.send(plan, demand, again))
}

/** Whether this may be the refusal of a category that nobody knows to exist. */
function isUnknown(session: Session, status: number): boolean {
  return !session.run.category().known && [400, 404, 409, 422].includes(status)
}

async function place(
  session: Session,
  order: Order,
  send: (plan: Plan, again: () => Plan) => Promise<Exchange>,
): Promise<Outcome> {
  const { run } = session
  const sent: Outcome['sent'] = { name: '', categoryId: order.categoryId ?? run.category().id }
  if (order.status !== undefined) sent.status = order.status
  // Each repetition has a name of its own: the try before it may have created a pet, and names may have to be unique.
  const plan = (): Plan => {
    sent.name = order.name?.(run.nextName()) ?? run.nextName()
    const body = order.body?.(sent.name, sent.categoryId, sent.status) ?? plainBody(sent)
    return { method: 'POST', path: '/pets', body, ...(order.headers && { headers: order.headers }) }
  }
  const again = (): Plan => {
    run.expectRoomForRepetition()
    return plan()
  }
  return run.withRoom(async () => {
    const exchange = await send(plan(), again)
    const isOwnName = run.names.owns(sent.name) && !run.created.some(({ pet }) => pet.name === sent.name)
    if (exchange.status >= 400 && isOwnName) run.refused.set(sent.name, exchange)
    return { exchange, sent, created: remember(session, exchange) }
  })
}

function plainBody({ name, categoryId, status }: Outcome['sent']): string {
  const end = status === undefined ? '' : `,"status":"${status}"`
  return `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${end}}`
}

function remember(session: Session, exchange: Exchange): Created | undefined {
  if (exchange.status !== 201 || exchange.content.kind !== 'json') return undefined
  if (petDefects(exchange.content.value, '').length > 0) return undefined
  const at = exchange.sentAt + exchange.durationMs
  const created: Created = { pet: toPet(exchange.content.value), exchange, at, wasRead: false }
  const { run } = session
  const twin =
    run.created.find(({ pet }) => pet.id === created.pet.id) ??
    run.catalogue
      .of(created.pet.id)
      .find((sighting) => sighting.exchange.sentAt + sighting.exchange.durationMs < exchange.sentAt)
  if (twin) {
    session.breach({
      clause: 'pet.id.unique',
      message: `A new pet got the id ${created.pet.id}, which another pet has.`,
      pointer: '/id',
      expected: 'an id that no other pet has',
      actual: String(created.pet.id),
      exchanges: [twin.exchange, exchange],
    })
  }
  run.created.push(created)
  return created
}

/**
 * Compares the Pet of a 201 with what was sent.
 *
 * @throws {NotVerified} when the target refused a category that nobody knows to exist
 */
export function expectAsSent(session: Session, { exchange, sent, created }: Outcome): Created {
  if (exchange.status !== 201) {
    throw new NotVerified(
      `the target refused an ordinary pet with ${exchange.status}, perhaps because category ${sent.categoryId} does not ` +
        'exist there; name one that does with --category-id',
    )
  }
  if (!created) throw new NotVerified('createPet does not answer with a Pet')
  const { pet } = created
  const breach = (clause: ClauseId, wanted: Partial<ExactPet>, alsoBreaks: ClauseId[] = []): void => {
    const found = difference(wanted, pet)
    if (found === undefined) return
    const [name] = Object.keys(wanted)
    session.breach({
      clause,
      alsoBreaks,
      message: `The created Pet is not what was sent: ${found}.`,
      pointer: `/${name}`,
      expected: showField(Object.values(wanted)[0]),
      actual: showField(pet[name as keyof ExactPet]),
      exchanges: [exchange],
      cause: `${name} changed`,
    })
  }
  if (pet.name.normalize() === sent.name.normalize()) {
    if (pet.name !== sent.name)
      session.note('Names are stored in another Unicode normalisation than they were sent in.')
  } else breach('create.success', { name: sent.name })
  const large = sent.categoryId > 2147483647 || sent.categoryId < -2147483648
  breach(large ? 'create.exact' : 'create.success', { categoryId: sent.categoryId }, large ? ['create.success'] : [])
  if (sent.status !== undefined) breach('create.status', { status: sent.status }, ['create.success'])
  return created
}

/** So many reads of one pet follow one another when it is looked at again. */
const readsInARow = 5
const changedLater: ClauseId = 'state.reads-change-nothing'

/** Fetches a pet that was just created, and demands that it is there as it was answered. */
export async function expectStored(session: Session, created: Created): Promise<void> {
  const { run } = session
  const { pet, exchange } = created
  await session.askWhetherGetIsRemoved(pet.id)
  if (run.getRemoved) return
  const look = async (): Promise<Breach | undefined> => {
    const found = judgeStored(created, await session.get(pet.id), session)
    if (!found) created.wasRead = true
    return found && created.wasRead ? { ...found, alsoBreaks: [...(found.alsoBreaks ?? []), changedLater] } : found
  }
  const breach = await look()
  // Another pet under its id is no delay.
  const isMissing = breach?.exchanges.at(-1)?.status === 404
  if (!breach || isMissing) session.observe('create.visibility', isMissing ? 'delayed' : 'immediate', exchange)
  if (!breach) return
  if (breach.clause === 'get.until-removal') {
    session.breach(breach)
    return
  }
  session.suspect({
    key: `stored ${pet.id}`,
    clauses: ['create.stored'],
    settledAt: exchange.sentAt + exchange.durationMs + run.options.settleMs,
    async again() {
      // Several reads in a row also show what goes wrong only now and then.
      for (let read = 0; read < readsInARow; read += 1) {
        const found = await look()
        if (found) return found
      }
      return undefined
    },
  })
}

function judgeStored({ pet, exchange }: Created, answer: Exchange, session: Session): Breach | undefined {
  const common = { exchanges: [exchange, answer] }
  if (answer.status === 200) {
    const found = answer.content.kind === 'json' && petDefects(answer.content.value, '').length === 0
    if (!found || answer.content.kind !== 'json') return undefined // judged as every answer is
    const changed = changes(pet, toPet(answer.content.value))
    if (changed === undefined) return undefined
    return {
      ...common,
      clause: 'create.stored',
      alsoBreaks: ['get.by-id'],
      message: `getPet shows another pet than createPet answered: ${changed}.`,
      expected: 'the created Pet',
      actual: changed,
      cause: 'another pet',
    }
  }
  if (!isAbsent(answer.status)) return undefined
  const neverWorked = !session.run.getWorks
  return {
    ...common,
    clause: answer.status === 404 ? 'create.stored' : 'get.until-removal',
    alsoBreaks: neverWorked ? ['get.success', 'get.until-removal'] : ['get.success'],
    message: `${describe(answer)} for a pet that createPet answered with 201.`,
    expected: 'status 200 and the created Pet',
    actual: `status ${answer.status}`,
    cause: `answers ${answer.status}`,
  }
}
