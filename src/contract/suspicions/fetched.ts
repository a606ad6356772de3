import {
  changes,
  expectWhole,
  longestList,
  sameButStatus,
  samePet,
  type PetList,
  type Created,
  type Sighting,
} from '../judge/catalog.ts'
import { arrivalOf, type Exchange } from '../http/exchange.ts'
import { describe, isAbsent, petsOf, wrongStatus } from '../judge/expect.ts'
import type { SeenPet } from '../judge/shapes.ts'
import { NotVerified, type Violation } from '../judge/findings.ts'
import type { Session, Suspected } from '../session/session.ts'
import { awaitAll } from '../http/waiting.ts'
import { mayFindLater, movedBy } from '../judge/explanations.ts'
import { haveOthersMoved } from './questions.ts'

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
  const found = compare(session, 'createPet', created, response)
  const [shown] = found && response.status === 200 ? petsOf(response) : []
  if (shown && (await haveOthersMoved(session, created, shown))) return undefined
  const isByReads = movedBy(created, session.log) === 'reads'
  if (!found || !(session.log.wasRead(created) || isByReads)) return found
  const requirement = isByReads ? 'state.reads-change-nothing' : found.requirement
  return {
    ...found,
    requirement,
    alsoBreaks: [found.requirement, ...(found.alsoBreaks ?? []), 'state.reads-change-nothing'],
  }
}

/** Demands that getPet shows a listed pet with the same fields. */
export async function expectFound(session: Session, sighting: Sighting): Promise<void> {
  const { pet, exchange } = sighting
  const violation = compare(session, 'listPets', sighting, await session.get(pet.id))
  const suspicion: Suspected = {
    kind: 'get',
    of: String(pet.id),
    requirements: ['get.by-id'],
    again: (later) => findAgain(later, sighting),
  }
  suspect(session, violation, suspicion, session.log.isOld(pet.id) ? -Infinity : exchange.sentAt)
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
  if (!shown) return compareOthers(session, first)
  const seen = { pet: shown, exchange: before.exchange }
  const look = async () => compare(session, 'listPets', seen, await session.get(shown.id))
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
async function compareOthers(
  session: Session,
  { pets, exchange }: PetList,
): Promise<Violation | undefined> {
  const violations: Violation[] = []
  for (const pet of pets.slice(0, readsAtOnce)) {
    const violation = compare(session, 'listPets', { pet, exchange }, await session.get(pet.id))
    if (!violation) return undefined
    violations.push(violation)
  }
  const [first] = violations
  if (violations.length < 2 || !first) return undefined
  // So many pets are not all new.
  const isLate = first.unless?.late === true && violations.length < readsAtOnce
  return { ...first, unless: { ...first.unless, late: isLate } }
}

/** Where getPet contradicts createPet or listPets. */
function compare(
  { run }: Session,
  by: 'createPet' | 'listPets',
  { pet, exchange }: Pick<Sighting, 'pet' | 'exchange'>,
  response: Exchange,
): Violation | undefined {
  const exchanges = [exchange, response]
  const requirement = by === 'createPet' ? 'create.stored' : 'get.by-id'
  const taken = by === 'createPet' && { taken: pet.id }
  if (isAbsent(response.status)) {
    return wrongStatus(
      response,
      response.status === 404 ? requirement : 'get.until-removal',
      '200 and the Pet',
      {
        alsoBreaks: run.log.getWorks ? ['get.success'] : ['get.success', 'get.until-removal'],
        message: `${describe(response)}, although ${by} ${by === 'createPet' ? 'returned' : 'shows'} a pet with that id.`,
        exchanges,
        unless: {
          late:
            response.status === 404 &&
            mayFindLater({ pet, exchange }, by, response, run.log, run.assumptions),
          ...taken,
        },
      },
    )
  }
  const [found] = response.status === 200 ? petsOf(response) : []
  const changed = found && changes(pet, found)
  if (changed === undefined) return undefined
  const message = `getPet and ${by} show pet ${pet.id} differently: ${changed}.`
  const common = { message, expected: `the same Pet that ${by} shows`, actual: changed, exchanges }
  if (by === 'createPet')
    return {
      ...common,
      unless: { ...taken },
      requirement,
      alsoBreaks: ['get.by-id'],
      cause: 'another pet',
    }
  // No status at all is no other one.
  const onlyStatus = found?.status !== undefined && sameButStatus(pet, found)
  const isOwn = run.log.created.some(
    (created) => created.pet.id === pet.id && movedBy(created, run.log) !== 'others',
  )
  const isEchoed = onlyStatus && exchange.plan.path.includes('status=')
  return {
    ...common,
    requirement: isEchoed ? 'list.status.filter' : requirement,
    ...(isEchoed && { alsoBreaks: ['get.by-id'] }),
    ...(onlyStatus && !isOwn && { unless: { changed: true, late: true } }),
    cause: 'shown differently',
  }
}
