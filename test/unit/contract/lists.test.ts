/** Pages that are too short, and pets that a list lacks. No server, no clock: each test is a log of literals. */
import { describe, expect, test } from 'vitest'
import type { PetList } from '../../../src/contract/judge/catalog.ts'
import type { Violation } from '../../../src/contract/judge/findings.ts'
import {
  findMissing,
  judgeMissing,
  judgeShort,
  type Short,
} from '../../../src/contract/claims/lists.ts'
import type { Log } from '../../../src/contract/judge/run-log.ts'
import type { Judging, Look } from '../../../src/contract/judge/questions.ts'
import { addTo, creating, logOf, type Row } from './log-of.ts'

const pets = Array.from({ length: 30 }, (_, index) => ({
  id: index + 1,
  name: `Rex ${index + 1}`,
  categoryId: 7,
  status: ['available', 'pending', 'sold'][index % 3],
}))
const own = { id: 99, name: 'Petkit a', categoryId: 7, status: 'sold' }
const creation: Row = ['POST /pets', 201, own, creating(own.name)]
const all = 'GET /pets?limit=100'
const standard = { windowMs: 5_000, getRemoved: false, isSmoke: false }

/** What a list of a deployment shows, by its path; `GET /pets/ID` shows the pets of `get`. */
interface Deployment {
  lists(path: string): unknown[]
  get?: readonly { id: number }[]
}

/** Responds to questions like a deployment, until there is no further one. */
function decide(
  log: Log,
  judging: Judging<Violation | undefined>,
  { lists, get = pets }: Deployment,
): { found: Violation | undefined; sent: string[] } {
  const sent: string[] = []
  for (;;) {
    const { done, value } = judging.next()
    if (done) return { found: value, sent }
    const { purpose, reads = [] } = value
    for (const one of reads) {
      const path = 'list' in one ? one.list : `/pets/${'get' in one ? one.get : one.find.pet.id}`
      const id = Number(/\/pets\/(\d+)/.exec(path)?.[1])
      const pet = get.find((known) => known.id === id)
      const row: Row = Number.isNaN(id)
        ? [`GET ${path}`, 200, lists(path)]
        : [`GET ${path}`, pet ? 200 : 404, pet ?? '']
      addTo(log, [...row.slice(0, 3), { purpose, at: log.now + 1 }] as unknown as Row)
      sent.push(path)
    }
    log.posed.add(purpose)
  }
}

const lookAt = (log: Log, assumptions = standard, key = 'look 1'): Look => ({
  log,
  assumptions,
  key,
  earlier: [],
})
const shortIn = (log: Log, path: string, known: number): Short => {
  const list = log.lists.find(({ exchange }) => exchange.plan.path === path)
  return { list: list ?? fail(), known, needsNoWait: false }
}
const fail = (): never => {
  throw new Error('There is no such list.')
}

const conforming = (path: string): unknown[] => {
  const query = new URLSearchParams(path.split('?')[1])
  return pets
    .filter(({ status }) => (query.get('status') ?? status) === status)
    .slice(0, Number(query.get('limit') ?? 20))
}

describe('a page with fewer pets than are known', () => {
  const judge = (path: string, deployment: Deployment, assumptions = standard) => {
    const log = logOf([all, 200, pets], [`GET ${path}`, 200, pets.slice(0, 3)])
    return decide(log, judgeShort(shortIn(log, path, 20), lookAt(log, assumptions)), deployment)
  }

  test('is none once it is full', () => {
    expect(judge('/pets', { lists: conforming }).found).toBeUndefined()
  })

  test('is read five times between two rounds of other lists', () => {
    const { sent } = judge('/pets', { lists: conforming })
    const wide = [
      all,
      ...['available', 'pending', 'sold'].map((one) => `/pets?status=${one}&limit=100`),
    ]
    const paths = wide.map((path) => path.replace('GET ', ''))
    expect(sent).toEqual([...paths, ...Array.from({ length: 5 }, () => '/pets'), ...paths])
  })

  test.each<[path: string, requirement: string, message: string]>([
    [
      '/pets',
      'list.limit.default',
      'Without `limit`, GET /pets returns 3 pets, the default is 20 (the catalog has 30).',
    ],
    ['/pets?limit=1', 'list.limit.min', 'limit=1 gives no pet, although the catalog has some.'],
    [
      '/pets?limit=25',
      'list.page-full',
      'GET /pets?limit=25 returns 3 pets, not 25 (the catalog has 30).',
    ],
    [
      '/pets?status=sold',
      'list.limit.default',
      'GET /pets?status=sold returns 3 pets, not 10 (the catalog has 10).',
    ],
  ])('GET %s violates %s', (path, requirement, message) => {
    const few = path.endsWith('limit=1') ? [] : conforming(path).slice(0, 3)
    const lists = (requested: string) => (requested === path ? few : conforming(requested))
    expect(judge(path, { lists }).found).toMatchObject({
      requirement,
      message,
      unless: { late: false },
    })
  })

  test('lacks no pets that others have removed meanwhile', () => {
    const lists = () => pets.slice(0, 3)
    expect(judge('/pets', { lists }).found).toBeUndefined()
  })

  test('is read beside a list that should show fewer', () => {
    const path = '/pets?limit=100'
    const first: Row = ['GET /pets?limit=50', 200, pets]
    const log = logOf([`GET ${path}`, 200, pets.slice(0, 5)], first, creation)
    const lists = (requested: string) =>
      requested === path ? pets.slice(0, 5) : conforming(requested)
    const judging = judgeShort(shortIn(log, path, 30), lookAt(log))
    const { found, sent } = decide(log, judging, { lists })
    expect(sent.filter((one) => one === '/pets?limit=50')).toHaveLength(2)
    expect(found).toMatchObject({
      requirement: 'list.page-full',
      alsoBreaks: expect.arrayContaining(['list.limit.max']),
      message: 'GET /pets?limit=100 returns 5 pets, but GET /pets?limit=50 returns 30.',
      unless: { late: false },
    })
  })

  test('is none where pets are gone that a list showed before', () => {
    const path = '/pets?limit=50'
    const log = logOf([all, 200, pets], [`GET ${path}`, 200, pets.slice(0, 5)])
    const left = pets.slice(0, 5)
    const lists = (requested: string) => (log.exchanges.length < 6 ? conforming(requested) : left)
    expect(decide(log, judgeShort(shortIn(log, path, 30), lookAt(log)), { lists }).found).toBe(
      undefined,
    )
  })

  test('shows a limit that is applied before the filter', () => {
    const path = '/pets?status=sold&limit=3'
    const log = logOf(
      [all, 200, pets],
      ['GET /pets?limit=3', 200, pets.slice(0, 3)],
      [`GET ${path}`, 200, []],
    )
    const lists = (requested: string) =>
      requested === path
        ? pets.slice(0, 3).filter(({ status }) => status === 'sold')
        : conforming(requested)
    const { found } = decide(log, judgeShort(shortIn(log, path, 3), lookAt(log)), { lists })
    expect(found?.message).toBe(
      '`limit` is applied before the status filter: GET /pets?status=sold&limit=3 returns 1 of 3 pets.',
    )
  })

  test('shows a query whose spelling is not decoded', () => {
    const path = '/pets?status=sol%64&limit=3'
    const log = logOf(
      [all, 200, pets],
      ['GET /pets?limit=3', 200, pets.slice(0, 3)],
      [`GET ${path}`, 200, []],
    )
    const lists = (requested: string) => (requested === path ? [] : conforming(requested))
    const { found } = decide(log, judgeShort(shortIn(log, path, 3), lookAt(log)), { lists })
    expect(found?.message).toBe(`GET ${path} returns 0 pets, not 3: %64 is another spelling of d.`)
  })

  test('may be late by the new pets that no list has shown', () => {
    const known = pets.slice(0, 19)
    const path = '/pets'
    const log = logOf([all, 200, known], ['GET /pets', 200, known], creation)
    const lists = (requested: string) =>
      conforming(requested).filter((pet) => known.includes(pet as (typeof pets)[number]))
    const late = decide(log, judgeShort(shortIn(log, path, 20), lookAt(log)), { lists })
    expect(late.found).toBeUndefined()
    // Five seconds later, one list shows the new pet, but not the page.
    addTo(log, [all, 200, [...known, own], { at: 6_000 }])
    const wide = (requested: string) => [
      ...lists(requested),
      ...(requested === '/pets?limit=100' ? [own] : []),
    ]
    const lists2 = (requested: string) => (requested === path ? known : wide(requested))
    const { found } = decide(
      log,
      judgeShort(shortIn(log, path, 20), lookAt(log, standard, 'look 2')),
      { lists: lists2 },
    )
    expect(found).toMatchObject({ actual: '19 pets', unless: { late: false } })
  })

  test('is read once more, and two lists beside it, by a smoke run', () => {
    const isSmoke = { ...standard, isSmoke: true }
    const full = judge('/pets', { lists: conforming }, isSmoke)
    expect(full).toEqual({ found: undefined, sent: ['/pets'] })
    const short = (path: string) => (path === '/pets' ? pets.slice(0, 3) : conforming(path))
    const { found, sent } = judge('/pets', { lists: short }, isSmoke)
    expect(found?.requirement).toBe('list.limit.default')
    expect(sent).toHaveLength(6)
  })
})

describe('a list that lacks a known pet', () => {
  const judge = (log: Log, deployment: Deployment, assumptions = standard) => {
    const list = log.lists.at(-1) as PetList
    const own = log.created.length > 0 ? 'own' : 'other'
    const missing = findMissing(list, own, log)
    if (!missing) throw new Error('it lacks none')
    return decide(log, judgeMissing(missing, lookAt(log, assumptions)), deployment)
  }
  const hidden = pets.filter(({ status }) => status !== 'sold')

  test('is none once it shows it', () => {
    const log = logOf([all, 200, pets], ['GET /pets?limit=99', 200, pets.slice(1)])
    expect(judge(log, { lists: conforming }).found).toBeUndefined()
  })

  test('hides pets where another response still shows them', () => {
    const log = logOf([all, 200, pets], [all, 200, hidden])
    const { found, sent } = judge(log, { lists: () => hidden })
    expect(sent).toEqual(['/pets/3', ...Array.from({ length: 5 }, () => '/pets?limit=100')])
    expect(found).toMatchObject({
      requirement: 'list.status.default',
      message: 'Without `status`, GET /pets?limit=100 hides pets: pet 3 is missing.',
      unless: { late: false },
    })
  })

  test('hides a pet that getPet shows, but not if getPet has shown another one than requested', () => {
    const fetched: Row = ['GET /pets/3', 200, pets[2]]
    const found = judge(logOf(fetched, [all, 200, hidden]), { lists: () => hidden })
    expect(found.found?.requirement).toBe('list.status.default')
    const log = logOf(fetched, ['GET /pets/5', 200, pets[3]], [all, 200, hidden])
    expect(judge(log, { lists: () => hidden })).toEqual({ found: undefined, sent: [] })
  })

  test('shows nothing where the pet is gone everywhere: others may have removed it', () => {
    const log = logOf([all, 200, pets], [all, 200, hidden])
    expect(judge(log, { lists: () => hidden, get: hidden }).found).toBeUndefined()
  })

  test('has lost a pet of the run that is gone everywhere, unless others took it or it is late', () => {
    const log = logOf([all, 200, pets], creation, [all, 200, pets])
    expect(judge(log, { lists: conforming }).found).toMatchObject({
      requirement: 'create.stored',
      cause: 'lost',
      unless: { late: true, ownPetRemoved: 99 },
    })
  })

  test('must show a pet of the run, unless it is late', () => {
    const log = logOf([all, 200, pets], creation, [all, 200, pets])
    const { found } = judge(log, { lists: conforming, get: [...pets, own] })
    expect(found).toMatchObject({
      requirement: 'create.listed',
      message:
        'GET /pets?limit=100 is not full but lacks the new pet 99, which GET /pets/99 shows.',
      unless: { late: true },
    })
  })

  test('does not show a pet that others move to another status meanwhile', () => {
    const sold = 'GET /pets?status=sold&limit=100'
    const rest = conforming('/pets?status=sold&limit=100').slice(1)
    const log = logOf([all, 200, pets], [sold, 200, rest])
    const moved = pets.map((pet) => (pet.id === 3 ? { ...pet, status: 'pending' } : pet))
    expect(judge(log, { lists: () => rest, get: moved }).found).toBeUndefined()
    expect(
      judge(logOf([all, 200, pets], [sold, 200, rest]), { lists: () => rest }).found,
    ).toMatchObject({
      requirement: 'list.status.complete',
      unless: { otherStatusChanges: true },
    })
  })

  test('may have kept the filter of the request before', () => {
    const log = logOf([all, 200, pets], [all, 200, conforming('/pets?status=available')])
    let last = ''
    // Only the list after one with a filter is wrong.
    const lists = (path: string): unknown[] => {
      const before = last
      last = path
      return conforming(before.includes('status') && !path.includes('status') ? before : path)
    }
    const { found, sent } = judge(log, { lists })
    expect(sent.slice(-2)).toEqual(['/pets?status=available&limit=100', '/pets?limit=100'])
    expect(found?.requirement).toBe('list.status.default')
  })
})
