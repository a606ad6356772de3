import { petStatuses } from '../../spec/operations.ts'
import { expectWhole, statusesOf, type Created, type PetList } from '../judge/catalog.ts'
import { fillCatalog } from '../session/creation.ts'
import { NotVerified, OutOfReach } from '../judge/findings.ts'
import type { Check, Session } from '../session/session.ts'
import { havePetsChanged } from '../claims/experiments.ts'
import {
  contradiction,
  findDuplicate,
  findShared,
  findUnstable,
  areTooManyShared,
} from '../claims/contradictions.ts'
import { findMissing, findShort, hasNoLimit, type Whose } from '../claims/lists.ts'
import { awaitAll } from '../http/waiting.ts'

export const listPetsChecks: Check[] = [
  {
    id: 'list-pets.responses',
    title: 'GET /pets under the base URL, without parameters, returns 200 with an array of Pet',
    stage: 'read',
    smoke: { writes: 0 },
    requirements: ['list.success', 'auth.bearer', 'service.base-path'],
    async run(session) {
      await session.read('/pets')
      if (new URL(session.run.options.baseUrl).pathname.endsWith('/v1')) return
      const reason =
        'the base URL of this run does not end in /v1; a proxy may have taken the segment away'
      session.cannotVerify('service.base-path', reason)
    },
  },
  {
    id: 'list-pets.maximum-limit',
    title: 'limit=100 is accepted',
    stage: 'survey',
    smoke: { writes: 0 },
    requirements: ['list.limit.max'],
    async run(session) {
      await session.read('/pets?limit=100', 'list.limit.max')
    },
  },
  {
    id: 'list-pets.minimum-limit',
    title: 'limit=1 is accepted and returns one pet',
    stage: 'read',
    smoke: { writes: 0 },
    requirements: ['list.limit.min'],
    async run(session) {
      const one = await session.read('/pets?limit=1', 'list.limit.min')
      claimShort(session, ({ exchange }) => exchange === one.exchange)
    },
  },
  {
    id: 'list-pets.limit',
    title: 'A list never has more pets than limit',
    stage: 'compare',
    smoke: { writes: 0 },
    requirements: ['list.limit.respected'],
    async run(session) {
      // Limits that reveal comparison as text, a default instead of the maximum, and a filter that drops the limit.
      const queries = session.sample(
        ['limit=2', 'limit=2&status=available', 'limit=10', 'limit=20', 'limit=50'],
        [0],
      )
      const demandOf = (query: string) =>
        query.includes('status') ? 'list.status.filter' : 'list.limit.respected'
      await awaitAll(queries.map((query) => session.read(`/pets?${query}`, demandOf(query))))
      // With fewer pets than the limit, nothing was limited.
      session.log.catalog.atLeast(3)
    },
  },
  {
    id: 'list-pets.status-filter',
    title: 'Each status is accepted as a filter, and no other status is returned',
    stage: 'compare',
    smoke: { writes: 0 },
    requirements: ['list.status.filter'],
    async run(session) {
      const tried = session.sample(petStatuses, [2])
      await awaitAll(
        tried.map((status) => session.read(`/pets?status=${status}`, 'list.status.filter')),
      )
      // A filter shows its effect only if it has something to leave out.
      if (session.log.catalog.statuses().size >= 2) return
      throw new NotVerified(
        'the catalog shows no pets of different petStatuses, so a filter has nothing to do',
      )
    },
  },
  {
    id: 'list-pets.status-and-limit',
    title: 'status and limit work together, in either order',
    stage: 'survey',
    requirements: ['list.parameters-optional'],
    async run(session) {
      const requirement = 'list.parameters-optional'
      await awaitAll(
        petStatuses.map((status) => session.read(`/pets?status=${status}&limit=100`, requirement)),
      )
      await awaitAll([
        session.read('/pets?limit=1&status=pending', requirement),
        // Another spelling of `sold`.
        session.read('/pets?limit=2&status=sol%64', requirement),
      ])
    },
  },
]

/** Relations between responses, which no single response can violate. */
export const compareListsChecks: Check[] = [
  {
    id: 'list-pets.default-limit',
    title: 'Without limit, a list has 20 pets if there are enough',
    stage: 'compare',
    smoke: { writes: 0 },
    requirements: ['list.limit.default'],
    async run(session) {
      // Without a pause, this list is the first of its stage.
      if (session.log.catalog.count() < 21) await fillCatalog(session, 21)
      const bare = await session.list('/pets')
      claimShort(session, hasNoLimit)
      session.log.catalog.atLeast(21)
      if (bare.length < 20)
        throw new NotVerified('the list without limit was short, but other lists were then, too')
    },
  },
  {
    id: 'list-pets.full-page',
    title: 'A page is full if the catalog has more matching pets',
    stage: 'compare',
    requirements: ['list.page-full'],
    async run(session) {
      const { rethrow } = await session.readWide()
      await readAlmostWide(session)
      session.log.catalog.atLeast(2)
      claimShort(session, (list) => !hasNoLimit(list))
      rethrow()
    },
  },
  {
    id: 'list-pets.complete',
    title: 'A list that is not full shows every pet that another response shows',
    stage: 'compare',
    requirements: [
      'list.status.complete',
      'list.status.default',
      'list.status.filter',
      'service.catalog',
    ],
    async run(session) {
      const { results, rethrow } = await session.readWide()
      const almost = await readAlmostWide(session)
      const lists = [...results, almost]
      for (const list of lists) claimIncomplete(session, list, 'other')
      claimIncomplete(session, almost, 'own')
      // The same pets again and again in lists of different statuses: no change by others explains it.
      if (areTooManyShared(findShared(results))) session.claim('shared', results)
      if (
        !lists.some(
          (list) =>
            list.complete && list.pets.some(({ status }) => status && status === list.status),
        )
      ) {
        if (isFullOfEachStatus(lists)) session.cannotReach('list.status.complete', fullLists)
        else {
          const reason = 'the catalog shows no status with at least one and fewer than 100 pets'
          session.cannotVerify('list.status.complete', reason)
        }
      }
      expectEveryStatus(session, lists)
      session.log.catalog.atLeast(1)
      rethrow()
    },
  },
  {
    id: 'create-pet.listed',
    title: 'A created pet is in every list that is not full, also when filtered by its status',
    stage: 'compare',
    smoke: { writes: 0 },
    requirements: ['create.listed', 'create.status'],
    async run(session) {
      const { results: lists, rethrow } = await session.readWide()
      const { created } = session.log
      if (created.length === 0) throw new NotVerified('the run created no pet')
      // Includes the lists of other checks: one of several servers may serve stale lists.
      for (const list of session.log.lists.filter(({ atMost }) => atMost === 100))
        claimIncomplete(session, list, 'own')
      rethrow()
      if (!created.some(({ pet }) => pet.status))
        session.cannotVerify('create.status', 'no created Pet has a status')
      const isListed = ({ pet }: Created): boolean =>
        lists.some(
          ({ status, pets }) => status === pet.status && pets.some(({ id }) => id === pet.id),
        )
      const seen = new Set(created.filter(isListed).map(({ pet }) => pet.status))
      if (lists.some(({ complete }) => complete) || petStatuses.every((status) => seen.has(status)))
        return
      if (isFullOfEachStatus(lists)) throw new OutOfReach(fullLists)
      throw new NotVerified('every list of the run is full, so a new pet need not be in it')
    },
  },
  {
    id: 'responses.agree',
    title: 'All responses show a pet with the same fields',
    stage: 'remain',
    requirements: ['service.catalog', 'state.reads-change-nothing'],
    async run(session) {
      await session.list('/pets?limit=100')
      session.log.catalog.atLeast(1)
      for (const pair of session.log.catalog.contradictions()) {
        const own = session.log.own(pair[0].pet.id)
        if (own) session.claim('ownDiffers', [own, ...pair])
        else session.claim('otherDiffers', pair)
      }
      expectStableFields(session)
      const duplicate = findDuplicate(session.log)
      if (duplicate) session.report(duplicate)
      const isSmoke = session.run.options.depth === 'smoke'
      if (!isSmoke && havePetsChanged(session.log)) session.claim('experiment', undefined)
      expectWhole(session.log.catalog.first().map(({ pet }) => pet))
    },
  },
]

/** Claims that a list is incomplete: it lacks a known pet, although it is not full. */
function claimIncomplete(session: Session, list: PetList, whose: Whose): void {
  const missing = findMissing(list, whose, session.log)
  if (missing) session.claim('missing', missing, session.log.mayBeLate(missing.pet.id))
}

/** Claims that pages are too short: they have fewer pets than were known before. */
function claimShort(session: Session, isMeant: (list: PetList) => boolean): void {
  for (const short of findShort(isMeant, session.log))
    session.claim('short', short, !short.needsNoWait)
}

/** A pet whose name or category differs in most responses is changed by reads or creations. */
function expectStableFields(session: Session): void {
  const { log } = session
  const unstable = findUnstable(log)
  if (!unstable) return
  const later = log.catalog.of(unstable[0].pet.id).slice(1)
  // Other clients do not know the names of this run: a creation changed this pet.
  if (later.some(({ pet }) => log.names.owns(pet.name))) session.report(contradiction(...unstable))
  else session.claim('unstable', unstable)
}

/** Reads a list that is nearly the longest one once for all checks of a stage: a shorter one must not show more. */
const readAlmostWide = (session: Session): Promise<PetList> =>
  session.run.once('compare /pets?limit=99', () => session.list('/pets?limit=99'))

/** A list shows at most 100 pets, and the interface has no second page. */
const fullLists =
  'the lists of each status are full (100 pets or more), so a pet need not be in them'

const isFullOfEachStatus = (lists: readonly PetList[]): boolean =>
  petStatuses.every((status) => lists.some((one) => one.status === status && !one.complete))

function expectEveryStatus(session: Session, lists: readonly PetList[]): void {
  const shown = statusesOf(lists.flatMap(({ status, pets }) => (status === undefined ? pets : [])))
  const hidden = petStatuses.filter(
    (status) => session.log.catalog.statuses().has(status) && !shown.has(status),
  )
  const isFull = lists.every(({ status, complete }) => status !== undefined || !complete)
  const missing = hidden.length > 0 ? hidden : petStatuses.filter((status) => !shown.has(status))
  const requirement = 'list.status.default'
  if (isFull && (hidden.length > 0 || shown.size < 2)) {
    const reason = `the first 100 pets show none with status ${missing.join(' or ')}`
    // Pets of the run could be the first.
    if (session.log.created.length > 0) session.cannotReach(requirement, reason)
    else session.cannotVerify(requirement, reason)
  } else if (shown.size < 2)
    session.cannotVerify(requirement, 'the lists without a filter show pets of one status only')
}
