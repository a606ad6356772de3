import { toJunitXml, type JunitCase } from '../../report/junit.ts'
import type { ClauseResult, Report } from '../report.ts'
import { findingLines, findingsOf, knownWords, sentence, stateOf, unprovenWords, value, verdictLine } from './words.ts'

/** Findings of one clause that a test case shows in full. */
const mostFindings = 20

/**
 * The report as JUnit XML: each clause is a test case, its section the class.
 *
 * A clause that is not applicable is skipped as one that is not verified, and says which it is. GitLab and Jenkins tell
 * runs apart by the names of their cases: a case that is left out looks like a deleted test, and one that comes back
 * like a new one.
 */
export function toJunit(report: Report): string {
  const { target, kit, verdict, exitCode, counts, profile, startedAt, durationMs } = report
  const name = 'Pet Store Service contract'
  const suite = {
    name,
    timestamp: startedAt,
    seconds: durationMs / 1000,
    properties: [
      ['target', value(target)],
      ['kit', `petstore-kit ${value(kit)}`],
      ['verdict', verdict],
      ['summary', verdictLine(report)],
      ['exitCode', String(exitCode)],
      ['requests', String(counts.requests)],
      ['writes', String(counts.writes)],
      ...Object.entries(profile).map(([id, option]) => [`profile.${id}`, value(option)] as const),
    ] as const,
    cases: [
      ...report.clauses.map((clause) => toCase(report, clause)),
      ...(verdict === 'not-verified' ? [unproven(report)] : []),
    ],
  }
  return toJunitXml(name, [suite])
}

function toCase(report: Report, clause: ClauseResult): JunitCase {
  const type = stateOf(report, clause)
  const shared = { classname: clause.section, name: `${clause.id}: ${clause.quote}` }
  if (type === 'verified') return shared
  const [first] = findingsOf(report, clause.id)
  const body = bodyOf(report, clause)
  if (type === 'violated') {
    return { ...shared, outcome: { tag: 'failure', type, message: sentence(first?.message ?? ''), body } }
  }
  if (type === 'known' && first?.known) {
    const message = knownWords(first.known)
    return { ...shared, outcome: { tag: 'skipped', type, message, body: `${message}\n${body}` } }
  }
  const message = `${type.replace('-', ' ')}: ${sentence(clause.reason ?? '')}`
  return { ...shared, outcome: { tag: 'skipped', type, message } }
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
function unproven(report: Report): JunitCase {
  const outcome = { tag: 'error', type: 'not-verified', message: unprovenWords(report) } as const
  return { classname: 'Run', name: 'the run comes to a verdict', outcome }
}
