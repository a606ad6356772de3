import { samePet, sightingIn, sightingsIn, type Sighting } from '../judge/catalog.ts'
import {
  changedOwn,
  contradiction,
  findShared,
  findUnstable,
  isMuch,
  judgeShared,
  judgeUnstable,
} from '../judge/contradictions.ts'
import { movedBy } from '../judge/explanations.ts'
import type { Violation } from '../judge/findings.ts'
import { findElsewhere, type Session } from '../session/session.ts'
import { decide, haveOthersMoved } from './questions.ts'
import { readWide } from './lists.ts'

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
        const isWrong = changed && (hasNone || !(await haveOthersMoved(session, own, changed.pet)))
        return isWrong ? changedOwn(own, changed, movedBy(own, session.log)) : undefined
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

/** Looks for pets that lists of different statuses show, the same ones again and again: no change by others explains it. */
export async function suspectPairs(session: Session): Promise<void> {
  const lists = (await readWide(session)).results
  let shared: readonly (readonly [Sighting, Sighting])[] = findShared(lists)
  if (!isMuch(shared)) return
  const paths = lists.map(({ exchange }) => exchange.plan.path)
  const again = async (key: string): Promise<Violation | undefined> => {
    const look = await decide(session, () => judgeShared(key, paths, shared, session.log))
    shared = look.shared
    return look.found
  }
  session.suspect({ kind: 'shared', of: 'lists', requirements: ['list.status.filter'], again })
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
    const again = (key: string): Promise<Violation | undefined> =>
      decide(session, () => judgeUnstable(key, unstable, log))
    const requirements = ['state.reads-change-nothing'] as const
    session.suspect({ kind: 'unstable', of: String(pet.id), requirements, again })
  }
}
