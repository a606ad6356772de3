import { petStatuses } from '../../spec/operations.ts'
import {
  hasOtherStatus,
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
import { findElsewhere, type Session } from '../session/session.ts'
import type { SeenPet } from '../judge/shapes.ts'
import { awaitAll, sleep } from '../http/waiting.ts'

/** How long nothing is sent before an experiment: so often the time of a list, within limits, so that others act in it. */
const restLists = 60
const [shortestRestMs, longestRestMs] = [500, 4_000]
/** Lists in a row that each change pets, where reads change them; and reads of a pet that show whether one does. */
const listsInARow = 6
const readsOfOne = 3
/** Creations that show a violation, or none: one of each kind, and another one that agrees. */
const creationsNeeded = 3

const readAll = (session: Session): Promise<PetList> => session.list('/pets?limit=100')

/** Sends nothing for a while, at least for `ms`, and then the list once more. */
export async function listAfterRest(
  session: Session,
  { exchange, complete }: PetList,
  ms = 0,
): Promise<PetList> {
  if (!complete) throw new NotVerified('the list is full, so it need not show what changes pets')
  const { clock, transport } = session.run
  const usual = Math.min(longestRestMs, Math.max(shortestRestMs, restLists * exchange.durationMs))
  await sleep(clock, Math.max(ms, usual), transport.signal)
  return readAll(session)
}

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

/** A pet of the first complete list that the last one lacks, and a pet as it was before it got another status; nothing where lists are full. */
function findChanges({ log: { catalog, lists } }: Run) {
  const complete = lists.filter((list) => list.complete && list.status === undefined)
  const [first] = complete
  if (first === undefined) return {}
  const last = new Set(complete.at(-1)?.pets.map(({ id }) => id))
  const pet = first.pets.find(({ id }) => !last.has(id))
  const moved = catalog
    .all()
    .find(([one, ...later]) => one && later.some(({ pet }) => hasOtherStatus(one.pet, pet)))
  return { gone: pet && { pet, exchange: first.exchange }, moved: moved?.[0]?.pet }
}

/** Where pets have other statuses than before, or are gone, finds out by experiments whether others have done that. */
export function suspectCauses(session: Session): void {
  const { gone, moved } = findChanges(session.run)
  if (session.run.options.depth === 'smoke' || (gone ?? moved) === undefined) return
  let looks = 0
  let isAlike = false
  // Each look that shows nothing is followed by one with a creation of the other kind.
  const again = async (): Promise<Violation | undefined> => {
    const violation = await findCause(session, (looks += 1), isAlike)
    if (!violation) isAlike = !isAlike
    return violation
  }
  session.suspect({
    kind: 'cause',
    of: 'pets',
    requirements: ['state.reads-change-nothing'],
    again,
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
  const lists = [first, await listAfterRest(session, first)]
  while (lists.length < listsInARow) {
    // Replicas that take turns would look like a change by each list.
    if (lists.length % 2 === 1 && first.pets[0]) await session.get(first.pets[0].id)
    lists.push(await readAll(session))
  }
  const steps = lists.slice(1).map((list, index) => changedIn(lists[index] ?? list, list))
  const [[changed] = []] = steps
  const last = lists.at(-1) ?? first
  if (changed && steps.every(({ length }) => length === steps[0]?.length)) {
    const what = `Each of ${listsInARow} lists in a row changes as many pets, such as pet ${changed.pet.id}`
    return causedBy(`${what}, whether time passes or not.`, [first, last], changed)
  }
  const isBusy = steps.some(({ length }) => length > 0)
  if (isBusy || run.options.readOnly) return undefined
  // Later looks go on with what is left.
  if (run.written + (look === 1 ? creationsNeeded : 1) > run.options.maxWrites)
    throw new NotVerified(
      'pets have changed, and the run may create no more (--max-writes), which would show whether creations change them',
    )
  const now = last.pets.find(({ id }) => id === moved?.id)?.status ?? undefined
  if (isAlike && !areGone && now !== undefined) {
    // In the category of a pet that it could change as well.
    const { categoryId } = last.pets.find(({ status }) => status && status !== now) ?? {}
    const alike = { status: now, categoryId: categoryId ?? undefined, areGone }
    const found = await createAmid(session, last, alike)
    return found && 'requirement' in found ? found : undefined
  }
  const status = [moved?.status ?? undefined, ...petStatuses].find((one) => one && one !== now)
  const created = await createAmid(session, last, { status, areGone })
  if (!created || 'requirement' in created) return created
  // Each time at another age: others may change a new pet at a certain one.
  return areGone
    ? undefined
    : readNew(session, created, await listAfterRest(session, last, look * run.windowMs))
}

/** Creates a pet between two rounds of lists. Returns a violation if another pet is changed or gone. */
async function createAmid(
  session: Session,
  last: PetList,
  { areGone, status, categoryId }: CreateRequest & { areGone: boolean },
): Promise<Created | Violation | undefined> {
  // Lists of the other statuses leave the new pet unread.
  const others = petStatuses
    .filter((one) => one !== status)
    .map((one) => `/pets?status=${one}&limit=100`)
  const listAll = (): Promise<PetList[]> =>
    awaitAll((areGone ? ['/pets?limit=100'] : others).map((path) => session.list(path)))
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
    [last, created, victim],
    victim,
  )
}

/** Reads a new pet for the first times, once every replica has it. */
async function readNew(
  session: Session,
  { pet, exchange }: Created,
  list: PetList,
): Promise<Violation | undefined> {
  const gets: Exchange[] = []
  while (gets.length < readsOfOne) gets.push(await session.get(pet.id))
  const again = await readAll(session)
  // Lists may learn later of changes than getPet.
  const pairs = [
    [list.exchange, again.exchange] as const,
    ...gets.slice(1).map((get) => [gets[0], get] as const),
  ]
  for (const [one, other] of pairs) {
    const [shown, changed] = [one, other].map(
      (response) => response && sightingIn(response, pet.id),
    )
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
