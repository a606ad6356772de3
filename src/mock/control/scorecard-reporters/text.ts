import type { Scorecard, ScorecardIssue } from '../scorecard.ts'
import { shortInert } from '../../../report/inert.ts'
import {
  count,
  coverageRows,
  effortWords,
  headline,
  neverTried,
  referenceWords,
  requestLine,
  type ScorecardReporter,
  scoreWords,
  severities,
  severityWords,
  type State,
  stateOf,
  unscoredWords,
} from './words.ts'

/** Scorecards that are shown one by one. */
const mostShown = 100

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const
type Style = keyof typeof codes
type Paint = (style: Style, text: string) => string

const styles = { clean: 'green', warning: 'yellow', violation: 'red', none: 'dim' } as const satisfies Record<
  State,
  Style
>
const issueStyles = { violation: 'red', warning: 'yellow', notice: 'bold' } as const

/** The scorecards for a person's first look. */
export const toText: ScorecardReporter = (scorecards, { color = false } = {}) => {
  const paint: Paint = (style, text) => (color ? `\u001b[${codes[style]}m${text}\u001b[0m` : text)
  const asked = scorecards.filter(({ requests }) => requests > 0)
  const silent = scorecards.filter(({ requests }) => requests === 0)
  const blocks = asked.slice(0, mostShown).map((card) => toBlock(card, paint))
  if (asked.length > mostShown) blocks.push(`${asked.length - mostShown} more; the json reporter shows all of them.`)
  if (silent.length > 0) blocks.push(paint('dim', silentWords(silent)))
  const unscored = unscoredWords(scorecards)
  if (unscored !== '') blocks.push(paint('dim', unscored))
  return `${blocks.length === 0 ? 'No scorecards.' : blocks.join('\n\n')}\n`
}

function toBlock(card: Scorecard, paint: Paint): string {
  const score = paint(styles[stateOf(card)], scoreWords(card))
  const lines = [
    `${paint('bold', shortInert(card.subject, 100))}  ${score}`,
    effortWords(card),
    ...severities.flatMap((severity) => {
      const found = card.issues.filter((issue) => issue.severity === severity)
      return section(
        paint,
        severityWords[severity],
        found.flatMap((issue, index) => toLines(issue, index + 1, paint)),
      )
    }),
    ...section(paint, 'Asked', table(coverageRows(card))),
    ...section(
      paint,
      'Never tried',
      neverTried(card).map(({ operation, what }) => `  ${operation}: ${what}`),
    ),
  ]
  return lines.join('\n')
}

function toLines(issue: ScorecardIssue, number: number, paint: Paint): string[] {
  const { message, example, fix, reference, id, severity } = issue
  const lines = [
    `"${shortInert(reference.quote)}"  (${referenceWords(issue)})`,
    shortInert(message),
    paint('dim', `  ${requestLine(example)}`),
    ...(example.body === undefined ? [] : [paint('dim', `  ${shortInert(example.body)}`)]),
    `To fix it: ${shortInert(fix)}`,
  ]
  return [
    `  ${number}. ${paint(issueStyles[severity], headline(issue))}  ${shortInert(id, 100)}`,
    ...lines.map((line) => `     ${line}`),
  ]
}

function section(paint: Paint, title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', paint('bold', title), ...lines]
}

function table(rows: readonly (readonly string[])[]): string[] {
  const all = [['', 'requests', 'responses', 'parameters'], ...rows]
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  return all.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
}

function silentWords(silent: readonly Scorecard[]): string {
  const names = silent.slice(0, 10).map(({ subject }) => shortInert(subject, 100))
  const more = silent.length > names.length ? ` and ${silent.length - names.length} more` : ''
  return `${count(silent.length, 'client')} without a request: ${names.join(', ')}${more}.`
}
