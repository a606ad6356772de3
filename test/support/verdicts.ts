import type { Report } from '../../src/contract/index.ts'

type ClauseResult = Report['clauses'][number]

/** The verdict of a report on a clause. */
export const verdictOf = ({ clauses }: Report, id: string): ClauseResult['verdict'] | undefined =>
  clauses.find((result) => result.id === id)?.verdict

/** The clauses on which a report has this verdict. */
export const idsOf = ({ clauses }: Report, verdict: ClauseResult['verdict']): ClauseResult['id'][] =>
  clauses.filter((result) => result.verdict === verdict).map(({ id }) => id)
