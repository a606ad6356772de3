import { didYouMean, expectNone, type Issue, UsageError } from '../../errors.ts'
import { count } from '../../report/text.ts'
import { behaviors, type BehaviorId } from '../../spec/behaviors.ts'
import { requirements, type RequirementId } from '../../spec/requirements.ts'
import { operations } from '../../spec/operations.ts'
import { issuesInFile } from '../../validate.ts'
import type { Baseline } from './report.gen.ts'
import {
  type Drift,
  expectReport,
  type Finding,
  toVerdict,
  type KnownFailure,
  type Report,
} from './report.ts'
import { validators } from './validators.gen.ts'

export type { Baseline } from './report.gen.ts'

/**
 * Checks a baseline from a file.
 *
 * @param source the name of the file, for messages
 * @throws {UsageError} that lists all mistakes, each with its JSON pointer
 */
export function readBaseline(value: unknown, source: string): Baseline {
  const ids: readonly string[] = requirements.map(({ id }) => id)
  const { failures } = (value ?? {}) as { failures?: unknown }
  if (failures === undefined) {
    throw new UsageError(
      `${source} is not a baseline file: it lacks "failures"; petstore baseline creates one from a report`,
    )
  }
  const issues: Issue[] = issuesInFile(validators.Baseline, value, source)
  for (const [index, entry] of (Array.isArray(failures) ? (failures as unknown[]) : []).entries()) {
    const { requirement } = (entry ?? {}) as { requirement?: unknown }
    if (typeof requirement !== 'string' || ids.includes(requirement)) continue
    const hint = didYouMean(requirement, ids) || '; petstore verify --list shows them'
    const message = `there is no requirement ${JSON.stringify(requirement)}${hint}`
    issues.push({ path: `${source}: /failures/${index}/requirement`, message })
  }
  expectNone(issues)
  return value as Baseline
}

/** What decides how a baseline is applied. */
export interface BaselineTerms {
  /** The day that decides what has expired. */
  now: Date
  /** Whether requirements that could not be verified are held against the target. Default: false. */
  strict?: boolean | undefined
}

/** A message without what differs from run to run: ids, numbers other than HTTP statuses and limits, the status of a filter, and names of pets. */
export const kindOf = (message: string): string =>
  message
    .replaceAll(/Petkit \p{L}+ \p{L}+/gu, 'Petkit …')
    .replaceAll(/status=\w+/g, 'status=…')
    .replaceAll(
      /(responded |instead of |limit=)?-?\d+(?:\.\d+|st|[nr]d|th)?/g,
      (all, before?: string) => (before === undefined ? '…' : all),
    )

const kindsOf = ({ message, kinds = [kindOf(message)] }: Finding): string[] => kinds

/** Whether an entry accepts a finding: each kind of it, and each requirement that it breaks. */
function accepts({ findings, alsoBreaks }: KnownFailure, finding: Finding): boolean {
  const isKnown = (kind: string): boolean =>
    findings?.some(({ message }) => message === kind) ?? true
  return (
    kindsOf(finding).every(isKnown) &&
    finding.alsoBreaks.every((id) => alsoBreaks?.includes(id) ?? true)
  )
}

/** How many times as many responses as an entry knows are worth a note. */
const manyMore = 2

function noteMore(finding: Finding, { findings, requirement }: KnownFailure): string[] {
  const kinds = kindsOf(finding)
  const known = findings?.find(({ message }) => kinds.includes(message))?.responses ?? Infinity
  const now = finding.more + 1
  return now <= manyMore * known
    ? []
    : [`${requirement}: ${count(now, 'response')} show it; the baseline knows ${known}.`]
}

/** Applies a baseline to a report: known violations no longer decide its verdict. */
export function applyBaseline(
  report: Report,
  { failures }: Baseline,
  { now, strict = false }: BaselineTerms,
): Report {
  const today = now.toISOString().slice(0, 10)
  const isVerified = (id: RequirementId): boolean =>
    report.requirements.some(
      (requirement) => requirement.id === id && requirement.verdict === 'verified',
    )
  const valid = failures.filter(({ expires }) => today <= expires)
  const findings = report.findings.map((finding): Finding => {
    const known = valid.find(
      (entry) => entry.requirement === finding.requirement && accepts(entry, finding),
    )
    return known ? { ...finding, known } : finding
  })
  const isOther = (finding: Finding): boolean =>
    finding.known === undefined &&
    valid.some(({ requirement }) => requirement === finding.requirement)
  const notes = findings.flatMap((finding) => [
    ...(finding.known ? noteMore(finding, finding.known) : []),
    ...(isOther(finding)
      ? [`${finding.requirement} is violated in another way than the baseline accepts.`]
      : []),
  ])
  // A requirement fails the run if any finding that breaks it is new.
  const fresh = new Set(
    findings
      .filter((finding) => !('known' in finding))
      .flatMap(({ requirement, alsoBreaks }) => [requirement, ...alsoBreaks]),
  )
  const broken = report.requirements.filter(({ verdict }) => verdict === 'violated')
  const known = broken.filter(({ id }) => !fresh.has(id)).length
  const counts = { ...report.counts, violated: broken.length - known, known }
  return {
    ...report,
    ...toVerdict(counts, report, strict),
    counts,
    findings,
    notes: [...new Set([...report.notes, ...notes])],
    baseline: {
      known: valid.filter((entry) => findings.some(({ known }) => known === entry)),
      expired: failures.filter(
        ({ requirement, expires }) => today > expires && !isVerified(requirement),
      ),
      stale: failures.filter(({ requirement }) => isVerified(requirement)),
    },
  }
}

const dayMs = 86_400_000

/**
 * Makes a baseline from the findings of a report. Findings that a baseline already excused keep their entries.
 *
 * @param known the content of each new entry; `expires` is in 30 days by default
 */
export function toBaseline(
  report: Report,
  known: { reason: string; ticket?: string | undefined; expires?: string | undefined },
): Baseline {
  expectReport(report)
  const inMonth = new Date(Date.now() + 30 * dayMs).toISOString().slice(0, 10)
  const { reason, ticket, expires = inMonth } = known
  const kept = new Map<string, KnownFailure>()
  const made = new Map<RequirementId, Pick<KnownFailure, 'findings' | 'alsoBreaks'>>()
  for (const finding of report.findings) {
    const { requirement, check, more } = finding
    if (finding.known) kept.set(JSON.stringify(finding.known), finding.known)
    else {
      const { findings = [], alsoBreaks = [] } = made.get(requirement) ?? {}
      const kinds = kindsOf(finding).map((message) => ({ check, message, responses: more + 1 }))
      made.set(requirement, {
        findings: [...findings, ...kinds],
        alsoBreaks: [...new Set([...alsoBreaks, ...finding.alsoBreaks])],
      })
    }
  }
  const terms = { expires, reason, ...(ticket && { ticket }) }
  const entries = Array.from(made, ([requirement, found]) => ({ requirement, ...terms, ...found }))
  return { schemaVersion: 1, failures: [...kept.values(), ...entries] }
}

/** Options that a note names. */
const maxNamed = 6

/** The expected options of a deployment, by id of the unspecified behavior. Other fields are ignored. */
export type ExpectedProfile = Readonly<Record<string, string>>

/**
 * Compares observed options with an expected profile. The verdict stays, because unspecified behavior violates
 * nothing; the exit code is 1 if an option differs, and 3 if none of the expected options (with `strict`: not all)
 * were observed.
 */
export function applyExpectedProfile(
  report: Report,
  expected: ExpectedProfile,
  strict = false,
): Report {
  const wanted = behaviors
    .map(({ id }) => ({ id, option: expected[id] }))
    .filter(
      (one): one is { id: BehaviorId; option: string } =>
        one.option !== undefined && one.option !== 'unknown',
    )
  /** The option, or those that remain possible. */
  const possible = (id: BehaviorId): readonly string[] =>
    report.profile[id] === 'unknown' ? (report.candidates?.[id] ?? []) : [report.profile[id]]
  const seen = wanted.filter(({ id }) => possible(id).length === 1)
  const drift = wanted.flatMap(({ id, option }): Drift[] => {
    const [options, evidence] = [possible(id), report.evidence[id]]
    if (options.length === 0 || options.includes(option)) return []
    const actual = options.join(' or ')
    return [{ id, expected: option, actual, ...(evidence !== undefined && { evidence }) }]
  })
  const unseen = wanted.filter(
    (one) => !seen.includes(one) && drift.every(({ id }) => id !== one.id),
  )
  const left = unseen.length
  const names = unseen.slice(0, maxNamed).map(({ id }) => id)
  const more = left > maxNamed ? ` and ${left - maxNamed} more` : ''
  const note = `${left} of ${wanted.length} options of the expected profile were not observed: ${names.join(', ')}${more}.`
  const result = { ...report, drift, notes: left > 0 ? [...report.notes, note] : report.notes }
  if (report.verdict === 'violates' || drift.length > 0) return { ...result, exitCode: 1 }
  const isUnknown = wanted.length > 0 && (seen.length === 0 || (strict && left > 0))
  if (!isUnknown || report.verdict === 'not-verified') return result
  const reason =
    seen.length === 0 ? 'no option of the expected profile was observed' : note.replace(/\.$/, '')
  return { ...result, verdict: 'not-verified', exitCode: 3, reason }
}

export const daysTo = (day: string, now: Date): number =>
  Math.ceil((Date.parse(day) - now.getTime()) / dayMs)

/** The days that clients of getPet have left, if they are few. */
export function daysToRemoval(now: Date): number | undefined {
  const days = daysTo(operations.getPet.removalDate, now)
  return days > 0 && days <= 180 ? days : undefined
}

export function noteRemoval(report: Report, now: Date): Report {
  const days = daysToRemoval(now)
  const works = report.requirements.some(
    ({ id, verdict }) => id === 'get.until-removal' && verdict === 'verified',
  )
  if (!works || days === undefined) return report
  const note = `getPet is removed on ${operations.getPet.removalDate}, in ${count(days, 'day')}; clients use the list instead.`
  return { ...report, notes: [...report.notes, note] }
}
