import type { Scorecard, ScorecardIssue } from '../scorecard.ts'
import { shortInert } from '../../../report/inert.ts'
import { cell, code, fenced, inline, prose } from './markdown-text.ts'
import {
  count,
  coverageRows,
  effortWords,
  headline,
  neverTried,
  requestLine,
  type ScorecardReporter,
  scoreWords,
  severities,
  severityWords,
  stateOf,
  unscoredWords,
} from './words.ts'

/** The most bytes that a comment on GitHub holds are 65,536; a step summary holds 1 MiB. */
const room = 60_000

const icons = { clean: '✅', warning: '⚠️', violation: '❌', none: '➖' } as const

/** The scorecards as Markdown, for a step summary or a comment on a pull request. */
export const toMarkdown: ScorecardReporter = (scorecards) => {
  const asked = scorecards.filter(({ requests }) => requests > 0)
  const silent = scorecards.length - asked.length
  const { kept, left } = fit(asked.flatMap(toBlocks))
  const blocks = [
    '## Scorecard of the clients of the Pet Store Service',
    ...kept,
    ...(left > 0 ? [`*${left} more parts; the other reporters show them.*`] : []),
    ...(silent > 0 ? [`${icons.none} ${count(silent, 'client')} without a request.`] : []),
    unscoredWords(scorecards),
    ...(scorecards.length === 0 ? ['No scorecards.'] : []),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function toBlocks(card: Scorecard): string[] {
  const missing = neverTried(card)
  return [
    `### ${icons[stateOf(card)]} ${inline(shortInert(card.subject, 100))}: ${scoreWords(card)}`,
    effortWords(card),
    ...severities.flatMap((severity) => {
      const found = card.issues.filter((issue) => issue.severity === severity)
      return found.length === 0 ? [] : [`#### ${severityWords[severity]}`, ...found.map(toSection)]
    }),
    '#### Asked',
    [
      '| Operation | Requests | Answers | Parameters |',
      '|---|---|---|---|',
      ...coverageRows(card).map((row) => `| ${row.map(cell).join(' | ')} |`),
    ].join('\n'),
    ...(missing.length === 0
      ? []
      : ['#### Never tried', missing.map(({ operation, what }) => `- ${code(operation)}: ${inline(what)}`).join('\n')]),
  ]
}

function toSection(issue: ScorecardIssue): string {
  const { id, reference, message, example, fix } = issue
  return [
    `**${inline(headline(issue))}** (${code(shortInert(id, 100))})`,
    `> ${prose(shortInert(reference.quote))} (${reference.table === 'clauses' ? 'clause' : 'choice'} ${code(shortInert(reference.id, 100))})`,
    prose(shortInert(message)),
    fenced([requestLine(example), ...(example.body === undefined ? [] : ['', shortInert(example.body)])]),
    `To fix it: ${prose(shortInert(fix))}`,
  ].join('\n\n')
}

/** The first blocks that have room, and how many were left out. */
function fit(blocks: readonly string[]): { kept: string[]; left: number } {
  const encoder = new TextEncoder()
  let used = 0
  const end = blocks.findIndex((block) => (used += encoder.encode(block).length + 2) > room)
  const kept = end === -1 ? [...blocks] : blocks.slice(0, end)
  return { kept, left: blocks.length - kept.length }
}
