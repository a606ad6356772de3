import type { ChoiceId } from '../spec/choices.ts'
import type { ClauseId } from '../spec/clauses.ts'
import type { Unverified } from './findings.ts'
import type { Depth } from './depth.ts'

/** What a run says of one clause. */
export type ClauseVerdict = 'verified' | 'violated' | 'not-verified' | 'not-applicable'

/** A clause with its verdict. */
export interface ClauseResult {
  id: ClauseId
  section: string
  quote: string
  verdict: ClauseVerdict
  /** The checks that established it, or that found it violated. */
  checks: string[]
  /** Why it is not verified or not applicable. */
  reason?: string
  /** What single checks could not verify, also where others verified the clause. Only there when there is something. */
  open?: Unverified[]
}

/** A request and its response as a report shows them: the key is never in it. */
export interface ReportedExchange {
  request: { method: string; url: string; headers: Record<string, string>; body?: string }
  /** `status` is 0 when no response came. A body longer than 2,000 characters is cut. */
  response: { status: number; headers: Record<string, string>; body: string; bodyCut?: true }
  curl: string
}

/** One violation of one clause from one cause. */
export interface Finding {
  clause: ClauseId
  /** Other clauses that the same behavior breaks. */
  alsoBreaks: ClauseId[]
  check: string
  /** The check whose request showed it: another one where every response is judged. */
  during: string
  message: string
  /** JSON pointer into the body of the last exchange; empty for the whole response. */
  pointer: string
  expected: string
  actual: string
  /** How many more responses showed the same. */
  more: number
  exchanges: ReportedExchange[]
  /** The entry of the baseline, if the violation is a known one. */
  known?: KnownFailure
}

/** What became of a finding of an earlier report. */
export interface Rechecked {
  clause: ClauseId
  message: string
  outcome: 'fixed' | 'still-failing' | 'flaky' | 'not-verified'
  /** In how many runs it showed, of those that were conclusive. */
  seen: number
  runs: number
}

/** What came of random sequences of requests. Each is the same for its number and the seed. */
export interface Sequences {
  seed: number
  /** How many were carried out, from 0 on. */
  tried: number
  /** The numbers of those that showed a violation. */
  failed: number[]
  /** Those of them whose violation did not show again, and does not count. */
  notReproduced: number[]
}

/** The result of a run. Its JSON Schema is `petstore-kit/report.schema.json`. */
export interface Report {
  schemaVersion: 1
  /** The version of petstore-kit. */
  kit: string
  target: string
  /** RFC 3339, in UTC. */
  startedAt: string
  durationMs: number
  /** How much the run tried. Missing in reports of kits that knew one depth. */
  depth?: Depth
  /** Milliseconds from a request to the end of its response. Only there when there was a response. */
  latency?: { median: number; p95: number; max: number }
  verdict: 'conforms' | 'violates' | 'not-verified'
  /** 0 conforms, 1 violates or drifts, 3 not verified. */
  exitCode: 0 | 1 | 3
  /** Why nothing, or too little, could be verified, in one sentence. */
  reason?: string
  /** How many checks of the suite ran. Only there with `only` or `skip`, and at the depth `smoke`. */
  selection?: { checks: number; of: number }
  counts: {
    verified: number
    violated: number
    notVerified: number
    /** Clauses among the verified of which a check left something open. Only there when there are some. */
    partlyOpen?: number
    notApplicable: number
    requests: number
    writes: number
    /** Violated clauses that the baseline knows; they are not among `violated`. Only there with a baseline. */
    known?: number
  }
  clauses: ClauseResult[]
  findings: Finding[]
  /** The option that the deployment shows for each implementation-defined choice, or `unknown`. */
  profile: Record<ChoiceId, string>
  /** The options that are left of a choice where responses only ruled others out. Only there when there are some. */
  candidates?: Partial<Record<ChoiceId, string[]>>
  /** The request that showed each observed option. */
  evidence: Partial<Record<ChoiceId, string>>
  /** That request with its response, whose body is cut behind 500 characters; of candidates, too. */
  observations?: Partial<Record<ChoiceId, ReportedExchange>>
  notes: string[]
  /** Only there at the depth `thorough`. */
  sequences?: Sequences
  /** Options that are not those of the expected profile. Only there with an expected profile. */
  drift?: Drift[]
  /** What the baseline meant for this run. Only there with a baseline. */
  baseline?: BaselineResult
  /** What became of the findings of an earlier report; it decides the verdict. Only there with `onlyFailed`. */
  recheck?: Rechecked[]
}

/** An unspecified behavior whose option is not the expected one. */
export interface Drift {
  id: ChoiceId
  expected: string
  actual: string
  /** The request that showed it. */
  evidence?: string
}

/** A violation that is known and does not fail a run until it expires. */
export interface KnownFailure {
  clause: ClauseId
  /** Why it is accepted. */
  reason: string
  /** Where it is being worked on. */
  ticket?: string
  /** The last day on which it does not fail a run: `2027-01-31`. */
  expires: string
}

/** What a baseline means for one run. */
export interface BaselineResult {
  /** Violations that did not fail the run. */
  known: KnownFailure[]
  /** Entries whose day is over and whose clause is not verified: their violations count again. */
  expired: KnownFailure[]
  /** Entries whose clause is verified now: they can go. */
  stale: KnownFailure[]
}

/**
 * The verdict of a run.
 *
 * @param of its `reason`: why it could not begin, not come to its end, or saw too little; then it says nothing good of the
 *   target. Its `selection`: where it has one, it is enough that the selected checks came to their end
 * @param strict whether what could not be verified is held against the target
 */
export function toVerdict(
  { verified, violated, notVerified, partlyOpen = 0 }: Counts,
  { reason, selection }: { [name in 'reason' | 'selection']?: Report[name] | undefined },
  strict: boolean,
): Pick<Report, 'verdict' | 'exitCode'> {
  if (violated > 0) return { verdict: 'violates', exitCode: 1 }
  const isProven =
    reason === undefined && (verified > 0 || selection !== undefined) && !(strict && notVerified + partlyOpen > 0)
  return isProven ? { verdict: 'conforms', exitCode: 0 } : { verdict: 'not-verified', exitCode: 3 }
}

/** The requirements that a run checked, of those that a whole run can check. A known failure was checked, too. */
export function checkedOf({ verified, violated, notVerified, known = 0 }: Counts): { checked: number; of: number } {
  const checked = verified + violated + known
  return { checked, of: checked + notVerified }
}

/** How many requirements have which verdict. */
export type Counts = Pick<Report['counts'], 'verified' | 'violated' | 'notVerified' | 'partlyOpen' | 'known'>
