import { count } from '../../report/text.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import type { Int64 } from '../../spec/types.ts'
import type { PetList, Sighting } from '../judge/catalog.ts'
import { arrivalOf } from '../http/exchange.ts'
import type { SeenPet } from '../judge/shapes.ts'
import type { Violation } from '../judge/findings.ts'
import type { Run } from '../session/run.ts'
import { findElsewhere, type Session, wide } from '../session/session.ts'
import { awaitAll, collectAll } from '../http/waiting.ts'
import { expectNoMoves } from './excuses.ts'

const wideOf = (session: Session): readonly string[] => session.sample(wide, [0, 3])

/** Reads the longest lists once for all checks of a stage; where one fails, the others show something, too. */
export const readWide = (session: Session): ReturnType<typeof collectAll<PetList>> =>
  collectAll(
    wideOf(session).map((path) => session.run.once(`compare ${path}`, () => session.list(path))),
  )

/** Whether a pet is one of the run. */
type Whose = 'own' | 'other'
/** A known pet that a list should show. */
type Missing = Sighting & { whose: Whose }

/** Looks for known pets that are missing from a list that is not full. */
export function suspectIncomplete(session: Session, list: PetList, whose: Whose): void {
  const missing = findMissing(session, list, whose)
  if (!missing) return
  session.suspect(
    {
      kind: 'missing',
      of: `${list.exchange.plan.path} ${whose}`,
      requirements: missingRequirements(list, whose),
      again: () => missingAgain(session, list, missing),
    },
    session.log.isOld(missing.pet.id) ? -Infinity : undefined,
  )
}

/** A known pet that is missing from a list that is not full and was requested at least `ms` later. One stands for all. */
function findMissing({ run }: Session, list: PetList, whose: Whose, ms = 0): Missing | undefined {
  if (!list.complete || list.pets.length < list.length) return undefined
  const inList = new Set(list.pets.map(({ id }) => id))
  const own = new Set(run.log.created.map(({ pet }) => pet.id))
  const missing = run.log.catalog
    .first(list.status)
    .filter(({ exchange }) => arrivalOf(exchange) + ms <= list.exchange.sentAt)
    .find(({ pet }) => !inList.has(pet.id) && own.has(pet.id) === (whose === 'own'))
  return missing && { ...missing, whose }
}

/** @param missing the pet, once it is known that the list still lacks it */
function missingRequirements(
  { status, pets }: PetList,
  whose: Whose,
  missing?: SeenPet,
): [RequirementId, ...RequirementId[]] {
  if (whose === 'own')
    return status === undefined ? ['create.listed'] : ['create.listed', 'create.status']
  if (status !== undefined) return ['list.status.complete', 'service.catalog']
  // A list that shows other pets of that status is not filtered.
  return missing !== undefined &&
    (pets.length === 0 || pets.some((pet) => pet.status === missing.status))
    ? ['service.catalog', 'list.status.default']
    : ['list.status.default', 'service.catalog']
}

/** A list at the depth `smoke`: of its few requests, one may be enough. */
const listIfFew = async (session: Session, path: string): Promise<PetList | undefined> =>
  session.run.options.depth === 'smoke' ? session.list(path) : undefined

/** Reads of a page at once, which reach several servers and show intermittent faults. */
const readsAtOnce = 5

const readAtOnce = (session: Session, path: string): Promise<PetList[]> =>
  awaitAll(Array.from({ length: readsAtOnce }, () => session.list(path)))

/** Repeats the list, and a request that shows the pet. */
async function missingAgain(
  session: Session,
  short: PetList,
  missing: Missing,
  isFirst = true,
): Promise<Violation | undefined> {
  const { path } = short.exchange.plan
  const { findings, windowMs } = session.run
  // A getPet that returns pets for the ids of others is no witness.
  const isUnsure = missing.exchange.operation === 'getPet'
  if (isUnsure && findings.violations.some(({ cause }) => cause === 'another pet')) return undefined
  const lacks = ({ pets }: PetList): boolean => pets.every(({ id }) => id !== missing.pet.id)
  const only = await listIfFew(session, path)
  if (only && !lacks(only)) return undefined
  const witness = await findElsewhere(session, missing, path)
  const lists = only ? [only] : await readAtOnce(session, path)
  const list = lists.findLast(lacks)
  if (list) return toMissing(session, missing, { list, witness })
  // If every list lacks its newest pet, that is another pet by now.
  const newest =
    isFirst && lists[0] ? findMissing(session, lists[0], missing.whose, windowMs) : undefined
  if (newest) return missingAgain(session, short, newest, false)
  // The filter of the request before may have stuck.
  const stuck = short.status === undefined ? short.pets[0]?.status : undefined
  if (!stuck) return undefined
  const filtered = await session.list(`/pets?status=${stuck}&limit=100`)
  const next = await session.list(path)
  return lacks(next) ? toMissing(session, missing, { list: next, witness, filtered }) : undefined
}

/** @param seen the list that lacks the pet, another response that shows it, and the list with another filter before */
async function toMissing(
  session: Session,
  { pet, exchange, whose }: Missing,
  { list, witness, filtered }: { list: PetList; witness: Sighting | undefined; filtered?: PetList },
): Promise<Violation | undefined> {
  if (!list.complete) return undefined
  const { path } = list.exchange.plan
  const found = {
    expected: `a pet with id ${pet.id} among the ${list.length}`,
    actual: 'it is not there',
  }
  if (!witness) {
    if (whose === 'other') return undefined
    const message = `Pet ${pet.id}, which createPet returned with 201, is no longer in any response.`
    const unless = { delay: true, taken: pet.id }
    return {
      ...found,
      requirement: 'create.stored',
      message,
      exchanges: [exchange, list.exchange],
      unless,
      cause: 'lost',
    }
  }
  if (list.status !== undefined) {
    // Another client may have changed its status meanwhile.
    const later = await findElsewhere(session, { pet, exchange }, path)
    if (witness.pet.status !== list.status || later?.pet.status !== list.status) return undefined
    if (whose === 'own') expectNoMoves(session.run)
  }
  const [requirement, ...alsoBreaks] = missingRequirements(list, whose, pet)
  const what = list.length === 0 ? 'gives no pets, and' : 'is not full but'
  return {
    ...found,
    requirement,
    alsoBreaks,
    message:
      requirement === 'list.status.default'
        ? `Without \`status\`, GET ${path} hides pets: pet ${pet.id} is missing.`
        : `GET ${path} ${what} lacks pet ${pet.id}, which another response shows.`,
    exchanges: [witness, ...(filtered ? [filtered] : []), list].map((one) => one.exchange),
    unless: {
      change: whose === 'other' && list.status !== undefined,
      delay: mayBeLate(session.run, list, pet),
    },
    cause: `${whose} pet missing`,
  }
}

/**
 * Whether a list may not have learned yet of a pet. One that was known before the run created any is not late, unless others
 * are seen to add pets, which the index of a status learns later; neither is one that the list shows with another id.
 */
function mayBeLate(run: Run, list: PetList, pet: SeenPet): boolean {
  if (run.log.isOld(pet.id)) return list.status !== undefined && othersAdd(run)
  const { names, repeatedName } = run
  const isUnique = names.owns(pet.name) && pet.name !== repeatedName
  return !(isUnique && list.pets.some(({ id, name }) => name === pet.name && id !== pet.id))
}

/** Whether a list has shown a pet of others that the first response to the same request lacked. */
function othersAdd({ names, log: { created, lists } }: Run): boolean {
  const own = new Set(created.map(({ pet }) => pet.id))
  return lists.some(({ exchange, pets }) => {
    const first = lists.find((one) => one.exchange.plan.path === exchange.plan.path)
    const known = new Set(first?.pets.map(({ id }) => id))
    return pets.some(({ id, name }) => !known.has(id) && !own.has(id) && !names.owns(name))
  })
}

export const hasNoLimit = ({ exchange }: PetList): boolean => !exchange.plan.path.includes('limit=')

/** Looks for pages with fewer pets than were known before. */
export function suspectShort(session: Session, isMeant: (list: PetList) => boolean): void {
  const { catalog, lists } = session.log
  // The plainest request stands for all.
  const lengthOf = ({ exchange }: PetList): number => exchange.plan.path.length
  for (const list of lists.filter(isMeant).sort((a, b) => lengthOf(a) - lengthOf(b))) {
    const known = Math.min(list.atMost, catalog.count(list.status, list.exchange.sentAt))
    if (list.length >= known) continue
    const { path } = list.exchange.plan
    const old = catalog.first(list.status).filter(({ pet }) => session.log.isOld(pet.id)).length
    session.suspect(
      {
        kind: 'short',
        of: path,
        requirements: shortRequirements(list, lists),
        again: () => shortAgain(session, path, known),
      },
      list.length < Math.min(list.atMost, old) ? -Infinity : undefined,
    )
  }
}

function shortRequirements(
  list: PetList,
  lists: readonly PetList[],
): [RequirementId, ...RequirementId[]] {
  // If the page without a filter is full, the default is right and the filter is the fault.
  const isFilter =
    list.status !== undefined && lists.some((other) => isBare(other) && other.length === 20)
  if (hasNoLimit(list))
    return isFilter
      ? ['list.page-full', 'list.limit.default']
      : ['list.limit.default', 'list.page-full']
  if (list.atMost === 1) return ['list.limit.min', 'list.page-full']
  return list.atMost === 100 ? ['list.page-full', 'list.limit.max'] : ['list.page-full']
}

const isBare = (list: PetList): boolean => hasNoLimit(list) && list.status === undefined

/** Whether a filtered page has exactly the matching pets of the unfiltered page. */
function isCutBeforeFilter({ pets, status, atMost }: PetList, lists: readonly PetList[]): boolean {
  const ids = (of: readonly SeenPet[]): string => of.map(({ id }) => id).join()
  const isSame = (other: PetList): boolean =>
    other.status === undefined &&
    other.atMost === atMost &&
    !other.complete &&
    ids(other.pets.filter((pet) => pet.status === status)) === ids(pets)
  return status !== undefined && lists.some(isSame)
}

/** Reads the page between two rounds of other lists, and counts the pets that both rounds show. */
async function shortAgain(
  session: Session,
  path: string,
  known: number,
): Promise<Violation | undefined> {
  const readWider = (): Promise<PetList[]> =>
    awaitAll(wideOf(session).map((wider) => session.list(wider)))
  const first = await listIfFew(session, path)
  if (first && first.length >= known) return undefined
  const before = await readWider()
  const lists = first ? [await session.list(path)] : await readAtOnce(session, path)
  const list = lists.reduce((a, b) => (b.length < a.length ? b : a))
  const after = await readWider()
  const shownAfter = matching(session, after, list)
  const there = [...matching(session, before, list)].filter((id) => shownAfter.has(id))
  const wanted = Math.min(list.atMost, there.length)
  if (list.length >= wanted) return undefined
  if (list.status !== undefined) expectNoMoves(session.run)
  const [requirement, ...alsoBreaks] = shortRequirements(list, session.log.lists)
  // The list that shows most of them is the evidence.
  const shownBy = ({ pets }: PetList): number => pets.filter(({ id }) => there.includes(id)).length
  const evidence = before.filter((wider) => shownBy(wider) > 0 && wider.exchange.plan.path !== path)
  const delay = mayBeLateIn(session.run, list, there.length, [...before, ...after])
  return {
    requirement,
    alsoBreaks: [...alsoBreaks, ...(list.complete ? hiddenRequirements(session, list, there) : [])],
    message: wordsOfShort(list, session.log.lists, wanted, there.length),
    expected: count(wanted, 'pet'),
    actual: count(list.length, 'pet'),
    exchanges: [...evidence.sort((a, b) => shownBy(a) - shownBy(b)), list].map(
      ({ exchange }) => exchange,
    ),
    unless: { change: list.status !== undefined, delay },
    cause: requirement === 'list.limit.default' ? 'default page short' : 'page short',
  }
}

/**
 * Whether a page may lack pets that are late: it is short by no more new pets than no list with the same filter has shown
 * yet. The index of a status may also learn late of pets that others add, but then ends elsewhere than another list.
 */
function mayBeLateIn(run: Run, list: PetList, there: number, others: readonly PetList[]): boolean {
  const alike = others.filter(({ status }) => status === list.status)
  const shown = new Set(alike.flatMap(({ pets }) => pets.map(({ id }) => id)))
  const isHidden = ({ pet: { id } }: Sighting): boolean => !run.log.isOld(id) && !shown.has(id)
  const hidden = run.log.catalog.first(list.status).filter(isHidden).length
  if (list.length + hidden >= Math.min(list.atMost, there)) return true
  return list.status !== undefined && othersAdd(run) && !isCut(list, others)
}

/** Whether a list ends too early: a delay does not explain more pets with the same filter, nor as many with a filter as without. */
const isCut = (list: PetList, others: readonly PetList[]): boolean =>
  others.some(({ status, length }) =>
    status === list.status
      ? length > list.length
      : length === list.length && (status === undefined || list.status === undefined),
  )

function wordsOfShort(
  list: PetList,
  lists: readonly PetList[],
  wanted: number,
  there: number,
): string {
  const { path } = list.exchange.plan
  const pets = count(list.length, 'pet')
  if (list.atMost === 1) return 'limit=1 gives no pet, although the catalog has some.'
  if (isCutBeforeFilter(list, lists)) {
    return `\`limit\` is applied before the status filter: GET ${path} returns ${list.length} of ${count(wanted, 'pet')}.`
  }
  return isBare(list)
    ? `Without \`limit\`, GET ${path} returns ${pets}, the default is 20 (the catalog has ${there}).`
    : `GET ${path} returns ${pets}, not ${wanted} (the catalog has ${there}).`
}

/** What a short list hides although it is not full. */
function hiddenRequirements(
  { run }: Session,
  { status, pets }: PetList,
  there: readonly Int64[],
): RequirementId[] {
  if (status !== undefined) return ['list.status.complete']
  const inList = new Set(pets.map(({ id }) => id))
  const hidden = new Set(
    there.filter((id) => !inList.has(id)).map((id) => run.log.catalog.of(id)[0]?.pet.status),
  )
  // Hidden pets that all have other statuses mean a filter.
  const isFiltered = pets.length > 0 && pets.every((pet) => !hidden.has(pet.status))
  return isFiltered ? ['service.catalog', 'list.status.default'] : ['service.catalog']
}

/** The ids of matching pets that are old, or were known before the consistency window. */
function matching({ run }: Session, lists: readonly PetList[], { status }: PetList): Set<Int64> {
  const visibleBefore = run.transport.elapsed() - run.windowMs
  const pets = lists
    .flatMap((list) => list.pets)
    .filter((pet) => status === undefined || pet.status === status)
  return new Set(
    pets
      .map(({ id }) => id)
      .filter(
        (id) =>
          run.log.isOld(id) ||
          (run.log.catalog.of(id)[0]?.exchange.sentAt ?? Infinity) <= visibleBefore,
      ),
  )
}
