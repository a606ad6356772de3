import { count } from '../../report/text.ts'
import { limits } from '../../spec/operations.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import type { Int64 } from '../../spec/types.ts'
import { arrivalOf } from '../http/exchange.ts'
import {
  longestList,
  sameButStatus,
  widePaths,
  type PetList,
  type Sighting,
} from '../judge/catalog.ts'
import { compareShown, nameOf, petsOf } from '../judge/expect.ts'
import type { Violation } from '../judge/findings.ts'
import type { Log } from '../judge/run-log.ts'
import {
  readElsewhere,
  readLists,
  type Assumptions,
  type Judging,
  type Look,
} from '../judge/questions.ts'
import type { SeenPet } from '../judge/shapes.ts'
import { lacksOld, mayFillLater, mayListLater } from './late.ts'

/** Whether a pet is one of the run. */
export type Whose = 'own' | 'other'
/** A known pet that a list should show. */
type MissingPet = Sighting & { whose: Whose }
/** A list that lacks a known pet. */
export type LackingList = MissingPet & { list: PetList }
/** A page with fewer pets than were known before. */
export interface Short {
  list: PetList
  known: number
  /** Whether it lacks pets from before the run, which cannot be late. */
  needsNoWait: boolean
}

/** A known pet that is missing from a list that is not full and was requested at least `ms` later. One stands for all. */
export function findMissing(
  list: PetList,
  whose: Whose,
  log: Log,
  ms = 0,
): LackingList | undefined {
  if (!list.complete || list.pets.length < list.length) return undefined
  const inList = new Set(list.pets.map(({ id }) => id))
  const missing = log.catalog
    .first(list.matches)
    .filter(({ exchange }) => arrivalOf(exchange) + ms <= list.exchange.sentAt)
    .find(({ pet }) => !inList.has(pet.id) && log.isOwn(pet.id) === (whose === 'own'))
  return missing && { ...missing, whose, list }
}

/** @param missing the pet, once it is known that the list still lacks it */
export function missingRequirements(
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

/** Reads of a page at once, which reach several servers and show intermittent faults; a smoke run sends one. */
const readsOf = (path: string, { isSmoke }: Assumptions): string[] =>
  Array.from({ length: isSmoke ? 1 : 5 }, () => path)

/** Whether getPet has returned other pets than those that were requested: then it is no witness. */
const showsOthers = (log: Log): boolean =>
  log.exchanges.some((one) => one.operation === 'getPet' && compareShown(one).length > 0) ||
  log.created.some(({ pet }) =>
    log.fetched(pet.id).some((one) => petsOf(one).some((shown) => !sameButStatus(shown, pet))),
  )

/** Whether a list still lacks a pet that another response shows: repeats the list, and a request that shows the pet. */
export function* judgeMissing(
  { list: lacking, ...missing }: LackingList,
  look: Look,
  isFirst = true,
): Judging<Violation | undefined> {
  const { log, assumptions } = look
  const { path } = lacking.exchange.plan
  const { id } = missing.pet
  if (missing.exchange.operation === 'getPet' && showsOthers(log)) return undefined
  const lacks = ({ pets }: PetList): boolean => pets.every((pet) => pet.id !== id)
  const readAll = (): Judging<PetList[]> => readLists(look, path, readsOf(path, assumptions))
  // Of the few requests of a smoke run, the list may be enough.
  if (assumptions.isSmoke && !(yield* readAll()).some(lacks)) return undefined
  const witness = yield* readElsewhere(look, `pet ${id} elsewhere`, missing, path)
  const all = yield* readAll()
  const list = all.findLast(lacks)
  if (list) return yield* decideMissing(missing, { list, witness }, look)
  // If every list lacks its newest pet, that is another pet by now.
  const [first] = all
  const newest =
    isFirst && first ? findMissing(first, missing.whose, log, assumptions.windowMs) : undefined
  if (newest) {
    const further = { ...look, key: `${look.key}, newest` }
    return yield* judgeMissing({ ...newest, list: lacking }, further, false)
  }
  // The filter of the request before may have stuck.
  const stuck = lacking.filter === '' ? lacking.pets[0]?.status : undefined
  if (!stuck) return undefined
  const [filtered] = yield* readLists(look, 'another filter', [longestList(stuck)])
  const [next] = yield* readLists(look, `${path} after it`, [path])
  return next && lacks(next)
    ? yield* decideMissing(missing, { list: next, witness, filtered }, look)
    : undefined
}

/** @param seen the list that lacks the pet, another response that shows it, and the list with another filter before */
function* decideMissing(
  missing: MissingPet,
  seen: { list: PetList; witness: Sighting | undefined; filtered?: PetList | undefined },
  look: Look,
): Judging<Violation | undefined> {
  const { pet, exchange, whose } = missing
  const { list, witness, filtered } = seen
  if (!list.complete) return undefined
  const { path } = list.exchange.plan
  const found = {
    expected: `a pet with id ${pet.id} among the ${list.length}`,
    actual: 'it is not there',
    kind: 'missing',
  } as const
  if (!witness) {
    if (whose === 'other') return undefined
    const message = `Pet ${pet.id}, which createPet returned with 201, is no longer in any response.`
    const unless = { late: true, ownPetRemoved: pet.id }
    return {
      ...found,
      requirement: 'create.stored',
      message,
      exchanges: [exchange, list.exchange],
      unless,
      cause: 'lost',
    }
  }
  if (list.filter !== '') {
    // Another client may have changed its status meanwhile.
    const later = yield* readElsewhere(look, `pet ${pet.id} after the list`, missing, path)
    if (!list.matches(witness.pet) || !later || !list.matches(later.pet)) return undefined
  }
  const [requirement, ...alsoBreaks] = missingRequirements(list, whose, pet)
  const what = list.length === 0 ? 'gives no pets, and' : 'is not full but'
  const petName = `${whose === 'own' ? 'the new pet' : 'pet'} ${pet.id}`
  const { plan, operation } = witness.exchange
  const shows = operation === 'createPet' ? 'returned' : 'shows'
  return {
    ...found,
    requirement,
    alsoBreaks,
    message:
      requirement === 'list.status.default'
        ? `Without \`status\`, GET ${path} hides pets: pet ${pet.id} is missing.`
        : `GET ${path} ${what} lacks ${petName}, which ${nameOf(plan)} ${shows}.`,
    exchanges: [witness, ...(filtered ? [filtered] : []), list].map((one) => one.exchange),
    unless: {
      otherStatusChanges: whose === 'other' && list.filter !== '',
      leftStatusList: whose === 'own' && list.filter !== '',
      late: mayListLater(list, pet, look.log),
    },
    cause: `${whose} pet missing`,
  }
}

export const hasNoLimit = ({ exchange }: PetList): boolean => !exchange.plan.path.includes('limit=')

export function shortRequirements(
  list: PetList,
  lists: readonly PetList[],
): [RequirementId, ...RequirementId[]] {
  // If the page without a filter is full, the default is right and the filter is the fault.
  const isFilter =
    list.filter !== '' && lists.some((other) => isBare(other) && other.length === limits.default)
  if (hasNoLimit(list))
    return isFilter
      ? ['list.page-full', 'list.limit.default']
      : ['list.limit.default', 'list.page-full']
  if (list.atMost === 1) return ['list.limit.min', 'list.page-full']
  return list.atMost === 100 ? ['list.page-full', 'list.limit.max'] : ['list.page-full']
}

const isBare = (list: PetList): boolean => hasNoLimit(list) && list.filter === ''

/** Finds pages with fewer pets than were known before. */
export function findShort(isMeant: (list: PetList) => boolean, log: Log): Short[] {
  const { catalog, lists: all } = log
  // New pets take the place of old ones on a page.
  const newestAt = log.created.at(-1)?.exchange.sentAt ?? -Infinity
  const countOld = ({ pets }: PetList): number => pets.filter(({ id }) => !log.mayBeLate(id)).length
  // Shortest paths first: only the first few are looked at again.
  const lengthOf = ({ exchange }: PetList): number => exchange.plan.path.length
  return all
    .filter(isMeant)
    .sort((a, b) => lengthOf(a) - lengthOf(b))
    .flatMap((list): Short[] => {
      const known = Math.min(list.atMost, catalog.count(list.matches, list.exchange.sentAt))
      if (list.length >= known) return []
      const meanwhile = all.filter((one) => one.exchange.sentAt > newestAt && isWithin(one, list))
      const old = Math.max(0, ...meanwhile.map(countOld))
      return [{ list, known, needsNoWait: list.length < Math.min(list.atMost, old) }]
    })
}

/** Whether one list shows more pets than another, although its limit is no greater and its filter lets no more pass. */
const showsMoreThanAllowedBy = (one: PetList, other: PetList): boolean =>
  one.length > other.length && one.atMost <= other.atMost && isWithin(one, other)

/** Whether a list shows only pets that match the filter of another one. */
const isWithin = (one: PetList, { filter }: PetList): boolean =>
  filter === '' || one.filter === filter

/** The longest list that shows only pets which match the filter of a short one. */
const findLonger = (list: PetList, lists: readonly PetList[]): PetList | undefined =>
  lists
    .filter((one) => one.length > list.length && isWithin(one, list))
    .toSorted((a, b) => b.length - a.length)[0]

/** Whether a filtered page has exactly the matching pets of the unfiltered page. */
function isCutBeforeFilter(
  { pets, filter, matches, atMost }: PetList,
  lists: readonly PetList[],
): boolean {
  const ids = (of: readonly SeenPet[]): string => of.map(({ id }) => id).join()
  const isSame = (other: PetList): boolean =>
    other.filter === '' &&
    other.atMost === atMost &&
    !other.complete &&
    ids(other.pets.filter(matches)) === ids(pets)
  return filter !== '' && lists.some(isSame)
}

/**
 * Whether a page still has fewer pets than the catalog has.
 *
 * Reads other lists, the page, and other lists again: what both rounds show must be on the page, as far as it fits. A smoke
 * run reads the page alone at first.
 */
export function* judgeShort(
  { list: short, known }: Short,
  look: Look,
): Judging<Violation | undefined> {
  const { log, assumptions } = look
  const { isSmoke, windowMs } = assumptions
  const { path } = short.exchange.plan
  const wide = widePaths(isSmoke)
  // Another list that shows more is read with the others.
  const longer = findLonger(short, log.lists)?.exchange.plan.path
  const beside = [...new Set([...wide, ...(longer === undefined ? [] : [longer])])]
  const readPage = (when: string): Judging<PetList[]> =>
    readLists(look, `${path} ${when}`, readsOf(path, assumptions))
  if (isSmoke && (yield* readPage('first')).some(({ length }) => length >= known)) return undefined
  const before = yield* readLists(look, 'other lists before', beside)
  const between = yield* readPage('between')
  const after = yield* readLists(look, 'other lists after', beside)
  const around = [...before, ...after]
  const list = between.reduce((a, b) => (b.length < a.length ? b : a))
  const visibleBefore = log.now - windowMs
  const shownAfter = matching(after, list, visibleBefore, log)
  const there = [...matching(before, list, visibleBefore, log)].filter((id) => shownAfter.has(id))
  const wanted = Math.min(list.atMost, there.length)
  if (list.length >= wanted) return undefined
  const [requirement, ...alsoBreaks] = shortRequirements(list, log.lists)
  // The list that shows most of them is the evidence, or one that should show fewer.
  const shownBy = ({ pets }: PetList): number => pets.filter(({ id }) => there.includes(id)).length
  const weightOf = (one: PetList): number =>
    shownBy(one) + (showsMoreThanAllowedBy(one, list) ? 1_000 : 0)
  const evidence = before
    .filter((one) => shownBy(one) > 0 && one.exchange.plan.path !== path)
    .sort((a, b) => weightOf(a) - weightOf(b))
  const hidden = list.complete ? hiddenRequirements(list, there, log) : []
  return {
    requirement,
    alsoBreaks: [...alsoBreaks, ...hidden],
    message: wordsOfShort(list, [evidence.at(-1), log.lists], wanted, there.length),
    expected: `${there.length < list.atMost ? 'at least ' : ''}${count(wanted, 'pet')}`,
    actual: count(list.length, 'pet'),
    exchanges: [...evidence, list].map(({ exchange }) => exchange),
    unless: {
      otherStatusChanges: list.filter !== '',
      leftStatusList: list.filter !== '',
      late:
        !lacksOld(list, there, around, log) &&
        mayFillLater(
          list,
          there.length,
          around.filter(({ exchange }) => wide.includes(exchange.plan.path)),
          log,
        ),
    },
    cause: requirement === 'list.limit.default' ? 'default page short' : 'page short',
  }
}

function wordsOfShort(
  list: PetList,
  [shows, lists]: readonly [PetList | undefined, readonly PetList[]],
  wanted: number,
  there: number,
): string {
  const { path } = list.exchange.plan
  const pets = count(list.length, 'pet')
  if (list.atMost === 1) return 'limit=1 gives no pet, although the catalog has some.'
  if (path.includes('%64'))
    return `GET ${path} returns ${pets}, not ${wanted}: %64 is another spelling of d.`
  if (isCutBeforeFilter(list, lists)) {
    return `\`limit\` is applied before the status filter: GET ${path} returns ${list.length} of ${count(wanted, 'pet')}.`
  }
  if (shows && showsMoreThanAllowedBy(shows, list)) {
    const other = `GET ${shows.exchange.plan.path} returns ${shows.length}`
    return `GET ${path} returns ${pets}, but ${other}${isBare(list) ? `: the default of \`limit\` is ${limits.default}` : ''}.`
  }
  return isBare(list)
    ? `Without \`limit\`, GET ${path} returns ${pets}, the default is ${limits.default} (the catalog has ${there}).`
    : `GET ${path} returns ${pets}, not ${wanted} (the catalog has ${there}).`
}

/** What a short list hides although it is not full. */
function hiddenRequirements(
  { status, pets }: PetList,
  there: readonly Int64[],
  { catalog }: Log,
): RequirementId[] {
  if (status !== undefined) return ['list.status.complete']
  const inList = new Set(pets.map(({ id }) => id))
  const hidden = new Set(
    there.filter((id) => !inList.has(id)).map((id) => catalog.of(id)[0]?.pet.status),
  )
  // Hidden pets that all have other statuses mean a filter.
  const isFiltered = pets.length > 0 && pets.every((pet) => !hidden.has(pet.status))
  return isFiltered ? ['service.catalog', 'list.status.default'] : ['service.catalog']
}

/** The ids of matching pets that are old, or were known before the consistency window. */
function matching(
  lists: readonly PetList[],
  { matches }: PetList,
  visibleBefore: number,
  log: Log,
): Set<Int64> {
  const pets = lists.flatMap((list) => list.pets).filter(matches)
  const isKnown = (id: Int64): boolean =>
    !log.mayBeLate(id) || (log.catalog.of(id)[0]?.exchange.sentAt ?? Infinity) <= visibleBefore
  return new Set(pets.map(({ id }) => id).filter(isKnown))
}
