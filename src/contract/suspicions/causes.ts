import { petStatuses } from '../../spec/operations.ts'
import {
  hasOtherStatus,
  longestList,
  longestLists,
  samePet,
  sightingIn,
  type Created,
  type PetList,
  type Sighting,
} from '../judge/catalog.ts'
import { attempt } from '../session/creation.ts'
import type { Exchange } from '../http/exchange.ts'
import { NotVerified, type Violation } from '../judge/findings.ts'
import type { CreateRequest } from '../http/request-bodies.ts'
import type { Run } from '../session/run.ts'
import type { Session } from '../session/session.ts'
import type { SeenPet } from '../judge/shapes.ts'
import { awaitAll } from '../http/waiting.ts'
import { findElsewhere, rest } from './reads.ts'

/** Lists in a row that each change pets, where reads change them; and reads of a pet that show whether one does. */
const listsInARow = 6
const readsOfOne = 3
/** Creations that show a violation, or none: one of each kind, and another one that agrees. */
const creationsNeeded = 3

/** Lists that show all pets, or as many as lists that are not full do: one of all, or some of one status each. */
type Reading = readonly PetList[]

const [all = '', ...byStatus] = longestLists

/** Reads all pets. Where that list is full, reads those of each status whose list is not. */
async function readAll(session: Session): Promise<Reading> {
  const list = await session.list(all)
  if (list.complete) return [list]
  const lists = await awaitAll(byStatus.map((path) => session.list(path)))
  return lists.filter(({ complete }) => complete)
}

/** Reads the same lists once more. */
const readAgain = (session: Session, reading: Reading): Promise<PetList[]> =>
  awaitAll(reading.map(({ exchange }) => session.list(exchange.plan.path)))

/** The list of a reading that a pet with this status belongs to. */
const listOf = (reading: Reading, status: SeenPet['status']): PetList | undefined =>
  reading.find((list) => list.status === undefined || list.status === status)

/** The pets of a list that a later one, of one status or of all, lacks or shows with another status. */
function changedIn(earlier: PetList, { exchange, pets, status, complete }: PetList): Sighting[] {
  const known = new Map(pets.map((pet) => [pet.id, pet]))
  const hasChanged = (pet: SeenPet): boolean => {
    const now = known.get(pet.id)
    return now === undefined ? complete : hasOtherStatus(pet, now)
  }
  return earlier.pets
    .filter((pet) => (status === undefined || pet.status === status) && hasChanged(pet))
    .map((pet) => ({ pet, exchange, pointer: '' }))
}

/** The pets that a reading shows and a later one lacks, or shows with another status. */
const changedSince = (earlier: Reading, later: Reading): Sighting[] =>
  earlier.flatMap((list, place) => changedIn(list, later[place] ?? list))

/** A pet of the first complete list that the last one lacks, and a pet as it was before it got another status. */
function findChanges({ log: { catalog, lists } }: Run) {
  const complete = lists.filter((list) => list.complete && list.status === undefined)
  const [first] = complete
  const last = new Set(complete.at(-1)?.pets.map(({ id }) => id))
  const pet = first?.pets.find(({ id }) => !last.has(id))
  const moved = catalog
    .all()
    .find(([one, ...later]) => one && later.some(({ pet }) => hasOtherStatus(one.pet, pet)))
  return { gone: first && pet && { pet, exchange: first.exchange }, moved: moved?.[0]?.pet }
}

/** Where pets have other statuses than before, or are gone, finds out by experiments whether others have done that. */
export function suspectCauses(session: Session): void {
  const { gone, moved } = findChanges(session.run)
  if (session.run.options.depth === 'smoke' || (gone ?? moved) === undefined) return
  let looks = 0
  let isAlike = false
  session.suspect({
    kind: 'cause',
    of: 'pets',
    requirements: ['state.reads-change-nothing'],
    async again(later) {
      const violation = await findCause(later, (looks += 1), isAlike)
      // Each look that shows nothing is followed by one with a creation of the other kind.
      if (!violation) isAlike = !isAlike
      return violation
    },
  })
}

/**
 * The changes of others go on while nothing is sent; those of reads and creations come with them, at once.
 *
 * @param isAlike whether to create a pet with the status that the pet that moved has now, or with another one
 */
async function findCause(
  session: Session,
  look: number,
  isAlike: boolean,
): Promise<Violation | undefined> {
  const { run } = session
  const { gone, moved } = findChanges(run)
  // A list that is too short may lack it.
  const areGone = gone !== undefined && !(await findElsewhere(session, gone))
  if (!areGone && moved === undefined) return undefined
  const first = await readAll(session)
  const [longest] = first
  // Every list is full, so that none need show what changes pets.
  if (longest === undefined) return undefined
  await rest(session, longest)
  const readings = [first, await readAgain(session, first)]
  const [known] = longest.pets
  while (readings.length < listsInARow) {
    // Replicas that take turns would look like a change by each list.
    if (readings.length % 2 === 1 && known) await session.get(known.id)
    readings.push(await readAgain(session, first))
  }
  const steps = readings
    .slice(1)
    .map((reading, place) => changedSince(readings[place] ?? reading, reading))
  const [[changed] = []] = steps
  const last = readings.at(-1) ?? first
  // Where each list changes all pets of others, and none of the run, they may have changed each of them more than once.
  const own = new Set(run.log.created.map(({ pet }) => pet.id))
  const isEachOfOthers = steps.every((step, place) => {
    const others = (readings[place] ?? []).flatMap(({ pets }) =>
      pets.filter((pet) => !own.has(pet.id)),
    )
    return step.length === others.length && step.every(({ pet }) => !own.has(pet.id))
  })
  if (changed && !isEachOfOthers && steps.every(({ length }) => length === steps[0]?.length)) {
    const what = `Each of ${listsInARow} lists in a row changes as many pets, such as pet ${changed.pet.id}`
    const lists = [first, last].map((reading) => listOf(reading, changed.pet.status))
    return causedBy(`${what}, whether time passes or not.`, lists, changed)
  }
  const isBusy = steps.some(({ length }) => length > 0)
  if (isBusy || run.options.readOnly) return undefined
  // Later looks go on with what is left.
  if (run.written + (look === 1 ? creationsNeeded : 1) > run.options.maxWrites)
    throw new NotVerified(
      'pets have changed, and the run may create no more (--max-writes), which would show whether creations change them',
    )
  const shown = last.flatMap(({ pets }) => pets)
  const now = shown.find(({ id }) => id === moved?.id)?.status ?? undefined
  if (isAlike && !areGone && now !== undefined) {
    // In the category of a pet that it could change as well.
    const { categoryId } = shown.find(({ status }) => status && status !== now) ?? {}
    const alike = { status: now, categoryId: categoryId ?? undefined, areGone }
    const found = await createAmid(session, last, alike)
    return found && 'requirement' in found ? found : undefined
  }
  const status = [moved?.status ?? undefined, ...petStatuses].find((one) => one && one !== now)
  const created = await createAmid(session, last, { status, areGone })
  if (!created || 'requirement' in created) return created
  // Each time at another age: others may change a new pet at a certain one.
  if (areGone) return undefined
  await rest(session, longest, look * run.windowMs)
  return readNew(session, created, await readAgain(session, last))
}

/** Creates a pet between two rounds of lists. Returns a violation if another pet is changed or gone. */
async function createAmid(
  session: Session,
  last: Reading,
  { areGone, status, categoryId }: CreateRequest & { areGone: boolean },
): Promise<Created | Violation | undefined> {
  // Lists of the other statuses leave the new pet unread.
  const paths = areGone ? [all] : byStatus.filter((path) => path !== longestList(status))
  const listAll = (): Promise<PetList[]> => awaitAll(paths.map((path) => session.list(path)))
  const before = await listAll()
  const { created } = await attempt(session, { status, categoryId })
  if (!created) return undefined
  const [victim] = (await listAll()).flatMap((list, index) =>
    changedIn(before[index] ?? list, list),
  )
  // A list that is too short may lack it.
  const still = victim && (await findElsewhere(session, victim))
  if (!victim || (still && !hasOtherStatus(victim.pet, still.pet))) return created
  const what = `Creating pet ${created.pet.id} changes or removes pet ${victim.pet.id}`
  return causedBy(
    `${what}, which stays as it is while nothing is created.`,
    [listOf(last, victim.pet.status), created, victim],
    victim,
  )
}

/** Reads a new pet for the first times, once every replica has it. */
async function readNew(
  session: Session,
  { pet, exchange }: Created,
  reading: Reading,
): Promise<Violation | undefined> {
  const gets: Exchange[] = []
  while (gets.length < readsOfOne) gets.push(await session.get(pet.id))
  const again = await readAgain(session, reading)
  const seenIn = (responses: readonly Exchange[]): Sighting | undefined =>
    responses.flatMap((response) => sightingIn(response, pet.id) ?? [])[0]
  const seenInLists = (lists: Reading): Sighting | undefined =>
    seenIn(lists.map((list) => list.exchange))
  // Lists may learn later of changes than getPet.
  const pairs = [
    [seenInLists(reading), seenInLists(again)] as const,
    ...gets.slice(1).map((get) => [seenIn(gets.slice(0, 1)), seenIn([get])] as const),
  ]
  for (const [shown, changed] of pairs) {
    if (!shown || !changed || !samePet(shown.pet, pet) || !hasOtherStatus(pet, changed.pet))
      continue
    const what = `Pet ${pet.id} has the status ${pet.status} until it is read`
    return causedBy(
      `${what}; the next read shows ${changed.pet.status}.`,
      [{ exchange }, shown, changed],
      changed,
    )
  }
  return undefined
}

const causedBy = (
  message: string,
  seen: readonly ({ exchange: Exchange } | undefined)[],
  { pet, pointer }: Sighting,
): Violation => ({
  requirement: 'state.reads-change-nothing',
  alsoBreaks: ['service.catalog'],
  message,
  pointer,
  expected: 'reads and creations change no other pet',
  actual: `pet ${pet.id} was changed`,
  exchanges: seen.flatMap((one) => one?.exchange ?? []),
})
