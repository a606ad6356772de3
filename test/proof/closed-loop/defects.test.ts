import { describe, expect, test } from 'vitest'
import { defects, type DefectId, type MockOptions } from '../../../src/mock/index.ts'
import type { Finding, Report } from '../../../src/contract/index.ts'
import { judgeResponse } from '../../../src/contract/judge/every-response.ts'
import { compareShown } from '../../../src/contract/judge/expect.ts'
import { splitGroups } from '../../../src/contract/reporters/groups.ts'
import { headline } from '../../../src/contract/report/words.ts'
import { headlines, plain } from './headlines.ts'
import { proveDefect } from '../prove/targets.ts'
import { sample } from '../../support/level.ts'
import { verifyMock } from '../../support/verify-in-process.ts'
import { idsOf } from '../../support/verdicts.ts'
import { toExchange } from '../../unit/contract/exchange.ts'

test('there are at least 125 defects with unique ids, and each headline belongs to one', () => {
  expect(new Set(defects.map(({ id }) => id)).size).toBe(defects.length)
  expect(defects.length).toBeGreaterThanOrEqual(125)
  expect(headlines.size).toBe(53)
  for (const ids of [headlines, mostWaits])
    expect([...ids.keys()].filter((id) => defects.every((one) => one.id !== id))).toEqual([])
})

/** `npm test` takes the first defect of each third requirement, and one in 48 of the others. */
const firsts = defects.filter(
  (defect) => defects.find((other) => other.requirement === defect.requirement) === defect,
)
const others = sample(defects, { usual: 48, slow: 1, all: 1 })
const chosen = [...new Set([...sample(firsts, { usual: 3, slow: 1, all: 1 }), ...others])]

/**
 * How many seconds a run may wait for what may be late: none but the window where a violation is certain. Where pets change,
 * another window shows whether reads change a new one.
 */
const mostWaits = new Map<string, number>([
  ['list.limit-minus-one', 5],
  ['list.hides-sold', 5],
  ['list.lacks-one', 5],
  ['filter.pending-empty', 5],
  ['filter.echoes-status', 10],
  ['create.forgets-previous', 5],
  ['get.removes', 5],
  ['list.renumbered', 5],
  ['auth.list-open', 0],
])

describe('each defect is reported by its requirement, with its headline', () => {
  test.concurrent.each(chosen)('$id', async (defect) => {
    const { id } = defect
    let waited = 0
    const { report } = await proveDefect(defect, (line) => {
      waited += Number(/^waiting (\d+) s/.exec(line)?.[1] ?? 0)
    })
    expect(idsOf(report, 'violated')).toContain(defect.requirement)
    expect(report.exitCode).toBe(1)
    const groups = splitGroups(report).fresh
    const shown = [
      groups.map(({ requirement }) => requirement).join(' '),
      groups[0] && plain(headline(groups[0].cases[0])),
    ]
    const mostWaited = mostWaits.get(id)
    if (mostWaited !== undefined) {
      expect(waited).toBeLessThanOrEqual(mostWaited)
      expect(report.counts.requests).toBeLessThanOrEqual(500)
    }
    if (headlines.has(id)) expect(shown).toEqual(headlines.get(id))
    const beside = report.findings.filter((finding) => finding.conforming !== undefined)
    for (const finding of beside) expectConforming(finding)
    // What no response shows, nobody can say.
    expect(beside.length > 0).toBe(!untold.has(id as string))
  })
})

/** Defects whose responses leave out what a conforming one would show, such as names, or are not JSON. */
const untold = new Set(
  (
    'list.keyed list.redirect list.empty-is-404 pet.name-null pet.name-object pet.category-object pet.status-number http.shorter-than-declared ' +
    'filter.writes-status pet.id-missing-in-list pet.name-missing pet.category-missing pet.ids-alone-in-list pet.second-lacks-category pet.id-fraction ' +
    'pet.id-beyond-int64 pet.id-null-in-list create.returns-other-id service.without-version http.twice ' +
    'http.trailing-comma http.single-quotes http.nan http.leading-zero http.raw-tab http.cut http.utf-16'
  ).split(' '),
)

/** @throws when the conforming response of a finding is one that the suite reports, or does not differ */
function expectConforming({ conforming: beside, exchanges }: Finding): void {
  const actual = exchanges.at(-1)
  if (beside === undefined || actual === undefined) throw new Error('There is nothing to compare.')
  const { response, differences } = beside
  const parts = ({ status, headers, body }: typeof response): unknown[] => [
    status,
    headers['content-type'],
    body,
  ]
  if (!response.bodyCut) expect(parts(response)).not.toEqual(parts(actual.response))
  for (const difference of differences)
    expect(difference.conforming, JSON.stringify(difference)).not.toBe(difference.actual)
  if (response.bodyCut) return
  const { method, url, body } = actual.request
  const request = `${method} ${url.slice(url.indexOf('/pets'))}`
  const exchange = toExchange(request, response.status, response.body)
  const sent = { ...exchange, plan: { ...exchange.plan, body } }
  expect(judgeResponse(sent).mismatches).toEqual([])
  expect(compareShown(sent)).toEqual([])
}

describe('a few pets are enough for', () => {
  test.concurrent.each([
    ['create.status-required', 'create.status-optional', 0],
    ['list.limit-ignored-with-status', 'list.limit.respected', 4],
    // With the pets of the run, a list of all is full: those of each status are not.
    ['create.sells-category', 'state.reads-change-nothing', 100],
  ] as const)('%s', async (id, requirement, pets) => {
    expect(idsOf(await verifyMock({ pets, defects: [id] }), 'violated')).toContain(requirement)
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
  const broken = await verifyEmpty({ defects: ['list.default-100'] })
  expect(idsOf(broken, 'violated')).toEqual(['list.limit.default'])
})

test('creates no pets for the default of 20 where there may not be enough', async () => {
  const { counts } = await verifyMock({ pets: 0 }, { maxWrites: 20 })
  expect(counts.writes).toBeLessThanOrEqual(20)
})

/** Defects that a second run cannot show: the first one has used up what shows them, or has filled the list that lacks a pet. */
const shownOnce: ReadonlySet<string> = new Set([
  'list.empty-is-204',
  'list.empty-is-null',
  'list.lacks-one',
  'create.one-same-id',
])

describe('a deployment stays broken for the next run, which finds the pets of the one before', () => {
  const lasting = defects.filter(({ id }) => !shownOnce.has(id))
  const ofPets = new Set<string>(['create.forgets-previous', 'create.same-name-overwrites'])
  const drawn = sample(lasting, { usual: 96, slow: 12, all: 1 })
  test.concurrent.each([...lasting.filter(({ id }) => ofPets.has(id)), ...drawn])(
    '$id',
    async ({ id, pets = 130 }) => {
      const report = await verifyMock({ pets, defects: [id] }, { runsBefore: 1 })
      expect(report).toMatchObject({ verdict: 'violates', exitCode: 1 })
    },
  )
})

/** Independent defects: all must be reported at once, so that fixing one does not reveal the next. */
const together: [...DefectId[]][] = [
  ['create.no-body', 'reject.name-null-accepted'],
  ['create.status-200', 'create.category-double'],
  ['create.sold-rejected', 'reject.malformed-is-422', 'create.client-id-adopted'],
  ['get.redirects', 'create.name-ascii', 'reject.array-accepted'],
  ['pet.name-null', 'create.category-32-bit', 'create.spaces-rejected'],
  ['auth.html-401', 'error.array'],
  ['pet.status-reserved', 'create.name-utf16-cut'],
  ['list.limit-as-text', 'pet.category-missing'],
  ['create.forgets-previous', 'create.name-escaped'],
  ['pet.category-text', 'create.forgets-previous'],
  ['list.envelope', 'create.status-ignored', 'error.message-list', 'get.missing-is-400'],
  ['list.redirect', 'create.category-double', 'get.missing-is-500'],
  ['http.byte-order-mark', 'reject.invalid-is-422'],
]

test.concurrent.each(sample(together, { usual: 3, slow: 1, all: 1 }))(
  'reports %s and %s as causes',
  async (...ids) => {
    const leading = splitGroups(await verifyMock({ pets: 130, defects: ids })).fresh.map(
      ({ requirement }) => requirement,
    )
    const broken = defects
      .filter(({ id }) => ids.some((one) => one === id))
      .map(({ requirement }) => requirement)
    expect(leading).toEqual(expect.arrayContaining(broken))
  },
)
