import { shortInert } from '../../report/inert.ts'
import { code, inline } from '../../report/markdown.ts'
import { columns, count, fit, painter, section, toInertJson, type Paint } from '../../report/text.ts'
import { toHtml } from './reporters-html.ts'
import type { Scorecard } from './types.ts'
import { cardWords, type ScorecardReporter, unscoredWords } from './words.ts'

export type { ScorecardReporter } from './words.ts'

/** Scorecards that are shown one by one, and the most bytes of Markdown: a comment on GitHub holds 65,536. */
const mostShown = 100
const largestMarkdown = 60_000

const hasRequests = ({ requests }: Scorecard): boolean => requests > 0

/** The scorecards for a person's first look. */
const toText: ScorecardReporter = (scorecards, { color = false } = {}) => {
  const paint = painter(color)
  const shown = scorecards.filter(hasRequests)
  const blocks = shown.slice(0, mostShown).map((card) => toBlock(card, paint))
  if (shown.length > mostShown) blocks.push(`${shown.length - mostShown} more; the json reporter shows all of them.`)
  for (const words of [silentWords(scorecards), unscoredWords(scorecards)]) {
    if (words !== '') blocks.push(paint('dim', words))
  }
  return `${blocks.length === 0 ? 'No scorecards.' : blocks.join('\n\n')}\n`
}

function toBlock(card: Scorecard, paint: Paint): string {
  const { subject, score, effort, look, groups, coverage, neverTried } = cardWords(card)
  return [
    `${paint('bold', subject)}  ${paint(look.style, score)}`,
    effort,
    ...groups.flatMap(({ heading, look: { style }, issues }) => {
      const shown = issues.flatMap(({ headline, id, quote, source, sourceId, message, request, fix }, index) => [
        `  ${index + 1}. ${paint(style, headline)}  ${id}`,
        `     "${quote}"  (${source} ${sourceId})`,
        `     ${message}`,
        ...request.map((line) => `     ${paint('dim', `  ${line}`)}`),
        `     ${fix}`,
      ])
      return section(paint('bold', heading), shown)
    }),
    ...section(paint('bold', 'Requested'), columns([['', 'requests', 'responses', 'parameters'], ...coverage])),
    ...section(
      paint('bold', 'Never tried'),
      neverTried.map(({ operation, what }) => `  ${operation}: ${what}`),
    ),
  ].join('\n')
}

function silentWords(scorecards: readonly Scorecard[]): string {
  const silent = scorecards.filter((card) => !hasRequests(card))
  if (silent.length === 0) return ''
  const names = silent.slice(0, 10).map(({ subject }) => shortInert(subject, 100))
  const more = silent.length > names.length ? ` and ${silent.length - names.length} more` : ''
  return `${count(silent.length, 'client')} without a request: ${names.join(', ')}${more}.`
}

/** For a step summary or a comment on a pull request. */
const toMarkdown: ScorecardReporter = (scorecards) => {
  const blocks = scorecards
    .map(cardWords)
    .map(({ subject, score, look, groups }) =>
      [
        `### ${look.icon} ${inline(subject)}: ${score}`,
        ...groups
          .flatMap(({ issues }) => issues)
          .map(
            ({ headline, id, message, fix }) =>
              `- ${inline(headline)} (${code(id)}): ${inline(message)} ${inline(fix)}`,
          ),
      ].join('\n'),
    )
  const { kept, left } = fit(blocks, largestMarkdown)
  const rest = left > 0 ? `*${left} more; the other reporters show them.*` : unscoredWords(scorecards)
  return `${['## Scorecard of the clients of the Pet Store Service', ...kept, rest].join('\n\n').trimEnd()}\n`
}

/** What makes a text of scorecards, by name. JSON is as `petstore-kit/scorecard.schema.json` describes it. */
export const scorecardReporters = {
  text: toText,
  json: (scorecards) => toInertJson({ scorecards }),
  markdown: toMarkdown,
  html: toHtml,
} as const satisfies Record<string, ScorecardReporter>
