import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  applyBaseline,
  toBaseline,
  toHtml,
  toOverview,
  toText,
  type Report,
} from '../../../src/contract/index.ts'
import type { Reached, ReporterOptions } from '../../../src/contract/report/report.ts'
import { verifyMock } from '../../support/verify-in-process.ts'
import { conforming, excused, unreachable, violating } from './reports.ts'

/** The number of rows on a terminal of 80 columns. */
const rowsOf = (text: string): number =>
  text
    .trimEnd()
    .split('\n')
    .reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / 80)), 0)

test('lists violated requirements, then their details, then the verdict and the next step', () => {
  expect(toText(violating([{ more: 2, alsoBreaks: ['list.page-full'] }]))).toContain(`
Violated
  1 ✗ list.limit.respected  in 3 responses
      GET /pets?limit=2 returns 20 pets, at most 2 allowed
      └ probably also breaks list.page-full.

Details
  1 list.limit.respected  Endpoints / List animals
    "limit: integer, minimum 1, maximum 100, default 20. Maximum number of
    animals to return."
      expected  at most 2 pets
      actual    20 pets
      curl -sS -i 'http://127.0.0.1:4010/v1/pets?limit=2' -H "Authorization: Bearer $PETSTORE_API_KEY"

Not verified
  list.limit.max: the catalogue has fewer than 101 pets

1 of 40 unspecified behaviors observed (--verbose lists them)
FAIL  1 cause, 1 consequence, 48 of 49 requirements checked (partial)
Next: petstore explain list.limit.respected  what it means, and what breaks it
      petstore verify http://127.0.0.1:4010/v1 --reporter html=report.html --reporter json=report.json  a report to share and to replay
      petstore replay report.json            whether it is fixed
      docs/how-to/triage-a-red-run.md        step by step, in the package
`)
})

describe('the next steps', () => {
  const reached: Reached = { deployment: 'staging', options: {}, access: {} }
  const stepsOf = (report: Report, options?: ReporterOptions, reached?: Reached): string[] =>
    toText({ ...report, ...(reached && { reached }) }, options)
      .split('Next: ')[1]
      ?.split('\n')
      .map((line) => line.trim().replace(/ {2,}.*/, '')) ?? []

  test('name the files that were written, and how the command was started', () => {
    const files = { html: 'a.html', json: 'out/the report.json' }
    expect(stepsOf(violating(), { files, program: 'npx petstore-kit' })).toEqual([
      'npx petstore-kit explain list.limit.respected',
      "npx petstore-kit replay 'out/the report.json'",
      'docs/how-to/triage-a-red-run.md',
      '',
    ])
  })

  test('name no file that is read as an option', () => {
    const steps = stepsOf(violating(), { files: { json: '-a b.json' } })
    expect(steps).toContain("petstore report './-a b.json' --reporter html=report.html")
    expect(steps).toContain("petstore replay './-a b.json'")
  })

  test.each([
    ['violating', violating()],
    ['smoke', { ...conforming(), depth: 'smoke' as const }],
    ['inconclusive', { ...unreachable(), suggestedBaseUrl: 'http://x/$(echo ran)' }],
  ])('run nothing of what stands in a %s report', (_, report) => {
    for (const text of ["x'; echo ran #", 'x; echo ran #', 'x $(echo ran)', '`echo ran`']) {
      const options = { [text]: [text], only: [text] }
      for (const deployment of [{}, { deployment: text }]) {
        const reached = { options, access: options, ...deployment }
        for (const files of [{}, { json: text }]) {
          const steps = stepsOf({ ...report, target: text }, { files }, reached)
          const commands = steps.filter((step) => step.startsWith('petstore '))
          const script = ['petstore() { :; }', ...commands].join('\n')
          const { stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' })
          expect(stdout + stderr, script).toBe('')
        }
      }
    }
  })

  test('after passing traffic replay nothing', () => {
    expect(stepsOf(violating([{ during: 'traffic' }]), {}, reached)).toEqual([
      'petstore explain list.limit.respected',
      'petstore verify staging',
      'docs/how-to/triage-a-red-run.md',
      '',
    ])
  })

  test('after a smoke run check everything', () => {
    const smoke = { ...conforming(), depth: 'smoke' } as const
    expect(stepsOf(smoke, {}, reached)).toEqual(['petstore verify staging --depth standard', ''])
  })

  test('after an inconclusive run are on the page of messages, where an option gives no reason', () => {
    const { reason, ...strict } = unreachable()
    expect(stepsOf({ ...strict, reason } as Report)).toEqual(['docs/reference/messages.md', ''])
    expect(stepsOf(strict)).toEqual([])
  })

  test('name pages that the package has', () => {
    const reports = [violating(), unreachable()]
    const pages = reports.flatMap((report) => toText(report).match(/docs\/\S+\.md/g) ?? [])
    expect(pages).toHaveLength(2)
    const root = new URL('../../../', import.meta.url)
    expect(pages.filter((page) => !existsSync(new URL(page, root)))).toEqual([])
  })

  test('stand below the findings in a log beside reports in files', () => {
    const files = { html: 'report.html', json: 'report.json' }
    expect(toOverview(violating(), { files })).toMatch(
      /✗ list\.limit\.respected[^]*\nFAIL {2}[^]*\nNext: petstore explain[^]*replay report\.json/,
    )
  })
})

test('a wrong address is said at once, with the command for the right one', () => {
  const seen = 'This is not the Pet Store Service: GET http://a/v2/pets responded 404 (text/html)'
  const reason = `${seen}; http://a/v1 responds like the Pet Store Service. Check the base URL`
  const { requirements, ...rest } = unreachable()
  const report = {
    ...rest,
    requirements: requirements.map((one) => ({ ...one, reason })),
    reason,
    suggestedBaseUrl: 'http://a/v1',
  }
  const [, ...lines] = toText(report, { width: 80 }).split('\n').slice(0, -1)
  expect(lines).toEqual([
    '118 requests, 14 pets created, 0.8 s',
    '',
    'INCONCLUSIVE: This is not the Pet Store Service: GET http://a/v2/pets responded',
    '              404 (text/html); http://a/v1 responds like the Pet Store Service.',
    '              Check the base URL. No requirement could be checked.',
    'Next: petstore verify http://a/v1  it responds like the service',
  ])
  // Tools that read a file or a pipe find the reason in one line.
  expect(toText(report)).toContain(`\nINCONCLUSIVE: ${reason}. No requirement could be checked.\n`)
})

test.each([60, 80, 100, 120])('no line of several words is longer than %i columns', (width) => {
  for (const report of [violating(), excused(), unreachable()]) {
    const lines = toText(report, { width }).split('\n')
    // An address is not broken.
    const long = lines.filter(
      (line) => line.length > width && !/^\s*'?http:\S+(?: \\)?$/.test(line),
    )
    expect(long).toEqual([])
  }
  expect(toText(violating(), { width: 120 })).toContain('Maximum number of animals to return."')
})

test('a known failure is listed separately, with stale entries of the baseline', () => {
  const text = toText(excused())
  expect(text).not.toContain('\nViolated\n')
  expect(text).toContain('47 verified, 1 known failure, 1 not verified')
  expect(text).toContain('\n      known until 2027-01-31: Being mended (PET-42)\n')
  expect(text).toContain('  The baseline entry for list.success expired after 2026-01-31.')
})

test('a new finding that probably comes from a known failure says so', async () => {
  const defects = ['list.limit-minus-one'] as const
  const before = await verifyMock({ pets: 40, defects: [...defects] })
  // With more pets than a page, the same defect violates more.
  const now = await verifyMock({ pets: 100, defects: [...defects] })
  const report = applyBaseline(now, toBaseline(before, { reason: 'x' }), { now: new Date() })
  const words = 'robably comes from the known failure of list.limit.min'
  expect(toText(report).replaceAll(/\n +/g, ' ')).toContain(words)
  expect(toHtml(report)).toMatch(/Probably\s+comes\s+from\s+the\s+known\s+failure\s+of/)
  expect(toText(now)).not.toContain('robably comes from')
})

test('each kind of finding has a line, with the number of responses that show it', () => {
  const requirement = 'create.invalid-values'
  const kind = (message: string, more = 0) => ({ requirement, message, more }) as const
  const text = toText(
    violating([
      kind('POST /pets with a string is accepted.', 1),
      kind('POST /pets with 2^63 is rejected with 500.', 2),
      kind('POST /pets with null is accepted.'),
    ]),
  )
  expect(text).toContain(`
  1 ✗ create.invalid-values  in 6 responses
      POST /pets with 2^63 is rejected with 500
      also: POST /pets with a string is accepted, in 2 responses
      also: POST /pets with null is accepted

`)
  const many = violating(Array.from({ length: 30 }, (_, n) => kind(`Kind ${n}.`)))
  expect(toText(many)).toContain('also: Kind 12\n      and 17 more kinds (--verbose)\n')
  expect(toText(many, { verbose: true })).toContain('also: Kind 29\n')
})

test('verbose adds all sections', () => {
  const text = toText(violating([{}, { message: 'Another case.' }]), { verbose: true })
  for (const part of [
    'Also: Another case.',
    '\nVerified\n',
    '\nNot applicable\n',
    '\nUnspecified behavior, observed\n',
  ])
    expect(text).toContain(part)
})

test('colors are optional', () => {
  expect(toText(violating(), { color: true })).toContain(
    '\u001b[31m✗ list.limit.respected\u001b[0m',
  )
  expect(toText(violating())).not.toContain('\u001b')
})

describe('fits a terminal', async () => {
  const passing = await verifyMock({ pets: 130 })
  const broken = await verifyMock({
    pets: 130,
    defects: ['list.limit-ignored', 'create.same-id'],
  })

  test.each<[string, Report, number]>([
    ['a pass', passing, 12],
    ['two defects', broken, 60],
    ['an unreachable target', unreachable(), 16],
  ])('%s', (_, report, most) => {
    expect(rowsOf(toText(report))).toBeLessThanOrEqual(most)
  })

  test('one defect is one finding, with its consequences', () => {
    expect(toText(broken).match(/^ +\d ✗ \S+/gm)).toEqual([
      '  1 ✗ pet.id.unique',
      '  2 ✗ list.limit.respected',
    ])
  })
})
