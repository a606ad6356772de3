import { printJson } from '../../json.ts'
import {
  changes,
  hasOtherStatus,
  listsIn,
  longestList,
  sameButStatus,
  samePet,
  sightingIn,
  sightingsIn,
  type Created,
  type PetList,
  type Sighting,
} from '../judge/catalog.ts'
import { changedBy, isWronglyChanged } from '../judge/status-changes.ts'
import { describe } from '../judge/expect.ts'
import type { Violation } from '../judge/findings.ts'
import type { Log } from '../judge/run-log.ts'
import { readElsewhere, readLists, type Judging, type Look } from '../judge/questions.ts'
import type { SeenPet } from '../judge/shapes.ts'

/** A pet shown in so many forms may be changed by reads; two are one change by others. */
const manyForms = 3
/** Lists, requested at once, that must show it in other forms, all but two: others who rename three pets fifty times a second do not reach that. */
const listsAtOnce = 8

/**
 * Pets that lists of different statuses may share while others change them, one with each change between two lists; and so
 * many that their filter is not late: an index that lags shows those of the last seconds.
 */
const [mostShared, manyShared] = [2, 10]

/** Two responses that show a pet differently. */
export function contradiction(before: Sighting, after: Sighting): Violation {
  const filtered = [before, after].some(({ exchange }) => exchange.plan.path.includes('status='))
  const onlyStatus = hasOtherStatus(before.pet, after.pet)
  const requirement = filtered && onlyStatus ? 'list.status.filter' : 'state.reads-change-nothing'
  return {
    requirement,
    alsoBreaks: ['service.catalog'],
    message: `${describe(before.exchange)} and ${describe(after.exchange)} show pet ${before.pet.id} differently: ${changes(before.pet, after.pet)}.`,
    way: 'shown differently',
    pointer: after.pointer,
    expected: 'the same pet in both responses',
    actual: `${printJson(before.pet)} and ${printJson(after.pet)}`,
    exchanges: [before.exchange, after.exchange],
    ...(onlyStatus && { unless: { otherStatusChanges: true, late: true } }),
    cause: 'shown differently',
  }
}

/** A created pet that is shown differently. Callers have ruled out that others changed its status; nothing else of it may change. */
export function changedOwn(own: Created, shown: Sighting, log?: Log): Violation {
  const { pet } = own
  const isByReads = log !== undefined && changedBy(own, log) === 'reads'
  const isLarge = !Number.isSafeInteger(Number(pet.categoryId))
  const isRounded = isLarge && !sameButStatus({ ...pet, name: null }, shown.pet)
  const rounded = isRounded ? (['create.exact'] as const) : []
  return {
    ...contradiction(own, shown),
    ...(!isByReads && { requirement: 'create.stored' }),
    alsoBreaks: ['service.catalog', 'create.stored', 'state.reads-change-nothing', ...rounded],
    unless: { ownPetRemoved: pet.id },
  }
}

/** A pet whose name or category differs in most responses: the first sighting and one that differs from it. */
export function findUnstable({ catalog }: Log): [Sighting, Sighting] | undefined {
  for (const sightings of catalog.all()) {
    const [first] = sightings
    const last = sightings.findLast((one) => first && formsOf([first, one]) > 1)
    if (first && last && formsOf(sightings) >= manyForms) return [first, last]
  }
  return undefined
}

/** Whether lists at once show it in as many forms again. */
export function* judgeUnstable(
  [first, last]: readonly [Sighting, Sighting],
  look: Look,
): Judging<Violation | undefined> {
  const all = yield* readLists(
    look,
    'lists at once',
    Array.from({ length: listsAtOnce }, () => longestList()),
  )
  const seen = all.flatMap(({ exchange, pets }) => sightingsIn(exchange, pets))
  const isUnstable = formsOf(seen.filter(({ pet }) => pet.id === first.pet.id)) >= listsAtOnce - 2
  return isUnstable ? contradiction(first, last) : undefined
}

function formsOf(sightings: readonly Sighting[]): number {
  const forms: SeenPet[] = []
  for (const { pet } of sightings)
    if (!forms.some((one) => sameButStatus(one, pet))) forms.push(pet)
  return forms.length
}

/** The pets that lists of different statuses show: two sightings of each. */
export function findShared(lists: readonly PetList[]): (readonly [Sighting, Sighting])[] {
  const all = lists.flatMap(({ status, exchange, pets }) =>
    status ? sightingsIn(exchange, pets) : [],
  )
  return all.flatMap((one, place) => {
    const other = all.slice(0, place).find(({ pet }) => hasOtherStatus(pet, one.pet))
    return other ? [[other, one] as const] : []
  })
}

/** Whether so many pets are in the lists of different statuses that others have not moved them meanwhile. */
export const areTooManyShared = ({ length }: readonly unknown[]): boolean => length > mostShared

/** Whether the same pets are in them again, those that each look before has shown. */
export function* judgeShared(
  before: readonly PetList[],
  look: Look,
): Judging<Violation | undefined> {
  const again = yield* readLists(
    look,
    'lists',
    before.map(({ exchange }) => exchange.plan.path),
  )
  const rounds = look.earlier.flatMap(({ key, found }) =>
    found === undefined ? [] : [listsIn(look.log.responses(`${key}, lists`))],
  )
  const known = [before, ...rounds].map(
    (round) => new Set(findShared(round).map(([{ pet }]) => pet.id)),
  )
  const shared = findShared(again).filter(([{ pet }]) => known.every((ids) => ids.has(pet.id)))
  const pair = shared[mostShared]
  return pair && { ...contradiction(...pair), unless: { late: shared.length <= manyShared } }
}

/** Whether responses to the same requests show a pet of the run otherwise than it was created, and others have not changed it. */
export function* judgeOwnDiffers(
  [own, first, other]: readonly [Created, Sighting, Sighting],
  look: Look,
): Judging<Violation | undefined> {
  const onPage = yield* compareOnPages([other, first], look)
  if (onPage) return onPage
  const seen = [yield* seeAgain(first, 'first', look), yield* seeAgain(other, 'then', look)].filter(
    (sighting) => sighting !== undefined,
  )
  const changed = seen.find(({ pet }) => !samePet(pet, own.pet))
  // By now, a pet that got its status later has it in each response.
  const hasNone = seen.some(({ pet }) => pet.status === undefined)
  const isWrong = changed && (hasNone || (yield* isWronglyChanged(own, changed.pet, look.log)))
  return isWrong ? changedOwn(own, changed, look.log) : undefined
}

/** Whether responses to the same requests show a pet of others differently again, back and forth: others do not change it each time. */
export function* judgeOtherDiffers(
  [first, other]: readonly [Sighting, Sighting],
  look: Look,
): Judging<Violation | undefined> {
  const onPage = yield* compareOnPages([other, first], look)
  if (onPage) return onPage
  const before = yield* seeAgain(first, 'first', look)
  const after = yield* seeAgain(other, 'then', look)
  if (!before || !after || samePet(before.pet, after.pet)) return undefined
  const again = yield* seeAgain(first, 'at last', look)
  return again && samePet(before.pet, again.pet) ? contradiction(before, after) : undefined
}

/** Requests again what showed a pet. */
function* seeAgain(sighting: Sighting, when: string, look: Look): Judging<Sighting | undefined> {
  const { exchange, pet } = sighting
  if (exchange.operation !== 'listPets') return yield* readElsewhere(look, when, sighting)
  const shownIn = function* (path: string): Judging<Sighting | undefined> {
    const [again] = yield* readLists(look, `${when}, ${path}`, [path])
    return again && sightingIn(again.exchange, pet.id)
  }
  // The pet may have left a short page; the longest list of its status still shows it.
  return (yield* shownIn(exchange.plan.path)) ?? (yield* shownIn(longestList(pet.status)))
}

/** Compares a pet that has replaced another one on a page with other responses, and both once more. */
function* compareOnPages(
  sightings: readonly Sighting[],
  look: Look,
): Judging<Violation | undefined> {
  for (const { pet, exchange } of sightings) {
    const { path } = exchange.plan
    if (exchange.operation !== 'listPets') continue
    const [page] = yield* readLists(look, `page ${path}`, [path])
    const shown = page ? sightingsIn(page.exchange, page.pets) : []
    const [one] = shown
    if (!one || shown.some(({ pet: { id } }) => id === pet.id)) continue
    const elsewhere = yield* readElsewhere(look, `beside ${path}`, one, path)
    if (!elsewhere || samePet(one.pet, elsewhere.pet)) continue
    const [next] = yield* readLists(look, `page ${path} again`, [path])
    const again = next && sightingIn(next.exchange, one.pet.id)
    if (again && samePet(one.pet, again.pet)) return contradiction(one, elsewhere)
  }
  return undefined
}

/** Two pets with one unique name: a creation was executed twice. Not a claim: reported at once. */
export function findDuplicate(log: Log): Violation | undefined {
  const { catalog, created, names, exchanges } = log
  // Others may copy pets under names that contain those of the run.
  const sent = new Set<string | null>([
    ...created.map(({ pet }) => pet.name),
    ...exchanges.flatMap(({ plan }) => plan.creation?.names ?? []),
  ])
  const own = catalog
    .all()
    .flatMap(([sighting]) => (sighting && names.owns(sighting.pet.name) ? [sighting] : []))
    .filter(({ pet: { name } }) => name !== names.repeated && sent.has(name))
  // An earlier run used the same names.
  if (own.some(({ pet }) => log.isOld(pet.id))) return undefined
  const firstLike = (one: Sighting) => own.find(({ pet }) => pet.name === one.pet.name) ?? one
  const other = own.find((one) => firstLike(one) !== one)
  if (other === undefined) return undefined
  const first = firstLike(other)
  return {
    requirement: 'create.stored',
    alsoBreaks: ['service.catalog'],
    message: `Pets ${first.pet.id} and ${other.pet.id} have a name that only one creation sent.`,
    pointer: other.pointer,
    expected: 'one pet per creation',
    actual: printJson(other.pet),
    exchanges: [first.exchange, other.exchange],
  }
}
