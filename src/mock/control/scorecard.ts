import type { OperationId } from '../../spec/operations.ts'
import type { IssueId, Severity } from '../scorecard/rules.ts'

/** What the requests of one client say of how it keeps its side of the contract. */
export interface Scorecard {
  /** Whose requests: `key 1`, `key 2`, `no valid key`, or `sandbox NAME`. Never a key. */
  subject: string
  /** The name of the sandbox. Not there in the mock's own world. */
  sandbox?: string
  /** Requests that were judged. What browsers send by themselves (CORS preflights, /favicon.ico) is not among them. */
  requests: number
  /**
   * 0 to 100: the share of requests without fault, of which one with a warning alone counts half. Rounded down, so that
   * 100 means that no request had a violation or a warning. Null when there were no requests.
   */
  score: number | null
  /** What was asked, and what never was. */
  coverage: Coverage
  /** What was wrong: violations first, then warnings, then notices; the most frequent first. */
  issues: ScorecardIssue[]
  /** Requests of `petstore verify`, which are not judged. Not there when there were none. */
  unscored?: number
  /** When the first request came, by the clock of the system: RFC 3339, in UTC. Not there when there was none. */
  firstAt?: string
  /** When the last request came. */
  lastAt?: string
}

/** What a client asked of the interface. */
export interface Coverage {
  /** The three operations, in the order of the specification. */
  operations: OperationCoverage[]
  /** Requests that were none of the three operations. */
  other: { requests: number; responses: Record<string, number> }
  /** What a client of these operations should have met before it is released. */
  neverTried: { operation: OperationId; what: string }[]
}

export interface OperationCoverage {
  operation: OperationId
  requests: number
  /** How often each status was answered. `reset` and `silence` stand for requests that got no answer. */
  responses: Record<string, number>
  /**
   * How often each parameter or member of the body was sent: `limit`, `status`, and `status=sold` for each value of it.
   * `other` are those that the interface does not have.
   */
  parameters: Record<string, number>
}

/** One kind of mistake, as often as it was made. */
export interface ScorecardIssue {
  /** Which id: docs/reference/scorecard.md lists them. */
  id: IssueId
  severity: Severity
  /** The kind in a few words. */
  title: string
  /** The sentence of the specification that the request breaks, or that leaves open what it leans on. */
  reference: Reference
  /** In how many requests. */
  count: number
  /** What was wrong with one of them. */
  message: string
  /** That request, without keys, and cut. */
  example: Example
  /** What to do about it. */
  fix: string
}

/** A clause, or a choice that a deployment may make, with the words of the specification. */
export interface Reference {
  table: 'clauses' | 'choices'
  id: string
  quote: string
}

export interface Example {
  method: string
  target: string
  /** Not there when the request had none. */
  body?: string
}

export { createScorekeeper, type Scorekeeper } from './scorecard-keeper.ts'
export type { Severity } from '../scorecard/rules.ts'
