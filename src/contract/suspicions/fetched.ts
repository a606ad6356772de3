import { arrivalOf } from '../http/exchange.ts'
import { awaitAll } from '../http/waiting.ts'
import { expectWhole, longestList, samePet, type Created, type Sighting } from '../judge/catalog.ts'
import { petsOf } from '../judge/expect.ts'
import { judgeListed, judgeStored, type Sighted } from '../judge/fetched.ts'
import { NotVerified, type Violation } from '../judge/findings.ts'
import type { SeenPet } from '../judge/shapes.ts'
import type { Session, Suspected } from '../session/session.ts'
import { haveOthersMoved, isChanged } from './questions.ts'

/** Further reads in a re-check, to catch intermittent faults. */
const readsAtOnce = 6

/** Demands that getPet shows a created pet as createPet returned it. */
export async function expectStored(session: Session, created: Created): Promise<void> {
  const { pet, exchange } = created
  await session.checkRemovalOfGet(pet.id)
  if (session.run.getRemoved) return
  const violation = await readCreated(session, created)
  // Only a missing pet is a delay, not another pet.
  const isMissing = violation?.exchanges.at(-1)?.status === 404
  if (!violation || isMissing)
    session.observe('create.visibility', isMissing ? 'delayed' : 'immediate', exchange)
  const suspicion: Suspected = {
    kind: 'stored',
    of: String(pet.id),
    requirements: ['create.stored'],
    again: (later) => readInARow(later, () => readCreated(later, created)),
  }
  suspect(session, violation, suspicion, arrivalOf(exchange))
  expectWhole([pet])
}

/** Fetches a created pet. Returns a violation when getPet does not show it as createPet returned it. */
export async function readCreated(
  session: Session,
  created: Created,
): Promise<Violation | undefined> {
  if (!session.log.created.includes(created))
    throw new NotVerified(`pet ${created.pet.id} was replaced by another pet`)
  const response = await session.get(created.pet.id)
  const [shown] = response.status === 200 ? petsOf(response) : []
  if (shown && !(await isChanged(session, created, shown))) return undefined
  return judgeStored(created, response, session.log, session.run.assumptions)
}

/** Demands that getPet shows a listed pet with the same fields. */
export async function expectFound(session: Session, sighting: Sighting): Promise<void> {
  const { pet, exchange } = sighting
  const violation = await readListed(session, sighting)
  const suspicion: Suspected = {
    kind: 'get',
    of: String(pet.id),
    requirements: ['get.by-id'],
    again: (later) => findAgain(later, sighting),
  }
  suspect(session, violation, suspicion, session.log.isOld(pet.id) ? -Infinity : exchange.sentAt)
}

/** Fetches a listed pet. Returns a violation when getPet does not show it as the list does. */
async function readListed(session: Session, listed: Sighted): Promise<Violation | undefined> {
  const { log, run } = session
  return judgeListed(listed, await session.get(listed.pet.id), log, run.assumptions)
}

/** Other clients may have changed the pet: the list must show it unchanged before and after. */
async function findAgain(
  session: Session,
  { pet, exchange }: Sighting,
): Promise<Violation | undefined> {
  const first = await session.list(exchange.plan.path)
  // The pet may have left a short page; the longest list of its status still shows it.
  const isThere = first.pets.some(({ id }) => id === pet.id)
  const before = isThere || !pet.status ? first : await session.list(longestList(pet.status))
  const { path } = before.exchange.plan
  const shown = before.pets.find(({ id }) => id === pet.id)
  if (!shown) return compareOthers(session)
  const seen = { pet: shown, exchange: before.exchange }
  const look = () => readListed(session, seen)
  const violation = await readInARow(session, look)
  const found =
    violation && (await isMovedOwn(session, shown, violation)) ? await look() : violation
  const after = found && (await session.list(path)).pets.find(({ id }) => id === shown.id)
  return after && samePet(shown, after) ? found : undefined
}

/** Whether a list and getPet differ because others change the status of a pet of the run. */
async function isMovedOwn(
  session: Session,
  listed: SeenPet,
  { exchanges }: Violation,
): Promise<boolean> {
  const own = session.log.created.find(({ pet }) => pet.id === listed.id)
  const shown = [listed, ...exchanges.slice(1).flatMap((exchange) => petsOf(exchange))]
  const moved = shown.find(({ status }) => status !== own?.pet.status)
  return own !== undefined && moved !== undefined && haveOthersMoved(session, own, moved)
}

/** Defers a violation to a re-check, unless no delay explains it. */
function suspect(
  session: Session,
  violation: Violation | undefined,
  suspicion: Suspected,
  seenAt: number,
): void {
  if (violation?.requirement === 'get.until-removal') session.report(violation)
  else if (violation) session.suspect(suspicion, seenAt)
}

async function readInARow(
  { run }: Session,
  look: () => Promise<Violation | undefined>,
): Promise<Violation | undefined> {
  const found = await look()
  if (found || run.options.depth === 'smoke') return found
  // Requests at once reach several servers, of which one may differ.
  return (await awaitAll(Array.from({ length: readsAtOnce }, look))).find(
    (one) => one !== undefined,
  )
}

/** If none of the listed pets can be fetched, the ids of the list are not those of getPet. */
async function compareOthers(session: Session): Promise<Violation | undefined> {
  const { pets, exchange } = await session.list(longestList())
  // From all of the list, and at once: others may remove the eldest ones meanwhile.
  const step = Math.max(1, (pets.length - 1) / (readsAtOnce - 1))
  const places = Array.from({ length: readsAtOnce }, (_, nth) => Math.round(nth * step))
  const some = [...new Set(places)].flatMap((place) => pets[place] ?? [])
  const violations = (
    await awaitAll(some.map((pet) => readListed(session, { pet, exchange })))
  ).filter((violation) => violation !== undefined)
  const [first] = violations
  if (violations.length < Math.max(2, some.length) || !first) return undefined
  // So many pets are not all new.
  const isLate = first.unless?.late === true && violations.length < readsAtOnce
  return { ...first, unless: { ...first.unless, late: isLate } }
}
