import { styleText } from 'node:util'
import type { Report } from '../report.ts'
import {
  byReason,
  clausesOf,
  countsOf,
  effortOf,
  findingLines,
  notesOf,
  sentence,
  value,
  verdictLine,
} from './words.ts'

/** How the text looks. */
export interface TextOptions {
  /** Use the colours of a terminal. Default: false. */
  color?: boolean
  /** Also list what was verified. Default: false. */
  verbose?: boolean
}

type Style = Parameters<typeof styleText>[0]
type Paint = (style: Style, text: string) => string

const styles = { conforms: 'green', violates: 'red', 'not-verified': 'yellow' } as const
/** What a run has not looked at is not as green as the rest. */
const partial = 'yellow'

/** The report for a person's first look: the verdict, what is violated and how to see it, what could not be told. */
export function toText(report: Report, { color = false, verbose = false }: TextOptions = {}): string {
  const paint: Paint = (style, text) => (color ? styleText(style, text, { validateStream: false }) : text)
  const { findings } = report
  const known = findings.filter((finding) => finding.known)
  const isPartial = report.verdict === 'conforms' && (report.selection !== undefined || report.counts.notVerified > 0)
  const lines = [
    `petstore-kit ${report.kit}  ${sentence(report.target)}`,
    '',
    paint(['bold', isPartial ? partial : styles[report.verdict]], verdictLine(report)),
    countsOf(report),
    effortOf(report),
    ...section(
      paint,
      'Violated',
      showFindings(
        paint,
        report,
        'red',
        findings.filter((finding) => !finding.known),
      ),
    ),
    ...section(paint, 'Known failures', showFindings(paint, report, 'yellow', known)),
    ...section(
      paint,
      'Not verified',
      byReason(report).flatMap(({ reason, ids }) => [`  ${ids.join(', ')}`, `    ${reason}`]),
    ),
    ...(verbose
      ? section(paint, 'Verified', table(clausesOf(report, 'verified').map(({ id, quote }) => [id, quote])))
      : []),
    ...(verbose
      ? section(
          paint,
          'Not applicable',
          table(clausesOf(report, 'not-applicable').map(({ id, reason = '' }) => [id, sentence(reason)])),
        )
      : []),
    ...section(paint, 'Observed, where the specification leaves the choice', table(observed(report))),
    ...section(
      paint,
      'Notes',
      notesOf(report).map((note) => `  ${note}`),
    ),
  ]
  return `${lines.join('\n')}\n`
}

function section(paint: Paint, title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', paint('bold', title), ...lines]
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}

function observed({ profile }: Report): [string, string][] {
  return Object.entries(profile)
    .filter(([, option]) => option !== 'unknown')
    .map(([id, option]) => [id, value(option)])
}

function showFindings(paint: Paint, report: Report, style: Style, findings: Report['findings']): string[] {
  return findings.flatMap((finding, index) => [
    ...(index === 0 ? [] : ['']),
    `  ${index + 1}. ${paint(style, finding.clause)}  ${report.clauses.find(({ id }) => id === finding.clause)?.section ?? ''}`,
    ...findingLines(report, finding, (line) => paint('dim', line)).map((line) => `     ${line}`),
  ])
}
