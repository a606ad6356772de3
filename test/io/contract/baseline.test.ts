import { describe, expect, test } from 'vitest'
import {
  applyBaseline,
  type KnownFailure,
  type Report,
  toBaseline,
} from '../../../src/contract/index.ts'
import type { DefectId } from '../../../src/mock/index.ts'
import { key, startStore } from '../../support/store.ts'
import { anyFinding, conforming, violating } from '../../unit/reporters/reports.ts'
import { makeFolder, readJson } from '../../support/folder.ts'
import { mistakeOf, run } from '../cli/command.ts'
import { isBaseline, isReport } from '../../support/schemas.ts'
import { idsOf } from '../../support/verdicts.ts'

const env = { PETSTORE_API_KEY: key }
const entry = (requirement: string, more: object = {}): KnownFailure =>
  ({ requirement, reason: 'it is old', expires: '2099-12-31', ...more }) as KnownFailure
const baseline = (...failures: KnownFailure[]): object => ({ schemaVersion: 1, failures })

/** Arguments of a run that must not start. */
const nowhere = ['http://127.0.0.1:1/v1', '--baseline', 'known.json']

/** Runs `petstore verify` with a baseline against a store with deliberate defects. */
async function verifyWith(defects: DefectId[], known: unknown, ...options: string[]) {
  const { url, requests } = await startStore({ defects })
  const folder = makeFolder({ 'known.json': known })
  const args = [
    'verify',
    url,
    '--baseline',
    'known.json',
    '--reporter',
    'text',
    '--reporter',
    'json=report.json',
  ]
  const ran = await run([...args, '--settle', '0.3', ...options], { env, cwd: folder })
  return { ...ran, requests, folder }
}

describe('petstore verify --baseline', () => {
  test('a known violation does not fail the run, and is shown as known', async () => {
    const known = entry('list.limit.default', { ticket: 'SHOP-12' })
    const { code, stdout, folder } = await verifyWith(['list.default-10'], baseline(known))
    expect(stdout).toMatch(/PASS {2}\d known failures?, 49 of 49 requirements checked/)
    expect(stdout).toMatch(/\nKnown failures\n {2}1 ✗ list\.limit\.default\s/)
    expect(stdout).toContain('known until 2099-12-31: it is old (SHOP-12)')
    expect(code).toBe(0)
    const report: Report = readJson(folder, 'report.json')
    expect(isReport(report)).toBe(true)
    expect(report).toMatchObject({
      verdict: 'conforms',
      baseline: { known: [known], expired: [], stale: [] },
    })
  })

  test('a second violation fails the run, and the known one stays known', async () => {
    const both: DefectId[] = ['list.default-10', 'create.status-ignored']
    const only = ['--only', 'list.limit.default', '--only', 'create.status']
    const { code, stdout } = await verifyWith(both, baseline(entry('list.limit.default')), ...only)
    expect(stdout).toMatch(/FAIL \(selection\).*, \d known failures?,/)
    expect(stdout).toMatch(/\nViolated\n {2}1 ✗ create\.status /)
    expect(stdout).toMatch(/\nKnown failures\n {2}1 ✗ list\.limit\.default\s/)
    expect(code).toBe(1)
  })

  test('an expired entry has no effect, and the report mentions it', async () => {
    const known = baseline(entry('list.limit.default', { expires: '2026-03-31' }))
    const only = ['--only', 'list.limit.default']
    const lastDay = await verifyWith(['list.default-10'], known, '--now', '2026-03-31', ...only)
    expect(lastDay.code).toBe(0)
    const { code, stdout, folder } = await verifyWith(
      ['list.default-10'],
      known,
      '--now',
      '2026-04-01',
      ...only,
    )
    expect(stdout).toContain('The baseline entry for list.limit.default expired after 2026-03-31.')
    expect(stdout).toMatch(/\nViolated\n {2}1 ✗ list\.limit\.default\s/)
    expect(code).toBe(1)
    expect(isReport(readJson(folder, 'report.json'))).toBe(true)
  })

  test('an entry for a requirement that is verified again is reported as stale, expired or not', async () => {
    const known = [entry('list.limit.default'), entry('get.not-found', { expires: '2020-01-31' })]
    const only = ['--only', 'list.limit.default', '--only', 'get.not-found']
    const { code, stdout, folder } = await verifyWith([], baseline(...known), ...only)
    expect(stdout).toContain(
      'list.limit.default is verified now: remove its entry from the baseline.',
    )
    expect(stdout).toContain('get.not-found is verified now: remove its entry from the baseline.')
    expect(stdout).not.toContain('expired after')
    expect(code).toBe(0)
    expect(readJson(folder, 'report.json')).toMatchObject({
      baseline: { known: [], expired: [], stale: known },
    })
  })

  test('an entry for an unchecked requirement is neither known nor stale', async () => {
    const { folder } = await verifyWith(
      [],
      baseline(entry('create.status')),
      '--only',
      'list.success',
    )
    expect(readJson(folder, 'report.json')).toMatchObject({
      baseline: { known: [], expired: [], stale: [] },
    })
  })

  test('with --strict, unverified requirements fail a run that has only known failures', async () => {
    const known = baseline(entry('list.limit.default'))
    const only = ['--read-only', '--only', 'list.limit.default', '--only', 'create.status']
    const { code, stdout } = await verifyWith(['list.default-10'], known, '--strict', ...only)
    expect(stdout).toContain('INCONCLUSIVE')
    expect(code).toBe(3)
  })

  test.each([
    ['no JSON', '{"schemaVersion": 1,', /^known\.json:1:21: the baseline is not JSON: /],
    [
      'an array',
      [],
      /^known\.json is not a baseline file: it lacks "failures"; petstore baseline creates one/,
    ],
    ['null', 'null', /^known\.json is not a baseline file: /],
  ])('a file with %s is rejected', async (_, content, message) => {
    const folder = makeFolder({ 'known.json': content })
    expect(await mistakeOf(['verify', ...nowhere], { env, cwd: folder })).toMatch(message)
  })

  test('reports all mistakes of a file together, each with its pointer', async () => {
    const failures = [
      entry('list.limit.defautl'),
      entry('nobody.knows'),
      { requirement: 7, reason: ' ', ticket: 12, expires: '2026-02-30', until: 'later' },
      'list.limit.default',
      {},
    ]
    const folder = makeFolder({
      'known.json': { $schema: 1, version: 1, schemaVersion: 2, failures },
    })
    expect((await mistakeOf(['verify', ...nowhere], { env, cwd: folder })).split('\n')).toEqual(
      [
        '/$schema must be a string',
        '/schemaVersion must be 1',
        '/failures/2/requirement must be the id of a requirement',
        '/failures/2/reason must be a text that says why the failure is accepted',
        '/failures/2/ticket must be a string',
        '/failures/2/expires must be a day such as 2027-01-31',
        '/failures/2/until is unknown; there are requirement, reason, findings, alsoBreaks, ticket, expires',
        '/failures/3 must be an object with requirement, reason and expires',
        '/failures/4/requirement is required',
        '/failures/4/reason is required',
        '/failures/4/expires is required',
        '/version is unknown; there are $schema, schemaVersion, failures',
        '/failures/0/requirement: there is no requirement "list.limit.defautl"; did you mean list.limit.default?',
        '/failures/1/requirement: there is no requirement "nobody.knows"; petstore verify --list shows them',
      ].map((mistake) => `known.json: ${mistake}`),
    )
  })
})

describe('applyBaseline', () => {
  /** A report with findings: the first requirement of each is its subject, the others are also violated. */
  function reportOf(...findings: string[][]): Report {
    const report = conforming()
    for (const requirement of report.requirements)
      if (findings.flat().includes(requirement.id)) requirement.verdict = 'violated'
    const violated = idsOf(report, 'violated').length
    return {
      ...report,
      verdict: 'violates',
      exitCode: 1,
      counts: { ...report.counts, verified: 40, violated },
      findings: findings.map(([requirement, ...alsoBreaks]) => ({
        ...anyFinding,
        requirement,
        alsoBreaks,
      })) as Report['findings'],
    }
  }
  const apply = (report: Report, ...failures: KnownFailure[]): Report =>
    applyBaseline(report, { schemaVersion: 1, failures }, { now: new Date('2026-06-01') })

  test('violations that a known finding also causes are known, too', () => {
    const report = apply(
      reportOf(['list.limit.default', 'list.page-full']),
      entry('list.limit.default'),
    )
    expect(report).toMatchObject({
      verdict: 'conforms',
      exitCode: 0,
      counts: { violated: 0, known: 2 },
    })
  })

  test('a known requirement that a new finding also violates still fails', () => {
    const found = reportOf(['list.limit.default'], ['list.page-full', 'list.limit.default'])
    const report = apply(found, entry('list.limit.default'))
    expect(report).toMatchObject({
      verdict: 'violates',
      exitCode: 1,
      counts: { violated: 2, known: 0 },
    })
    expect(report.findings.map(({ known }) => known?.requirement)).toEqual([
      'list.limit.default',
      undefined,
    ])
  })

  test('an incomplete run does not pass', () => {
    const report = apply(
      { ...reportOf(['list.success']), reason: 'listPets does not respond' },
      entry('list.success'),
    )
    expect(report).toMatchObject({ verdict: 'not-verified', exitCode: 3 })
  })
})

describe('petstore baseline', () => {
  const checked = ['--settle', '0', '--only', 'list.limit.default', '--only', 'get.not-found']
  async function makeReport(...defects: DefectId[]): Promise<{ folder: string; url: string }> {
    const { url } = await startStore({ defects })
    const folder = makeFolder()
    const ran = await run(['verify', url, ...checked, '--reporter', 'json=report.json'], {
      env,
      cwd: folder,
    })
    expect(ran.code).toBe(1)
    return { folder, url }
  }

  test('creates a file with which the same run passes', async () => {
    const { folder, url } = await makeReport('list.default-10', 'get.missing-is-204')
    const options = [
      '--reason',
      'until the next release',
      '--ticket',
      'SHOP-12',
      '--expires',
      '2099-01-31',
    ]
    const made = await run(['baseline', 'report.json', ...options, '--output', 'new/known.json'], {
      cwd: folder,
    })
    expect(made).toMatchObject({ code: 0, stdout: '' })
    expect(made.stderr).toMatch(
      /^wrote new\/known\.json: it accepts \d known failures \(\d entr(?:y|ies)\)\. Use it with petstore verify --baseline new/,
    )
    const known = readJson(folder, 'new/known.json')
    expect(isBaseline(known)).toBe(true)
    expect(known.failures).toContainEqual({
      requirement: 'list.limit.default',
      reason: 'until the next release',
      ticket: 'SHOP-12',
      expires: '2099-01-31',
      findings: [
        {
          check: 'list-pets.default-limit',
          message: 'default page short',
          responses: expect.any(Number),
        },
      ],
      alsoBreaks: [],
    })
    const again = ['verify', url, ...checked, '--baseline', 'new/known.json']
    expect((await run(again, { env, cwd: folder })).code).toBe(0)
  })

  test('prints it if no file is given, valid for 30 days', async () => {
    const folder = makeFolder({ 'report.json': violating() })
    const in30Days = (): string => new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
    const before = in30Days()
    const { code, stdout, stderr } = await run(
      ['baseline', 'report.json', '--reason', 'so be it'],
      { cwd: folder },
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect([before, in30Days()]).toContain(JSON.parse(stdout).failures[0].expires)
    expect(isBaseline(JSON.parse(stdout))).toBe(true)
  })

  test('keeps entries of an older baseline', () => {
    const older = entry('get.not-found', { ticket: 'OLD-1' })
    const report = {
      ...conforming(),
      findings: [
        { ...anyFinding, requirement: 'get.not-found', known: older },
        { ...anyFinding, requirement: 'list.success', message: 'Pet 7 is gone.' },
      ],
    }
    const news = { reason: 'new', expires: '2027-01-31' }
    expect(toBaseline(report as Report, news).failures).toEqual([
      older,
      {
        requirement: 'list.success',
        ...news,
        findings: [{ check: anyFinding.check, message: 'Pet … is gone.', responses: 1 }],
        alsoBreaks: anyFinding.alsoBreaks,
      },
    ])
  })

  test('a new finding has the terms of its own, whatever is known of its requirement', () => {
    const older = entry('list.success', {
      expires: '2099-01-31',
      findings: [{ check: 'x', message: 'x', responses: 1 }],
    })
    const known = { ...anyFinding, known: older }
    const findings = [
      known,
      { ...anyFinding, message: 'Another.' },
      { ...known, message: 'Again.' },
    ]
    const news = { reason: 'new', expires: '2027-01-31' }
    for (const some of [findings, findings.toReversed()]) {
      // As from a file, in which nothing is shared.
      const report = JSON.parse(JSON.stringify({ ...conforming(), findings: some })) as Report
      const before = structuredClone(report)
      expect(toBaseline(report, news).failures).toEqual([
        older,
        expect.objectContaining({
          ...news,
          findings: [expect.objectContaining({ message: 'Another.' })],
        }),
      ])
      expect(report).toEqual(before)
    }
  })

  test('accepts the kinds of finding that it saw, and no others of the requirement', () => {
    const found = { ...anyFinding, requirement: 'list.success', alsoBreaks: [], more: 0 } as const
    const reportWith = (...findings: object[]): Report =>
      ({
        ...conforming(),
        verdict: 'violates',
        exitCode: 1,
        findings,
        requirements: conforming().requirements.map((one) =>
          one.id === 'list.success' ? { ...one, verdict: 'violated' } : one,
        ),
      }) as unknown as Report
    const first = { ...found, message: 'GET /pets/7?status=sold responded 204 instead of 404.' }
    const known = toBaseline(reportWith(first), { reason: 'old', expires: '2099-01-31' })
    const exitCodeOf = (...findings: object[]) =>
      applyBaseline(reportWith(...findings), known, { now: new Date('2026-06-01') }).exitCode
    const alike = 'GET /pets/812?status=pending responded 204 instead of 404.'
    expect(exitCodeOf({ ...first, message: alike })).toBe(0)
    expect(exitCodeOf({ ...first, message: alike.replace('204', '500') })).toBe(1)
    expect(exitCodeOf({ ...first, check: 'another.check' })).toBe(0)
    expect(exitCodeOf({ ...first, alsoBreaks: ['list.401'] })).toBe(1)
    expect(exitCodeOf(first, { ...first, message: 'Another.' })).toBe(1)
    const kinds = ['GET /pets/… responded 500 instead of 404.']
    expect(exitCodeOf({ ...first, kinds: [...kinds, ...kinds] })).toBe(1)
    const { notes } = applyBaseline(reportWith({ ...first, more: 9 }), known, {
      now: new Date('2026-06-01'),
    })
    expect(notes).toContain('list.success: 10 responses show it; the baseline knows 1.')
  })

  test.each([
    [
      ['half.json', '--reason', 'x'],
      /^half\.json is not a report of petstore verify --reporter json=FILE: /,
    ],
    [
      ['red.json', '--reason', 'x'],
      'red.json: /failures/0/requirement: there is no requirement "of.old"; petstore verify --list shows them',
    ],
  ])('%j is rejected', async (args, message) => {
    const finding = {
      ...anyFinding,
      requirement: 'of.old',
      during: 'list-pets.responses',
      message: 'x',
    }
    const folder = makeFolder({
      'half.json': { ...conforming(), findings: [{ requirement: 'list.success' }] },
      'red.json': { ...conforming(), findings: [finding] },
    })
    expect(await mistakeOf(['baseline', ...args], { cwd: folder })).toMatch(message)
  })
})
