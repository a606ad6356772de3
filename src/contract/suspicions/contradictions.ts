import { printJson } from '../../json.ts'
import {
  changes,
  hasOtherStatus,
  sameButStatus,
  samePet,
  sightingIn,
  sightingsIn,
} from '../judge/catalog.ts'
import type { Created, PetList, Sighting } from '../judge/catalog.ts'
import { describe } from '../judge/expect.ts'
import type { SeenPet } from '../judge/shapes.ts'
import type { Violation } from '../judge/findings.ts'
import { findElsewhere, type Session } from '../session/session.ts'
import { awaitAll } from '../http/waiting.ts'
import { mayHaveMoved } from './excuses.ts'
import { readWide } from './lists.ts'

/** A pet shown in so many forms may be changed by reads. */
const manyForms = 3
/** Lists, requested at once, that must show it again: other clients do not change one pet that often meanwhile. */
const readsAtOnce = 4

/** Two responses showed a pet differently: repeats both requests. */
export function suspectContradiction(session: Session, [first, other]: [Sighting, Sighting]): void {
  const { created } = session.log
  const own = created.find(({ pet }) => pet.id === first.pet.id)
  const see = async (sighting: Sighting): Promise<Sighting | undefined> => {
    const { exchange, pet } = sighting
    if (exchange.operation !== 'listPets') return findElsewhere(session, sighting)
    const ofStatus = pet.status ? `/pets?status=${pet.status}&limit=100` : '/pets?limit=100'
    // The pet may have left a short page; the longest list of its status still shows it.
    const again = await session.list(exchange.plan.path)
    return (
      sightingIn(again.exchange, pet.id) ??
      sightingIn((await session.list(ofStatus)).exchange, pet.id)
    )
  }
  session.suspect({
    kind: own ? 'changed' : 'contradiction',
    of: String(first.pet.id),
    requirements: own
      ? ['service.catalog', 'state.reads-change-nothing']
      : ['state.reads-change-nothing'],
    async again() {
      const onPage = (await compareOnPage(session, other)) ?? (await compareOnPage(session, first))
      if (onPage) return onPage
      const [before, after] = [await see(first), await see(other)]
      if (own) {
        const changed = [before, after].find(
          (sighting) => sighting && !samePet(sighting.pet, own.pet),
        )
        // By now, a pet that got its status later has it in each response.
        const hasNone = [before, after].some(
          (sighting) => sighting && sighting.pet.status === undefined,
        )
        const isWrong = changed && (hasNone || !(await mayHaveMoved(session, own, changed.pet)))
        return isWrong ? changedOwn(own, changed) : undefined
      }
      if (!before || !after || samePet(before.pet, after.pet)) return undefined
      // Other clients may change a pet, but not back and forth each time.
      const again = await see(first)
      return again && samePet(before.pet, again.pet) ? contradiction(before, after) : undefined
    },
  })
}

/** Compares a pet that has replaced another one on a page with other responses, and both once more. */
async function compareOnPage(
  session: Session,
  { pet, exchange }: Sighting,
): Promise<Violation | undefined> {
  const { path } = exchange.plan
  if (exchange.operation !== 'listPets') return undefined
  const see = async (): Promise<readonly Sighting[]> =>
    sightingsIn((await session.list(path)).exchange)
  const shown = await see()
  const [one] = shown
  if (!one || shown.some(({ pet: { id } }) => id === pet.id)) return undefined
  const elsewhere = await findElsewhere(session, one, path)
  if (!elsewhere || samePet(one.pet, elsewhere.pet)) return undefined
  const again = (await see()).find(({ pet: { id } }) => id === one.pet.id)
  return again && samePet(one.pet, again.pet) ? contradiction(one, elsewhere) : undefined
}

/** Pets that lists of different statuses may share while others change them; and so many that their filter is not late. */
const [mostShared, manyShared] = [2, 10]

/** Looks for pets that lists of different statuses show, the same ones again and again: no change by others explains it. */
export async function suspectPairs(session: Session): Promise<void> {
  const pairsIn = (lists: readonly PetList[]): (readonly [Sighting, Sighting])[] => {
    const all = lists.flatMap(({ status, exchange }) => (status ? sightingsIn(exchange) : []))
    return all.flatMap((one, place) => {
      const other = all.slice(0, place).find(({ pet }) => hasOtherStatus(pet, one.pet))
      return other ? [[other, one] as const] : []
    })
  }
  let shared = pairsIn((await readWide(session)).results)
  if (shared.length <= mostShared) return
  const again = async (): Promise<Violation | undefined> => {
    const { results } = await readWide(session)
    const lists = await awaitAll(results.map(({ exchange }) => session.list(exchange.plan.path)))
    shared = pairsIn(lists).filter(([{ pet }]) => shared.some(([known]) => known.pet.id === pet.id))
    const pair = shared[mostShared]
    return pair && { ...contradiction(...pair), unless: { delay: shared.length <= manyShared } }
  }
  session.suspect({ kind: 'shared', of: 'lists', requirements: ['list.status.filter'], again })
}

/** A created pet that is shown differently: only the run changes its own pets, so they must be as createPet returned them. */
export function changedOwn(own: Created, shown: Sighting): Violation {
  const { pet, movedBy } = own
  const isLarge = !Number.isSafeInteger(Number(pet.categoryId))
  const isRounded = isLarge && !sameButStatus({ ...pet, name: null }, shown.pet)
  const rounded = isRounded ? (['create.exact'] as const) : []
  return {
    ...contradiction(own, shown),
    ...(movedBy !== 'reads' && { requirement: 'create.stored' }),
    alsoBreaks: ['service.catalog', 'create.stored', 'state.reads-change-nothing', ...rounded],
    unless: { taken: pet.id },
  }
}

/** A pet whose name or category differs in most responses is changed by reads or creations. */
export function expectStableFields(session: Session): void {
  for (const sightings of session.log.catalog.all()) {
    const [first, last] = [
      sightings[0],
      sightings.findLast((one) => formsOf([...sightings.slice(0, 1), one]) > 1),
    ]
    if (!first || !last || formsOf(sightings) < manyForms) continue
    const violation = contradiction(first, last)
    // Other clients do not know the names of this run: a creation changed this pet.
    if (sightings.slice(1).some(({ pet }) => session.run.names.owns(pet.name)))
      session.report(violation)
    else {
      const again = async (): Promise<Violation | undefined> => {
        const reads = Array.from({ length: readsAtOnce }, () => session.list('/pets?limit=100'))
        const seen = (await awaitAll(reads)).flatMap(({ exchange }) => sightingsIn(exchange))
        return formsOf(seen.filter(({ pet }) => pet.id === first.pet.id)) < manyForms
          ? undefined
          : violation
      }
      const requirements = ['state.reads-change-nothing'] as const
      session.suspect({ kind: 'unstable', of: String(first.pet.id), requirements, again })
    }
    return
  }
}

function formsOf(sightings: readonly Sighting[]): number {
  const forms: SeenPet[] = []
  for (const { pet } of sightings)
    if (!forms.some((one) => sameButStatus(one, pet))) forms.push(pet)
  return forms.length
}

/** Two pets with one unique name: a creation was executed twice. */
export function expectNoDuplicates(session: Session): void {
  const { names, repeatedName } = session.run
  const { catalog, created } = session.log
  const own = catalog
    .all()
    .flatMap(([sighting]) => (sighting && names.owns(sighting.pet.name) ? [sighting] : []))
    .filter(({ pet }) => pet.name !== repeatedName)
  const startedAt = Math.min(...created.map(({ exchange }) => exchange.sentAt))
  // An earlier run used the same names.
  if (own.some(({ exchange }) => exchange.sentAt < startedAt)) return
  const firstLike = (one: Sighting) => own.find(({ pet }) => pet.name === one.pet.name) ?? one
  const other = own.find((one) => firstLike(one) !== one)
  if (other === undefined) return
  const first = firstLike(other)
  session.report({
    requirement: 'create.stored',
    alsoBreaks: ['service.catalog'],
    message: `Pets ${first.pet.id} and ${other.pet.id} have a name that only one creation sent.`,
    pointer: other.pointer,
    expected: 'one pet per creation',
    actual: printJson(other.pet),
    exchanges: [first.exchange, other.exchange],
  })
}

function contradiction(before: Sighting, after: Sighting): Violation {
  const filtered = [before, after].some(({ exchange }) => exchange.plan.path.includes('status='))
  const onlyStatus = hasOtherStatus(before.pet, after.pet)
  const requirement = filtered && onlyStatus ? 'list.status.filter' : 'state.reads-change-nothing'
  return {
    requirement,
    alsoBreaks: ['service.catalog'],
    message: `${describe(before.exchange)} and ${describe(after.exchange)} show pet ${before.pet.id} differently: ${changes(before.pet, after.pet)}.`,
    pointer: after.pointer,
    expected: 'the same pet in both responses',
    actual: `${printJson(before.pet)} and ${printJson(after.pet)}`,
    exchanges: [before.exchange, after.exchange],
    ...(onlyStatus && { unless: { change: true, delay: true } }),
    cause: 'shown differently',
  }
}
