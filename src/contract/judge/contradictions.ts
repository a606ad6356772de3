import { printJson } from '../../json.ts'
import {
  changes,
  hasOtherStatus,
  listsIn,
  sameButStatus,
  sightingsIn,
  type Created,
  type PetList,
  type Sighting,
} from './catalog.ts'
import { movedBy, type Question } from './explanations.ts'
import { describe } from './expect.ts'
import type { Violation } from './findings.ts'
import type { Log } from './log.ts'
import type { SeenPet } from './shapes.ts'

/** A pet shown in so many forms may be changed by reads. */
const manyForms = 3
/** Lists, requested at once, that must show it in other forms, all but two: others do not change one pet that often meanwhile. */
const readsAtOnce = 8

/** Pets that lists of different statuses may share while others change them; and so many that their filter is not late. */
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
    ...(onlyStatus && { unless: { changed: true, late: true } }),
    cause: 'shown differently',
  }
}

/** A created pet that is shown differently: only the run changes its own pets, so they must be as createPet returned them. */
export function changedOwn(own: Created, shown: Sighting, log?: Log): Violation {
  const { pet } = own
  const isByReads = log !== undefined && movedBy(own, log) === 'reads'
  const isLarge = !Number.isSafeInteger(Number(pet.categoryId))
  const isRounded = isLarge && !sameButStatus({ ...pet, name: null }, shown.pet)
  const rounded = isRounded ? (['create.exact'] as const) : []
  return {
    ...contradiction(own, shown),
    ...(!isByReads && { requirement: 'create.stored' }),
    alsoBreaks: ['service.catalog', 'create.stored', 'state.reads-change-nothing', ...rounded],
    unless: { taken: pet.id },
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
export function judgeUnstable(
  key: string,
  [first, last]: [Sighting, Sighting],
  log: Log,
): Violation | Question | undefined {
  const reads = Array.from({ length: readsAtOnce }, () => ({ list: '/pets?limit=100' }))
  if (!log.wasPosed(key)) return { purpose: key, reads }
  const seen = log.responses(key).flatMap((exchange) => sightingsIn(exchange))
  const isUnstable = formsOf(seen.filter(({ pet }) => pet.id === first.pet.id)) >= readsAtOnce - 2
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
  const all = lists.flatMap(({ status, exchange }) => (status ? sightingsIn(exchange) : []))
  return all.flatMap((one, place) => {
    const other = all.slice(0, place).find(({ pet }) => hasOtherStatus(pet, one.pet))
    return other ? [[other, one] as const] : []
  })
}

/** Whether so many pets are in the lists of different statuses that others have not moved them meanwhile. */
export const isMuch = ({ length }: readonly unknown[]): boolean => length > mostShared

/**
 * Whether the same pets are in them again.
 *
 * @param before those that each earlier look has shown
 */
export function judgeShared(
  key: string,
  paths: readonly string[],
  before: readonly (readonly [Sighting, Sighting])[],
  log: Log,
): { shared: readonly (readonly [Sighting, Sighting])[]; found: Violation | undefined } | Question {
  if (!log.wasPosed(key)) return { purpose: key, reads: paths.map((list) => ({ list })) }
  const ids = new Set(before.map(([{ pet }]) => pet.id))
  const shared = findShared(listsIn(log.responses(key))).filter(([{ pet }]) => ids.has(pet.id))
  const pair = shared[mostShared]
  const late = shared.length <= manyShared
  return { shared, found: pair && { ...contradiction(...pair), unless: { late } } }
}

/** Two pets with one unique name: a creation was executed twice. */
export function findDuplicate({ catalog, created, names }: Log): Violation | undefined {
  const own = catalog
    .all()
    .flatMap(([sighting]) => (sighting && names.owns(sighting.pet.name) ? [sighting] : []))
    .filter(({ pet }) => pet.name !== names.repeated)
  const startedAt = Math.min(...created.map(({ exchange }) => exchange.sentAt))
  // An earlier run used the same names.
  if (own.some(({ exchange }) => exchange.sentAt < startedAt)) return undefined
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
