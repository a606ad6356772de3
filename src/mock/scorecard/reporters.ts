import { shortInert } from '../../report/inert.ts'
import { code, inline } from '../../report/markdown.ts'
import { columns, count, fit, painter, section, toInertJson, type Paint, type Style } from '../../report/text.ts'
import type { Scorecard, ScorecardIssue } from './types.ts'
import { toHtml } from './reporters-html.ts'
import {
  coverageRows,
  effortWords,
  headline,
  neverTried,
  quoteOf,
  referenceWords,
  requestLines,
  type ScorecardReporter,
  scoreWords,
  severities,
  severityWords,
  type State,
  stateOf,
  unscoredWords,
} from './words.ts'

export type { ScorecardReporter } from './words.ts'

/** Scorecards that are shown one by one, and the most bytes of Markdown: a comment on GitHub holds 65,536. */
const mostShown = 100
const largestMarkdown = 60_000

const styles: Readonly<Record<State | 'notice', Style>> = {
  clean: 'green',
  warning: 'yellow',
  violation: 'red',
  none: 'dim',
  notice: 'bold',
}

const icons: Readonly<Record<State, string>> = { clean: '✅', warning: '⚠️', violation: '❌', none: '➖' }

const asked = ({ requests }: Scorecard): boolean => requests > 0

/** The scorecards for a person's first look. */
const toText: ScorecardReporter = (scorecards, { color = false } = {}) => {
  const paint = painter(color)
  const shown = scorecards.filter(asked)
  const blocks = shown.slice(0, mostShown).map((card) => toBlock(card, paint))
  if (shown.length > mostShown) blocks.push(`${shown.length - mostShown} more; the json reporter shows all of them.`)
  for (const words of [silentWords(scorecards), unscoredWords(scorecards)]) {
    if (words !== '') blocks.push(paint('dim', words))
  }
  return `${blocks.length === 0 ? 'No scorecards.' : blocks.join('\n\n')}\n`
}

function toBlock(card: Scorecard, paint: Paint): string {
  return [
    `${paint('bold', shortInert(card.subject, 100))}  ${paint(styles[stateOf(card)], scoreWords(card))}`,
    effortWords(card),
    ...severities.flatMap((severity) => {
      const found = card.issues.filter((issue) => issue.severity === severity)
      const shown = found.flatMap((issue, index) => [
        `  ${index + 1}. ${paint(styles[severity], headline(issue))}  ${shortInert(issue.id, 100)}`,
        ...linesOf(issue, paint).map((line) => `     ${line}`),
      ])
      return section(paint('bold', severityWords[severity]), shown)
    }),
    ...section(paint('bold', 'Asked'), columns([['', 'requests', 'responses', 'parameters'], ...coverageRows(card)])),
    ...section(
      paint('bold', 'Never tried'),
      neverTried(card).map(({ operation, what }) => `  ${operation}: ${what}`),
    ),
  ].join('\n')
}

function linesOf(issue: ScorecardIssue, paint: Paint): string[] {
  return [
    `"${quoteOf(issue)}"  (${referenceWords(issue)})`,
    shortInert(issue.message),
    ...requestLines(issue.example).map((line) => paint('dim', `  ${line}`)),
    `To fix it: ${shortInert(issue.fix)}`,
  ]
}

function silentWords(scorecards: readonly Scorecard[]): string {
  const silent = scorecards.filter((card) => !asked(card))
  if (silent.length === 0) return ''
  const names = silent.slice(0, 10).map(({ subject }) => shortInert(subject, 100))
  const more = silent.length > names.length ? ` and ${silent.length - names.length} more` : ''
  return `${count(silent.length, 'client')} without a request: ${names.join(', ')}${more}.`
}

/** For a step summary or a comment on a pull request. */
const toMarkdown: ScorecardReporter = (scorecards) => {
  const blocks = scorecards.map((card) =>
    [
      `### ${icons[stateOf(card)]} ${inline(shortInert(card.subject, 100))}: ${scoreWords(card)}`,
      ...card.issues.map(
        (issue) =>
          `- ${inline(headline(issue))} (${code(shortInert(issue.id, 100))}): ${inline(shortInert(issue.message))} ${inline(`To fix it: ${shortInert(issue.fix)}`)}`,
      ),
    ].join('\n'),
  )
  const { kept, left } = fit(blocks, largestMarkdown)
  return `${['## Scorecard of the clients of the Pet Store Service', ...kept, left > 0 ? `*${left} more; the other reporters show them.*` : unscoredWords(scorecards)].join('\n\n').trimEnd()}\n`
}

/** The scorecards as `petstore-kit/scorecard.schema.json` describes them. */
const toJson: ScorecardReporter = (scorecards) => toInertJson({ scorecards })

/** What makes a text of scorecards, by name. */
export const scorecardReporters = {
  text: toText,
  json: toJson,
  markdown: toMarkdown,
  html: toHtml,
} as const satisfies Record<string, ScorecardReporter>
