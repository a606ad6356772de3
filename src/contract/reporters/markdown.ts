import type { Report } from '../report.ts'
import { splitGroups, type Group } from './groups.ts'
import { code, fenced, fit, inline } from '../../report/text.ts'
import { clausesOf, command, digestOf, headline, knownWords, type Remark, sentence, value } from './words.ts'

/** Bytes of each part. With the head they stay below 65,536, the limit of comments on GitHub. */
const capacities = { overview: 8_000, violated: 22_000, known: 6_000, open: 9_000, profile: 10_000, notes: 5_000 }

/** Findings of a requirement, and requests of a finding. */
const limits = { cases: 5, requests: 4 }

const icons = { conforms: '✅', violates: '❌', 'not-verified': '⚠️' } as const

/** For step summaries and comments on pull requests. */
export function toMarkdown(report: Report): string {
  const { verdict, checked, counts, effort, drift, open, notes, observed, observedCount } = digestOf(report)
  const { fresh, known } = splitGroups(report)
  const blocks = [
    `## ${icons[drift.length > 0 ? 'violates' : report.verdict]} ${verdict}: ${code(value(report.target))}`,
    `**${inline(checked)}**`,
    `${counts}; ${effort}, petstore-kit ${inline(report.kit)}`,
    ...part('### Violated', fresh.map(toLine), capacities.overview),
    ...part('### Details', fresh.map(toSection), capacities.violated),
    ...part('### Drift: differs from the expected profile', drift.map(toItem), capacities.notes),
    ...part('### Known failures', known.map(toKnown), capacities.known),
    ...part('### Not verified', open.map(toItem), capacities.open),
    ...folded(
      `Unspecified behavior, observed (${observedCount})`,
      observed.map(([id, option]) => `- ${code(id)}: ${code(value(option))}${evidenceOf(report, id)}`),
      capacities.profile,
    ),
    ...folded(
      `Not applicable (${report.counts.notApplicable})`,
      clausesOf(report, 'not-applicable').map(({ id, reason = '' }) => `- ${code(id)}: ${inline(sentence(reason))}`),
      capacities.notes,
    ),
    ...part('### Notes', notes.map(toItem), capacities.notes),
  ]
  return `${blocks.join('\n\n')}\n`
}

export const toItem = ({ ids, text }: Remark): string =>
  `- ${[ids.map(code).join(', '), inline(text)].filter((words) => words !== '').join(': ')}`

/** A heading, and the items that fit. */
export function part(heading: string, items: readonly string[], capacity: number): string[] {
  return items.length === 0 ? [] : [heading, ...limited(items, capacity)]
}

function folded(summary: string, items: readonly string[], capacity: number): string[] {
  return items.length === 0 ? [] : [`<details><summary>${summary}</summary>`, ...limited(items, capacity), '</details>']
}

function limited(items: readonly string[], capacity: number): string[] {
  const { kept, left } = fit(items, capacity)
  const separator = /^(- |1\. )/.test(items[0] ?? '') ? '\n' : '\n\n'
  return [
    ...(kept.length > 0 ? [kept.join(separator)] : []),
    ...(left > 0 ? [`*${left} more; the other reporters show them.*`] : []),
  ]
}

function toLine({ clause, cases: [first], times, consequences }: Group, index: number): string {
  const also =
    consequences.length === 0 ? '' : `; probably also breaks ${consequences.map((one) => code(one.clause)).join(', ')}`
  return `${index + 1}. ${code(clause)}${times > 1 ? ` ×${times}` : ''}: ${inline(headline(first))}${also}`
}

function toSection(group: Group, index: number): string {
  const { clause, section, quote, cases } = group
  const [{ message, expected, actual, pointer, exchanges }, ...others] = cases
  return [
    `#### ${index + 1}. ${code(clause)}, ${inline(section)}`,
    `> ${inline(quote)}`,
    inline(sentence(message)),
    fenced('text', [
      `expected  ${value(expected)}`,
      `actual    ${value(actual)}${pointer === '' ? '' : `  at ${sentence(pointer)}`}`,
    ]),
    fenced(
      'sh',
      exchanges.slice(-limits.requests).map(({ curl }) => command(curl)),
    ),
    ...others.slice(0, limits.cases).map((one) => `Also: ${inline(sentence(one.message))}`),
  ].join('\n\n')
}

const toKnown = ({ clause, cases: [{ message, known }] }: Group): string =>
  `- ${code(clause)}: ${inline(sentence(message))} ${inline(`(${knownWords(known)})`)}`

function evidenceOf({ evidence }: Report, id: string): string {
  const shown = (evidence as Record<string, string>)[id]
  return shown === undefined ? '' : `, shown by ${inline(sentence(shown))}`
}
