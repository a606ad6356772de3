import { rows } from '../../spec/rows.ts'
import { checkedOf, expectReport, observedIn } from '../report.ts'
import type { ClauseResult, ClauseVerdict, Finding, KnownFailure, Report } from '../report.ts'
import { count, shortInert } from '../../report/text.ts'

/** Texts that several reporters share. Texts from a target are escaped and limited in length. */

const verdictWords: Readonly<Record<Report['verdict'], string>> = {
  conforms: 'PASS',
  violates: 'FAIL',
  'not-verified': 'INCONCLUSIVE',
}

/** What decides the words of a verdict; a side of a comparison has less than a report. */
type Verdict = Pick<Report, 'verdict' | 'counts'> &
  Partial<Pick<Report, 'reason' | 'selection' | 'depth' | 'drift'>>

export function verdictOf({ verdict, selection, depth, drift = [] }: Verdict): string {
  const part = depth === 'smoke' ? ' (smoke)' : selection ? ' (selection)' : ''
  return (verdict === 'conforms' && drift.length > 0 ? 'DRIFT' : verdictWords[verdict]) + part
}

/** How much was checked. If that is not enough, the reason comes first. */
export function checkedWords(report: Verdict): string {
  const { checked, of } = checkedOf(report.counts)
  const { violated, known = 0 } = report.counts
  const { drift = [], selection } = report
  if (report.verdict === 'not-verified') {
    const reason = unprovenWords(report).replace(/[.:]?$/, '.')
    const still = checked === 0 ? 'No requirement' : `${checked} of ${of} requirements`
    return `${reason} ${still} could ${checked === 0 ? '' : 'still '}be checked.`
  }
  if (report.depth === 'smoke' && selection && checked === 0 && drift.length === 0)
    return `${selection.checks} of ${selection.of} checks, no violation`
  return [
    ...(violated > 0 ? [`${violated} violated`] : []),
    ...(known > 0 ? [count(known, 'known failure')] : []),
    ...(drift.length > 0 ? [`${count(drift.length, 'behavior')} not as expected`] : []),
    `${checked} of ${of} requirements checked${checked < of ? ' (partial)' : ''}`,
  ].join(', ')
}

/** `PASS  19 of 49 requirements checked (partial)` */
export function verdictLine(report: Verdict): string {
  expectReport(report, 'counts')
  return `${verdictOf(report)}${report.verdict === 'not-verified' ? ': ' : '  '}${checkedWords(report)}`
}

/** The verdict on a clause; `known` if the baseline excuses all of its findings. */
export type ClauseState = ClauseVerdict | 'known'

/** Maximum lengths of texts. */
const maxLengths = { headline: 220, sentence: 1_000, value: 2_000, curl: 4_000 }

/** What a finding says, in about two lines of a terminal. */
export const headline = ({ message }: Finding): string =>
  shortInert(message.replace(/\.$/, ''), maxLengths.headline)
/** A message, reason or note, which may quote the target. */
export const sentence = (text: string): string => shortInert(text, maxLengths.sentence)
/** An expected or actual value. */
export const value = (text: string): string => shortInert(text, maxLengths.value)
export const command = (text: string): string => shortInert(text, maxLengths.curl)

export const clausesOf = ({ clauses }: Report, verdict: ClauseVerdict): ClauseResult[] =>
  clauses.filter((clause) => clause.verdict === verdict)

/** The verdict on a clause, with the baseline applied. */
export function stateOf(report: Report, { id, verdict }: ClauseResult): ClauseState {
  if (verdict !== 'violated') return verdict
  const found = report.findings.filter(
    (one) => one.clause === id || (one.alsoBreaks as string[]).includes(id),
  )
  return found.length > 0 && found.every(({ known }) => known !== undefined) ? 'known' : 'violated'
}

/** A text, and the ids of the requirements or behaviors that it is about, if any. */
export interface Remark {
  ids: readonly string[]
  text: string
}

/** Groups clauses that were not (fully) verified by reason, except the reason of the whole run. */
function openOf(report: Report): Remark[] {
  const reasons = new Map<string, string[]>()
  const add = (reason: string, id: string): unknown =>
    reasons.set(reason, [...(reasons.get(reason) ?? []), id])
  for (const { id, reason = '' } of clausesOf(report, 'not-verified')) {
    if (reason !== report.reason) add(reason, id)
  }
  for (const { id, open = [] } of clausesOf(report, 'verified')) {
    for (const { check, reason } of open)
      if (reason !== report.reason) add(reason, `${id} (in part: ${check})`)
  }
  return [...reasons].map(([reason, ids]) => ({ ids, text: sentence(reason) }))
}

/** Why a known failure does not fail the run. */
export function knownWords(failure: KnownFailure | undefined): string {
  if (failure === undefined) return ''
  const { reason, ticket, expires } = failure
  return sentence(`known until ${expires}: ${reason}${ticket === undefined ? '' : ` (${ticket})`}`)
}

/** The words of the specification; table rows as sentences. */
export const quoteOf = (quote: string): string => rows[quote] ?? quote

/** Why a run without violations is inconclusive. */
function unprovenWords(report: Verdict): string {
  const { notVerified, partlyOpen = 0 } = report.counts
  const open = notVerified + partlyOpen
  return report.reason === undefined
    ? `${count(open, 'requirement')} could not be verified${partlyOpen > 0 ? ', or in part only' : ''} (--strict)`
    : sentence(report.reason)
}

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
  return {
    verdict: verdictOf(report),
    checked: checkedWords(report),
    line: verdictLine(report),
    unproven: unprovenWords(report),
    counts:
      `${counts.verified} verified${partly}, ${counts.violated} violated${known}, ` +
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
        ({ clause, expires }) => `The baseline entry for ${clause} expired after ${expires}.`,
      ),
      ...stale.map(
        ({ clause }) => `${clause} is verified now: remove its entry from the baseline.`,
      ),
      ...notes,
    ].map((note): Remark => ({ ids: [], text: sentence(note) })),
    observed,
    /** `12 of 40` */
    observedCount: `${observed.length} of ${Object.keys(profile).length}`,
  }
}
