import type { Int64, PetStatus } from '../../spec/types.ts'
import {
  hasOtherStatus,
  sameButStatus,
  samePet,
  type Created,
  type PetList,
} from '../judge/catalog.ts'
import { attempt, isRejection } from '../session/creation.ts'
import { arrivalOf, keptSeconds, type Exchange } from '../http/exchange.ts'
import { describe, petsOf } from '../judge/expect.ts'
import type { SeenPet } from '../judge/shapes.ts'
import { NotVerified, type Violation } from '../judge/findings.ts'
import type { Run } from '../session/run.ts'
import { findElsewhere, type Session, wide } from '../session/session.ts'
import { awaitAll, sleep } from '../http/waiting.ts'
import { suspectCauses } from './causes.ts'

/** Why a violation shows nothing: a cache, or other clients, may be the cause. Undefined where neither may. */
export async function excuseFor(
  session: Session,
  violation: Violation,
): Promise<string | undefined> {
  const { run } = session
  const { change, removal, taken } = violation.unless ?? {}
  if (change && othersChange(run)) return 'other clients change pets while the run looks at them'
  if (taken !== undefined && (await othersTook(session, taken)))
    return `others seem to have removed or changed pet ${taken} of the run`
  if (removal && (await mayReuse(session, violation)))
    return 'others may have removed the pet that had this id'
  return staleness(violation)
}

/** Milliseconds between two creations in which others hardly remove the pet of the first one alone. */
const tooSoonMs = 10
/** Creations at once, which show whether an id that was seen twice is one of many. */
const burst = 4

/** Whether a new pet may have the id of one that others have removed. */
async function mayReuse(session: Session, { exchanges }: Violation): Promise<boolean> {
  const { run } = session
  const [first, second] = exchanges
  const areCreations = first?.operation === 'createPet' && second?.operation === 'createPet'
  const isTooSoon = areCreations && Math.abs(arrivalOf(first) - arrivalOf(second)) < tooSoonMs
  if (isTooSoon || run.log.repeatedIds.length > 1 || run.options.depth === 'smoke')
    return othersRemove(session)
  await run.once('burst', () => createBurst(session))
  return run.log.repeatedIds.length === 1 || othersRemove(session)
}

async function createBurst(session: Session): Promise<void> {
  const { written, options } = session.run
  const capacity = Math.min(burst, options.maxWrites - written)
  if (options.readOnly || capacity < 2) return
  await awaitAll(Array.from({ length: capacity }, () => attempt(session, {})))
}

/** Why a comparison of several responses shows nothing, where one of them may come from a cache. */
function staleness(violation: Violation): string | undefined {
  const kept = violation.exchanges.find((exchange) => keptSeconds(exchange) > 0)
  if (kept === undefined || violation.exchanges.length === 1) return undefined
  const seconds = keptSeconds(kept)
  const age = seconds === Infinity ? '' : ` and up to ${seconds} s old`
  return `${describe(kept)}, by its headers from a cache${age}: verify behind the cache, or set a longer time with --settle`
}

/** Consecutive reads of a pet, and more changes between them than other clients make meanwhile. */
const readsInARow = 3
const changesByReading = 2
/** How much older a pet must be than one that has changed. */
const longer = 1.2
/** Consecutive reads of a pet that others may have removed. */
const readsOfTaken = 5
/** Pets that are fetched to see whether others change or remove them. */
const mostFetched = 20

/**
 * Whether others may have changed the status of a pet of the run: "Transitions: not shown", and store orders exist. A
 * status that changes with each read is changed by reads; one that no read has shown as sent was not stored.
 */
export async function mayHaveMoved(
  session: Session,
  own: Created,
  found: SeenPet,
): Promise<boolean> {
  const { pet } = own
  if (!found.status || !sameButStatus(found, pet)) return false
  if (own.movedBy === 'others') return true
  if (pet.status === undefined && !(await mayGetStatusLater(session, own))) return false
  const isOverwritten = pet.name === session.run.repeatedName
  const isUnshown = isOverwritten || (pet.status !== undefined && !session.log.wasRead(own))
  if (isUnshown && !(await othersMoveAnother(session, own))) return false
  if (await changesByReads(session, own)) own.movedBy = 'reads'
  if (own.movedBy === 'reads') return false
  own.movedBy = 'others'
  suspectCauses(session)
  session.note(
    `Pet ${pet.id} of the run now has the status ${found.status}: the specification does not say what changes a status.`,
  )
  return true
}

/** Whether a pet without a status may get one later: a read has shown this one, or another one, without. */
async function mayGetStatusLater(session: Session, own: Created): Promise<boolean> {
  const hasShownNone = (): boolean =>
    session.log.created.some((one) => one.pet.status === undefined && session.log.wasRead(one))
  if (!hasShownNone()) await watchNew(session, own)
  return hasShownNone()
}

/** Whether others change the statuses of other pets, too: reads some pets of the run, and then a new one. */
async function othersMoveAnother(session: Session, own: Created): Promise<boolean> {
  const { run } = session
  const { id } = own.pet
  if (othersMove(run, id)) return true
  const some = run.log.created.slice(-mostFetched).map((one) => session.get(one.pet.id))
  // Lists may learn late of changes.
  await awaitAll<unknown>([session.list('/pets?limit=100'), ...some])
  if (othersMove(run, id)) return true
  await watchNew(session, own)
  return othersMove(run, id)
}

/** Whether consecutive reads show other statuses each time. */
async function changesByReads(session: Session, own: Created): Promise<boolean> {
  const seen: unknown[] = []
  while (seen.length < readsInARow) seen.push((await findElsewhere(session, own))?.pet.status)
  return (
    seen.filter((one, place) => place > 0 && one !== seen[place - 1]).length >= changesByReading
  )
}

/**
 * Reads one more pet with the status of a changed one as soon as it is created, and again when it is older than that one
 * was: where it is shown as sent first and changes, too, others move new pets.
 */
async function watchNew(session: Session, { pet, exchange }: Created): Promise<void> {
  const { run } = session
  const wasSent = exchange.plan.body?.includes('"status"') === true
  const status = (wasSent && pet.status) || undefined
  const watched = await run.once(`watched ${status}`, () => createWatched(session, status))
  if (!watched || !session.log.wasRead(watched)) return
  const changed = run.log.catalog.of(pet.id).filter((one) => !samePet(one.pet, pet))
  const seen = changed.map((one) => arrivalOf(one.exchange))
  const age = Math.min(run.transport.elapsed(), ...seen) - arrivalOf(exchange)
  const waitMs = arrivalOf(watched.exchange) + longer * age - run.transport.elapsed()
  await sleep(run.clock, Math.max(0, waitMs), run.transport.signal)
  await findElsewhere(session, watched)
}

/** @throws {NotVerified} when the target takes no more pets, such as for a quota */
async function createWatched(
  session: Session,
  status: PetStatus | undefined,
): Promise<Created | undefined> {
  let rejection: Exchange | undefined
  try {
    const { created, exchange } = await attempt(session, { status })
    if (isRejection(exchange.status)) rejection = exchange
    if (created) await findElsewhere(session, created)
    if (!rejection) return created
  } catch (error) {
    if (error instanceof NotVerified) return undefined
    throw error
  }
  const reason = 'others may have changed a status, and the target takes no pet that would show it'
  throw new NotVerified(`${reason}: ${describe(rejection)}`)
}

/** Whether reads have shown another pet with one status and then with another one. */
function othersMove({ log }: Run, except?: Int64): boolean {
  const { catalog, created } = log
  const read = new Set(created.filter((one) => log.wasRead(one)).map(({ pet }) => pet.id))
  return catalog.all().some((sightings) => {
    const [first, ...others] = sightings.filter(
      ({ pet, exchange }) =>
        pet.id !== except && (exchange.operation !== 'createPet' || read.has(pet.id)),
    )
    return first !== undefined && others.some(({ pet }) => hasOtherStatus(first.pet, pet))
  })
}

/** @throws {NotVerified} when others change statuses: then a pet may have left the list of one */
export function expectNoMoves(run: Run): void {
  if (othersMove(run))
    throw new NotVerified('others change the statuses of pets while the run looks at them')
}

/** Whether others may have removed or changed a pet of the run: it alone, once reads have shown it, or pets of others, too. */
async function othersTook(session: Session, id: Int64): Promise<boolean> {
  const { getRemoved, names, options, repeatedName } = session.run
  const { created, getWorks, lists } = session.log
  const own = created.find(({ pet }) => pet.id === id)
  if (!own || getRemoved || options.depth === 'smoke') return false
  const isIn = ({ pets }: PetList): boolean => pets.some((pet) => sameButStatus(pet, own.pet))
  const wasShown = (session.log.wasRead(own) || lists.some(isIn)) && own.pet.name !== repeatedName
  // A target that loses each new pet would take many reads.
  if (!wasShown && !(await othersRemove(session))) return false
  for (let read = 0; read < readsOfTaken; read += 1) {
    // The lists are read once, below.
    const shown = getWorks
      ? petsOf(await session.get(id))[0]
      : (await findElsewhere(session, own))?.pet
    // Others do not change it back, and do not know the names of the run.
    if (shown && sameButStatus(shown, own.pet)) return false
    if (shown && shown.name !== own.pet.name && names.owns(shown.name)) return false
  }
  const latest = await awaitAll(wide.map((path) => session.list(path)))
  if (latest.some(isIn)) return false
  if (!wasShown) return true
  for (const { pet } of created) {
    if (pet.id === id) continue
    const [shown] = petsOf(await session.get(pet.id))
    if (!shown || !sameButStatus(shown, pet)) return othersRemove(session, latest)
  }
  return true
}

/**
 * Whether a pet of others is gone by now that lists have shown, but getPet has not: reading it has not removed it.
 *
 * @param latest the longest lists, if they were just read
 */
async function othersRemove(session: Session, latest?: readonly PetList[]): Promise<boolean> {
  const { created, catalog } = session.log
  if (session.run.getRemoved) return false
  const known = new Set(created.map(({ pet }) => pet.id))
  const lists =
    latest ?? (await awaitAll(session.sample(wide, [0, 3]).map((path) => session.list(path))))
  for (const { pets } of lists) for (const { id } of pets) known.add(id)
  const isFetched = (id: Int64): boolean => session.log.fetched(id).length > 0
  const missing = catalog.first().filter(({ pet: { id } }) => !known.has(id) && !isFetched(id))
  for (const one of missing.slice(0, mostFetched))
    if (!(await findElsewhere(session, one))) return true
  return false
}

/** Whether two responses to the same request show a pet that others change with different statuses. */
function othersChange({ log: { lists, created } }: Run): boolean {
  const own = new Set(created.flatMap(({ pet, movedBy }) => (movedBy === 'others' ? [] : [pet.id])))
  const known = new Map<string, PetStatus | undefined>()
  for (const { exchange, pets } of lists.filter(({ status }) => status === undefined)) {
    for (const { id, status } of pets.filter((pet) => !own.has(pet.id))) {
      if (status === null) continue
      const key = `${id} ${exchange.plan.path}`
      if (known.has(key) && known.get(key) !== status) return true
      known.set(key, status)
    }
  }
  return false
}
