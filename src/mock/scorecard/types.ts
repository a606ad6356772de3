import type { OperationId } from '../../spec/operations.ts'
import type { IssueId, Reference, Severity } from './rules.ts'

/** How well the client of one key keeps the contract. */
export interface Scorecard {
  /** Whose requests: `key 1`, `key 2`, `no valid key`, or `sandbox NAME`. Never a key. */
  subject: string
  /** The name of the sandbox; not there for the keys of the mock. */
  sandbox?: string
  /** Judged requests. What browsers send by themselves (CORS preflights, /favicon.ico) is not among them. */
  requests: number
  /** Of all keys of the sandbox: a scorecard is made of the last `kept` of `received` requests. */
  journal: { kept: number; received: number }
  /**
   * 0 to 100: the share of requests without fault, of which one with a warning alone counts half. Rounded down, so that
   * 100 means that no request had a violation or a warning. Null when there were no requests.
   */
  score: number | null
  coverage: Coverage
  /** Violations first, then warnings, then notices; the most frequent first. */
  issues: ScorecardIssue[]
  /** Requests of `petstore verify`, which are not judged. Not there when there were none. */
  unscored?: number
  /** When the first request came, by the clock of the system: RFC 3339, in UTC. Not there when there was none. */
  firstAt?: string
  lastAt?: string
}

/** What a client requested, and what it never did. */
export interface Coverage {
  /** Each operation, in the order of the specification. */
  operations: OperationCoverage[]
  /** Requests of no operation. */
  other: { requests: number; responses: Record<string, number> }
  /** What a client of these operations should have met before it is released. */
  neverTried: { operation: OperationId; what: string }[]
}

export interface OperationCoverage {
  operation: OperationId
  requests: number
  /** How often each status was returned. `reset` and `silence` stand for requests that got no response. */
  responses: Record<string, number>
  /**
   * How often each parameter or field of the body was sent: `limit`, `status`, and `status=sold` for each value of it.
   * `other` are those that the interface does not have.
   */
  parameters: Record<string, number>
}

/** One kind of mistake, as often as it was made. */
export interface ScorecardIssue {
  /** docs/reference/scorecard.md lists them. */
  id: IssueId
  severity: Severity
  title: string
  /** The sentence of the specification that the request breaks, or that does not define what it relies on. */
  reference: Reference
  /** In how many requests. */
  count: number
  /** Their numbers in the journal: the latest 100. */
  entries: number[]
  /** What was wrong with the first of them. */
  message: string
  /** That request, without keys, and cut. */
  example: Example
  fix: string
}

/** What is wrong with one request. */
export type RequestIssue = Pick<ScorecardIssue, 'id' | 'severity' | 'title' | 'reference' | 'message' | 'fix'>

export interface Example {
  method: string
  target: string
  /** Not there when the request had none. */
  body?: string
}
