import { styleText } from 'node:util'
import type { ClauseResult, Finding, Report } from '../report.ts'
import { inert } from './inert.ts'

/** How the text looks. */
export interface TextOptions {
  /** Use the colours of a terminal. Default: false. */
  color?: boolean
  /** Also list what was verified. Default: false. */
  verbose?: boolean
}

type Style = Parameters<typeof styleText>[0]
type Paint = (style: Style, text: string) => string

const verdicts = {
  conforms: { style: 'green', word: 'CONFORMS' },
  violates: { style: 'red', word: 'VIOLATES' },
  'not-verified': { style: 'yellow', word: 'NOT VERIFIED' },
} as const

/** The report for a person's first look: the verdict, what is violated and how to see it, what could not be told. */
export function toText(report: Report, { color = false, verbose = false }: TextOptions = {}): string {
  const paint: Paint = (style, text) => (color ? styleText(style, text, { validateStream: false }) : text)
  const { counts, clauses, findings, notes } = report
  const of = (verdict: ClauseResult['verdict']): ClauseResult[] =>
    clauses.filter((clause) => clause.verdict === verdict)
  const { style, word } = verdicts[report.verdict]
  const seconds = (report.durationMs / 1000).toFixed(1)
  const lines = [
    `petstore-kit ${report.kit}  ${inert(report.target)}`,
    '',
    `${paint(['bold', style], word)}  ${counts.verified} clauses verified, ${counts.violated} violated, ` +
      `${counts.notVerified} not verified, ${counts.notApplicable} not applicable`,
    `${counts.requests} requests, ${counts.writes} pets created, ${seconds} s`,
    ...(report.reason === undefined ? [] : ['', inert(report.reason)]),
    ...section(
      paint,
      'Violated',
      findings.flatMap((finding, index) => showFinding(paint, report, finding, index + 1)),
    ),
    ...section(paint, 'Not verified', byReason(of('not-verified').filter(({ reason }) => reason !== report.reason))),
    ...(verbose ? section(paint, 'Verified', table(of('verified').map(({ id, quote }) => [id, quote]))) : []),
    ...(verbose
      ? section(paint, 'Not applicable', table(of('not-applicable').map(({ id, reason = '' }) => [id, reason])))
      : []),
    ...section(paint, 'Observed, where the specification leaves the choice', table(observed(report))),
    ...section(
      paint,
      'Notes',
      notes.map((note) => `  ${inert(note)}`),
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

/** Clauses that are open for the same reason stand together below it. */
function byReason(results: readonly ClauseResult[]): string[] {
  const reasons = new Map<string, string[]>()
  for (const { id, reason = '' } of results) reasons.set(reason, [...(reasons.get(reason) ?? []), id])
  return [...reasons].flatMap(([reason, ids]) => [`  ${ids.join(', ')}`, `    ${inert(reason)}`])
}

function observed({ profile }: Report): [string, string][] {
  return Object.entries(profile)
    .filter(([, value]) => value !== 'unknown')
    .map(([id, value]) => [id, inert(value)])
}

function showFinding(paint: Paint, { clauses }: Report, finding: Finding, number: number): string[] {
  const clause = clauses.find(({ id }) => id === finding.clause)
  const { message, pointer, expected, actual, alsoBreaks, more, exchanges } = finding
  return [
    ...(number === 1 ? [] : ['']),
    `  ${number}. ${paint('red', finding.clause)}  ${clause?.section ?? ''}`,
    `     "${clause?.quote ?? ''}"`,
    `     ${inert(message)}`,
    `       expected  ${inert(expected)}`,
    `       actual    ${inert(actual)}${pointer === '' ? '' : `  at ${inert(pointer)}`}`,
    ...exchanges.map(({ curl }) => `       ${paint('dim', inert(curl))}`),
    ...(more > 0 ? [`     The same in ${more} more ${more === 1 ? 'answer' : 'answers'}.`] : []),
    ...(alsoBreaks.length > 0 ? [`     It also breaks ${alsoBreaks.join(', ')}.`] : []),
  ]
}
