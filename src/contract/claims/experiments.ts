import { petStatuses } from '../../spec/operations.ts'
import type { Int64, PetStatus } from '../../spec/types.ts'
import type { Exchange } from '../http/exchange.ts'
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
import { NotVerified, type Violation } from '../judge/findings.ts'
import type { Log } from '../judge/run-log.ts'
import {
  readElsewhere,
  readPets,
  readLists,
  pose,
  type Judging,
  type Look,
} from '../judge/questions.ts'
import type { SeenPet } from '../judge/shapes.ts'

/**
 * Lists in a row that each change as many pets, where reads change them: others do that by chance between two or three.
 * And reads of a pet that show whether one does: the second, or the one after a cache was filled.
 */
const listsInARow = 6
const readsOfOne = 3
/** Creations that show a violation, or none: one of each kind, and another one that agrees. */
const creationsNeeded = 3
/**
 * How long nothing is sent before an experiment: so often the time of a list, within limits, so that others act in it more
 * often than between two lists. With less, what they do looks like an effect of the lists; with more, a run takes a minute.
 */
const restLists = 60
const [shortestRestMs, longestRestMs] = [500, 4_000]

/** Lists that show all pets, or as many as lists that are not full do: one of all, or some of one status each. */
type Reading = readonly PetList[]

const [all = '', ...byStatus] = longestLists

const pathsOf = (reading: Reading): string[] => reading.map(({ exchange }) => exchange.plan.path)

/** Reads lists in the order of their paths, whichever response comes first. */
function* read(
  look: Look,
  what: string,
  paths: readonly string[],
  notBefore?: number,
): Judging<PetList[]> {
  const shown = yield* readLists(look, what, paths, notBefore)
  return paths.flatMap((path) => shown.find(({ exchange }) => exchange.plan.path === path) ?? [])
}

/** Reads all pets. Where that list is full, reads those of each status whose list is not. */
function* readAll(look: Look): Judging<Reading> {
  const one = yield* read(look, 'all pets', [all])
  if (one.some(({ complete }) => complete)) return one
  return (yield* read(look, 'each status', byStatus)).filter(({ complete }) => complete)
}

/** When others have had time to act after a list. */
const restAfter = ({ exchange: { durationMs } }: PetList, { log }: Look, ms = 0): number =>
  log.now + Math.max(ms, Math.min(longestRestMs, Math.max(shortestRestMs, restLists * durationMs)))

/** The list of a reading that a pet with this status belongs to. */
const listOf = (reading: Reading, status: SeenPet['status']): PetList | undefined =>
  reading.find((list) => list.filter === '' || list.status === status)

/** The pets of a list that a later one, of one status or of all, lacks or shows with another status. */
function changedIn(earlier: PetList, { exchange, pets, matches, complete }: PetList): Sighting[] {
  const known = new Map(pets.map((pet) => [pet.id, pet]))
  const hasChanged = (pet: SeenPet): boolean => {
    const now = known.get(pet.id)
    return now === undefined ? complete : hasOtherStatus(pet, now)
  }
  return earlier.pets
    .filter((pet) => matches(pet) && hasChanged(pet))
    .map((pet) => ({ pet, exchange, pointer: '' }))
}

/** The pets that a reading shows and a later one lacks, or shows with another status. */
const changedSince = (earlier: Reading, later: Reading): Sighting[] =>
  earlier.flatMap((list, place) => changedIn(list, later[place] ?? list))

/** A pet of the first complete list that the last one lacks, and a pet as it was before it got another status. */
function findChanges({ catalog, lists }: Log) {
  const complete = lists.filter((list) => list.complete && list.filter === '')
  const [first] = complete
  const last = new Set(complete.at(-1)?.pets.map(({ id }) => id))
  const pet = first?.pets.find(({ id }) => !last.has(id))
  const moved = catalog
    .all()
    .find(([one, ...later]) => one && later.some(({ pet }) => hasOtherStatus(one.pet, pet)))
  return { gone: first && pet && { pet, exchange: first.exchange }, moved: moved?.[0]?.pet }
}

/** Whether pets have other statuses than before, or are gone: experiments show whether others have done that. */
export function havePetsChanged(log: Log): boolean {
  const { gone, moved } = findChanges(log)
  return (gone ?? moved) !== undefined
}

/**
 * Whether reads or creations change pets. The changes of others go on while nothing is sent; those of reads and creations
 * come with them, at once.
 */
export function* judgeExperiment(_: unknown, look: Look): Judging<Violation | undefined> {
  const { log, assumptions, earlier } = look
  const { gone, moved } = findChanges(log)
  // A list that is too short may lack it.
  const areGone = gone !== undefined && !(yield* readElsewhere(look, 'a pet that is gone', gone))
  if (!areGone && moved === undefined) return undefined
  const first = yield* readAll(look)
  const [longest] = first
  // Every list is full, so that none need show what changes pets.
  if (longest === undefined) return undefined
  const paths = pathsOf(first)
  const readings = [first, yield* read(look, 'after a rest', paths, restAfter(longest, look))]
  const [known] = longest.pets
  while (readings.length < listsInARow) {
    const nth = `reading ${readings.length}`
    // Replicas that take turns would look like a change by each list.
    if (readings.length % 2 === 1 && known) yield* readPets(look, `a pet before ${nth}`, [known.id])
    readings.push(yield* read(look, nth, paths))
  }
  const steps = readings
    .slice(1)
    .map((reading, place) => changedSince(readings[place] ?? reading, reading))
  const [[changed] = []] = steps
  const last = readings.at(-1) ?? first
  // Where each list changes all pets of others, and none of the run, they may have changed each of them more than once.
  const isEachOfOthers = steps.every((step, place) => {
    const others = (readings[place] ?? []).flatMap(({ pets }) =>
      pets.filter(({ id }) => !log.isOwn(id)),
    )
    return step.length === others.length && step.every(({ pet }) => !log.isOwn(pet.id))
  })
  if (changed && !isEachOfOthers && steps.every(({ length }) => length === steps[0]?.length)) {
    const what = `Each of ${listsInARow} lists in a row changes as many pets, such as pet ${changed.pet.id}`
    const shown = [first, last].map((reading) => listOf(reading, changed.pet.status))
    return causedBy(`${what}, whether time passes or not.`, shown, changed)
  }
  const isBusy = steps.some(({ length }) => length > 0)
  const { writesLeft } = assumptions
  if (isBusy || writesLeft === undefined) return undefined
  // Later looks go on with what is left.
  if (writesLeft < (earlier.length === 0 ? creationsNeeded : 1))
    throw new NotVerified(
      'pets have changed, and the run may create no more (--max-writes), which would show whether creations change them',
    )
  const shown = last.flatMap(({ pets }) => pets)
  const now = shown.find(({ id }) => id === moved?.id)?.status ?? undefined
  // Each look that shows nothing is followed by one with a creation of the other kind.
  const isAlike = earlier.filter(({ found }) => found === false).length % 2 === 1
  if (isAlike && !areGone && now !== undefined) {
    // With the status that the pet that moved has now, in the category of a pet that it could change as well.
    const { categoryId } = shown.find(({ status }) => status && status !== now) ?? {}
    const alike = { status: now, categoryId: categoryId ?? undefined, areGone }
    const found = yield* createAmid(last, alike, look)
    return found && 'requirement' in found ? found : undefined
  }
  const status = [moved?.status ?? undefined, ...petStatuses].find((one) => one && one !== now)
  const created = yield* createAmid(last, { status, areGone }, look)
  if (!created || 'requirement' in created) return created
  // Each time at another age: others may change a new pet at a certain one.
  if (areGone) return undefined
  const at = restAfter(longest, look, (earlier.length + 1) * assumptions.windowMs)
  return yield* readRepeatedly(
    created,
    yield* read(look, 'before a new pet is read', pathsOf(last), at),
    look,
  )
}

/** Creates a pet between two rounds of lists. Returns a violation if another pet is changed or gone. */
function* createAmid(
  last: Reading,
  {
    areGone,
    ...pet
  }: { areGone: boolean; status: PetStatus | undefined; categoryId?: Int64 | undefined },
  look: Look,
): Judging<Created | Violation | undefined> {
  const { log, key } = look
  // Lists of the other statuses leave the new pet unread.
  const paths = areGone ? [all] : byStatus.filter((path) => path !== longestList(pet.status))
  const before = yield* read(look, 'before a creation', paths)
  const creation = yield* pose(log, { purpose: `${key}, a creation`, create: { times: 1, ...pet } })
  const created = log.created.find(({ exchange }) => creation.includes(exchange))
  if (!created) return undefined
  const [victim] = changedSince(before, yield* read(look, 'after a creation', paths))
  // A list that is too short may lack it.
  const still =
    victim && (yield* readElsewhere(look, 'a pet that a creation may have changed', victim))
  if (!victim || (still && !hasOtherStatus(victim.pet, still.pet))) return created
  const what = `Creating pet ${created.pet.id} changes or removes pet ${victim.pet.id}`
  return causedBy(
    `${what}, which stays as it is while nothing is created.`,
    [listOf(last, victim.pet.status), created, victim],
    victim,
  )
}

/** Reads a new pet for the first times, once every replica has it. */
function* readRepeatedly(
  { pet, exchange }: Created,
  reading: Reading,
  look: Look,
): Judging<Violation | undefined> {
  const responses: Exchange[] = []
  for (let nth = 1; nth <= readsOfOne; nth += 1)
    responses.push(...(yield* readPets(look, `a new pet, read ${nth}`, [pet.id])))
  const again = yield* read(look, 'after a new pet was read', pathsOf(reading))
  const firstSighting = (some: readonly Exchange[]): Sighting | undefined =>
    some.flatMap((response) => sightingIn(response, pet.id) ?? [])[0]
  const seenInLists = (some: Reading): Sighting | undefined =>
    firstSighting(some.map((list) => list.exchange))
  // Lists may learn later of changes than getPet.
  const pairs = [
    [seenInLists(reading), seenInLists(again)] as const,
    ...responses
      .slice(1)
      .map((get) => [firstSighting(responses.slice(0, 1)), firstSighting([get])] as const),
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
