import { expect, test } from 'vitest'
import {
  type HistoryEntry,
  isHistoryEntry,
  sinceLastRun,
  toHistory,
} from '../../../src/contract/report/history.ts'
import { historyHtml, historyText } from '../../../src/contract/reporters/history.ts'
import { conforming, unreachable, violating } from '../reporters/reports.ts'
import { entryOn, histories, now } from '../reporters/histories.ts'

const limit = 'list.limit.respected'
/** One run per letter: p passes, f violates `limit`, u is unreachable. */
const runs = (letters: string): HistoryEntry[] =>
  [...letters].map((letter, index) =>
    entryOn(
      index + 1,
      letter === 'p' ? conforming() : letter === 'f' ? violating() : unreachable(),
    ),
  )
const of = (letters: string) => toHistory(runs(letters), { now })

test('lists regressed and fixed requirements with dates', () => {
  expect(of('ppff').regressed).toEqual([{ id: limit, at: '2026-11-03T00:00:00.000Z' }])
  expect(of('ppff').fixed).toEqual([])
  expect(of('pffp')).toMatchObject({
    regressed: [],
    fixed: [{ id: limit, at: '2026-11-04T00:00:00.000Z' }],
    flaky: [],
  })
  expect(of('ff')).toMatchObject({ regressed: [], fixed: [], flaky: [] })
})

test('a requirement with three changes is flaky; an unreachable run is a gap, not a change', () => {
  expect(of('pfpf')).toMatchObject({
    regressed: [],
    fixed: [],
    flaky: [{ id: limit, violated: 2, of: 4 }],
  })
  expect(of('pupup')).toMatchObject({ regressed: [], fixed: [], flaky: [], inconclusive: 2 })
  expect(of('fufuf').flaky).toEqual([])
})

test('runs of two branches are merged by time, and each counts once', () => {
  const [one, two, three] = runs('pfp') as [HistoryEntry, HistoryEntry, HistoryEntry]
  const merged = toHistory([three, one, two, structuredClone(two)], { now })
  expect(merged).toEqual(toHistory([one, two, three], { now }))
  expect(toHistory([one, two, three], { now, last: 2 }).runs).toHaveLength(2)
})

test('lists changed options, upcoming expirations, latency and versions', () => {
  const [history] = histories.mixed
  expect(history?.changed).toMatchObject([{ id: 'list.order', before: 'by-name', after: 'by-id' }])
  expect(history?.expiring).toEqual([
    { id: `baseline of ${limit}`, on: '2026-12-01', days: 9, ticket: 'SHOP-12' },
  ])
  expect(history).toMatchObject({
    latency: { p95: 45, before: 43 },
    kits: ['1.2.3', '1.3.0'],
    inconclusive: 1,
  })
  const before = toHistory(runs('p'), { now: new Date('2030-12-01') })
  expect(before.expiring).toEqual([{ id: 'getPet', on: '2030-12-05', days: 4 }])
})

test('since the last run', () => {
  const [pass, fail, none] = runs('pfu') as [HistoryEntry, HistoryEntry, HistoryEntry]
  expect(sinceLastRun([], pass)).toBeUndefined()
  expect(sinceLastRun([pass], fail)).toBe(`Since the last run: 1 new (${limit})`)
  expect(sinceLastRun([fail], pass)).toBe(`Since the last run: 1 fixed (${limit})`)
  expect(sinceLastRun([pass, fail, none], pass)).toBe(`Since the last run: 1 fixed (${limit})`)
  expect(sinceLastRun([pass], pass)).toBe('Since the last run: no change')
  expect(sinceLastRun([pass, fail, none], none)).toMatch(
    /^This run is inconclusive\. Last verdict: FAIL, \d{4}-\d\d-\d\d \d\d:\d\d UTC$/,
  )
  expect(sinceLastRun([none], none)).toBe('This run is inconclusive, as all runs before.')
  const other = { ...pass, profile: { ...pass.profile, 'list.order': 'by-name' } }
  for (const before of [[pass], [pass, none], [pass, { ...pass, profile: {} }]])
    expect(sinceLastRun(before, other)).toBe('Since the last run: 1 changed (list.order)')
})

test('as text', () => {
  expect(historyText(histories.mixed)).toBe(`staging  http://127.0.0.1:4010/v1
  last 5 runs  ▇▂·▇▂  FAIL 1 violated  2026-11-05 00:00
  flaky         list.limit.respected  violated in 2 of 4 runs
  changed       list.order  by-name → by-id  2026-11-05 (unspecified: clients
                may notice)
  expires       baseline of list.limit.respected  2026-12-01, in 9 days
                (SHOP-12)
  latency       p95 45 ms, before 43 ms
  inconclusive  1 run without a verdict
  kit           versions 1.2.3, 1.3.0, which may check different things
`)
})

test('a run that passes for its known failures does not look like one without', () => {
  const [run] = runs('p') as [HistoryEntry]
  const known = { ...run, counts: { ...run.counts, verified: 47, known: 2 } }
  expect(historyText([toHistory([known], { now })])).toContain(
    '  last 1 run  ▆  PASS 49/49, 2 known failures  ',
  )
  const chart = historyHtml([toHistory([known], { now })])
  expect(chart).toContain('1 PASS with known failures')
})

test('a run without verified requirements is shown as partial', () => {
  const [run] = runs('p') as [HistoryEntry]
  const { verified, notVerified } = run.counts
  const smoke = {
    ...run,
    verified: [],
    counts: { ...run.counts, verified: 0, notVerified: verified + notVerified },
  }
  expect(historyText([toHistory([smoke], { now })])).toContain(
    '  last 1 run  ▇  PASS (partial)  2026-11-01',
  )
})

test.each([
  null,
  {},
  [],
  'text',
  { ...runs('p')[0], at: 'yesterday' },
  { ...runs('p')[0], verified: [1] },
  { ...runs('p')[0], profile: { 'list.order': 1 } },
])('%j is not a history entry', (value) => {
  expect(isHistoryEntry(value)).toBe(false)
})
