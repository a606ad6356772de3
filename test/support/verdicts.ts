import type { Report } from '../../src/contract/index.ts'

type ClauseResult = Report['clauses'][number]

export const verdictOf = ({ clauses }: Report, id: string): ClauseResult['verdict'] | undefined =>
  clauses.find((result) => result.id === id)?.verdict

export const idsOf = (
  { clauses }: Report,
  verdict: ClauseResult['verdict'],
): ClauseResult['id'][] =>
  clauses.filter((result) => result.verdict === verdict).map(({ id }) => id)
