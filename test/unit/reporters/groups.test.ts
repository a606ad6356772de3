import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Report } from '../../../src/contract/index.ts'
import { groupsOf } from '../../../src/contract/reporters/groups.ts'
import {
  requirements,
  type Requirement,
  type RequirementId,
} from '../../../src/spec/requirements.ts'
import { rowToSentence } from '../../../src/report/text.ts'
import { limitQuote } from '../../../src/spec/operations.ts'
import { violating } from './reports.ts'

const id = fc.constantFrom(...requirements.map((requirement): RequirementId => requirement.id))
const actual = fc.constantFrom(
  'absent',
  'no response',
  'it is not there',
  'status 200',
  'status 404',
  'status 500',
)
const url = fc.constantFrom('/pets', '/pets?limit=1', '/pets?limit=1&status=sold', '/pets/1')
const exchange = fc
  .record({ url, status: fc.constantFrom(0, 200, 400, 404, 422, 500) })
  .map((one) => ({
    request: { method: 'GET', url: one.url, headers: {} },
    response: { status: one.status, headers: {}, body: '{}' },
    curl: '',
  }))
// A page that is too short has the list beside it.
const exchanges = fc.array(exchange, { minLength: 1, maxLength: 2 })
const alsoBreaks = fc.array(id, { maxLength: 2 })
const finding = fc.record({ requirement: id, alsoBreaks, actual, exchanges })

test('any findings have at least one cause: causes are acyclic', () => {
  const isGrouped = (report: Report): boolean => groupsOf(report, report.findings).length > 0
  const some = fc.array(finding, { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(some, (findings) => isGrouped(violating(findings))),
    { numRuns: 2_000 },
  )
})

test('of two requirements that explain each other, one is the cause', () => {
  const exchanges = [
    {
      request: { method: 'GET', url: '/pets', headers: {} },
      response: { status: 200, headers: {}, body: '{}' },
      curl: '',
    },
  ]
  const report = violating(
    (['get.success', 'get.not-found'] as const).map((requirement) => ({
      requirement,
      kind: 'status' as const,
      exchanges,
    })),
  )
  expect(groupsOf(report, report.findings)).toMatchObject([
    { requirement: 'get.not-found', consequences: [{ requirement: 'get.success' }] },
  ])
})

test('a requirement is listed once: as a cause with its cases, or below its cause', () => {
  const report = violating([
    { requirement: 'create.listed' },
    { requirement: 'pet.id.unique', more: 3, alsoBreaks: ['create.stored', 'service.catalog'] },
    { requirement: 'error.status' },
    { requirement: 'pet.id.unique', alsoBreaks: ['service.catalog'] },
  ])
  const below = ['create.listed', 'create.stored', 'service.catalog'].map((requirement) => ({
    requirement,
  }))
  expect(groupsOf(report, report.findings)).toMatchObject([
    { requirement: 'pet.id.unique', times: 5, consequences: below },
    { requirement: 'error.status', times: 1, consequences: [] },
  ])
  const both = violating([{ requirement: 'create.listed' }, { requirement: 'create.stored' }])
  expect(groupsOf(both, both.findings)).toMatchObject([
    {
      requirement: 'create.stored',
      consequences: [{ requirement: 'create.listed', cases: [both.findings[0]] }],
    },
  ])
})

test.each([
  ['Query parameters (both optional):', 'Query parameters (both optional):'],
  [
    "| name | string | - | yes | The animal's name. |",
    "name: string, required. The animal's name.",
  ],
  ['| status | integer | no | The status. |', 'status: integer, not required. The status.'],
  [
    limitQuote,
    'limit: integer, minimum 1, maximum 100, default 20. Maximum number of animals to return.',
  ],
  [
    '| limit parameter default | listPets | 20 |',
    'limit parameter default, applies to listPets: value 20.',
  ],
  [
    '| 404 | The requested animal cannot be found. | getPet |',
    'HTTP status 404, condition: The requested animal cannot be found. Operations: getPet.',
  ],
])('the sentence for %s', (row, sentence) => {
  expect(rowToSentence(row)).toBe(sentence)
})

test('the sentence for a table row contains all of its cells', () => {
  const quotes = (requirements as readonly Requirement[]).flatMap(({ quote, restates = [] }) => [
    quote,
    ...restates,
  ])
  for (const quote of quotes.filter((text) => text.startsWith('|'))) {
    const cells = quote.split('|').map((cell) => cell.trim())
    for (const cell of cells.filter((text) => !['', '-', 'yes', 'no'].includes(text)))
      expect(rowToSentence(quote)).toContain(cell)
  }
})
