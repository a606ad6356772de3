/** What getPet must show of a pet that createPet returned, or that a list shows. Each test is a log of literals. */
import { expect, test } from 'vitest'
import { expectFound } from '../../../src/contract/checks/stored.ts'
import type { Session } from '../../../src/contract/session/session.ts'
import {
  compareUnlessMoved,
  compareWithListing,
  judgeListed,
} from '../../../src/contract/claims/fetched.ts'
import type { Exchange } from '../../../src/contract/http/exchange.ts'
import { type Created, sightingIn } from '../../../src/contract/judge/catalog.ts'
import type { Violation } from '../../../src/contract/judge/findings.ts'
import type { Log } from '../../../src/contract/judge/run-log.ts'
import { creating, logOf, type Row } from './log-of.ts'

const rex = { id: 7, name: 'Rex', categoryId: 7, status: 'sold' }
const own = { id: 99, name: 'Petkit a', categoryId: 7, status: 'sold' }
const all: Row = ['GET /pets?limit=100', 200, [rex]]
const sold: Row = ['GET /pets?status=sold&limit=100', 200, [rex]]
const creation: Row = ['POST /pets', 201, own, creating(own.name)]
const error = (status: number) => ({ code: 'x', message: 'x', status })
const ownRow = (status: number, body: unknown, at?: number): Row => [
  'GET /pets/99',
  status,
  body,
  at === undefined ? {} : { at },
]
const assumptions = { windowMs: 5_000, getRemoved: false, isSmoke: false }

/** Compares a response with the creation. These logs leave no question open. */
function compareWithCreation(
  created: Created,
  response: Exchange,
  log: Log,
): Violation | undefined {
  const { done, value } = compareUnlessMoved(created, response, log, assumptions).next()
  if (done !== true) throw new Error(`There is a question left: ${value.purpose}`)
  return value
}

/** The judgement on the last row of a log, beside the created pet or the first row that shows the same pet. */
function judge(rows: readonly Row[]) {
  const log = logOf(...rows)
  const response = log.exchanges.at(-1)
  const id = Number(/\d+$/.exec(response?.plan.path ?? '')?.[0])
  const created = log.created.find(({ pet }) => pet.id === id)
  const listed = log.lists.flatMap(({ exchange }) => sightingIn(exchange, id) ?? [])[0]
  if (!response || (!created && !listed)) throw new Error('the log shows no such pet')
  const found =
    listed === undefined && created
      ? compareWithCreation(created, response, log)
      : listed && compareWithListing(listed, response, log, assumptions)
  return found && [found.requirement, found.unless ?? {}]
}

test.each<[what: string, rows: Row[], found: unknown]>([
  ['as it was created', [all, creation, ownRow(200, own)], undefined],
  [
    'not yet',
    [all, creation, ownRow(404, error(404), 1_000)],
    ['create.stored', { late: true, ownPetRemoved: 99 }],
  ],
  [
    'not after the consistency window, although a later pet is shown',
    [
      all,
      creation,
      ['POST /pets', 201, { ...own, id: 100, name: 'Petkit b' }, creating('Petkit b')],
      ['GET /pets/100', 200, { ...own, id: 100, name: 'Petkit b' }],
      ownRow(404, error(404), 6_000),
    ],
    ['create.stored', { late: false, ownPetRemoved: 99 }],
  ],
  [
    'with another name',
    [all, creation, ownRow(200, { ...own, name: 'petkit a' })],
    ['create.stored', { ownPetRemoved: 99 }],
  ],
  [
    'by no operation',
    [all, creation, ownRow(405, error(405))],
    ['get.until-removal', { late: false, ownPetRemoved: 99 }],
  ],
])('getPet shows a created pet %s', (_, rows, found) => {
  expect(judge(rows)).toEqual(found)
})

test('a pet that a read has shown, and a later one has not, is changed by reads', () => {
  const log = logOf(all, creation, ownRow(200, own), ownRow(404, error(404)))
  const [created, response] = [log.created[0], log.exchanges.at(-1)]
  const found = created && response && compareWithCreation(created, response, log)
  expect(found?.alsoBreaks).toContain('state.reads-change-nothing')
})

test.each<[what: string, rows: Row[], found: unknown]>([
  ['as the list does', [all, ['GET /pets/7', 200, rex]], undefined],
  [
    'not, although it was there before the run',
    [all, creation, ['GET /pets/7', 404, error(404)]],
    ['get.by-id', { late: false }],
  ],
  [
    'with another status, which others may have changed',
    [all, ['GET /pets/7', 200, { ...rex, status: 'pending' }]],
    ['get.by-id', { otherStatusChanges: true, late: true }],
  ],
  [
    'with another status than the list of one status',
    [sold, ['GET /pets/7', 200, { ...rex, status: 'pending' }]],
    ['list.status.filter', { otherStatusChanges: true, late: true }],
  ],
  [
    'without the status',
    [all, ['GET /pets/7', 200, { ...rex, status: undefined }]],
    ['get.by-id', {}],
  ],
  ['with another name', [all, ['GET /pets/7', 200, { ...rex, name: 'Max' }]], ['get.by-id', {}]],
  [
    'with another status, although the run has created it',
    [
      creation,
      ['GET /pets?limit=100', 200, [rex, own]],
      ownRow(200, { ...own, status: 'pending' }),
    ],
    ['get.by-id', {}],
  ],
])('getPet shows a listed pet %s', (_, rows, found) => {
  expect(judge(rows)).toEqual(found)
})

test.each<[what: string, row: Row, mayLag: boolean]>([
  ['404 to a pet of a list, which may show one that is gone, waits', ['GET /pets/7', 404], true],
  ['another name does not', ['GET /pets/7', 200, { ...rex, name: 'Max' }], false],
])('the re-check of a %s', async (_what, row, mayLag) => {
  const log = logOf(all, creation, row)
  const claimed: unknown[] = []
  const session = {
    log,
    run: { assumptions },
    get: async () => log.exchanges.at(-1),
    claim: (_kind: string, _subject: unknown, lags?: boolean) => claimed.push(lags),
  }
  const [listed] = log.lists.flatMap(({ exchange }) => sightingIn(exchange, rex.id) ?? [])
  if (listed) await expectFound(session as unknown as Session, listed)
  expect(claimed).toEqual([mayLag])
})

test('a list is read again for a pet that getPet has shown first', () => {
  const log = logOf(['GET /pets/7', 200, rex])
  const [[shown] = []] = log.catalog.all()
  const look = { log, assumptions, key: 'listed 7', earlier: [] }
  const { value } = judgeListed(shown as Created, look).next()
  expect(value).toMatchObject({ reads: [{ list: '/pets?status=sold&limit=100' }] })
})
