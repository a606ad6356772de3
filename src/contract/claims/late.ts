import type { Int64 } from '../../spec/types.ts'
import { arrivalOf, type Exchange } from '../http/exchange.ts'
import type { Created, PetList, Sighted } from '../judge/catalog.ts'
import type { Assumptions } from '../judge/questions.ts'
import type { Log } from '../judge/run-log.ts'
import type { SeenPet } from '../judge/shapes.ts'

/** Whether a list has shown a pet of others that the first response to the same request lacked. */
function othersAdd(log: Log): boolean {
  const first = new Map<string, Set<Int64>>()
  return log.lists.some(({ exchange: { plan }, pets }) => {
    const known = first.get(plan.path)
    if (!known) first.set(plan.path, new Set(pets.map(({ id }) => id)))
    return (
      known !== undefined &&
      pets.some(({ id, name }) => !known.has(id) && !log.isOwn(id) && !log.names.owns(name))
    )
  })
}

/**
 * Whether a list possibly has not learned of a pet yet. One that was known before the run created any is not late, unless others
 * are seen to add pets, which the index of a status learns later; neither is one that the list shows with another id.
 */
export function mayListLater(list: PetList, pet: SeenPet, log: Log): boolean {
  if (!log.mayBeLate(pet.id)) return list.filter !== '' && othersAdd(log)
  const isUnique = log.names.owns(pet.name) && pet.name !== log.names.repeated
  return !(isUnique && list.pets.some(({ id, name }) => name === pet.name && id !== pet.id))
}

/**
 * Whether a page may lack pets that are late: it is short by no more new pets than no list with the same filter has shown
 * yet. The index of a status may also learn late of pets that others add, but then ends elsewhere than another list.
 */
export function mayFillLater(
  list: PetList,
  there: number,
  others: readonly PetList[],
  log: Log,
): boolean {
  const alike = others.filter(({ filter }) => filter === list.filter)
  const shown = new Set(alike.flatMap(({ pets }) => pets.map(({ id }) => id)))
  const isHidden = ({ pet: { id } }: Sighted): boolean => log.mayBeLate(id) && !shown.has(id)
  const hidden = log.catalog.first(list.matches).filter(isHidden).length
  if (list.length + hidden >= Math.min(list.atMost, there)) return true
  return list.filter !== '' && othersAdd(log) && !isCut(list, others)
}

/**
 * Whether a page lacks pets from before the run, which no delay explains: a list beside it that should not show more shows
 * more of them; or they would fill it, and no other list beside it hides a new pet: the page itself is no witness.
 *
 * @param there the pets that lists beside it have shown before and after it
 */
export function lacksOld(
  list: PetList,
  there: readonly Int64[],
  beside: readonly PetList[],
  log: Log,
): boolean {
  if (othersAdd(log)) return false
  const old = new Set(there.filter((id) => !log.mayBeLate(id)))
  const isNarrower = (one: PetList): boolean =>
    one.atMost <= list.atMost && (list.filter === '' || one.filter === list.filter)
  const countOld = ({ pets }: PetList): number => pets.filter(({ id }) => old.has(id)).length
  if (beside.some((one) => isNarrower(one) && countOld(one) > list.length)) return true
  const hidesNew = ({ exchange, complete, filter, matches, pets }: PetList): boolean =>
    complete &&
    filter === list.filter &&
    exchange.plan.path !== list.exchange.plan.path &&
    log.catalog
      .first(matches)
      .some(({ pet: { id } }) => log.mayBeLate(id) && pets.every((pet) => pet.id !== id))
  return list.length < Math.min(list.atMost, old.size) && !beside.some(hidesNew)
}

/** Whether a list ends too early: a delay does not explain more pets with the same filter, nor as many with a filter as without. */
const isCut = (list: PetList, others: readonly PetList[]): boolean =>
  others.some(({ filter, length }) =>
    filter === list.filter
      ? length > list.length
      : length === list.length && (filter === '' || list.filter === ''),
  )

/**
 * Whether getPet possibly has not learned of a pet yet. Within the consistency window, it may show any pet before another; after
 * it, one that it has shown, or one that is older than a pet that it shows, is not late.
 */
export function mayFindLater(
  { pet: { id }, exchange }: Sighted,
  by: 'createPet' | 'listPets',
  response: Exchange,
  log: Log,
  { windowMs }: Assumptions,
): boolean {
  if (!log.mayBeLate(id)) return false
  const shownAt = arrivalOf(exchange)
  if (response.sentAt < shownAt + windowMs) return true
  const isShown = (one: Int64): boolean => log.fetched(one).length > 0
  const isLater = (created: Created): boolean =>
    isShown(created.pet.id) && created.exchange.sentAt >= shownAt
  return !isShown(id) && !(by === 'createPet' && log.created.some(isLater))
}
