import { UsageError } from '../errors.ts'
import { clauses } from '../spec/clauses.ts'
import type { ClauseId } from '../spec/clauses.ts'
import type { Report } from './report.ts'

/** A violation that is known and does not fail a run until it expires. */
export interface KnownFailure {
  clause: ClauseId
  /** Why it is put up with. */
  reason: string
  /** Where it is being worked on. */
  ticket?: string
  /** The last day on which it does not fail a run: `2027-01-31`. */
  expires: string
}

/** The known failures of a deployment. Its JSON Schema is `petstore-kit/baseline.schema.json`. */
export interface Baseline {
  $schema?: string
  schemaVersion: 1
  failures: KnownFailure[]
}

/** What a baseline means for one run. */
export interface BaselineResult {
  /** Violations that did not fail the run. */
  known: KnownFailure[]
  /** Entries whose day is over: their violations count again. */
  expired: KnownFailure[]
  /** Entries whose clause is verified now: they can go. */
  stale: KnownFailure[]
}

/**
 * Checks a baseline that was read from a file.
 *
 * @param source what the user calls it, for the messages
 * @throws {UsageError} that tells all mistakes together
 */
export function readBaseline(value: unknown, source: string): Baseline {
  const mistakes: string[] = []
  const { schemaVersion, failures } = (value ?? {}) as Partial<Baseline>
  if (schemaVersion !== 1) mistakes.push('schemaVersion must be 1')
  if (!Array.isArray(failures)) mistakes.push('failures must be an array')
  for (const [index, entry] of (Array.isArray(failures) ? (failures as unknown[]) : []).entries()) {
    const { clause, reason, ticket, expires, ...rest } = (entry ?? {}) as Record<string, unknown>
    const wrong = (what: string): number => mistakes.push(`/failures/${index}${what}`)
    if (!clauses.some(({ id }) => id === clause)) wrong(`/clause: there is no clause ${JSON.stringify(clause)}`)
    if (typeof reason !== 'string' || reason.trim() === '') wrong('/reason must say why the failure is put up with')
    if (ticket !== undefined && typeof ticket !== 'string') wrong('/ticket must be a string')
    if (typeof expires !== 'string' || !isDay(expires)) wrong('/expires must be a day such as 2027-01-31')
    for (const name of Object.keys(rest)) wrong(`/${name} is not known; there are clause, reason, ticket and expires`)
  }
  if (mistakes.length > 0) throw new UsageError(mistakes.map((mistake) => `${source}: ${mistake}`).join('\n'))
  return value as Baseline
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text)
}

/**
 * Applies a baseline to a report: known violations no longer decide its verdict.
 *
 * @param now the day that decides what has expired
 */
export function applyBaseline(report: Report, { failures }: Baseline, now: Date): Report {
  const today = now.toISOString().slice(0, 10)
  const valid = failures.filter(({ expires }) => today <= expires)
  const covers = (clause: ClauseId): KnownFailure | undefined => valid.find((failure) => failure.clause === clause)
  const findings = report.findings.map((finding) => {
    const known = covers(finding.clause)
    return known ? { ...finding, known } : finding
  })
  // A clause fails the run if any of the findings that break it is new.
  const fresh = new Set(
    findings.filter((finding) => !('known' in finding)).flatMap(({ clause, alsoBreaks }) => [clause, ...alsoBreaks]),
  )
  const broken = report.clauses.filter(({ verdict }) => verdict === 'violated')
  const known = broken.filter(({ id }) => !fresh.has(id)).length
  const result: BaselineResult = {
    known: valid.filter(({ clause }) => findings.some((finding) => finding.clause === clause)),
    expired: failures.filter(({ expires }) => today > expires),
    stale: valid.filter(({ clause }) => report.clauses.some(({ id, verdict }) => id === clause && verdict === 'verified')),
  }
  const counts = { ...report.counts, violated: broken.length - known, known }
  const passes = report.verdict === 'violates' && counts.violated === 0
  return {
    ...report,
    ...(passes && { verdict: 'conforms' as const, exitCode: 0 as const }),
    counts,
    findings,
    baseline: result,
  }
}

/**
 * Makes the first baseline from the findings of a report.
 *
 * @param known what stands in each entry
 */
export function toBaseline(report: Report, known: Omit<KnownFailure, 'clause'>): Baseline {
  const ids = [...new Set(report.findings.map(({ clause }) => clause))]
  return { schemaVersion: 1, failures: ids.map((clause) => ({ clause, ...known })) }
}
