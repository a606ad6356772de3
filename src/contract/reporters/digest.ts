import { checkedOf, expectReport, observedIn, type Report } from '../report/report.ts'
import { count } from '../../report/text.ts'
import { type Group, splitGroups } from './groups.ts'
import { requirementsOf, sentence } from '../report/words.ts'

/** What several reporters say about a report as a whole. */

const verdictWords: Readonly<Record<Report['verdict'], string>> = {
  conforms: 'PASS',
  violates: 'FAIL',
  'not-verified': 'INCONCLUSIVE',
}

const verdictTones = { conforms: 'good', violates: 'bad', 'not-verified': 'warn' } as const

/** What decides the words of a verdict; a side of a comparison has less than a report. */
type Verdict = Pick<Report, 'verdict' | 'counts'> &
  Partial<Pick<Report, 'reason' | 'selection' | 'depth' | 'drift' | 'requirements'>>

export function verdictOf({ verdict, selection, depth, drift = [] }: Verdict): string {
  const part = depth === 'smoke' ? ' (smoke)' : selection ? ' (selection)' : ''
  return (verdict === 'conforms' && drift.length > 0 ? 'DRIFT' : verdictWords[verdict]) + part
}

/** How much was checked. If that is not enough, the reason comes first. `fresh` are the groups of findings, if known. */
export function checkedWords(report: Verdict, fresh: readonly Group[] = []): string {
  const { checked, of } = checkedOf(report.counts)
  const { known = 0 } = report.counts
  const { drift = [], selection } = report
  if (report.verdict === 'not-verified') {
    const reason = unprovenWords(report).replace(/[.:]?$/, '.')
    const still = checked === 0 ? 'No requirement' : `${checked} of ${of} requirements`
    return `${reason} ${still} could ${checked === 0 ? '' : 'still '}be checked.`
  }
  if (report.depth === 'smoke' && selection && checked === 0 && drift.length === 0)
    return `${selection.checks} of ${selection.of} checks, no violation`
  return [
    ...violatedWords(report, fresh),
    ...unawaitedWords(report),
    ...(known > 0 ? [count(known, 'known failure')] : []),
    ...(drift.length > 0 ? [`${count(drift.length, 'behavior')} not as expected`] : []),
    `${checked} of ${of} requirements checked${checked < of ? ' (partial)' : ''}`,
  ].join(', ')
}

/** Where the findings show it, causes and consequences: one mistake often violates several requirements. */
function violatedWords({ counts: { violated } }: Verdict, fresh: readonly Group[]): string[] {
  if (violated === 0) return []
  const consequences = fresh.reduce((sum, group) => sum + group.consequences.length, 0)
  return consequences === 0
    ? [`${violated} violated`]
    : [count(fresh.length, 'cause'), count(consequences, 'consequence')]
}

/** The requirements that look violated, and were not waited for. */
export const unawaitedIn = ({ requirements = [] }: Partial<Report>): string[] =>
  requirements.flatMap(({ id, looksViolated }) => (looksViolated ? [id] : []))

function unawaitedWords(report: Verdict): string[] {
  const { length } = unawaitedIn(report)
  if (length === 0) return []
  return [
    `${length} more ${length === 1 ? 'looks violated and was' : 'look violated and were'} not waited for`,
  ]
}

/** `PASS  19 of 49 requirements checked (partial)`. Needs only what decides the verdict. */
export const verdictLine = (report: Report): string => lineOf(report, verdictSummary(report))

/** `verdictLine` without the verdict: `1 cause, 6 consequences, 49 of 49 requirements checked`. */
export function verdictSummary(report: Report): string {
  expectReport(report, 'counts')
  const { fresh } = splitGroups(Object.assign({ findings: [], requirements: [] }, report))
  return checkedWords(report, fresh)
}

const lineOf = (report: Verdict, checked: string): string =>
  `${verdictOf(report)}${report.verdict === 'not-verified' ? ': ' : '  '}${checked}`

/** A text, and the ids of the requirements or behaviors that it is about, if any. */
export interface Remark {
  ids: readonly string[]
  text: string
}

/** Groups requirements that were not (fully) verified by reason, except the one that is the verdict. */
function openOf(report: Report): Remark[] {
  const reasons = new Map<string, string[]>()
  const known = report.verdict === 'not-verified' ? report.reason : undefined
  const add = (reason: string, id: string): unknown =>
    reasons.set(reason, [...(reasons.get(reason) ?? []), id])
  for (const { id, reason = '' } of requirementsOf(report, 'not-verified')) {
    if (reason !== known) add(reason, id)
  }
  for (const { id, open = [] } of requirementsOf(report, 'verified')) {
    for (const { check, reason } of open)
      if (reason !== known) add(reason, `${id} (in part: ${check})`)
  }
  return [...reasons].map(([reason, ids]) => ({ ids, text: sentence(reason) }))
}

/** Why a run without violations is inconclusive. */
function unprovenWords(report: Verdict): string {
  const { notVerified, partlyOpen = 0 } = report.counts
  const open = notVerified + partlyOpen
  return report.reason === undefined
    ? `${count(open, 'requirement')} could not be verified${partlyOpen > 0 ? ', or in part only' : ''} (--strict)`
    : sentence(report.reason)
}

export type Digest = ReturnType<typeof digestOf>

/** What several reporters say about a report. Throws a UsageError for anything else. */
export function digestOf(report: Report) {
  expectReport(report)
  const { baseline, counts, drift = [], durationMs, notes, profile, sequences } = report
  const { expired = [], stale = [] } = baseline ?? {}
  const known = counts.known ? `, ${count(counts.known, 'known failure')}` : ''
  const partly = counts.partlyOpen === undefined ? '' : ` (${counts.partlyOpen} in part)`
  const tried = sequences ? `, ${count(sequences.tried, 'sequence')} of seed ${sequences.seed}` : ''
  const seconds = `${(durationMs / 1000).toFixed(1)} s`
  const observed = observedIn(report)
  const groups = splitGroups(report)
  const checked = checkedWords(report, groups.fresh)
  return {
    ...groups,
    verdict: verdictOf(report),
    tone: drift.length > 0 && report.verdict === 'conforms' ? 'warn' : verdictTones[report.verdict],
    checked,
    line: lineOf(report, checked),
    unproven: unprovenWords(report),
    counts:
      `${counts.violated ? `${counts.violated} violated, ` : ''}${counts.verified} verified${partly}${known}, ` +
      `${counts.notVerified} not verified, ${counts.notApplicable} not applicable`,
    seconds,
    effort: `${count(counts.requests, 'request')}, ${count(counts.writes, 'pet')} created, ${seconds}${tried}`,
    drift: drift.map(({ id, expected, actual, evidence }): Remark => {
      const shown = evidence === undefined ? '' : `: ${evidence}`
      return { ids: [id], text: sentence(`${actual} instead of ${expected}${shown}`) }
    }),
    open: openOf(report),
    /** With outdated entries of the baseline. */
    notes: [
      ...expired.map(
        ({ requirement, expires }) =>
          `The baseline entry for ${requirement} expired after ${expires}.`,
      ),
      ...new Set(
        stale.map(
          ({ requirement }) =>
            `${requirement} is verified now: remove its entry from the baseline.`,
        ),
      ),
      ...notes,
    ].map((note): Remark => ({ ids: [], text: sentence(note) })),
    observed,
    /** `12 of 40` */
    observedCount: `${observed.length} of ${Object.keys(profile).length}`,
  }
}
