import type { Int64 } from '../../spec/types.ts'
import { arrivalOf, type Exchange } from '../http/exchange.ts'
import {
  longestLists,
  sameButStatus,
  sightingIn,
  widePaths,
  type Created,
  type PetList,
} from './catalog.ts'
import { petsOf } from './expect.ts'
import type { Violation } from './findings.ts'
import {
  longer,
  mostFetched,
  pose,
  shownIn,
  type Assumptions,
  type Judging,
  type Question,
  type Read,
} from './questions.ts'
import { nameOfRun, type Log, type RepeatedId } from './run-log.ts'

export const removed = 'others seem to have removed or changed pet ID of the run'
const swept =
  'all pets of the run were removed at once, and later ones were not: a job that removes test pets, or a reset, seems to have run meanwhile; verify when none does'
export const idReused = 'others may have removed the pet that had this id'

/** Reads of a pet that others may have removed: of two servers, of which one has lost it, all reach that one in 1 of 32 cases. */
const readsOfRemoved = 5

/** Whether others may have removed or changed a pet of the run: it alone, once reads have shown it, or pets of others, too. */
export function* judgeOwnPetRemoved(
  { unless, exchanges }: Violation,
  log: Log,
  assumptions: Assumptions,
): Judging<string | undefined> {
  const { created, lists, names } = log
  const id = unless?.ownPetRemoved
  const own = id !== undefined && log.own(id)
  if (!own || assumptions.getRemoved || assumptions.isSmoke) return undefined
  // Only what is sent after the claim decides.
  const since = `since ${Math.round(Math.max(...exchanges.map(arrivalOf)))}`
  const key = `pet ${id} ${since}`
  const isIn = ({ pets }: PetList): boolean => pets.some((pet) => sameButStatus(pet, own.pet))
  // Where getPet finds new pets late, others may remove one before.
  const isFoundLate = ({ pet }: Created): boolean =>
    log.fetched(pet.id).length > 0 &&
    log.exchanges.find(({ plan }) => plan.pet === pet.id)?.status === 404
  const wasShown = (): boolean =>
    (log.wasShownAsCreated(own) || lists.some(isIn) || created.some(isFoundLate)) &&
    own.pet.name !== names.repeated
  // The reads for an earlier claim show that it is not alone.
  if (readingWithout(own, log) !== undefined) return yield* judgeSweep(own, since, log)
  // A target that loses each new pet would take many reads.
  const isLost = !wasShown() && !(yield* othersRemoveTheirs(`${key}, first`, log, assumptions))
  if (isLost && !wasShown()) return yield* judgeSweep(own, since, log)
  for (let read = 1; read <= readsOfRemoved; read += 1) {
    // The lists are read once, below.
    const reads = [log.getWorks ? { get: id } : { find: own }]
    const shown = shownIn(yield* pose(log, { purpose: `${key}, read ${read}`, reads }), id)
    // Others do not change it back, and do not know the names of the run.
    if (shown && sameButStatus(shown, own.pet)) return undefined
    if (shown && shown.name !== own.pet.name && names.owns(shown.name)) return undefined
  }
  const reads = longestLists.map((list) => ({ list }))
  const latest = new Set(yield* pose(log, { purpose: rereadOf(key), reads }))
  if (lists.some((list) => latest.has(list.exchange) && isIn(list))) return undefined
  const possible = removed.replace('ID', String(id))
  if (!wasShown()) return possible
  for (const { pet } of created) {
    if (pet.id === id) continue
    const other = { purpose: `${key}, pet ${pet.id}`, reads: [{ get: pet.id }] }
    const shown = shownIn(yield* pose(log, other), pet.id)
    if (shown && sameButStatus(shown, pet)) continue
    const others = yield* othersRemoveTheirs(key, log, assumptions)
    return others ? possible : yield* judgeSweep(own, since, log)
  }
  return possible
}

/**
 * Looks at two new pets after a loss, until they are older than the youngest lost one; and pairs that are not there together.
 * Fewer looks miss the time in which a service has lost the first pet alone. A job may part one pair between its two reads,
 * and has then taken the first pet of the next one: such a pair shows nothing, but as the last of `mostPairs`.
 */
const [looksAfterLoss, pairsApart, mostPairs] = [12, 2, 3]
/**
 * The age of a new pet when the next one is created, as a share of that age, within limits; and the longest watch. With
 * less between them, a look finds both or none; what takes longer to be lost than the watch looks like a job.
 */
const [apart, leastApartMs, mostApartMs, longestWatchMs] = [0.15, 50, 500, 15_000]
/** Requests beside the looks, for what gets lost after so many: what takes more looks like a job, and more would be a quarter of a run. */
const mostRequests = 40

/**
 * Whether a job has removed all pets of the run that were there at a moment, once or at intervals. A service that loses its
 * pets loses the next ones, too: of two that are created one after the other, the first one earlier, so that both are
 * never there, or the second one alone. A job takes both at once, or leaves them.
 */
function* judgeSweep(own: Created, since: string, log: Log): Judging<string | undefined> {
  if (!log.created.some((one) => log.wasShownAsCreated(one))) return undefined
  const all = readingWithout(own, log) ?? `${petsOfRun} ${since}`
  const found = yield* watchForSweep(own, all, log)
  if (found === undefined) return undefined
  // What a job has removed does not return; what one of several servers lacks does.
  const last = `at last, ${all}`
  yield* pose(log, readEach(last, sortOut(all, log).gone))
  return sortOut(last, log).there.length > 0 ? undefined : found
}

function* watchForSweep(own: Created, all: string, log: Log): Judging<string | undefined> {
  yield* pose(log, readEach(all, log.created))
  if (readings(log).some((purpose) => areReadAway(purpose, log))) return undefined
  if (!wereEldest(own, all, log)) {
    // The job may have come between these reads.
    const again = `again, ${all}`
    yield* pose(log, readEach(again, log.created))
    if (!wereEldest(own, again, log)) return undefined
  }
  const pets: Created[] = []
  for (let missed = 0; missed < pairsApart && pets.length <= mostPairs;) {
    const before = pets.at(-1)
    const create = `after a loss, pet ${pets.length + 1}`
    const age = pets[0] && leastAgeOfLost(pets[0], log)
    if (before && age) {
      const apartMs = Math.min(mostApartMs, Math.max(leastApartMs, apart * age.ms))
      const notBefore = arrivalOf(before.exchange) + apartMs
      // A service that removes what was read so often removes the older one first, too.
      const reads = readEach(`before ${create}`, [before, before], readOthers(0.2 * age.requests))
      yield* pose(log, { ...reads, notBefore })
    }
    const creation = { purpose: create, create: { status: undefined, times: 1 } }
    const responses = yield* pose(log, creation)
    const next = log.created.find(({ exchange }) => responses.includes(exchange))
    // The run may create no more.
    if (!next) return swept
    pets.push(next)
    if (!before || !age) continue
    const pair = `after it, ${pets.length - 1} and ${pets.length}`
    yield* pose(log, readEach(pair, [before, next]))
    const { gone } = sortOut(pair, log)
    if (gone.length === 0) return yield* watchPair(pair, [before, next], age, log)
    // A service that loses pets at an age has just shown an older one: a job has come again.
    const wasThere = sortOut(`before ${create}`, log).there.includes(before)
    if (wasThere && gone.includes(next)) return swept
    if (wasThere) missed += 1
  }
  return undefined
}

/** Whether a pet is gone, and with it only pets that are older than those that are there, as far as a job knows their names. */
function wereEldest(own: Created, purpose: string, log: Log): boolean {
  const { gone, there } = sortOut(purpose, log)
  const lastGone = Math.max(...gone.map(({ exchange }) => exchange.sentAt))
  const known = there.filter((one) => isNamedAsOwn(one, log))
  return gone.includes(own) && known.every(({ exchange }) => arrivalOf(exchange) > lastGone)
}

/** Whether the name begins as those of the run do: a job may find its pets by that. Some are only digits, or begin with a space. */
const isNamedAsOwn = ({ pet: { name } }: Created, { names }: Log): boolean =>
  names.owns(name) && /^\S/.test(name ?? '')

const petsOfRun = 'pets of the run'

const readings = ({ posed }: Log): string[] =>
  [...posed].filter((purpose) => purpose.startsWith(petsOfRun))

/** The reads of all pets of the run that have not found this one, as far as there are any. */
const readingWithout = (own: Created, log: Log): string | undefined =>
  readings(log).find((purpose) => sortOut(purpose, log).gone.includes(own))

/** Whether just the pets are gone that getPet had shown before, although some of them are newer than one that is there. */
function areReadAway(purpose: string, log: Log): boolean {
  const { gone, there: shown } = sortOut(purpose, log)
  const there = shown.filter((one) => isNamedAsOwn(one, log))
  const since = Math.min(...log.responses(purpose).map(({ sentAt }) => sentAt))
  const wasFetched = ({ pet }: Created): boolean =>
    log.fetched(pet.id).some(({ sentAt }) => sentAt < since)
  const isOlder = (one: Created): boolean =>
    gone.some(({ exchange }) => exchange.sentAt >= arrivalOf(one.exchange))
  return there.some(isOlder) && gone.every(wasFetched) && !there.some(wasFetched)
}

/** Whether two pets that were there together stay, or are gone together. */
function* watchPair(
  pair: string,
  pets: readonly [Created, Created],
  age: { ms: number; requests: number },
  log: Log,
): Judging<string | undefined> {
  const bornAt = arrivalOf(pets[1].exchange)
  for (let nth = 1; nth <= looksAfterLoss; nth += 1) {
    const purpose = `${pair}, look ${nth}`
    const notBefore = bornAt + (nth / looksAfterLoss) * longer * age.ms
    const others = readOthers(age.requests / looksAfterLoss)
    yield* pose(log, { ...readEach(purpose, pets, others), notBefore })
    if (sortOut(purpose, log).gone.length === 0) continue
    const again = `${purpose}, again`
    yield* pose(log, readEach(again, pets))
    return sortOut(again, log).there.length === 0 ? swept : undefined
  }
  return swept
}

const readOthers = (times: number): Read[] =>
  Array.from({ length: times }, () => ({ list: '/pets?limit=1' }))

const readEach = (
  purpose: string,
  pets: readonly Created[],
  others: readonly Read[] = [],
): Question => ({ purpose, reads: [...pets.map(({ pet }) => ({ get: pet.id })), ...others] })

/** The pets of the run that the responses to a question show as they were created, and those that they do not find. */
function sortOut(purpose: string, log: Log): { gone: Created[]; there: Created[] } {
  const shown = new Map(
    log.responses(purpose).map((response) => [response.plan.pet, petsOf(response)[0]]),
  )
  const read = log.created.filter(({ pet }) => shown.has(pet.id))
  const isThere = ({ pet }: Created): boolean => {
    const now = shown.get(pet.id)
    return now !== undefined && sameButStatus(now, pet)
  }
  return {
    gone: read.filter(({ pet }) => shown.get(pet.id) === undefined),
    there: read.filter(isThere),
  }
}

/** The least age at which a pet of the run was found to be lost before a creation, and the least number of requests. */
function leastAgeOfLost(
  { exchange: until }: Created,
  { created, exchanges }: Log,
): { ms: number; requests: number } {
  const before = exchanges.slice(0, exchanges.indexOf(until))
  const ages = created.flatMap(({ pet, exchange }) => {
    const born = before.indexOf(exchange)
    const reads = before.flatMap((one, place) => (one.plan.pet === pet.id ? [{ one, place }] : []))
    const isFound = ({ one }: { one: Exchange }): boolean => one.status === 200
    const lost = reads[reads.findLastIndex(isFound) + 1]
    return lost && born >= 0
      ? [{ ms: arrivalOf(lost.one) - arrivalOf(exchange), requests: lost.place - born }]
      : []
  })
  return {
    ms: Math.min(longestWatchMs, ...ages.map((age) => age.ms)),
    requests: Math.min(mostRequests, ...ages.map((age) => age.requests)),
  }
}

const rereadOf = (key: string): string => `${key}, lists`

/**
 * Whether a pet of others is gone by now that lists have shown, but getPet has not: reading it has not removed it.
 *
 * @param key of the question about the longest lists
 */
function* othersRemoveTheirs(
  key: string,
  log: Log,
  { getRemoved, isSmoke }: Assumptions,
): Judging<boolean> {
  if (getRemoved) return false
  const reads = widePaths(isSmoke).map((list) => ({ list }))
  const responses = yield* pose(log, { purpose: rereadOf(key), reads })
  const shown = new Set(responses.flatMap((one) => petsOf(one)).map(({ id }) => id))
  const listedAt = Math.max(...responses.map(arrivalOf))
  const isKnown = (id: Int64): boolean =>
    shown.has(id) || log.isOwn(id) || log.fetched(id).some(({ sentAt }) => sentAt < listedAt)
  // What loses each new pet loses those of earlier runs, too.
  const isLosing = !log.created.slice(0, -1).some(({ pet }) => shown.has(pet.id))
  const missing = log.catalog
    .first()
    .filter(({ pet }) => !isKnown(pet.id) && !(isLosing && nameOfRun.test(pet.name ?? '')))
  for (const one of missing.slice(0, mostFetched)) {
    const { id } = one.pet
    const purpose = `${key}, pet ${id} of others`
    const search = yield* pose(log, { purpose, reads: [{ find: one }] })
    if (search.every((response) => sightingIn(response, id) === undefined)) return true
  }
  return false
}

/** Two creations within so many milliseconds: others hardly remove the first pet alone meanwhile. With more, one that clears a catalog does. */
const tooSoonMs = 10
/** Creations at once, which show whether an id that was seen twice is one of many. */
const burst = { purpose: 'creations at once', create: { status: undefined, times: 4 } }

/** Whether a new pet may have the id of one that others have removed. */
export function* judgeIdReused(
  { exchanges }: Violation,
  log: Log,
  assumptions: Assumptions,
): Judging<string | undefined> {
  const [first, second] = exchanges
  const repeated = log.repeatedIds.find((one) => one.second.exchange === second)
  const alike = repeated && createAlike(repeated)
  const question = alike ?? burst
  const areCreations = first?.operation === 'createPet' && second?.operation === 'createPet'
  // Others may remove the first of two with one name at any moment: further ones decide.
  const isTooSoon =
    !alike && areCreations && Math.abs(arrivalOf(first) - arrivalOf(second)) < tooSoonMs
  const mayRemove = function* (): Judging<boolean> {
    if (!isTooSoon && log.repeatedIds.length < 2) return true
    if (log.repeatedIds.some((one) => wasGone(one, log))) return true
    return yield* othersRemoveTheirs('an id that was given twice', log, assumptions)
  }
  if (!log.posed.has(question.purpose)) {
    if (!(yield* mayRemove())) return undefined
    if (assumptions.isSmoke) return idReused
    yield* pose(log, question)
  }
  return haveOneId(question, log) || !(yield* mayRemove()) ? undefined : idReused
}

/** Where two pets have one name: further creations with it, for a lookup by name would return their id again. */
function createAlike({ first, second }: RepeatedId): (Question & { id: Int64 }) | undefined {
  const { pet, exchange } = second
  if (first.pet.name !== pet.name || pet.name === null) return undefined
  const like = { name: pet.name, body: exchange.plan.body }
  const create = { status: pet.status ?? undefined, times: 2, like }
  return { purpose: `creations with the name of pet ${pet.id}`, create, id: pet.id }
}

/**
 * Whether creations side by side got one id, or several ids twice, the `id` of the question among them: others do not remove
 * pets that often between creations at the same moment.
 */
function haveOneId({ purpose, id }: Question & { id?: Int64 }, log: Log): boolean {
  const given = log.responses(purpose).flatMap((response) => petsOf(response))
  const ids = [...(id === undefined ? [] : [id]), ...given.map((pet) => pet.id)]
  const repetitions = ids.length - new Set(ids).size
  return repetitions > 0 && (repetitions > 1 || ids.length === 2)
}

/** Whether a complete list lacked the pet of others before its id was given to another one. */
const wasGone = ({ first, second }: RepeatedId, { names, lists }: Log): boolean =>
  !names.owns(first.pet.name) &&
  lists.some(
    ({ exchange, pets, filter, complete }) =>
      complete &&
      filter === '' &&
      exchange.sentAt > arrivalOf(first.exchange) &&
      arrivalOf(exchange) < second.exchange.sentAt &&
      pets.every(({ id }) => id !== first.pet.id),
  )

/** Whether the ids of all pets of the run that were there at a moment are given to later ones, as after a reset. */
export function looksReset({ repeatedIds }: Log): boolean {
  const lastFirst = Math.max(...repeatedIds.map(({ first }) => first.exchange.sentAt))
  return (
    repeatedIds.length > 1 &&
    repeatedIds.every(
      ({ first, second }) =>
        first.exchange.operation === 'createPet' && lastFirst < arrivalOf(second.exchange),
    )
  )
}
