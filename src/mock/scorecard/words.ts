import type { Severity } from './rules.ts'
import type { Example, OperationCoverage, Scorecard, ScorecardIssue } from './types.ts'
import { shortInert } from '../../report/inert.ts'
import { rows } from '../../spec/rows.ts'
import { count } from '../../report/text.ts'

/** What all reporters say alike. */

/** Makes one text of scorecards. */
export type ScorecardReporter = (scorecards: readonly Scorecard[], options?: { color?: boolean }) => string

/** The severities in the order of a scorecard, in the words of a heading. */
export const severityWords = {
  violation: 'Violations',
  warning: 'Warnings',
  notice: 'Notices',
} as const satisfies Record<Severity, string>

/** What each severity means. */
export const severityMeanings = {
  violation: 'It breaks what the specification says of requests.',
  warning: 'It leans on luck, or on what the specification does not show. It counts half.',
  notice: 'It is worth a look. It costs nothing.',
} as const satisfies Record<Severity, string>

/** The severities, the worst first. */
export const severities = Object.keys(severityWords) as Severity[]

/** `clean` when nothing counts against a client, `none` when there were no requests; else the worst that was found. */
export type State = 'clean' | 'warning' | 'violation' | 'none'

export function stateOf({ requests, issues }: Scorecard): State {
  if (requests === 0) return 'none'
  const worst = severities.find((severity) => issues.some((issue) => issue.severity === severity))
  return worst === 'violation' || worst === 'warning' ? worst : 'clean'
}

/** `97 of 100` */
export function scoreWords({ score }: Scorecard): string {
  return score === null ? 'no requests' : `${score} of 100`
}

/** How many requests there were, and when. */
export function effortWords({ requests, journal, firstAt, lastAt }: Scorecard): string {
  const period = firstAt === undefined || lastAt === undefined ? '' : periodOf(firstAt, lastAt)
  const lost = journal.kept < journal.received ? `, of the last ${journal.kept} of ${journal.received}` : ''
  return `${count(requests, 'request')}${lost}${period}`
}

/** `150 requests of petstore verify are not scored.`; empty where there were none. */
export function unscoredWords(scorecards: readonly Scorecard[]): string {
  const all = scorecards.reduce((sum, { unscored = 0 }) => sum + unscored, 0)
  return all === 0 ? '' : `${count(all, 'request')} of petstore verify ${all === 1 ? 'is' : 'are'} not scored.`
}

/** `3 requests with a limit outside 1 to 100` */
export function headline({ count: times, title }: ScorecardIssue): string {
  return shortInert(`${count(times, 'request')} ${title}`)
}

/** The first line of a request, and its body. */
export function requestLines({ method, target, body }: Example): string[] {
  return [shortInert(`${method} ${target}`), ...(body === undefined ? [] : [shortInert(body)])]
}

/** The words of the specification; a row of a table is a sentence. */
export const quoteOf = ({ reference: { quote } }: ScorecardIssue): string => shortInert(rows[quote] ?? quote)

/** Which clause or choice. */
export function referenceWords({ reference: { table, id } }: ScorecardIssue): string {
  return `${table === 'clauses' ? 'clause' : 'choice'} ${shortInert(id)}`
}

/** `200: 118, 401: 2` */
function countsWords(counts: Readonly<Record<string, number>>): string {
  const words = Object.entries(counts).map(([name, times]) => `${shortInert(name, 40)}: ${times}`)
  return words.length === 0 ? '-' : words.join(', ')
}

/** The rows of the table of what was asked: a name, how many requests, responses, parameters. */
export function coverageRows({ coverage: { operations, other } }: Scorecard): [string, string, string, string][] {
  const rows = operations.map(
    ({ operation, requests, responses, parameters }: OperationCoverage): [string, string, string, string] => [
      operation,
      String(requests),
      countsWords(responses),
      countsWords(parameters),
    ],
  )
  return other.requests === 0
    ? rows
    : [...rows, ['anything else', String(other.requests), countsWords(other.responses), '-']]
}

/** What was never tried, by operation. */
export function neverTried({ coverage }: Scorecard): { operation: string; what: string }[] {
  const operations = [...new Set(coverage.neverTried.map(({ operation }) => operation))]
  return operations.map((operation) => ({
    operation,
    what: coverage.neverTried
      .filter((item) => item.operation === operation)
      .map(({ what }) => shortInert(what, 100))
      .join(', '),
  }))
}

/** A day once, when it is the same. What is no instant is not shown. */
function periodOf(firstAt: string, lastAt: string): string {
  if (![firstAt, lastAt].every((at) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(at))) return ''
  const [first = '', last = ''] = [firstAt, lastAt].map((at) => at.slice(0, 19).replace('T', ' '))
  if (first === last) return `, ${first} UTC`
  return `, ${first} to ${first.slice(0, 10) === last.slice(0, 10) ? last.slice(11) : last} UTC`
}
