/** `verify` with `onlyFailed`: re-checks the findings of an earlier report. In process and in virtual time. */
import { describe, expect, test } from 'vitest'
import type { Report } from '../../../src/contract/index.ts'
import { type DefectId, defects } from '../../../src/mock/index.ts'
import type { MockRequest } from '../../../src/mock/service/message.ts'
import { sample } from '../../support/level.ts'
import { key } from '../../support/store.ts'
import { idsOf } from '../../support/verdicts.ts'
import { json, target } from './target.ts'

const defective = (...ids: DefectId[]) => target({ defects: ids })
const outcomes = ({ recheck = [] }: Report) =>
  recheck.map(({ outcome, seen, runs }) => `${outcome} ${seen}/${runs}`)
const posts = (requests: readonly MockRequest[]): number =>
  requests.filter(({ method, body }) => method === 'POST' && body.includes('Petkit')).length

/** Those that fail at random, or no longer once the pets of the first run are there. */
const showsAnew: ReadonlySet<DefectId> = new Set([
  'auth.one-in-ten-rejected',
  'list.empty-is-204',
  'list.empty-is-null',
  'create.one-same-id',
  'create.same-name-overwrites',
])
/** A sample of all others, and one defect per kind of finding. */
const some = sample(
  defects.filter(({ id }) => !showsAnew.has(id)),
  { usual: 48, slow: 48, all: 1 },
)
const ways: DefectId[] = [
  'pet.id-text',
  'auth.empty-401',
  'create.id-alone',
  'filter.pages-of-10',
  'create.never-listed',
  'get.name-differs',
  'create.same-id',
  'create.renames-first',
  'reject.stored-anyway',
  'auth.cut-key',
]

const tried = [...new Set([...some.map(({ id }) => id), ...ways])]

test.each(sample(tried, { usual: 2, slow: 1, all: 1 }))('%s still fails', async (id) => {
  const { pets = 130 } = defects.find((one) => one.id === id) ?? {}
  // With the newest first, a truncated page would show the pets of the second run.
  const { run } = target({ pets, defects: [id], profile: { 'list.order': 'oldest-first' } })
  const report = await run({ maxWrites: 100 })
  expect(report.findings).not.toEqual([])
  const again = await run({ onlyFailed: report, times: 1, maxWrites: 100 })
  expect(outcomes(again).filter((outcome) => outcome.startsWith('fixed'))).toEqual([])
  if (ways.includes(id))
    expect(outcomes(again)).toEqual(report.findings.map(() => 'still-failing 1/1'))
  expect(again).toMatchObject(ways.includes(id) ? { verdict: 'violates', exitCode: 1 } : {})
})

test('a server that fails in every other run is flaky', async () => {
  let isFailing = true
  const { run } = target({}, ({ target: path, headers }) =>
    isFailing && path === '/v1/pets?limit=1' && headers['authorization'] === `Bearer ${key}`
      ? json(200, [])
      : undefined,
  )
  const report = await run({ only: ['list.limit.min'] })
  expect(report.findings.map(({ requirement }) => requirement)).toEqual(['list.limit.min'])
  const onProgress = (line: string): void => {
    if (line.startsWith('run ')) isFailing = !isFailing
  }
  const again = await run({ onlyFailed: report, times: 4, onProgress })
  expect(outcomes(again)).toEqual(['flaky 2/4'])
  expect(again.exitCode).toBe(1)
})

describe('a finding that could not be re-checked is not fixed', () => {
  const html = {
    status: 200,
    headers: { 'content-type': 'text/html' },
    body: '<html>Welcome</html>',
  }
  test.each([
    ['the target is gone', { ...html, wire: { reset: true } }],
    ['something else is there', html],
  ] as const)('%s after the first run', async (_, other) => {
    const report = await defective('list.default-100').run()
    let isOther = false
    const { run } = target({}, () => (isOther ? other : undefined))
    const onProgress = (line: string): void => void (isOther ||= line.startsWith('run 2'))
    const again = await run({ onlyFailed: report, times: 2, retryBudgetMs: 0, onProgress })
    expect(outcomes(again)).toEqual(report.findings.map(() => 'not-verified 0/1'))
    expect(again).toMatchObject({
      verdict: 'not-verified',
      exitCode: 3,
      reason: expect.any(String),
    })
  })
})

test('each run keeps to maxWrites', async () => {
  const { run, requests } = defective('create.status-ignored')
  const report = await run()
  const before = posts(requests)
  const again = await run({ onlyFailed: report, times: 2, maxWrites: 9 })
  expect(again.recheck?.find(({ requirement }) => requirement === 'create.status')).toMatchObject({
    seen: 2,
    runs: 2,
  })
  expect(posts(requests) - before).toBeGreaterThan(9)
  expect(again.counts.writes).toBeGreaterThan(9)
  expect(again.counts.writes).toBeLessThanOrEqual(18)
})

test('a run is whole: what failed is fixed only by all of its evidence', async () => {
  const report = await defective('list.default-10').run()
  const { run, requests } = target({})
  await run()
  const whole = requests.length
  const again = await run({ onlyFailed: report, times: 1 })
  expect(outcomes(again)).toEqual(report.findings.map(() => 'fixed 0/1'))
  expect(requests.length - whole).toBeGreaterThan(whole * 0.9)
  expect(idsOf(again, 'verified').toSorted()).toEqual(
    report.findings.map(({ requirement }) => requirement).toSorted(),
  )
})
