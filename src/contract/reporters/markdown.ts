import type { Finding, Report } from '../report.ts'
import { code, fenced, inline } from '../../report/markdown.ts'
import { fit } from '../../report/text.ts'
import {
  byReason,
  checkedWords,
  clausesOf,
  command,
  countsOf,
  effortOf,
  knownWords,
  notesOf,
  reachOf,
  sentence,
  value,
  verdictOf,
} from './words.ts'

/**
 * The bytes that each part may take. Together with the head they stay below 65,536, the most that a comment on GitHub
 * holds; a step summary holds 1 MiB.
 */
const rooms = { violated: 30_000, known: 6_000, open: 9_000, profile: 10_000, notes: 5_000 }

const icons = { conforms: '✅', violates: '❌', 'not-verified': '⚠️' } as const

/** The report as Markdown, for a step summary or a comment on a pull request. */
export function toMarkdown(report: Report): string {
  const { findings } = report
  const fresh = findings.filter((finding) => !finding.known)
  const known = findings.filter((finding) => finding.known)
  const observed = Object.entries(report.profile).filter(([, option]) => option !== 'unknown')
  const blocks = [
    `## ${icons[report.verdict]} ${verdictOf(report)}: ${code(value(report.target))}`,
    `**${inline(checkedWords(report))}**`,
    `${countsOf(report)}; ${effortOf(report)}, petstore-kit ${inline(report.kit)}`,
    ...part(
      '### Violated',
      fresh.map((finding, index) => toSection(report, finding, index + 1)),
      rooms.violated,
    ),
    ...part('### Known failures', known.map(toKnown), rooms.known),
    ...part(
      '### Not verified',
      byReason(report).map(({ reason, ids }) => `- ${ids.map(code).join(', ')}: ${inline(reason)}`),
      rooms.open,
    ),
    ...folded(
      `Observed, where the specification leaves the choice (${observed.length} of ${Object.keys(report.profile).length})`,
      observed.map(([id, option]) => `- ${code(id)}: ${code(value(option))}${evidenceOf(report, id)}`),
      rooms.profile,
    ),
    ...folded(
      `Not applicable (${report.counts.notApplicable})`,
      clausesOf(report, 'not-applicable').map(({ id, reason = '' }) => `- ${code(id)}: ${inline(sentence(reason))}`),
      rooms.notes,
    ),
    ...part(
      '### Notes',
      notesOf(report).map((note) => `- ${inline(note)}`),
      rooms.notes,
    ),
  ]
  return `${blocks.join('\n\n')}\n`
}

/** A heading and the items that have room below it. */
function part(heading: string, items: readonly string[], room: number): string[] {
  return items.length === 0 ? [] : [heading, ...limited(items, room)]
}

function folded(summary: string, items: readonly string[], room: number): string[] {
  return items.length === 0 ? [] : [`<details><summary>${summary}</summary>`, ...limited(items, room), '</details>']
}

function limited(items: readonly string[], room: number): string[] {
  const { kept, left } = fit(items, room)
  const separator = items[0]?.startsWith('- ') ? '\n' : '\n\n'
  return [
    ...(kept.length > 0 ? [kept.join(separator)] : []),
    ...(left > 0 ? [`*${left} more; the other reporters show them.*`] : []),
  ]
}

function toSection({ clauses }: Report, finding: Finding, number: number): string {
  const { clause, message, expected, actual, pointer, exchanges } = finding
  const result = clauses.find(({ id }) => id === clause)
  return [
    `#### ${number}. ${code(clause)}, ${inline(result?.section ?? '')}`,
    `> ${inline(result?.quote ?? '')}`,
    inline(sentence(message)),
    fenced('text', [
      `expected  ${value(expected)}`,
      `actual    ${value(actual)}${pointer === '' ? '' : `  at ${sentence(pointer)}`}`,
    ]),
    fenced(
      'sh',
      exchanges.map(({ curl }) => command(curl)),
    ),
    ...reachOf(finding),
  ].join('\n\n')
}

function toKnown({ clause, message, known }: Finding): string {
  return `- ${code(clause)}: ${inline(sentence(message))} ${known ? inline(`(${knownWords(known)})`) : ''}`
}

function evidenceOf({ evidence }: Report, id: string): string {
  const shown = (evidence as Record<string, string>)[id]
  return shown === undefined ? '' : `, shown by ${inline(sentence(shown))}`
}
