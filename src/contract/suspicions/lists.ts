import type { ClauseId } from '../../spec/clauses.ts'
import type { ExactPet } from '../../spec/types.ts'
import type { PetList, Sighting } from '../catalog.ts'
import type { Exchange } from '../exchange.ts'
import { petsOf } from '../expect.ts'
import type { Violation } from '../findings.ts'
import type { Session } from '../session.ts'
import { awaitAll } from '../waiting.ts'

export const statuses = ['available', 'pending', 'sold'] as const

/** The lists in which every pet must be found, as far as they are not full. */
const wide = ['/pets?limit=100', ...statuses.map((status) => `/pets?status=${status}&limit=100`)]

const wideOf = (session: Session): readonly string[] => session.sample(wide, [0, 3])

/** Reads the widest lists once for all checks of this stage. */
export const readWide = (session: Session): Promise<PetList[]> =>
  awaitAll(wideOf(session).map((path) => session.once(`compare ${path}`, () => session.list(path))))

/** Looks for pets, of the run's own or of others, that a list lacks although it is not full. */
export function suspectIncomplete(session: Session, list: PetList, whose: 'own' | 'other'): void {
  if (!list.complete || list.pets.length < list.length) return
  const { catalog, created } = session.run
  const inList = new Set(list.pets.map(({ id }) => String(id)))
  const own = new Set(created.map(({ pet }) => String(pet.id)))
  // One pet stands for all that are missing in this list.
  const missing = catalog
    .first(list.status)
    .filter(({ exchange }) => exchange.sentAt + exchange.durationMs <= list.exchange.sentAt)
    .find(({ pet }) => !inList.has(String(pet.id)) && own.has(String(pet.id)) === (whose === 'own'))
  if (!missing) return
  const { path } = list.exchange.plan
  session.suspect({
    key: `missing ${path} ${whose}`,
    clauses: missingClauses(list, whose),
    again: () => missingAgain(session, path, missing, whose),
  })
}

function missingClauses(
  { status, pets }: PetList,
  whose: 'own' | 'other',
  missing?: ExactPet,
): [ClauseId, ...ClauseId[]] {
  if (whose === 'own') return status === undefined ? ['create.listed'] : ['create.listed', 'create.status']
  if (status !== undefined) return ['list.status.complete', 'service.catalogue']
  // Only where a list shows no pet of that status may it be filtered.
  return missing !== undefined && pets.some((pet) => pet.status === missing.status)
    ? ['service.catalogue', 'list.status.default']
    : ['list.status.default', 'service.catalogue']
}

/** Requests again what showed the pet, and the list that did not. */
async function missingAgain(
  session: Session,
  path: string,
  { pet, exchange }: Sighting,
  whose: 'own' | 'other',
): Promise<Violation | undefined> {
  const witness = await findElsewhere(session, pet.id, path, exchange)
  const now = witness && petsOf(witness).find(({ id }) => id === pet.id)
  const list = await session.list(path)
  if (!list.complete || list.pets.some(({ id }) => id === pet.id)) return undefined
  if (!now) return whose === 'own' ? lost(pet, exchange, list) : undefined
  if (list.status !== undefined) {
    // Its status may have changed by other hands meanwhile, and then it is in another list by right.
    const after = await findElsewhere(session, pet.id, path, exchange)
    const later = after && petsOf(after).find(({ id }) => id === pet.id)
    if (now.status !== list.status || later?.status !== list.status) return undefined
  }
  const [clause, ...alsoBreaks] = missingClauses(list, whose, pet)
  return {
    clause,
    alsoBreaks,
    message: `GET ${path} is not full but lacks pet ${pet.id}, which another response shows.`,
    expected: `a pet with id ${pet.id} among the ${list.length}`,
    actual: 'it is not there',
    exchanges: [witness, list.exchange],
    ...(whose === 'other' && list.status !== undefined && { unlessConcurrentChange: true }),
    cause: `${whose} pet missing`,
  }
}

/** A pet of the run's own that no response shows any more. */
function lost(pet: ExactPet, creation: Exchange, list: PetList): Violation {
  return {
    clause: 'create.stored',
    message: `Pet ${pet.id}, which createPet returned with 201, is in no response any more.`,
    expected: `a pet with id ${pet.id} among the ${list.length}`,
    actual: 'it is not there',
    exchanges: [creation, list.exchange],
    cause: 'lost',
  }
}

/** A response to a new request that shows the pet. */
export async function findElsewhere(
  session: Session,
  id: Sighting['pet']['id'],
  except: string,
  first: Exchange,
): Promise<Exchange | undefined> {
  if (session.run.getWorks && !session.run.getRemoved) {
    const response = await session.get(id)
    if (response.status === 200) return response
  }
  const paths = new Set([...(first.operation === 'listPets' ? [first.plan.path] : []), ...wide])
  paths.delete(except)
  for (const path of paths) {
    const list = await session.list(path)
    if (list.pets.some((pet) => pet.id === id)) return list.exchange
  }
  return undefined
}

/** So many requests for a page follow one another when it is looked at again. */
const readsInARow = 5

/** Whether a list was requested without a limit. */
export const hasNoLimit = ({ exchange }: PetList): boolean => !exchange.plan.path.includes('limit=')

/** Looks for pages that had fewer pets than responses before them had shown to be there. */
export function suspectShort(session: Session, isMeant: (list: PetList) => boolean): void {
  const { catalog, lists } = session.run
  for (const list of lists.filter(isMeant)) {
    if (list.length >= Math.min(list.atMost, catalog.count(list.status, list.exchange.sentAt))) continue
    const { path } = list.exchange.plan
    session.suspect({
      key: `short ${path}`,
      clauses: shortClauses(list, lists),
      again: () => shortAgain(session, path),
    })
  }
}

function shortClauses(list: PetList, lists: readonly PetList[]): [ClauseId, ...ClauseId[]] {
  // Where the bare list is full, the default is right, and the filter leaves too little.
  const isFilter = list.status !== undefined && lists.some((other) => isBare(other) && other.length === 20)
  if (hasNoLimit(list))
    return isFilter ? ['list.page-full', 'list.limit.default'] : ['list.limit.default', 'list.page-full']
  return list.atMost === 100 ? ['list.page-full', 'list.limit.max'] : ['list.page-full']
}

const isBare = (list: PetList): boolean => hasNoLimit(list) && list.status === undefined

/** Whether a short page with a filter has just those pets of the page without one that have its status. */
function isCutBeforeFilter({ pets, status, atMost }: PetList, lists: readonly PetList[]): boolean {
  const ids = (of: readonly ExactPet[]): string => of.map(({ id }) => id).join()
  const isSame = (other: PetList): boolean =>
    other.status === undefined &&
    other.atMost === atMost &&
    !other.complete &&
    ids(other.pets.filter((pet) => pet.status === status)) === ids(pets)
  return status !== undefined && lists.some(isSame)
}

/** Counts the pets that other lists show both before and after, and requests the page in between. */
async function shortAgain(session: Session, path: string): Promise<Violation | undefined> {
  const before = await awaitAll(wideOf(session).map((wider) => session.list(wider)))
  // Several reads in a row also show what goes wrong only now and then.
  const lists: PetList[] = []
  const reads = session.run.options.depth === 'smoke' ? 1 : readsInARow
  for (let read = 0; read < reads; read += 1) lists.push(await session.list(path))
  const list = lists.reduce((a, b) => (b.length < a.length ? b : a))
  const after = await awaitAll(wideOf(session).map((wider) => session.list(wider)))
  const shown = matching(session, after, list)
  const there = [...matching(session, before, list)].filter((id) => shown.has(id))
  const wanted = Math.min(list.atMost, there.length)
  if (list.length >= wanted) return undefined
  const [clause, ...alsoBreaks] = shortClauses(list, session.run.lists)
  const isCutFirst = isCutBeforeFilter(list, session.run.lists)
  const what = list.status === undefined ? 'pets' : `pets with status ${list.status}`
  return {
    clause,
    alsoBreaks: [...alsoBreaks, ...(list.complete ? hiddenClauses(session, list, there) : [])],
    message: `GET ${path} gives ${list.length} pets, although the catalog holds at least ${there.length} ${what}${isCutFirst ? ': they are those of the list without a filter, so limit is applied before the filter' : ''}.`,
    expected: `${wanted} pets`,
    actual: `${list.length} pets`,
    exchanges: [...before.filter(({ pets }) => pets.length > 0).map(({ exchange }) => exchange), list.exchange],
    ...(list.status !== undefined && { unlessConcurrentChange: true }),
    cause: clause === 'list.limit.default' ? 'default page short' : 'page short',
  }
}

/** What a list that is not full hides by being short. */
function hiddenClauses({ run }: Session, { status, pets }: PetList, there: readonly string[]): ClauseId[] {
  if (status !== undefined) return ['list.status.complete']
  const inList = new Set(pets.map(({ id }) => String(id)))
  const hidden = new Set(there.filter((id) => !inList.has(id)).map((id) => run.catalog.of(id)[0]?.pet.status))
  // Where what it hides has other statuses than what it shows, it is filtered.
  const isFiltered = pets.length > 0 && pets.every((pet) => !hidden.has(pet.status))
  return isFiltered ? ['service.catalogue', 'list.status.default'] : ['service.catalogue']
}

/** The ids of pets in these lists that belong into `list`, and that no lag can hide any more. */
function matching({ run }: Session, lists: readonly PetList[], { status }: PetList): Set<string> {
  const visibleBefore = run.transport.elapsed() - run.windowMs
  const pets = lists.flatMap((list) => list.pets).filter((pet) => status === undefined || pet.status === status)
  return new Set(
    pets
      .map(({ id }) => String(id))
      .filter((id) => (run.catalog.of(id)[0]?.exchange.sentAt ?? Infinity) <= visibleBefore),
  )
}
