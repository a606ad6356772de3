import { columns, painter, section, type Paint, type Style } from '../../report/text.ts'
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

const styles = { conforms: 'green', violates: 'red', 'not-verified': 'yellow' } as const
/** What a run has not looked at is not as green as the rest. */
const partial = 'yellow'

/** The report for a person's first look: the verdict, what is violated and how to see it, what could not be told. */
export function toText(report: Report, { color = false, verbose = false }: TextOptions = {}): string {
  const paint = painter(color)
  const { findings } = report
  const known = findings.filter((finding) => finding.known)
  const isPartial = report.verdict === 'conforms' && (report.selection !== undefined || report.counts.notVerified > 0)
  const lines = [
    `petstore-kit ${report.kit}  ${sentence(report.target)}`,
    '',
    paint('bold', paint(isPartial ? partial : styles[report.verdict], verdictLine(report))),
    countsOf(report),
    effortOf(report),
    ...section(
      paint('bold', 'Violated'),
      showFindings(
        paint,
        report,
        'red',
        findings.filter((finding) => !finding.known),
      ),
    ),
    ...section(paint('bold', 'Known failures'), showFindings(paint, report, 'yellow', known)),
    ...section(
      paint('bold', 'Not verified'),
      byReason(report).flatMap(({ reason, ids }) => [`  ${ids.join(', ')}`, `    ${reason}`]),
    ),
    ...(verbose
      ? section(paint('bold', 'Verified'), columns(clausesOf(report, 'verified').map(({ id, quote }) => [id, quote])))
      : []),
    ...(verbose
      ? section(
          paint('bold', 'Not applicable'),
          columns(clausesOf(report, 'not-applicable').map(({ id, reason = '' }) => [id, sentence(reason)])),
        )
      : []),
    ...section(paint('bold', 'Observed, where the specification leaves the choice'), columns(observed(report))),
    ...section(
      paint('bold', 'Notes'),
      notesOf(report).map((note) => `  ${note}`),
    ),
  ]
  return `${lines.join('\n')}\n`
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
