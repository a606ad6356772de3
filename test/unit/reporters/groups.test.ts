import { expect, test } from 'vitest'
import { dependsOn, groupsOf } from '../../../src/contract/reporters/groups.ts'
import { clauses, type Clause, type ClauseId } from '../../../src/spec/clauses.ts'
import { rows } from '../../../src/spec/rows.ts'
import { violating } from './reports.ts'

test('no requirement presupposes itself', () => {
  const follow = (id: ClauseId, path: readonly ClauseId[]): void => {
    expect(path).not.toContain(id)
    for (const cause of dependsOn[id] ?? []) follow(cause, [...path, id])
  }
  for (const { id } of clauses) follow(id, [])
})

test('a requirement stands once: as a cause with its cases, or below its cause', () => {
  const report = violating([
    { clause: 'create.listed' },
    { clause: 'pet.id.unique', more: 3, alsoBreaks: ['create.stored', 'service.catalogue'] },
    { clause: 'error.status' },
    { clause: 'pet.id.unique', alsoBreaks: ['service.catalogue'] },
  ])
  const below = ['create.listed', 'create.stored', 'service.catalogue'].map((clause) => ({ clause }))
  expect(groupsOf(report, report.findings)).toMatchObject([
    { clause: 'pet.id.unique', times: 5, consequences: below },
    { clause: 'error.status', times: 1, consequences: [] },
  ])
  const both = violating([{ clause: 'create.listed' }, { clause: 'create.stored' }])
  expect(groupsOf(both, both.findings)).toMatchObject([
    { clause: 'create.stored', consequences: [{ clause: 'create.listed', cases: [both.findings[0]] }] },
  ])
})

test('each row of a table is a sentence with all of its cells', () => {
  const quotes = (clauses as readonly Clause[]).flatMap(({ quote, restates = [] }) => [quote, ...restates])
  for (const quote of quotes.filter((text) => text.startsWith('|'))) {
    const cells = quote.split('|').map((cell) => cell.trim())
    for (const cell of cells.filter((text) => !['', '-', 'yes', 'no'].includes(text)))
      expect(rows[quote]).toContain(cell)
  }
})
