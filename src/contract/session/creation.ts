import type { RequirementId } from '../../spec/requirements.ts'
import type { Int64, PetStatus } from '../../spec/types.ts'
import { type CreateRequest, plainBody, type Valid } from '../http/request-bodies.ts'
import { compareWithSent, type Created } from '../judge/catalog.ts'
import { mayCreate, type Exchange, type Plan } from '../http/exchange.ts'
import {
  describe,
  isConflict,
  isRejection,
  isSuccess,
  wrongStatus,
  type Demand,
} from '../judge/expect.ts'
import { seenIn } from '../judge/shapes.ts'
import { NotVerified, Violated } from '../judge/findings.ts'
import type { Run } from './run.ts'
import type { Session } from './session.ts'
import { awaitAll } from '../http/waiting.ts'

export interface CreateResult {
  exchange: Exchange
  sent: Valid
  /** Set when the target created a pet. */
  created: Created | undefined
  mayChangeName?: CreateRequest['mayChangeName'] | undefined
}

/** Sends a creation that must get 201; `requirement` is the one that a rejection breaks. */
export async function create(
  session: Session,
  request: CreateRequest,
  requirement: RequirementId = 'create.success',
  what = 'POST /pets',
): Promise<CreateResult> {
  const demand: Demand = { requirement, what, expected: 201 }
  const send = (plan: Plan): Promise<Exchange> => {
    const alsoFine = (status: number): boolean =>
      status < 300 || isConflict(status) || isUnknown(session, status)
    return session.succeed(plan, demand, { alsoFine })
  }
  try {
    const result = await sendCreation(session, request, send, repetitions.ofValid)
    const { exchange } = result
    if (!isConflict(exchange.status) || isUnknown(session, exchange.status)) return result
    throw new Violated(wrongStatus(exchange, requirement, 201))
  } catch (error) {
    const again = error instanceof Violated ? await repeatAccepted(session) : undefined
    if (again && isQuota(again)) {
      throw new NotVerified(
        'the target now rejects what it accepted before: perhaps a quota is used up',
      )
    }
    if (again?.status !== 400) throw error
    const message = `${describe(again)} to what it accepted before, with another name.`
    const exchanges = [...(session.log.accepted ? [session.log.accepted] : []), again]
    throw new Violated(wrongStatus(again, 'create.success', 201, { message, exchanges }))
  }
}

/**
 * Repetitions of a creation that may conflict with a concurrent one, at most, and the pause before each, which grows by as
 * much: the eight of a valid one take 4 s. A target that responds 409 to whatever it rejects costs those `inAll`; one that only does so for a
 * while gets the eight.
 */
const repetitions = {
  ofValid: 8,
  ofOthers: 2,
  inAll: { smoke: 3, standard: 40, thorough: 400 },
  pauseMs: 100,
}

/** The repetitions of a creation that the target may reject for another reason. */
function repetitionsOf({ options, conflicts, hasPassedLater }: Run): number {
  if (hasPassedLater) return repetitions.ofValid
  return conflicts >= repetitions.inAll[options.depth] ? 0 : repetitions.ofOthers
}

async function repeatConflicts<Sent extends { exchange: Exchange }>(
  run: Run,
  send: () => Promise<Sent>,
  most = (): number => repetitionsOf(run),
): Promise<Sent> {
  for (let again = 1; ; again += 1) {
    const sent = await send()
    const isOver = !isConflict(sent.exchange.status)
    if (again > 1 && isOver) run.hasPassedLater = true
    if (isOver || again > most()) return sent
    // Creations that were sent together, also those of another run, would meet each time.
    const apartMs = (run.names.number + 37 * run.conflicts) % repetitions.pauseMs
    await run.transport.wait(repetitions.pauseMs * again + apartMs)
  }
}

/** Whether a response rejects a valid creation for the state of the target. A 400 would say that its body is wrong. */
const isQuota = ({ status }: Exchange): boolean => status !== 400 && isRejection(status)

/** Sends a body that the target has accepted once more, with another name. */
async function repeatAccepted(session: Session): Promise<Exchange | undefined> {
  const accepted = session.log.accepted?.plan.body ?? ''
  const field = /"name":"[^"\\]*"/
  if (!field.test(accepted)) return undefined
  const body = ({ name }: Valid): string =>
    accepted.replace(field, () => `"name":${JSON.stringify(name)}`)
  return (await attempt(session, { body })).exchange
}

/** Whether the target now rejects a body that it accepted before with another name. */
export async function isQuotaUsedUp(session: Session): Promise<boolean> {
  const again = await repeatAccepted(session)
  return again !== undefined && isQuota(again)
}

/** Sends a creation that the target may reject; `what` names it, and `requirement` demands a response. */
export async function attempt(
  session: Session,
  request: CreateRequest,
  what = 'an ordinary pet',
  requirement: RequirementId = 'create.success',
): Promise<CreateResult> {
  const demand = {
    requirement,
    what: `POST /pets with ${what}`,
    expected: 'status 201, or an Error body',
  }
  return sendCreation(session, request, (plan) => session.send(plan, demand))
}

/**
 * Creates the pets that the catalog lacks for a check that needs `count` of them, such as on a new deployment. Creates
 * none where the run may not create so many.
 */
export async function fillCatalog(session: Session, count: number): Promise<void> {
  const { run } = session
  const lacking = count - run.log.catalog.count()
  const mayCreateAll = run.written + lacking <= run.options.maxWrites
  if (run.options.depth === 'smoke' || run.log.accepted === undefined || !mayCreateAll) return
  const createOne = async (): Promise<void> => {
    const result = await attempt(session, { status: rarestStatus(run) })
    if (isSuccess(result.exchange)) expectAsSent(session, result)
  }
  await awaitAll(Array.from({ length: lacking }, createOne))
}

/** Sends a creation to be rejected. Throws NotVerified when accepted ones have used up the capacity of the run. */
export async function sendInvalid(session: Session, plan: Plan, demand: Demand): Promise<Exchange> {
  const { run } = session
  const send = async (): Promise<{ exchange: Exchange }> => {
    run.silence.expectNotSilent({ plan, demand })
    // Also in capitals, and in a string of JSON.
    const [, name] = /"name\\?":\\?"([^"\\]*)/i.exec(plan.body ?? '') ?? []
    const names = name !== undefined && run.names.owns(name) ? [name] : []
    if (plan.body?.includes(`"name":${run.uniqueNumber}`) === true) names.push(run.uniqueNumber)
    const invalid = { ...plan, creation: { names, mustFail: true } }
    const again = (): Plan => {
      if (mayCreate(plan)) run.expectCapacityForRepetition()
      return invalid
    }
    return { exchange: await session.send({ ...invalid, again }, demand) }
  }
  const { exchange } = await run.invalidLimiter.run(() =>
    repeatConflicts(run, () => run.withCapacity(send)),
  )
  return exchange
}

/** The status with the fewest pets that new ones may have: its list is most likely to show them. */
export function rarestStatus({ log: { catalog, exchanges } }: Run): PetStatus {
  const all = (['sold', 'pending', 'available'] as const).filter((status) => {
    const sent = exchanges.filter(
      ({ plan }) => plan.creation?.mustFail === false && plan.body?.includes(`"${status}"`),
    )
    return sent.length === 0 || sent.some(isSuccess)
  })
  const countOf = (status: PetStatus): number => catalog.count((pet) => pet.status === status)
  return all.toSorted((a, b) => countOf(a) - countOf(b))[0] ?? 'sold'
}

/** The categories that the catalog shows, the most common one first. */
export function knownCategories({ log: { catalog } }: Run): Int64[] {
  const counts = new Map<Int64, number>()
  for (const { pet } of catalog.first())
    if (pet.categoryId !== null) counts.set(pet.categoryId, (counts.get(pet.categoryId) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a).map(([id]) => id)
}

/** The category of an ordinary pet: 1 in an empty catalog. `known`: whether the catalog shows it. */
export function categoryFor(run: Run): { id: Int64; known: boolean } {
  const known = knownCategories(run)
  const id = run.category ?? known[0] ?? 1
  return { id, known: known.includes(id) }
}

/** Whether this may be the rejection of an unknown category. */
function isUnknown(session: Session, status: number): boolean {
  return (
    !categoryFor(session.run).known &&
    !session.log.accepted &&
    [400, 404, 409, 422].includes(status)
  )
}

/** @param most how often it may be repeated. Default: as {@link repetitionsOf}, but never for a name that another pet has */
async function sendCreation(
  session: Session,
  request: CreateRequest,
  send: (plan: Plan) => Promise<Exchange>,
  most?: number,
): Promise<CreateResult> {
  const { run } = session
  const { headers, status, mayChangeName, categoryId = categoryFor(run).id } = request
  const sent: Valid = { name: '', categoryId, status }
  // Each retry has a new name: the first attempt may have created a pet, and names may have to be unique.
  const plan = (): Plan => {
    sent.name = request.name?.(run.nextName()) ?? run.nextName()
    return {
      method: 'POST',
      path: '/pets',
      headers,
      body: (request.body ?? plainBody)(sent),
      creation: { names: run.names.owns(sent.name) ? [sent.name] : [], mustFail: false },
      again,
    }
  }
  const again = (): Plan => {
    run.expectCapacityForRepetition()
    return plan()
  }
  const attemptOnce = async (): Promise<CreateResult> => {
    const exchange = await send(plan())
    // "201: body is the created Pet": there is no other success.
    if (isSuccess(exchange) && exchange.status !== 201)
      session.report(wrongStatus(exchange, 'create.success', 201))
    return { exchange, sent, created: createdBy(session, exchange), mayChangeName }
  }
  const mostNow = (): number => most ?? (sent.name === run.names.repeated ? 0 : repetitionsOf(run))
  return repeatConflicts(run, () => run.withCapacity(attemptOnce), mostNow)
}

/** The pet that a creation made, if any. Claims that an id is repeated, if another pet has it. */
function createdBy(session: Session, exchange: Exchange): Created | undefined {
  const { log } = session
  const repeated = log.repeatedIds.find(({ second }) => second.exchange === exchange)
  if (repeated) session.claim('repeated', repeated)
  return log.created.find((one) => one.exchange === exchange)
}

/** Compares a created Pet with what was sent. Throws NotVerified when its category was rejected, and may not exist. */
export function expectAsSent(
  session: Session,
  { exchange, sent, created, mayChangeName }: CreateResult,
): Created {
  if (!isSuccess(exchange)) {
    const why = `perhaps because category ${sent.categoryId} does not exist there; name one that does with --category-id`
    throw new NotVerified(`the target rejected an ordinary pet with ${exchange.status}, ${why}`)
  }
  const { content } = exchange
  const pet = created?.pet ?? {
    status: null,
    ...seenIn(content.kind === 'json' ? content.value : null),
  }
  const { name, ...others } = sent
  const shown = pet.name ?? name
  const forms = [name.normalize(), shown.normalize()] as const
  const isOtherForm = shown !== name && forms[0] === forms[1]
  const isOtherName = shown !== name && !isOtherForm && mayChangeName?.(...forms) === true
  if (isOtherForm)
    session.findings.note(
      'Names are stored in a different Unicode normalization than they were sent in.',
    )
  if (isOtherName) session.findings.note('Names are stored without their control characters.')
  if (shown.includes('\ufffd') && !name.includes('\ufffd')) {
    const pieces =
      'The run sends a body with letters of four bytes in two pieces, as a network may; curl sends one.'
    const loss = 'A service that decodes each piece by itself loses the letter.'
    session.findings.note(`A letter came back as U+FFFD. ${pieces} ${loss}`)
  }
  const compared = isOtherForm || isOtherName ? others : sent
  for (const violation of compareWithSent(exchange, pet, compared)) session.report(violation)
  if (!created) throw new NotVerified('createPet does not respond with a Pet')
  return created
}
