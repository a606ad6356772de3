import { describe, expect, test } from 'vitest'
import { deviations, type DeviationId, type MockOptions } from '../../../src/mock/index.ts'
import type { Report } from '../../../src/contract/index.ts'
import { splitGroups } from '../../../src/contract/reporters/groups.ts'
import { headline } from '../../../src/contract/report/words.ts'
import { headlines, plain } from './headlines.ts'
import { proveDeviation } from '../prove/targets.ts'
import { verifyMock } from '../../support/verify-in-process.ts'
import { idsOf } from '../../support/verdicts.ts'

test('there are at least 125 deviations with unique ids, and each headline belongs to one', () => {
  expect(new Set(deviations.map(({ id }) => id)).size).toBe(deviations.length)
  expect(deviations.length).toBeGreaterThanOrEqual(125)
  expect(headlines.size).toBe(51)
  expect([...headlines.keys()].filter((id) => deviations.every((one) => one.id !== id))).toEqual([])
})

describe('each deviation is reported by its clause, with its headline', () => {
  test.concurrent.each(deviations)('$id', async (deviation) => {
    const { id } = deviation
    const { report } = await proveDeviation(deviation)
    expect(idsOf(report, 'violated')).toContain(deviation.clause)
    expect(report.exitCode).toBe(1)
    const groups = splitGroups(report).fresh
    const shown = [
      groups.map(({ clause }) => clause).join(' '),
      groups[0] && plain(headline(groups[0].cases[0])),
    ]
    if (headlines.has(id)) expect(shown).toEqual(headlines.get(id))
  })
})

describe('a few pets are enough for', () => {
  test.concurrent.each([
    ['create.status-required', 'create.status-optional', 0],
    ['list.limit-ignored-with-status', 'list.limit.honoured', 4],
  ] as const)('%s', async (id, clause, pets) => {
    expect(idsOf(await verifyMock({ pets, deviations: [id] }), 'violated')).toContain(clause)
  })
})

test('creates the pets that the default of 20 needs, where other creations are rejected', async () => {
  const profile = {
    'create.name.empty': '400',
    'create.name.blank': '400',
    'create.name.long': '400',
    'create.media-type.other': '415',
  } as const
  const verifyEmpty = (more: MockOptions): Promise<Report> =>
    verifyMock({ pets: 0, profile, ...more })
  const conforming = await verifyEmpty({})
  expect(idsOf(conforming, 'verified')).toContain('list.limit.default')
  expect(conforming.counts.writes).toBeLessThanOrEqual(25)
  const broken = await verifyEmpty({ deviations: ['list.default-100'] })
  expect(idsOf(broken, 'violated')).toEqual(['list.limit.default'])
})

test('creates no pets for the default of 20 where there may not be enough', async () => {
  const { counts } = await verifyMock({ pets: 0 }, { maxWrites: 20 })
  expect(counts.writes).toBeLessThanOrEqual(20)
})

/** Independent defects: all must be reported at once, so that fixing one does not reveal the next. */
test.concurrent.each<[...DeviationId[]]>([
  ['create.no-body', 'refuse.name-null-accepted'],
  ['create.status-200', 'create.category-double'],
  ['create.sold-refused', 'refuse.malformed-is-422', 'create.client-id-adopted'],
  ['get.redirects', 'create.name-ascii', 'refuse.array-accepted'],
  ['pet.name-null', 'create.category-32-bit', 'create.spaces-refused'],
  ['auth.html-401', 'error.array'],
  ['pet.status-reserved', 'create.name-utf16-cut'],
  ['list.limit-as-text', 'pet.category-missing'],
  ['create.forgets-previous', 'create.name-escaped'],
  ['pet.category-text', 'create.forgets-previous'],
  ['list.envelope', 'create.status-ignored', 'error.message-list', 'get.missing-is-400'],
  ['list.redirect', 'create.category-double', 'get.missing-is-500'],
  ['http.byte-order-mark', 'refuse.invalid-is-422'],
])('reports %s and %s as causes', async (...ids) => {
  const leading = splitGroups(await verifyMock({ pets: 130, deviations: ids })).fresh.map(
    ({ clause }) => clause,
  )
  const broken = deviations
    .filter(({ id }) => ids.some((one) => one === id))
    .map(({ clause }) => clause)
  expect(leading).toEqual(expect.arrayContaining(broken))
})
