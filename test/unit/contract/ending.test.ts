import { describe, expect, test } from 'vitest'
import type { MockOptions } from '../../../src/mock/index.ts'
import { key } from '../../support/store.ts'
import { verifyMock } from '../../support/verify-in-process.ts'
import { target } from './target.ts'
import { idsOf, verdictOf } from '../../support/verdicts.ts'

/** Rules of a mock that stops responding after `skip` requests. */
const silentAfter = (skip: number): MockOptions['rules'] => [{ skip, fault: 'silence' }]
const slow: MockOptions['rules'] = [{ delayMs: 2_000 }]

describe('a run ends after --max-duration with the results so far', () => {
  const reason = 'the run was ended after 20 s (--max-duration)'

  test.each([
    ['nothing was verified', { rules: silentAfter(0) }, 3],
    ['nothing is violated', { rules: slow }, 3],
    ['something is violated', { rules: slow, defects: ['list.limit-ignored'] }, 1],
  ] as const)('%s', async (_, mock, exitCode) => {
    const lines: string[] = []
    const onProgress = (line: string): void => void lines.push(line)
    const report = await verifyMock(mock, {
      maxDurationMs: 20_000,
      timeoutMs: 60_000,
      onProgress,
    })
    expect(report).toMatchObject({ exitCode, reason })
    expect(report.durationMs).toBeLessThan(20_100)
    expect(lines.at(-1)).toBe(reason)
  })

  test('also while it waits for a rate limit or for replicas', async () => {
    const rules: MockOptions['rules'] = [
      { reply: { status: 429, headers: { 'retry-after': '3000' } } },
    ]
    const limited = await verifyMock({ rules }, { maxDurationMs: 20_000, retryBudgetMs: 3_600_000 })
    expect(limited).toMatchObject({ exitCode: 3, reason })
    const lagging = await verifyMock(
      { defects: ['create.never-listed'] },
      { maxDurationMs: 20_000, settleMs: 600_000 },
    )
    expect(lagging).toMatchObject({ exitCode: 3, reason })
  })
})

describe('a run ends soon if the service hangs on each request', () => {
  const isKnown = (header: string): boolean =>
    header.toLowerCase() === `bearer ${key}`.toLowerCase()

  test.each([
    ['without the key', (header: string) => !isKnown(header)],
    ['with a wrong key', (header: string) => header !== '' && !isKnown(header)],
  ] as const)('%s', async (_, isMeant) => {
    const { run } = target({}, ({ headers }) =>
      isMeant(String(headers['authorization'] ?? '')) ? 'silence' : undefined,
    )
    const report = await run()
    expect(idsOf(report, 'violated')).toEqual(
      expect.arrayContaining(['list.401', 'get.401', 'create.401']),
    )
    expect(report.durationMs).toBeLessThan(100_000)
  })

  test('and once a daily quota is used up, against which no slower pace helps', async () => {
    const rules: MockOptions['rules'] = [
      { skip: 50, reply: { status: 429, headers: { 'retry-after': '40000' } } },
    ]
    expect((await verifyMock({ rules })).durationMs).toBeLessThan(10_000)
  })

  test('but a response later than --timeout is not reported as missing', async () => {
    const rules: MockOptions['rules'] = [{ when: { operation: 'getPet' }, delayMs: 15_000 }]
    const report = await verifyMock({ rules })
    expect(report).toMatchObject({ verdict: 'conforms', findings: [] })
    expect(verdictOf(report, 'get.success')).toBe('not-verified')
  })
})

test('a run ends at responses that are far too large, and does not pass', async () => {
  const { run } = target({}, async (request, mock) => {
    const reply = await mock.handle(request)
    return { ...reply, body: reply.body + ' '.repeat(4_000_000) }
  })
  const reason = 'the responses of the target are far too large, so the run was ended'
  expect(await run()).toMatchObject({ exitCode: 3, reason })
})

test('the report counts pets that may have been created by requests without a response', async () => {
  const { notes, counts } = await verifyMock({ defects: ['http.shorter-than-declared'] })
  const [, unsure = 0] =
    /^Requests that got no response may have created (\d+) more pets\.$/m.exec(notes.join('\n')) ??
    []
  expect(counts.writes + Number(unsure)).toBe(25)
})
