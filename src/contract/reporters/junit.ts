import type { ClauseResult, Report } from '../report.ts'
import { inertLines } from '../../report/inert.ts'
import { findingLines, findingsOf, knownWords, sentence, stateOf, unprovenWords, value, verdictLine } from './words.ts'

/** Findings of one clause that a test case shows in full. */
const mostFindings = 20

/**
 * The report as JUnit XML: each clause is a test case, its section the class.
 *
 * A clause that is not applicable is skipped as one that is not verified, and says which it is. GitLab and Jenkins tell
 * runs apart by the names of their cases: a case that is left out looks like a deleted test, and one that comes back
 * like a new one. GitLab shows the body of a failure or a skip, Jenkins also its message; so both hold the reason.
 */
export function toJunit(report: Report): string {
  const { clauses, durationMs, startedAt, verdict } = report
  const states = clauses.map((clause) => stateOf(report, clause))
  const failures = states.filter((state) => state === 'violated').length
  const passed = states.filter((state) => state === 'verified').length
  const errors = verdict === 'not-verified' ? 1 : 0
  const totals = attributes({ tests: clauses.length + errors, failures, errors })
  const time = attributes({ time: (durationMs / 1000).toFixed(3) })
  const name = attributes({ name: 'Pet Store Service contract' })
  const skipped = attributes({ skipped: clauses.length - failures - passed, timestamp: startedAt.slice(0, 19) })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${name}${totals}${time}>`,
    `  <testsuite${name}${totals}${skipped}${time}>`,
    '    <properties>',
    ...propertiesOf(report).map(([key, text]) => `      <property${attributes({ name: key, value: text })}/>`),
    '    </properties>',
    ...clauses.map((clause) => toCase(report, clause)),
    ...(errors > 0 ? [unproven(report)] : []),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

function propertiesOf(report: Report): [string, string][] {
  const { target, kit, verdict, exitCode, counts, profile } = report
  return [
    ['target', value(target)],
    ['kit', `petstore-kit ${value(kit)}`],
    ['verdict', verdict],
    ['summary', verdictLine(report)],
    ['exitCode', String(exitCode)],
    ['requests', String(counts.requests)],
    ['writes', String(counts.writes)],
    ...Object.entries(profile).map(([id, option]): [string, string] => [`profile.${id}`, value(option)]),
  ]
}

function toCase(report: Report, clause: ClauseResult): string {
  const state = stateOf(report, clause)
  const start = `    <testcase${attributes({ classname: clause.section, name: `${clause.id}: ${clause.quote}` })}`
  const withOutcome = (outcome: string): string => `${start}>\n      ${outcome}\n    </testcase>`
  if (state === 'verified') return `${start}/>`
  const found = findingsOf(report, clause.id)
  if (state === 'violated') {
    const [first] = found
    return withOutcome(element('failure', sentence(first?.message ?? ''), 'violated', bodyOf(report, clause)))
  }
  const [first] = found
  const reason =
    state === 'known' && first?.known
      ? knownWords(first.known)
      : `${state.replace('-', ' ')}: ${sentence(clause.reason ?? '')}`
  return withOutcome(
    element('skipped', reason, state, state === 'known' ? `${reason}\n${bodyOf(report, clause)}` : reason),
  )
}

function bodyOf(report: Report, { id }: ClauseResult): string {
  const found = findingsOf(report, id)
  const texts = found.slice(0, mostFindings).map((finding) => {
    const lines = findingLines(report, finding)
    return (finding.clause === id ? lines : [`Shown by a breach of ${finding.clause}:`, ...lines]).join('\n')
  })
  return [...texts, ...(found.length > mostFindings ? [`${found.length - mostFindings} more findings`] : [])].join(
    '\n\n',
  )
}

/** A run that could not tell must not look green to whoever reads only this file. */
function unproven(report: Report): string {
  const reason = unprovenWords(report)
  const start = `    <testcase${attributes({ classname: 'Run', name: 'the run comes to a verdict' })}>`
  return `${start}\n      ${element('error', reason, 'not-verified', reason)}\n    </testcase>`
}

function element(name: string, message: string, type: string, body: string): string {
  return `<${name}${attributes({ message, type })}>${escapeXml(body)}</${name}>`
}

function attributes(values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(([name, text]) => ` ${name}="${escapeXml(String(text))}"`)
    .join('')
}

/** XML 1.0 has no place for most control characters, not even as references; they become visible escapes. */
function escapeXml(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return inertLines(text).replace(/[&<>"]/g, (char) => names[char] ?? char)
}
