import { expect, test } from 'vitest'
import { toMarkdown } from '../../../src/contract/index.ts'
import { requirements } from '../../../src/spec/requirements.ts'
import { conforming, excused, unreachable, violating } from './reports.ts'

const head = (report: Parameters<typeof toMarkdown>[0]): string =>
  toMarkdown(report).split('\n\n<details>', 1)[0] ?? ''

test('consists of a heading, the verdict, and a table with a row for each cause', () => {
  const findings = [{ pointer: '/3', more: 2, alsoBreaks: ['list.page-full' as const] }]
  expect(head(violating(findings))).toBe(`## ❌ FAIL: \`http://127.0.0.1:4010/v1\`

\`FAIL  1 cause, 1 consequence, 48 of 49 requirements checked (partial)\`

2 violated, 46 verified, 1 not verified, 5 not applicable; 118 requests, 14 pets created, 0.8 s

|  | requirement | finding | probably also breaks |
| --- | --- | --- | --- |
| ❌ | \`list.limit.respected\` | \`GET /pets?limit=2 returns 20 pets, at most 2 allowed\`, in 3 responses | \`list.page-full\` |
| ⚠ not verified | \`list.limit.max\` | \`the catalogue has fewer than 101 pets\` |  |`)
})

test('a run without findings, open requirements and notes has no table', () => {
  expect(head(conforming())).not.toContain('|')
})

test('a text of the target cannot leave its cell', () => {
  const text = head(violating([{ message: 'x | y `` z <b> @team' }]))
  expect(text).toContain('| ```x \\| y `` z <b> @team``` |')
})

test('all details, passed requirements and the profile are folded', () => {
  expect(toMarkdown(conforming())).toMatch(
    /<details><summary>All details, what passed, and unspecified behavior observed \(1 of 40\)<\/summary>\n\n```text\npetstore-kit[^]*\n\nVerified\n[^]*\n {2}list\.order {2}by-id {2}GET \/pets\n```\n\n<\/details>\n$/,
  )
  expect(toMarkdown(violating([{ pointer: '/3' }]))).toContain(`
      expected  at most 2 pets
      actual    20 pets  at /3
      curl -sS -i 'http://127.0.0.1:4010/v1/pets?limit=2' -H "Authorization: Bearer $PETSTORE_API_KEY"
`)
})

test.each([
  ['✅ PASS', conforming()],
  ['❌ FAIL', violating()],
  ['⚠ INCONCLUSIVE', unreachable()],
])('the verdict: %s', (verdict, report) => {
  expect(toMarkdown(report).split('\n')[0]).toBe(`## ${verdict}: \`http://127.0.0.1:4010/v1\``)
})

test('known failures have their reason', () => {
  expect(head(excused())).toMatch(/^\| 🚩 known \| `list\.limit\.respected` \| `GET .*` \|/m)
  expect(head(excused())).toContain(
    '| ℹ note |  | `list.success is verified now: remove its entry from the baseline.` |',
  )
})

test('fits a GitHub comment, and counts the omitted lines', () => {
  const findings = requirements.map(({ id }) => ({ requirement: id, actual: '🐈'.repeat(1_000) }))
  const markdown = toMarkdown(violating(findings))
  expect(Buffer.byteLength(markdown)).toBeLessThan(65_536)
  expect(markdown).toMatch(/^\*\d+ more lines; the other reporters show them\.\*$/m)
})
