import { longestList, samePet, sightingIn, sightingsIn, type Sighting } from '../judge/catalog.ts'
import {
  changedOwn,
  contradiction,
  findShared,
  findUnstable,
  isMuch,
  judgeShared,
  judgeUnstable,
} from '../judge/contradictions.ts'
import type { Violation } from '../judge/findings.ts'
import type { Session } from '../session/session.ts'
import { decide, isChanged } from './questions.ts'
import { findElsewhere, readWide } from './reads.ts'

/** Two responses showed a pet differently: repeats both requests. */
export function suspectContradiction(session: Session, [first, other]: [Sighting, Sighting]): void {
  const own = session.log.created.find(({ pet }) => pet.id === first.pet.id)
  session.suspect({
    kind: own ? 'changed' : 'contradiction',
    of: String(first.pet.id),
    requirements: own
      ? ['service.catalog', 'state.reads-change-nothing']
      : ['state.reads-change-nothing'],
    async again(later) {
      const onPage = (await compareOnPage(later, other)) ?? (await compareOnPage(later, first))
      if (onPage) return onPage
      const [before, after] = [await seeAgain(later, first), await seeAgain(later, other)]
      if (own) {
        const seen = [before, after].filter((sighting) => sighting !== undefined)
        const changed = seen.find(({ pet }) => !samePet(pet, own.pet))
        // By now, a pet that got its status later has it in each response.
        const hasNone = seen.some(({ pet }) => pet.status === undefined)
        const isWrong = changed && (hasNone || (await isChanged(later, own, changed.pet)))
        return isWrong ? changedOwn(own, changed, later.log) : undefined
      }
      if (!before || !after || samePet(before.pet, after.pet)) return undefined
      // Other clients may change a pet, but not back and forth each time.
      const again = await seeAgain(later, first)
      return again && samePet(before.pet, again.pet) ? contradiction(before, after) : undefined
    },
  })
}

/** Requests again what showed a pet. */
async function seeAgain(session: Session, sighting: Sighting): Promise<Sighting | undefined> {
  const { exchange, pet } = sighting
  if (exchange.operation !== 'listPets') return findElsewhere(session, sighting)
  const again = await session.list(exchange.plan.path)
  // The pet may have left a short page; the longest list of its status still shows it.
  return (
    sightingIn(again.exchange, pet.id) ??
    sightingIn((await session.list(longestList(pet.status))).exchange, pet.id)
  )
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

/** Looks for pets that lists of different statuses show, the same ones again and again: no change by others explains it. */
export async function suspectPairs(session: Session): Promise<void> {
  const lists = (await readWide(session)).results
  let shared: readonly (readonly [Sighting, Sighting])[] = findShared(lists)
  if (!isMuch(shared)) return
  const paths = lists.map(({ exchange }) => exchange.plan.path)
  session.suspect({
    kind: 'shared',
    of: 'lists',
    requirements: ['list.status.filter'],
    async again(later, key) {
      const look = await decide(later, () => judgeShared(key, paths, shared, later.log))
      shared = look.shared
      return look.found
    },
  })
}

/** A pet whose name or category differs in most responses is changed by reads or creations. */
export function expectStableFields(session: Session): void {
  const { log } = session
  const unstable = findUnstable(log)
  if (!unstable) return
  const [{ pet }] = unstable
  // Other clients do not know the names of this run: a creation changed this pet.
  if (
    log.catalog
      .of(pet.id)
      .slice(1)
      .some((later) => log.names.owns(later.pet.name))
  )
    session.report(contradiction(...unstable))
  else {
    session.suspect({
      kind: 'unstable',
      of: String(pet.id),
      requirements: ['state.reads-change-nothing'],
      again: (later, key) => decide(later, () => judgeUnstable(key, unstable, log)),
    })
  }
}
