import type { Int64 } from '../../spec/types.ts'
import type { Exchange } from '../http/exchange.ts'
import {
  changes,
  hasOtherStatus,
  longestList,
  sameButStatus,
  samePet,
  type Created,
  type PetList,
  type Sighted,
  type Sighting,
} from '../judge/catalog.ts'
import { describe, isAbsent, petsOf, wrongStatus } from '../judge/expect.ts'
import { changedBy, haveOthersChangedOwn, isWronglyChanged } from '../judge/status-changes.ts'
import { NotVerified, type Violation } from '../judge/findings.ts'
import type { Log } from '../judge/run-log.ts'
import {
  readPets,
  readLists,
  concluded,
  type Assumptions,
  type Judging,
  type Look,
} from '../judge/questions.ts'
import type { SeenPet } from '../judge/shapes.ts'
import { mayFindLater } from './late.ts'

/** Further reads in a re-check, at once: over connections of their own, all reach the same one of two servers in 1 of 32 cases. */
const getsAtOnce = 6

/** Where getPet does not show a pet as createPet returned it. */
function compareWithCreation(
  created: Created,
  response: Exchange,
  log: Log,
  assumptions: Assumptions,
): Violation | undefined {
  const found = isAbsent(response.status)
    ? absent(created, 'createPet', response, log, assumptions)
    : different(created, 'createPet', response)
  if (found === undefined) return undefined
  const { requirement, alsoBreaks = [] } = found
  const violation = { ...found, unless: { ...found.unless, ownPetRemoved: created.pet.id } }
  const isByReads = changedBy(created, log) === 'reads'
  if (!isByReads && !log.wasShownAsCreated(created)) return violation
  return {
    ...violation,
    requirement: isByReads ? 'state.reads-change-nothing' : requirement,
    alsoBreaks: [requirement, ...alsoBreaks, 'state.reads-change-nothing'],
  }
}

/** Where getPet does not show a pet as a list does. */
export function compareWithListing(
  listed: Sighted,
  response: Exchange,
  log: Log,
  assumptions: Assumptions,
): Violation | undefined {
  const { pet, exchange } = listed
  if (isAbsent(response.status)) return absent(listed, 'listPets', response, log, assumptions)
  const found = different(listed, 'listPets', response)
  const [shown] = petsOf(response)
  // No status at all is no other one.
  const onlyStatus = shown?.status !== undefined && sameButStatus(pet, shown)
  if (!found || !onlyStatus) return found
  const own = log.own(pet.id)
  const isOwn = own && changedBy(own, log) !== 'others'
  const isFiltered = exchange.plan.path.includes('status=')
  return {
    ...found,
    ...(isFiltered && { requirement: 'list.status.filter', alsoBreaks: ['get.by-id'] }),
    ...(!isOwn && { unless: { otherStatusChanges: true, late: true } }),
  }
}

/** What getPet breaks where it contradicts the response of another operation. */
const brokenBy = { createPet: 'create.stored', listPets: 'get.by-id' } as const
type By = keyof typeof brokenBy

/** getPet finds no such pet, or is gone. */
function absent(
  shown: Sighted,
  by: By,
  response: Exchange,
  log: Log,
  assumptions: Assumptions,
): Violation {
  const isUnknown = response.status === 404
  const showed = by === 'createPet' ? 'returned' : 'shows'
  return wrongStatus(response, isUnknown ? brokenBy[by] : 'get.until-removal', '200 and the Pet', {
    alsoBreaks: log.getWorks ? ['get.success'] : ['get.success', 'get.until-removal'],
    message: `${describe(response)}, although ${by} ${showed} a pet with that id.`,
    exchanges: [shown.exchange, response],
    unless: { late: isUnknown && mayFindLater(shown, by, response, log, assumptions) },
  })
}

/** getPet shows the pet with other fields. */
function different({ pet, exchange }: Sighted, by: By, response: Exchange): Violation | undefined {
  const [found] = response.status === 200 ? petsOf(response) : []
  const changed = found && changes(pet, found)
  if (found === undefined || changed === undefined) return undefined
  return {
    requirement: brokenBy[by],
    ...(by === 'createPet' && { alsoBreaks: ['get.by-id'] }),
    message: `getPet and ${by} show pet ${pet.id} differently: ${changed}.`,
    way: `getPet and ${by} show ${hasOtherStatus(pet, found) ? 'another status' : 'another pet'}`,
    expected: `the same Pet that ${by} shows`,
    actual: changed,
    exchanges: [exchange, response],
    cause: by === 'createPet' ? 'another pet' : 'shown differently',
  }
}

/** Where getPet does not show a pet of the run as createPet returned it, and others have not changed its status. */
export function* compareUnlessMoved(
  created: Created,
  response: Exchange,
  log: Log,
  assumptions: Assumptions,
): Judging<Violation | undefined> {
  if (!log.created.includes(created))
    throw new NotVerified(`pet ${created.pet.id} was replaced by another pet`)
  const [shown] = response.status === 200 ? petsOf(response) : []
  if (shown && !(yield* isWronglyChanged(created, shown, log))) return undefined
  return compareWithCreation(created, response, log, assumptions)
}

/** Whether getPet still does not show a pet as createPet returned it. */
export const judgeStored = (created: Created, look: Look): Judging<Violation | undefined> =>
  readOnceThenAtOnce(look, created.pet.id, (response) =>
    compareUnlessMoved(created, response, look.log, look.assumptions),
  )

/** Whether getPet still does not show a pet as a list does, which shows it unchanged before and after: others may change it. */
export function* judgeListed(
  { pet: { id, status }, exchange }: Sighting,
  look: Look,
): Judging<Violation | undefined> {
  const { log, assumptions } = look
  const isThere = (one: PetList | undefined): boolean =>
    one?.pets.some((pet) => pet.id === id) === true
  const { path } = exchange.operation === 'listPets' ? exchange.plan : { path: longestList(status) }
  const [first] = yield* readLists(look, 'the list', [path])
  // The pet may have left a short page; the longest list of its status still shows it.
  const [list] =
    isThere(first) || !status
      ? [first]
      : yield* readLists(look, 'a longer list', [longestList(status)])
  const pet = list?.pets.find((one) => one.id === id)
  if (!list || !pet) return yield* judgeOthers(look)
  const judge = (response: Exchange): Violation | undefined =>
    compareWithListing({ pet, exchange: list.exchange }, response, log, assumptions)
  let found = yield* readOnceThenAtOnce(look, id, (response) => concluded(judge(response)))
  if (found && (yield* isMovedOwn(pet, found, log))) {
    const [again] = yield* readPets(look, 'once more', [id])
    found = again && judge(again)
  }
  if (!found) return undefined
  const [last] = yield* readLists(look, 'the list after it', [list.exchange.plan.path])
  const after = last?.pets.find((one) => one.id === id)
  return after && samePet(pet, after) ? found : undefined
}

/** Whether a list and getPet differ because others change the status of a pet of the run. */
function* isMovedOwn(listed: SeenPet, { exchanges }: Violation, log: Log): Judging<boolean> {
  const own = log.own(listed.id)
  const shown = [listed, ...exchanges.slice(1).flatMap((exchange) => petsOf(exchange))]
  const moved = shown.find(({ status }) => status !== own?.pet.status)
  return own !== undefined && moved !== undefined && (yield* haveOthersChangedOwn(own, moved, log))
}

/** Reads a pet once, and then several times at once, which reaches several servers, of which one may differ. */
function* readOnceThenAtOnce(
  look: Look,
  id: Int64,
  judge: (response: Exchange) => Judging<Violation | undefined>,
): Judging<Violation | undefined> {
  for (const times of look.assumptions.isSmoke ? [1] : [1, getsAtOnce])
    for (const response of yield* readPets(
      look,
      `pet ${id}, ${times} at once`,
      Array.from({ length: times }, () => id),
    )) {
      const found = yield* judge(response)
      if (found) return found
    }
  return undefined
}

/** If none of the listed pets can be fetched, the ids of the list are not those of getPet. */
function* judgeOthers(look: Look): Judging<Violation | undefined> {
  const [list] = yield* readLists(look, 'all pets', [longestList()])
  if (!list) return undefined
  const { pets, exchange } = list
  // From all of the list, and at once: others may remove the eldest ones meanwhile.
  const step = Math.max(1, (pets.length - 1) / (getsAtOnce - 1))
  const places = Array.from({ length: getsAtOnce }, (_, nth) => Math.round(nth * step))
  const some = [...new Set(places)].flatMap((place) => pets[place] ?? [])
  const responses = yield* readPets(
    look,
    'some of all pets',
    some.map(({ id }) => id),
  )
  const violations = responses.flatMap((response) => {
    const pet = some.find(({ id }) => id === response.plan.pet)
    return (
      (pet && compareWithListing({ pet, exchange }, response, look.log, look.assumptions)) ?? []
    )
  })
  const [first] = violations
  if (violations.length < Math.max(2, some.length) || !first) return undefined
  // So many pets are not all new.
  const isLate = first.unless?.late === true && violations.length < getsAtOnce
  return { ...first, unless: { ...first.unless, late: isLate } }
}
