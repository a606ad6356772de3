import { printJson } from '../../json.ts'
import type { ClauseId } from '../../spec/clauses.ts'
import type { Pet, PetStatus } from '../../spec/types.ts'
import { samePet } from '../catalogue.ts'
import type { Sighting } from '../catalogue.ts'
import type { Check } from '../check.ts'
import type { Exchange } from '../exchange.ts'
import { NotVerified } from '../findings.ts'
import type { Breach } from '../findings.ts'
import type { PetList } from '../run.ts'
import { describe, petsOf } from '../session.ts'
import type { Session } from '../session.ts'

const statuses = ['available', 'pending', 'sold'] as const
/** The lists in which every pet must be found, as far as they are not full. */
const wide = ['/pets?limit=100', ...statuses.map((status) => `/pets?status=${status}&limit=100`)]

/** So many requests for a page follow one another when it is looked at again. */
const readsInARow = 5
/** A pet that answers show in so many different ways is not changed by other hands alone. */
const manyFaces = 3

/** What the answers of a run say of each other: the relations that no single answer can break. */
export const compareListsChecks: Check[] = [
  {
    id: 'list-pets.default-limit',
    title: 'Without limit a list has 20 pets where there are as many',
    stage: 'compare',
    clauses: ['list.limit.default'],
    writes: 0,
    leansOn: ['list-pets.full-page', 'list-pets.complete'],
    async run(session) {
      const bare = await session.list('/pets')
      suspectShort(session, hasNoLimit)
      session.atLeast(21)
      if (bare.length < 20) throw new NotVerified('the list without limit was short, but other lists were then, too')
    },
  },
  {
    id: 'list-pets.full-page',
    title: 'A page is full while the catalogue holds more pets that match',
    stage: 'compare',
    clauses: ['list.page-full'],
    writes: 0,
    leansOn: ['list-pets.minimum-limit', 'list-pets.limit', 'list-pets.status-filter'],
    async run(session) {
      await readWide(session)
      session.atLeast(2)
      suspectShort(session, (list) => !hasNoLimit(list))
    },
  },
  {
    id: 'list-pets.complete',
    title: 'A list that is not full shows every pet that another answer shows',
    stage: 'compare',
    clauses: ['list.status.complete', 'list.status.default', 'service.catalogue'],
    writes: 0,
    leansOn: ['list-pets.status-filter'],
    async run(session) {
      const lists = [...(await readWide(session)), await session.list('/pets?limit=99')]
      for (const list of lists) suspectIncomplete(session, list, 'other')
      const filtered = lists.filter(({ status, complete, pets }) => status !== undefined && complete && pets.length > 0)
      if (filtered.length === 0) {
        const reason = 'the catalogue shows no status with at least one and fewer than 100 pets'
        session.leaveOpen('list.status.complete', reason)
      }
      expectEveryStatus(session, lists)
      session.atLeast(1)
    },
  },
  {
    id: 'create-pet.listed',
    title: 'A created pet is in every list that is not full, and in the one of its status',
    stage: 'compare',
    clauses: ['create.listed', 'create.status'],
    writes: 0,
    leansOn: ['create-pet.ordinary', 'list-pets.complete'],
    async run(session) {
      const lists = await readWide(session)
      const { created } = session.run
      if (created.length === 0) throw new NotVerified('no pet could be created')
      for (const list of lists) suspectIncomplete(session, list, 'own')
      const seen = (status: PetStatus): boolean =>
        created.some(
          ({ pet }) =>
            pet.status === status &&
            lists.some((list) => list.status === status && list.pets.some(({ id }) => id === pet.id)),
        )
      if (lists.some(({ complete }) => complete) || statuses.every(seen)) return
      throw new NotVerified('every list is full (100 pets or more of each status), so a new pet need not be in it')
    },
  },
  {
    id: 'answers.agree',
    title: 'All answers show a pet with the same fields',
    stage: 'remain',
    clauses: ['service.catalogue', 'state.reads-change-nothing'],
    writes: 0,
    leansOn: ['get-pet.listed', 'create-pet.ordinary', 'open-points.creation', 'list-pets.full-page'],
    async run(session) {
      await session.list('/pets?limit=100')
      session.atLeast(1)
      // A handful is enough to show a fault that concerns them all.
      for (const pair of session.run.catalogue.contradictions().slice(0, 4)) suspectContradiction(session, pair)
      expectFewFaces(session)
    },
  },
]

/** Reads the widest lists once for all checks of this stage. */
export async function readWide(session: Session): Promise<PetList[]> {
  const { memory } = session.run
  return Promise.all(
    wide.map((path) => {
      const key = `compare ${path}`
      const list = memory.get(key) ?? session.list(path)
      memory.set(key, list)
      return list
    }),
  )
}

function expectEveryStatus(session: Session, lists: readonly PetList[]): void {
  const shown = new Set(
    lists.filter(({ status }) => status === undefined).flatMap(({ pets }) => pets.map((pet) => pet.status)),
  )
  const hidden = statuses.filter((status) => session.run.catalogue.count(status) > 0 && !shown.has(status))
  if (shown.size < 2)
    session.leaveOpen('list.status.default', 'the lists without a filter show pets of one status only')
  else if (hidden.length > 0 && lists.every(({ status, complete }) => status !== undefined || !complete)) {
    session.leaveOpen('list.status.default', `the first 100 pets show none with status ${hidden.join(' or ')}`)
  }
}

const settledAt = (session: Session): number => session.run.transport.elapsed() + session.run.options.settleMs

const hasNoLimit = ({ exchange }: PetList): boolean => !exchange.plan.path.includes('limit=')

/** Looks for pages that had fewer pets than answers before them had shown to be there. */
function suspectShort(session: Session, isMeant: (list: PetList) => boolean): void {
  const { catalogue, lists } = session.run
  for (const list of lists.filter(isMeant)) {
    if (list.length >= Math.min(list.limit, catalogue.count(list.status, list.exchange.sentAt))) continue
    const { path } = list.exchange.plan
    session.suspect({
      key: `short ${path}`,
      clauses: shortClauses(list),
      settledAt: settledAt(session),
      again: () => shortAgain(session, path),
    })
  }
}

function shortClauses(list: PetList): [ClauseId, ...ClauseId[]] {
  if (hasNoLimit(list)) return ['list.limit.default', 'list.page-full']
  return list.limit === 100 ? ['list.page-full', 'list.limit.max'] : ['list.page-full']
}

/** Counts the pets that other lists show both before and after, and asks for the page in between. */
async function shortAgain(session: Session, path: string): Promise<Breach | undefined> {
  const before = await Promise.all(wide.map((wider) => session.list(wider)))
  // Several reads in a row also show what goes wrong only now and then.
  const lists: PetList[] = []
  for (let read = 0; read < readsInARow; read += 1) lists.push(await session.list(path))
  const list = lists.reduce((a, b) => (b.length < a.length ? b : a))
  const after = await Promise.all(wide.map((wider) => session.list(wider)))
  const shown = matching(session, after, list)
  const there = [...matching(session, before, list)].filter((id) => shown.has(id))
  const wanted = Math.min(list.limit, there.length)
  if (list.length >= wanted) return undefined
  const [clause, ...alsoBreaks] = shortClauses(list)
  const what = list.status === undefined ? 'pets' : `pets with status ${list.status}`
  return {
    clause,
    alsoBreaks: [...alsoBreaks, ...(list.complete ? hiddenClauses(session, list, there) : [])],
    message: `GET ${path} gives ${list.length} pets, although the catalogue holds at least ${there.length} ${what}.`,
    expected: `${wanted} pets`,
    actual: `${list.length} pets`,
    exchanges: [...before.filter(({ pets }) => pets.length > 0).map(({ exchange }) => exchange), list.exchange],
    cause: clause === 'list.limit.default' ? 'default page short' : 'page short',
  }
}

/** What a list that is not full hides by being short. */
function hiddenClauses({ run }: Session, { status, pets }: PetList, there: readonly string[]): ClauseId[] {
  if (status !== undefined) return ['list.status.complete']
  const inList = new Set(pets.map(({ id }) => String(id)))
  const hidden = there.filter((id) => !inList.has(id)).map((id) => run.catalogue.of(id)[0]?.pet.status)
  const [first] = hidden
  const oneStatus = hidden.every((other) => other === first) && pets.every((pet) => pet.status !== first)
  return oneStatus ? ['service.catalogue', 'list.status.default'] : ['service.catalogue']
}

/** The ids of pets in these lists that belong into `list`, and that no lag can hide any more. */
function matching({ run }: Session, lists: readonly PetList[], { status }: PetList): Set<string> {
  const settled = run.transport.elapsed() - run.options.settleMs
  const pets = lists.flatMap((list) => list.pets).filter((pet) => status === undefined || pet.status === status)
  return new Set(pets.map(({ id }) => String(id)).filter((id) => (run.catalogue.seenSince(id) ?? Infinity) <= settled))
}

/** Looks for pets, of the run's own or of others, that a list lacks although it is not full. */
function suspectIncomplete(session: Session, list: PetList, whose: 'own' | 'other'): void {
  if (!list.complete || list.pets.length < list.length) return
  const { catalogue, created } = session.run
  const inList = new Set(list.pets.map(({ id }) => String(id)))
  const own = new Set(created.map(({ pet }) => String(pet.id)))
  // One pet stands for all that are missing in this list.
  const missing = catalogue
    .first(list.status)
    .filter(({ exchange }) => exchange.sentAt + exchange.durationMs <= list.exchange.sentAt)
    .find(({ pet }) => !inList.has(String(pet.id)) && own.has(String(pet.id)) === (whose === 'own'))
  if (!missing) return
  const { path } = list.exchange.plan
  session.suspect({
    key: `missing ${path} ${whose}`,
    clauses: missingClauses(list, whose),
    settledAt: settledAt(session),
    again: () => missingAgain(session, path, missing, whose),
  })
}

function missingClauses({ status }: PetList, whose: 'own' | 'other'): [ClauseId, ...ClauseId[]] {
  if (whose === 'own') return status === undefined ? ['create.listed'] : ['create.listed', 'create.status']
  return status === undefined
    ? ['list.status.default', 'service.catalogue']
    : ['list.status.complete', 'service.catalogue']
}

/** Asks again for an answer that showed the pet, and for the list that did not. */
async function missingAgain(
  session: Session,
  path: string,
  { pet, exchange }: Sighting,
  whose: 'own' | 'other',
): Promise<Breach | undefined> {
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
  const [clause, ...alsoBreaks] = missingClauses(list, whose)
  return {
    clause,
    alsoBreaks,
    message: `GET ${path} has room for more but lacks pet ${pet.id}, which another answer shows.`,
    expected: `a pet with id ${pet.id} among the ${list.length}`,
    actual: 'it is not there',
    exchanges: [witness, list.exchange],
    cause: `${whose} pet missing`,
  }
}

/** A pet of the run's own that no answer shows any more. */
function lost(pet: Pet, creation: Exchange, list: PetList): Breach {
  return {
    clause: 'create.stored',
    message: `Pet ${pet.id}, which createPet answered with 201, is in no answer any more.`,
    expected: `a pet with id ${pet.id} among the ${list.length}`,
    actual: 'it is not there',
    exchanges: [creation, list.exchange],
    cause: 'lost',
  }
}

/** An answer, asked for now, that shows the pet. */
async function findElsewhere(
  session: Session,
  id: Sighting['pet']['id'],
  except: string,
  first: Exchange,
): Promise<Exchange | undefined> {
  if (session.run.getWorks && !session.run.getRemoved) {
    const answer = await session.get(id)
    if (answer.status === 200) return answer
  }
  const paths = new Set([...(first.operation === 'listPets' ? [first.plan.path] : []), ...wide])
  paths.delete(except)
  for (const path of paths) {
    const list = await session.list(path)
    if (list.pets.some((pet) => pet.id === id)) return list.exchange
  }
  return undefined
}

/** Two answers showed one pet differently: asks both again, one after the other. */
function suspectContradiction(session: Session, [first, other]: [Sighting, Sighting]): void {
  const { created } = session.run
  const own = created.find(({ pet }) => pet.id === first.pet.id)
  const ask = async ({ exchange, pet }: Sighting): Promise<Sighting | undefined> => {
    const ofStatus = pet.status === undefined ? '/pets?limit=100' : `/pets?status=${pet.status}&limit=100`
    // In a narrow page the pet may not stand any more; the widest one of its status shows it rather.
    const paths = exchange.operation === 'listPets' ? [exchange.plan.path, ofStatus] : [undefined]
    for (const path of paths) {
      const answer =
        path === undefined ? await findElsewhere(session, pet.id, '', exchange) : (await session.list(path)).exchange
      const pets = answer ? petsOf(answer) : []
      const index = pets.findIndex(({ id }) => id === pet.id)
      const found = pets[index]
      if (answer && found) {
        return { pet: found, exchange: answer, pointer: answer.operation === 'listPets' ? `/${index}` : '' }
      }
    }
    return undefined
  }
  session.suspect({
    key: `contradiction ${first.pet.id}`,
    clauses: ['state.reads-change-nothing'],
    settledAt: settledAt(session),
    async again() {
      const [before, after] = [await ask(first), await ask(other)]
      if (own) {
        // Nobody else changes a pet of the run's own: it is what createPet answered, in every answer.
        const created = { pet: own.pet, exchange: own.exchange, pointer: '' }
        const changed = [before, after].find((sighting) => sighting && !samePet(sighting.pet, own.pet))
        return changed && contradiction(created, changed)
      }
      if (!before || !after || samePet(before.pet, after.pet)) return undefined
      // Other hands may change a pet, but not there and back each time.
      const again = await ask(first)
      return again && samePet(before.pet, again.pet) ? contradiction(before, after) : undefined
    },
  })
}

/** A pet that shows another name or category nearly each time it is seen changes by being read, or by creations. */
function expectFewFaces(session: Session): void {
  for (const sightings of session.run.catalogue.all()) {
    const faces = new Set(sightings.map(({ pet }) => `${pet.categoryId} ${pet.name}`))
    const [first, last] = [sightings[0], sightings.at(-1)]
    if (faces.size < manyFaces || !first || !last) continue
    session.breach({
      clause: 'state.reads-change-nothing',
      alsoBreaks: ['service.catalogue'],
      message: `Pet ${first.pet.id} was shown with ${faces.size} different names or categories within one run.`,
      pointer: last.pointer,
      expected: 'a pet that keeps its name and category',
      actual: `${printJson(first.pet)} and later ${printJson(last.pet)}`,
      exchanges: [first.exchange, last.exchange],
    })
    return
  }
}

function contradiction(before: Sighting, after: Sighting): Breach {
  const filtered = [before, after].some(({ exchange }) => exchange.plan.path.includes('status='))
  const onlyStatus = before.pet.name === after.pet.name && before.pet.categoryId === after.pet.categoryId
  const clause = filtered && onlyStatus ? 'list.status.filter' : 'state.reads-change-nothing'
  return {
    clause,
    alsoBreaks: ['service.catalogue'],
    message: `${describe(before.exchange)} and ${describe(after.exchange)} show pet ${before.pet.id} differently.`,
    pointer: after.pointer,
    expected: 'the same pet in both answers',
    actual: `${printJson(before.pet)} and ${printJson(after.pet)}`,
    exchanges: [before.exchange, after.exchange],
    cause: 'shown differently',
  }
}
