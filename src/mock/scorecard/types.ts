import type { ScorecardIssue } from './scorecard.gen.ts'

export type { Coverage, Example, OperationCoverage, Scorecard, ScorecardIssue } from './scorecard.gen.ts'

/** What is wrong with one request. */
export type RequestIssue = Pick<ScorecardIssue, 'id' | 'severity' | 'title' | 'reference' | 'message' | 'fix'>
