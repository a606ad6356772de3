import { readFile } from 'node:fs/promises'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import { expect, test } from 'vitest'
import { toSarif, type Report } from '../../../src/contract/index.ts'
import { requirements } from '../../../src/spec/requirements.ts'
import { conforming, echoing, everyReport, excused, unreachable, violating } from './reports.ts'

const read = async (path: string): Promise<string> =>
  readFile(new URL(path, import.meta.url), 'utf8')
// A pattern in the schema is invalid as a Unicode regular expression.
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false })
formats.default(ajv)
const validate = ajv.compile(JSON.parse(await read('schemas/sarif-schema-2.1.0.json')))

const runOf = (report: Report): any => JSON.parse(toSarif(report)).runs[0]

test.each(Object.entries(everyReport))('a %s report is valid', (_, report) => {
  validate(JSON.parse(toSarif(report)))
  expect(validate.errors).toBeNull()
})

test('rules are requirements', () => {
  const { rules } = runOf(conforming()).tool.driver
  expect(rules.map(({ id }: { id: string }) => id)).toEqual(requirements.map(({ id }) => id))
  expect(rules[0].help.text).toContain(
    'The service keeps a catalogue of animals offered by a store.',
  )
})

test('a result has its rule, a location in the specification and the details', () => {
  const [result] = runOf(violating([{ pointer: '/3' }])).results
  expect(result).toMatchObject({ ruleId: 'list.limit.respected', level: 'error' })
  expect(result.message.text).toContain('actual    20 pets  at /3')
  expect(result.locations[0].physicalLocation.artifactLocation).toEqual({
    uri: 'petstore.config.json',
  })
})

test('the fingerprint of a requirement is stable and unique', () => {
  const printsOf = (report: Report): unknown[] =>
    runOf(report).results.map(
      ({ partialFingerprints }: any) => partialFingerprints.primaryLocationLineHash,
    )
  const [one, other] = [{}, { requirement: 'error.status' as const }]
  expect(printsOf(violating([one, other]))).toEqual(
    printsOf(violating([{ message: 'Pet 99.', actual: 'x', more: 3 }, {}, other])),
  )
  expect(new Set(printsOf(violating([one, other]))).size).toBe(2)
})

test('an unverified requirement is a notification', () => {
  const [invocation] = runOf(violating()).invocations
  expect(invocation).toMatchObject({
    executionSuccessful: true,
    exitCode: 1,
    endTimeUtc: '2026-11-20T12:00:00.812Z',
  })
  expect(invocation.toolExecutionNotifications).toEqual([
    {
      level: 'note',
      message: { text: 'FAIL  1 violated, 48 of 49 requirements checked (partial)' },
    },
    {
      level: 'warning',
      message: { text: 'list.limit.max not verified: the catalogue has fewer than 101 pets' },
    },
  ])
  expect(runOf(unreachable()).invocations[0]).toMatchObject({
    executionSuccessful: false,
    exitCode: 3,
  })
})

test('a known failure is suppressed', () => {
  expect(runOf(excused()).results[0].suppressions).toEqual([
    {
      kind: 'external',
      status: 'accepted',
      justification: 'known until 2027-01-31: Being mended (PET-42)',
    },
  ])
})

test.each(Object.entries(everyReport))(
  'the alerts of a %s report are all suppressed exactly if its findings are all known',
  (_, report) => {
    const isSuppressed = ({ suppressions }: any): boolean => suppressions !== undefined
    expect(runOf(report).results.every(isSuppressed)).toBe(
      report.findings.every(({ known }) => known !== undefined),
    )
  },
)

test('text of the target cannot add a link or placeholder to a message', () => {
  const { text } = runOf(echoing('[x](https://evil.example) {0}')).results[0].message
  expect(text).not.toMatch(/[^\\]\]\(|[^{]\{0\}/)
})
