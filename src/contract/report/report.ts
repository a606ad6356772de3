import { UsageError, formatValue } from '../../errors.ts'
import type { Report, RunCounts } from './report.gen.ts'

export type {
  BaselineResult,
  ConformingResponse,
  Difference,
  RequirementResult,
  RequirementVerdict,
  Drift,
  Finding,
  KnownFailure,
  Reached,
  Rechecked,
  Report,
  ReportedExchange,
  Sequences,
} from './report.gen.ts'

/** How a reporter for people shows its subject. */
export interface ReporterOptions {
  /** Use terminal colors. Default: false. */
  color?: boolean | undefined
  /** Show everything. Default: false. */
  verbose?: boolean | undefined
  /** The columns of the terminal. Default: 80. */
  width?: number | undefined
  /** The files with other reports of the run, by the name of the reporter. Default: none. */
  files?: Readonly<Record<string, string>> | undefined
  /** How the user starts the command. Default: petstore. */
  program?: string | undefined
  /** The line of a file that names the deployment, to which annotations point. Default: none. */
  place?: { file: string; line: number } | undefined
}

/** An HTTP archive (HAR 1.2). */
export interface HttpArchive {
  log: {
    version: '1.2'
    creator: { name: string; version: string }
    entries: readonly object[]
    /** The deployment; names with an underscore are no part of the standard. */
    _baseUrl: string
  }
}

/** Renders a report. */
export type Reporter<Subject = Report> = (subject: Subject, options?: ReporterOptions) => string

/**
 * The verdict of a run. A smoke run verifies no requirement in full: there, finished checks are enough.
 *
 * @param of `reason`: why the run is inconclusive, if it is
 * @param strict whether requirements that were not verified make the run inconclusive
 */
export function toVerdict(
  { verified, violated, notVerified, partlyOpen = 0, known = 0 }: Counts,
  { reason, depth }: { [name in 'reason' | 'depth']?: Report[name] | undefined },
  strict: boolean,
): Pick<Report, 'verdict' | 'exitCode'> {
  if (violated > 0) return { verdict: 'violates', exitCode: 1 }
  const isProven =
    reason === undefined &&
    (verified + known > 0 || depth === 'smoke') &&
    !(strict && notVerified + partlyOpen > 0)
  return isProven ? { verdict: 'conforms', exitCode: 0 } : { verdict: 'not-verified', exitCode: 3 }
}

/** The requirements that a run checked, known failures included, and how many a complete run can check. */
export function checkedOf({ verified, violated, notVerified, known = 0 }: Counts): {
  checked: number
  of: number
} {
  const checked = verified + violated + known
  return { checked, of: checked + notVerified }
}

export const observedIn = ({ profile }: Pick<Report, 'profile'>): [id: string, option: string][] =>
  Object.entries(profile).filter(([, option]) => option !== 'unknown')

export type Counts = Pick<
  RunCounts,
  'verified' | 'violated' | 'notVerified' | 'partlyOpen' | 'known'
>

/** @throws {UsageError} for anything but a report, which only JavaScript can pass */
export function expectReport<Value>(
  value: Value,
  part: 'requirements' | 'counts' = 'requirements',
): Value {
  if (typeof (Object(value) as Partial<Report>)[part] === 'object') return value
  throw new UsageError(`A report, as verify returns it, is required, not ${formatValue(value)}.`)
}
