import { toJunitXml, type JunitCase } from '../../report/junit.ts'
import type { ClauseResult, Report } from '../report.ts'
import { groupLines, groupsOf, groupWith, type Group } from './groups.ts'
import { knownWords, quoteOf, sentence, stateOf, unprovenWords, value, verdictLine } from './words.ts'

/**
 * The report as JUnit XML: each requirement is a test case, its section the class.
 *
 * A requirement that is not applicable is skipped as one that is not verified, and says which it is. GitLab and Jenkins
 * tell runs apart by the names of their cases: a case that is left out looks like a deleted test, and one that comes
 * back like a new one.
 */
export function toJunit(report: Report): string {
  const { target, kit, verdict, exitCode, counts, profile, startedAt, durationMs } = report
  const name = 'Pet Store Service contract'
  const groups = groupsOf(report, report.findings)
  const unproven = { tag: 'error', type: 'not-verified', message: unprovenWords(report) } as const
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
      ...report.clauses.map((clause) => toCase(report, clause, groups)),
      // A run that comes to no verdict must not look green to whoever reads only this file.
      ...(verdict === 'not-verified'
        ? [{ classname: 'Run', name: 'the run comes to a verdict', outcome: unproven }]
        : []),
    ],
  }
  return toJunitXml(name, [suite])
}

function toCase(report: Report, clause: ClauseResult, groups: readonly Group[]): JunitCase {
  const type = stateOf(report, clause)
  const shared = { classname: clause.section, name: `${clause.id}: ${quoteOf(clause.quote)}` }
  if (type === 'verified') return shared
  const group = groupWith(groups, clause.id)
  if (group === undefined || (type !== 'violated' && type !== 'known')) {
    const message = `${type.replace('-', ' ')}: ${sentence(clause.reason ?? '')}`
    return { ...shared, outcome: { tag: 'skipped', type, message } }
  }
  const [first] = group.cases
  const cause = group.clause === clause.id ? '' : `Probably because ${group.clause} is violated: `
  const message = type === 'known' ? knownWords(first.known) : `${cause}${sentence(first.message)}`
  const body = [message, ...(cause === '' ? groupLines(group) : [])].join('\n')
  return { ...shared, outcome: { tag: type === 'known' ? 'skipped' : 'failure', type, message, body } }
}
