import { expect, test } from 'vitest'
import { reporters, verdictLine, type Report } from '../../../src/contract/index.ts'
import { verifyMock } from '../../support/verify-in-process.ts'
import { idsOf } from '../../support/verdicts.ts'

/** New pets are in no list, which may be late, and what is certain beside it. */
const hidden = {
  pets: 40,
  profile: { 'list.order': 'oldest-first' },
  defects: ['create.never-listed', 'create.status-202'],
} as const
const verify = (more: Parameters<typeof verifyMock>[1] = {}): Promise<Report> =>
  verifyMock({ ...hidden, defects: [...hidden.defects] }, more)
const waitsFor = ({ requirements }: Report): string[] =>
  requirements.flatMap(({ id, looksViolated }) => (looksViolated ? [id] : []))

test('a run that fails anyway says what looks violated, and which command waits for it', async () => {
  const report = await verify()
  expect(idsOf(report, 'violated')).toEqual(['create.success'])
  expect(waitsFor(report)).toEqual(['create.status', 'create.listed'])
  expect(verdictLine(report)).toBe(
    'FAIL  1 violated, 2 more look violated and were not waited for, 47 of 49 requirements checked (partial)',
  )
  expect(reporters['text']?.(report)).toContain(
    'petstore verify http://localhost:1/v1 --only create.status --only create.listed  waits for what looks violated, too',
  )
  const { reason = '' } = report.requirements.find(({ id }) => id === 'create.listed') ?? {}
  expect(reason).toMatch(/^may be late, after 5 s \(--settle\), and not waited for: GET /)
  // One reason stands for all, and ends no sentence.
  expect(reason).not.toMatch(/;|\.$/)
  expect(report.notes.at(-1)).toMatch(
    /it waits with --only create\.status --only create\.listed\.$/,
  )
  for (const name of ['html', 'junit', 'markdown'])
    expect(reporters[name]?.(report), name).toContain(
      '2 more look violated and were not waited for',
    )
})

test('a run waits for it where what is certain is not selected, or accepted by the baseline', async () => {
  const selected = await verify({ only: ['create.status', 'create.listed'] })
  expect(idsOf(selected, 'violated')).toEqual(['create.status', 'create.listed'])
  expect(waitsFor(selected)).toEqual([])
  const known = {
    requirement: 'create.success',
    reason: 'A queue.',
    expires: '2030-01-01',
  } as const
  const baseline = { schemaVersion: 1, failures: [known] } as const
  const accepted = await verify({ baseline: { ...baseline, failures: [...baseline.failures] } })
  expect(accepted.verdict).toBe('violates')
  expect(idsOf(accepted, 'violated')).toContain('create.listed')
})
