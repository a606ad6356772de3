import { didYouMean, type Issue, UsageError } from '../errors.ts'
import { clauses, type ClauseId } from '../spec/clauses.ts'
import { issuesInFile } from '../validate.ts'
import type { Baseline } from './report.gen.ts'
import { toVerdict, type KnownFailure, type Report } from './report.ts'
import { validators } from './validators.gen.ts'

export type { Baseline } from './report.gen.ts'

/**
 * Checks a baseline from a file.
 *
 * @param source the name of the file, for messages
 * @throws {UsageError} that lists all mistakes, each with its JSON pointer
 */
export function readBaseline(value: unknown, source: string): Baseline {
  const issues: Issue[] = issuesInFile(validators.Baseline, value, source)
  const ids: readonly string[] = clauses.map(({ id }) => id)
  const { failures } = (value ?? {}) as { failures?: unknown }
  for (const [index, entry] of (Array.isArray(failures) ? (failures as unknown[]) : []).entries()) {
    const { clause } = (entry ?? {}) as { clause?: unknown }
    if (typeof clause !== 'string' || ids.includes(clause)) continue
    const hint = didYouMean(clause, ids) || '; petstore verify --list shows them'
    const message = `there is no clause ${JSON.stringify(clause)}${hint}`
    issues.push({ path: `${source}: /failures/${index}/clause`, message })
  }
  if (issues.length > 0) throw new UsageError(issues)
  return value as Baseline
}

/** What decides how a baseline is applied. */
export interface BaselineTerms {
  /** The day that decides what has expired. */
  now: Date
  /** Whether clauses that could not be verified are held against the target. Default: false. */
  strict?: boolean
}

/** Applies a baseline to a report: known violations no longer decide its verdict. */
export function applyBaseline(report: Report, { failures }: Baseline, { now, strict = false }: BaselineTerms): Report {
  const today = now.toISOString().slice(0, 10)
  const isVerified = (id: ClauseId): boolean =>
    report.clauses.some((clause) => clause.id === id && clause.verdict === 'verified')
  const valid = failures.filter(({ expires }) => today <= expires)
  const findings = report.findings.map((finding) => {
    const known = valid.find(({ clause }) => clause === finding.clause)
    return known ? { ...finding, known } : finding
  })
  // A clause fails the run if any finding that breaks it is new.
  const fresh = new Set(
    findings.filter((finding) => !('known' in finding)).flatMap(({ clause, alsoBreaks }) => [clause, ...alsoBreaks]),
  )
  const broken = report.clauses.filter(({ verdict }) => verdict === 'violated')
  const known = broken.filter(({ id }) => !fresh.has(id)).length
  const counts = { ...report.counts, violated: broken.length - known, known }
  return {
    ...report,
    ...toVerdict(counts, report, strict),
    counts,
    findings,
    baseline: {
      known: valid.filter(({ clause }) => findings.some((finding) => finding.clause === clause)),
      expired: failures.filter(({ clause, expires }) => today > expires && !isVerified(clause)),
      stale: failures.filter(({ clause }) => isVerified(clause)),
    },
  }
}

/**
 * Makes a baseline from the findings of a report. Findings that a baseline already excused keep their entries.
 *
 * @param known the content of each new entry
 */
export function toBaseline(report: Report, known: Omit<KnownFailure, 'clause'>): Baseline {
  const entries = new Map(
    report.findings.map((finding) => [finding.clause, finding.known ?? { clause: finding.clause, ...known }]),
  )
  return { schemaVersion: 1, failures: [...entries.values()] }
}
