import { expect, test } from 'vitest'
import { toMarkdown } from '../../../src/contract/index.ts'
import { requirements } from '../../../src/spec/requirements.ts'
import { conforming, excused, unreachable, violating } from './reports.ts'

test('consists of a heading and the text report', () => {
  const markdown = toMarkdown(violating([{ pointer: '/3', more: 2 }]))
  expect(markdown).toMatch(
    /^## ❌ FAIL: `http:\/\/127.0.0.1:4010\/v1`\n\n```text\npetstore-kit 1\.2\.3 /,
  )
  expect(markdown).toContain(`
Violated
  1 ✗ list.limit.respected  in 3 responses
      GET /pets?limit=2 returns 20 pets, at most 2 allowed
`)
  expect(markdown).toContain(`
      expected  at most 2 pets
      actual    20 pets  at /3
      curl -sS -i 'http://127.0.0.1:4010/v1/pets?limit=2' -H "Authorization: Bearer $PETSTORE_API_KEY"
`)
  expect(markdown).toContain(
    '\nNot verified\n  list.limit.max: the catalogue has fewer than 101 pets\n',
  )
  expect(markdown).toContain('\nFAIL  1 violated, 48 of 49 requirements checked (partial)\n```\n')
})

test('all details, passed requirements and the profile are folded', () => {
  expect(toMarkdown(conforming())).toMatch(
    /<details><summary>All details, what passed, and unspecified behavior observed \(1 of 40\)<\/summary>\n\n```text\npetstore-kit[^]*\n\nVerified\n[^]*\n {2}list\.order {2}by-id {2}GET \/pets\n```\n\n<\/details>\n$/,
  )
  const many = violating(requirements.slice(0, 30).map(({ id }) => ({ requirement: id })))
  const [shown = '', folded = ''] = toMarkdown(many).split('<details>')
  expect(shown).toMatch(/ more requirements in detail: below\n/)
  expect(folded.split('curl ').length).toBeGreaterThan(2 * shown.split('curl ').length)
})

test.each([
  ['✅ PASS', conforming()],
  ['❌ FAIL', violating()],
  ['⚠️ INCONCLUSIVE', unreachable()],
])('the verdict: %s', (verdict, report) => {
  expect(toMarkdown(report).split('\n')[0]).toBe(`## ${verdict}: \`http://127.0.0.1:4010/v1\``)
})

test('known failures are listed separately', () => {
  const markdown = toMarkdown(excused())
  expect(markdown).toContain('\nKnown failures\n')
  expect(markdown).not.toContain('\nViolated\n')
  expect(markdown).toContain(
    '\n  list.success is verified now: remove its entry from the baseline.',
  )
})

test('fits a GitHub comment, and counts the omitted lines', () => {
  const findings = requirements.map(({ id }) => ({ requirement: id, actual: '🐈'.repeat(1_000) }))
  const markdown = toMarkdown(violating(findings))
  expect(Buffer.byteLength(markdown)).toBeLessThan(65_536)
  expect(markdown).toMatch(/^\*\d+ more lines; the other reporters show them\.\*$/m)
})
