import type { Report, RunCounts } from './report.gen.ts'

export type {
  BaselineResult,
  ClauseResult,
  ClauseVerdict,
  Drift,
  Finding,
  KnownFailure,
  Rechecked,
  Report,
  ReportedExchange,
  Sequences,
} from './report.gen.ts'

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

/** The requirements that a run checked, known failures included, and how many a complete run can check. */
export function checkedOf({ verified, violated, notVerified, known = 0 }: Counts): { checked: number; of: number } {
  const checked = verified + violated + known
  return { checked, of: checked + notVerified }
}

/** Requirements by verdict. */
export type Counts = Pick<RunCounts, 'verified' | 'violated' | 'notVerified' | 'partlyOpen' | 'known'>
