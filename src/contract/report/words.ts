import { rows } from '../../spec/rows.ts'
import type { ClauseResult, ClauseVerdict, Finding, KnownFailure, Report } from './report.ts'
import { shortInert } from '../../report/text.ts'

/** Texts that several reporters share. Texts from a target are escaped and limited in length. */

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

/** Why a known failure does not fail the run. */
export function knownWords(failure: KnownFailure | undefined): string {
  if (failure === undefined) return ''
  const { reason, ticket, expires } = failure
  return sentence(`known until ${expires}: ${reason}${ticket === undefined ? '' : ` (${ticket})`}`)
}

/** The words of the specification; table rows as sentences. */
export const quoteOf = (quote: string): string => rows[quote] ?? quote
