import { expect, test } from 'vitest'
import { toMarkdown } from '../../../src/contract/index.ts'
import { clauses } from '../../../src/spec/clauses.ts'
import { conforming, excused, unreachable, violating } from './reports.ts'

test('a violation with quote, message, expected, actual and curl', () => {
  expect(toMarkdown(violating([{ pointer: '/3', more: 2 }]))).toContain(`### Violated

1. \`list.limit.honoured\` ×3: GET /pets?limit=2 returns 20 pets, at most 2 allowed

### Details

#### 1. \`list.limit.honoured\`, Endpoints / List animals

> limit: integer, minimum 1, maximum 100, default 20. Maximum number of animals to return.

GET /pets?limit=2 returns 20 pets, at most 2 allowed.

\`\`\`text
expected  at most 2 pets
actual    20 pets  at /3
\`\`\`

\`\`\`sh
curl -sS -i 'http://127.0.0.1:4010/v1/pets?limit=2' -H "Authorization: Bearer $PETSTORE_API_KEY"
\`\`\``)
})

test('what is not verified stands below its reason', () => {
  expect(toMarkdown(violating())).toContain(
    '### Not verified\n\n- `list.limit.max`: the catalogue has fewer than 101 pets\n',
  )
})

test('the profile is folded', () => {
  expect(toMarkdown(conforming())).toContain(
    `<details><summary>Unspecified behavior, observed (1 of 40)</summary>\n\n- \`list.order\`: \`by-id\`, shown by GET /pets\n\n</details>`,
  )
})

test.each([
  ['✅ PASS', conforming()],
  ['❌ FAIL', violating()],
  ['⚠️ INCONCLUSIVE', unreachable()],
])('the verdict: %s', (verdict, report) => {
  expect(toMarkdown(report).split('\n')[0]).toBe(`## ${verdict}: \`http://127.0.0.1:4010/v1\``)
})

test('known failures stand apart', () => {
  const markdown = toMarkdown(excused())
  expect(markdown).toContain('### Known failures')
  expect(markdown).not.toContain('### Violated')
  expect(markdown).toContain('- list.success is verified now: remove its entry from the baseline.')
})

test('it fits a comment, and says what it leaves out', () => {
  const findings = clauses.map(({ id }) => ({ clause: id, actual: '🐈'.repeat(1_000) }))
  const markdown = toMarkdown(violating(findings))
  expect(Buffer.byteLength(markdown)).toBeLessThan(65_536)
  expect(markdown).toMatch(/^\*\d+ more; the other reporters show them\.\*$/m)
})
