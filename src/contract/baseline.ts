import { nearest, UsageError } from '../errors.ts'
import { clauses } from '../spec/clauses.ts'
import type { ClauseId } from '../spec/clauses.ts'
import { toVerdict } from './report.ts'
import type { KnownFailure, Report } from './report.ts'

/** The known failures of a deployment. Its JSON Schema is `petstore-kit/baseline.schema.json`. */
export interface Baseline {
  $schema?: string
  schemaVersion: 1
  failures: KnownFailure[]
}

/**
 * Checks a baseline that was read from a file.
 *
 * @param source what the user calls it, for the messages
 * @throws {UsageError} that tells all mistakes together, each with its JSON pointer
 */
export function readBaseline(value: unknown, source: string): Baseline {
  if (!isObject(value)) throw new UsageError(`${source} must be an object with schemaVersion and failures`)
  const { $schema, schemaVersion, failures, ...rest } = value
  const mistakes = unknownMembers('', rest, '$schema, schemaVersion and failures')
  if ($schema !== undefined && typeof $schema !== 'string') mistakes.push('/$schema must be a string')
  if (schemaVersion !== 1) mistakes.push('/schemaVersion must be 1')
  if (Array.isArray(failures)) mistakes.push(...failures.flatMap((entry, index) => entryMistakes(entry, index)))
  else mistakes.push('/failures must be an array')
  if (mistakes.length > 0) throw new UsageError(mistakes.map((mistake) => `${source}: ${mistake}`).join('\n'))
  return value as unknown as Baseline
}

function entryMistakes(entry: unknown, index: number): string[] {
  const pointer = `/failures/${index}`
  if (!isObject(entry)) return [`${pointer} must be an object with clause, reason and expires`]
  const { clause, reason, ticket, expires, ...rest } = entry
  const mistakes = unknownMembers(pointer, rest, 'clause, reason, ticket and expires')
  const wrong = (what: string): number => mistakes.push(pointer + what)
  const ids: readonly string[] = clauses.map(({ id }) => id)
  if (typeof clause !== 'string') wrong('/clause must be the id of a clause')
  else if (!ids.includes(clause)) {
    const near = nearest(clause, ids)
    const hint = near === undefined ? 'petstore verify --list shows them' : `did you mean ${near}?`
    wrong(`/clause: there is no clause ${JSON.stringify(clause)}; ${hint}`)
  }
  if (typeof reason !== 'string' || reason.trim() === '') wrong('/reason must say why the failure is put up with')
  if (ticket !== undefined && typeof ticket !== 'string') wrong('/ticket must be a string')
  if (typeof expires !== 'string' || !isDay(expires)) wrong('/expires must be a day such as 2027-01-31')
  return mistakes
}

const unknownMembers = (pointer: string, rest: object, known: string): string[] =>
  Object.keys(rest).map((name) => `${pointer}/${name} is not known; there are ${known}`)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a text is a day of the calendar: `2027-01-31`. */
export function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`)
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
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
  // A clause fails the run if any of the findings that break it is new.
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
 * Makes a baseline from the findings of a report. What an older baseline knew keeps its entry.
 *
 * @param known what stands in each new entry
 */
export function toBaseline(report: Report, known: Omit<KnownFailure, 'clause'>): Baseline {
  const entries = new Map(
    report.findings.map((finding) => [finding.clause, finding.known ?? { clause: finding.clause, ...known }]),
  )
  return { schemaVersion: 1, failures: [...entries.values()] }
}
