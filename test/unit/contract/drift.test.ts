import { expect, test } from 'vitest'
import {
  describeContract,
  toGithub,
  toJunit,
  toSarif,
  toText,
} from '../../../src/contract/index.ts'
import { conforming } from '../reporters/reports.ts'
import { verifyMock } from '../../support/verify-in-process.ts'

const readOnly = { readOnly: true, only: ['list.*', 'undescribed.*', 'get-pet.*'] } as const

test('a changed option of a conforming deployment is drift: same verdict, exit code 1', async () => {
  const expected = { 'list.limit.above-maximum': '400', 'list.unknown-parameter': 'ignore' }
  const run = (option: 'clamp' | '400') =>
    verifyMock(
      { profile: { 'list.limit.above-maximum': option } },
      { ...readOnly, expectProfile: expected },
    )
  expect(await run('400')).toMatchObject({ verdict: 'conforms', exitCode: 0, drift: [] })
  const changed = await run('clamp')
  const entry = { id: 'list.limit.above-maximum', expected: '400', actual: 'clamp' }
  expect(changed).toMatchObject({ verdict: 'conforms', exitCode: 1 })
  expect(changed.drift).toEqual([
    { ...entry, evidence: expect.stringContaining('GET /pets?limit=101 responded 200') },
  ])
  const plain = await verifyMock({ profile: { 'list.limit.above-maximum': 'clamp' } }, readOnly)
  expect([plain.exitCode, plain.drift]).toEqual([0, undefined])

  const sentence = 'clamp instead of 400: GET /pets?limit=101 responded 200'
  const lines = `Drift: differs from the expected profile\n  list.limit.above-maximum: ${sentence}`
  expect(toText(changed).replaceAll('\n    ', ' ')).toContain(lines)
  expect(toText(changed)).toMatch(/\nDRIFT \(selection\) {2}1 behavior not as expected/)
  expect(toGithub(changed)).toContain(
    `::error title=drift%3A list.limit.above-maximum::${sentence}`,
  )
  expect(toJunit(changed)).toContain(`<failure message="${sentence}" type="drift">`)
  expect(toSarif(changed)).toContain(`drift: list.limit.above-maximum: ${sentence}`)
})

test('a read-only run sees that the order of lists has changed', async () => {
  const run = (order: 'oldest-first' | 'newest-first') =>
    verifyMock(
      { pets: 30, profile: { 'list.order': order } },
      { readOnly: true, expectProfile: { 'list.order': 'oldest-first' } },
    )
  expect(await run('oldest-first')).toMatchObject({ exitCode: 0, drift: [] })
  expect(await run('newest-first')).toMatchObject({
    exitCode: 1,
    drift: [{ id: 'list.order', expected: 'oldest-first', actual: 'newest-first' }],
  })
})

test('an option that is excluded is drift, although several others remain possible', async () => {
  const report = await verifyMock(
    { pets: 3, profile: { 'list.limit.above-maximum': 'clamp' } },
    { readOnly: true, expectProfile: { 'list.limit.above-maximum': '400' } },
  )
  expect(report.profile['list.limit.above-maximum']).toBe('unknown')
  expect(report).toMatchObject({
    exitCode: 1,
    drift: [{ id: 'list.limit.above-maximum', expected: '400', actual: 'clamp or default' }],
  })
})

test('a violation takes precedence over drift; an unobserved option is not a match', async () => {
  const expectProfile = {
    'list.limit.above-maximum': '422',
    'create.visibility': 'immediate',
    'list.order': 'unknown',
  }
  const broken = await verifyMock({ defects: ['list.default-10'] }, { ...readOnly, expectProfile })
  expect(broken).toMatchObject({
    verdict: 'violates',
    exitCode: 1,
    drift: [{ id: 'list.limit.above-maximum' }],
  })
  expect(broken.notes).toContain(
    '1 of 2 options of the expected profile were not observed: create.visibility.',
  )
  const unseen = await verifyMock(
    {},
    { ...readOnly, expectProfile: { 'create.visibility': 'immediate' } },
  )
  expect(unseen).toMatchObject({ verdict: 'not-verified', exitCode: 3, drift: [] })
  const some = { 'create.visibility': 'immediate', 'list.limit.above-maximum': '400' }
  expect(await verifyMock({}, { ...readOnly, expectProfile: some })).toMatchObject({ exitCode: 0 })
  expect(await verifyMock({}, { ...readOnly, expectProfile: some, strict: true })).toMatchObject({
    exitCode: 3,
  })
})

test('the removal of getPet is a note from half a year before its date', async () => {
  const on = async (now: string) =>
    (await verifyMock({ now: () => new Date(now) }, { readOnly: true, now })).notes.filter((note) =>
      note.includes('2030-12-05'),
    )
  expect(await on('2030-06-01')).toEqual([])
  expect(await on('2030-10-23')).toEqual([
    'getPet is removed on 2030-12-05, in 43 days; clients use the list instead.',
  ])
  expect(await on('2030-12-06')).toEqual([])
})

test('describeContract fails for drift', async () => {
  const report = {
    ...conforming(),
    exitCode: 1 as const,
    drift: [{ id: 'list.order' as const, expected: 'by-name', actual: 'shuffled' }],
  }
  const tests: [name: string, run: () => Promise<void>][] = []
  describeContract(report, {
    describe: (_, define) => define(),
    it: (name, run) => void tests.push([name, run]),
  })
  const [, run] = tests.find(([name]) => name.includes('reaches a verdict')) ?? []
  await expect(run?.()).rejects.toThrow('drift: list.order is shuffled, not by-name')
})
