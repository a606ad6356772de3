import type { ClauseResult, Finding, Report } from '../report.ts'
import { inert } from '../../report/inert.ts'
import {
  command,
  countsOf,
  effortOf,
  findingsOf,
  knownWords,
  notesOf,
  reachOf,
  sentence,
  stateOf,
  unprovenWords,
  value,
  verdictLine,
} from './words.ts'

/** Findings of one clause that a test point shows in full. */
const mostFindings = 20

/**
 * The report in the Test Anything Protocol, version 14: each clause is a test point. One that is not verified or not
 * applicable is skipped, and a known failure is a TODO, which may fail.
 */
export function toTap(report: Report): string {
  const points = report.clauses.flatMap((clause, index) => toPoint(report, clause, index + 1))
  // A harness takes a skipped point for a passed one. A run that could not tell is not green for all that.
  const isUnproven = report.verdict === 'not-verified'
  const plan = report.clauses.length + (isUnproven ? 1 : 0)
  return [
    'TAP version 14',
    `# petstore-kit ${value(report.kit)}  ${value(report.target)}`,
    `1..${plan}`,
    ...points,
    ...(isUnproven ? [`not ok ${plan} - ${escapeTap(`the run comes to a verdict: ${unprovenWords(report)}`)}`] : []),
    `# ${verdictLine(report)}`,
    `# ${countsOf(report)}`,
    `# ${effortOf(report)}`,
    ...notesOf(report).map((note) => `# ${note}`),
    '',
  ].join('\n')
}

function toPoint(report: Report, clause: ClauseResult, number: number): string[] {
  const point = `${number} - ${escapeTap(`${clause.id}: ${clause.quote}`)}`
  const state = stateOf(report, clause)
  const found = findingsOf(report, clause.id)
  const diagnostics = ['  ---', ...found.slice(0, mostFindings).flatMap(toYaml), '  ...']
  switch (state) {
    case 'verified':
      return [`ok ${point}`]
    case 'violated':
      return [`not ok ${point}`, ...diagnostics]
    case 'known':
      return [`not ok ${point} # TODO ${escapeTap(found[0]?.known ? knownWords(found[0].known) : '')}`, ...diagnostics]
    case 'not-verified':
    case 'not-applicable':
      return [`ok ${point} # SKIP ${state.replace('-', ' ')}: ${escapeTap(sentence(clause.reason ?? ''))}`]
  }
}

/** One finding as an item of a YAML sequence. A string of JSON is a string of YAML. */
function toYaml(finding: Finding): string[] {
  const { clause, check, message, pointer, expected, actual, exchanges } = finding
  const reach = reachOf(finding).join(' ')
  const members: [string, string][] = [
    ['message', sentence(message)],
    ['severity', 'fail'],
    ['clause', clause],
    ['check', check],
    ['expected', value(expected)],
    ['actual', value(actual)],
    ...(pointer === '' ? [] : [['at', sentence(pointer)] as [string, string]]),
    ...(reach === '' ? [] : [['reach', reach] as [string, string]]),
  ]
  return [
    ...members.map(([name, text], index) => `  ${index === 0 ? '- ' : '  '}${name}: ${JSON.stringify(text)}`),
    '    curl:',
    ...exchanges.map(({ curl }) => `      - ${JSON.stringify(command(curl))}`),
  ]
}

/** In a test point, `#` begins a directive. */
const escapeTap = (text: string): string => inert(text).replace(/[\\#]/g, '\\$&')
