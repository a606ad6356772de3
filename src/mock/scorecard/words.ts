import { shortInert } from '../../report/inert.ts'
import { count } from '../../report/text.ts'
import { severities, type Severity } from './rules.ts'
import type { Scorecard, ScorecardIssue } from './types.ts'

/** What all reporters show alike: inert words. */

/** Makes one text of scorecards. */
export type ScorecardReporter = (scorecards: readonly Scorecard[], options?: { color?: boolean }) => string

/** What each severity means, and how it looks; also a client, which is `clean` when nothing counts against it. */
export const looks = {
  violation: { style: 'red', tone: 'bad', icon: '❌', word: 'Violation' },
  warning: { style: 'yellow', tone: 'warn', icon: '⚠️', word: 'Warning' },
  notice: { style: 'bold', tone: 'note', icon: '✅', word: 'Notice' },
  clean: { style: 'green', tone: 'good', icon: '✅', word: 'Clean' },
  none: { style: 'dim', tone: 'off', icon: '➖', word: 'No requests' },
} as const

/** A scorecard in words. Its issues stand below their severities, the worst first. */
export function cardWords({ subject, requests, score, journal, coverage, issues, firstAt, lastAt }: Scorecard) {
  const worst = severities.find((severity) => issues.some((issue) => issue.severity === severity))
  const lost = journal.kept < journal.received ? `, of the last ${journal.kept} of ${journal.received}` : ''
  const { operations, other, neverTried } = coverage
  const requested = [
    ...operations.map(({ operation, ...counts }) => ({ ...counts, name: operation })),
    ...(other.requests === 0 ? [] : [{ ...other, name: 'anything else', parameters: {} }]),
  ]
  return {
    subject: shortInert(subject, 100),
    look: looks[requests === 0 ? 'none' : worst === undefined || worst === 'notice' ? 'clean' : worst],
    score: score === null ? 'no requests' : `${score} of 100`,
    effort: `${count(requests, 'request')}${lost}${periodOf(firstAt, lastAt)}`,
    groups: severities
      .map((severity) => ({
        heading: `${looks[severity].word}s`,
        look: looks[severity],
        issues: issues.filter((issue) => issue.severity === severity).map(issueWords),
      }))
      .filter((group) => group.issues.length > 0),
    coverage: requested.map((row) => [
      row.name,
      String(row.requests),
      countsWords(row.responses),
      countsWords(row.parameters),
    ]),
    neverTried: [...new Set(neverTried.map(({ operation }) => operation))].map((operation) => ({
      operation,
      what: neverTried.flatMap((one) => (one.operation === operation ? [shortInert(one.what, 100)] : [])).join(', '),
    })),
  }
}

export type IssueWords = ReturnType<typeof issueWords>

function issueWords({ id, title, count: times, reference, message, example, fix }: ScorecardIssue) {
  const { method, target, body } = example
  return {
    id: shortInert(id, 100),
    /** `3 requests with a limit outside 1 to 100` */
    headline: shortInert(`${count(times, 'request')} ${title}`),
    /** The words of the specification; a row of a table is a sentence. */
    quote: shortInert(reference.sentence ?? reference.quote),
    source: reference.table === 'clauses' ? 'clause' : 'choice',
    sourceId: shortInert(reference.id, 100),
    message: shortInert(message),
    /** The first line of the request, and its body. */
    request: [`${method} ${target}`, ...(body === undefined ? [] : [body])].map((line) => shortInert(line)),
    fix: `To fix it: ${shortInert(fix)}`,
  }
}

/** What each severity means. */
export const meanings: Readonly<Record<Severity, string>> = {
  violation: 'It breaks what the specification says of requests.',
  warning: 'It relies on luck, or on what the specification does not show. It counts half.',
  notice: 'It is worth a look. It costs nothing.',
}

/** `150 requests of petstore verify are not scored.`; empty where there were none. */
export function unscoredWords(scorecards: readonly Scorecard[]): string {
  const all = scorecards.reduce((sum, { unscored = 0 }) => sum + unscored, 0)
  return all === 0 ? '' : `${count(all, 'request')} of petstore verify ${all === 1 ? 'is' : 'are'} not scored.`
}

/** `200: 118, 401: 2` */
function countsWords(counts: Readonly<Record<string, number>>): string {
  const words = Object.entries(counts).map(([name, times]) => `${shortInert(name, 40)}: ${times}`)
  return words.length === 0 ? '-' : words.join(', ')
}

/** A day once, when it is the same. What is no instant is not shown. */
function periodOf(firstAt = '', lastAt = ''): string {
  if (![firstAt, lastAt].every((at) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(at))) return ''
  const [first = '', last = ''] = [firstAt, lastAt].map((at) => at.slice(0, 19).replace('T', ' '))
  if (first === last) return `, ${first} UTC`
  return `, ${first} to ${first.slice(0, 10) === last.slice(0, 10) ? last.slice(11) : last} UTC`
}
