import type { ClauseId } from '../../spec/clauses.ts'
import { count } from '../../report/text.ts'
import type { Finding, Report } from '../report/report.ts'
import { causeOf } from './causes.ts'
import { command, headline, knownWords, quoteOf, sentence, value } from '../report/words.ts'

/** A violated requirement with its findings, and the violated requirements that are its probable consequences. */
export interface Group {
  clause: ClauseId
  section: string
  /** The words of the specification; table rows as sentences. */
  quote: string
  cases: readonly [Finding, ...Finding[]]
  /** How many responses show it. */
  times: number
  consequences: readonly Consequence[]
}

export interface Consequence {
  clause: ClauseId
  /** Empty if the findings of the cause show it as well. */
  cases: readonly Finding[]
}

/** Groups findings by probable cause, in the order of the specification. */
export function groupsOf(
  { clauses }: Pick<Report, 'clauses'>,
  findings: readonly Finding[],
): Group[] {
  const found = new Map<ClauseId, [Finding, ...Finding[]]>()
  for (const finding of findings) {
    const cases = found.get(finding.clause)
    if (cases) cases.push(finding)
    else found.set(finding.clause, [finding])
  }
  const causes = new Map([...found.keys()].map((id) => [id, causeOf(id, found)]))
  const claimed = new Set<ClauseId>(found.keys())
  return clauses.flatMap(({ id, section, quote }): Group[] => {
    const cases = found.get(id)
    if (cases === undefined || causes.get(id) !== id) return []
    const shown = clauses.filter((other) => other.id !== id && causes.get(other.id) === id)
    const consequences = shown.map((other): Consequence => ({
      clause: other.id,
      cases: found.get(other.id) ?? [],
    }))
    const named = [...cases, ...consequences.flatMap((one) => one.cases)].flatMap(
      ({ alsoBreaks }) => alsoBreaks,
    )
    for (const clause of named) {
      if (claimed.has(clause)) continue
      claimed.add(clause)
      consequences.push({ clause, cases: [] })
    }
    const times = cases.reduce((sum, one) => sum + timesOf(one), 0)
    return [{ clause: id, section, quote: quoteOf(quote), cases, times, consequences }]
  })
}

const timesOf = ({ more }: Finding): number => 1 + more

/** `in 8 responses`; empty for one. */
export const timesWords = (times: number): string => (times > 1 ? `in ${times} responses` : '')

/** One line for each kind of finding after the first: several faults may violate one requirement. */
export function kindLines({ cases: [, ...others] }: Group, most: number, rest: string): string[] {
  const shown = others.slice(0, most)
  const left = others.length - shown.length
  return [
    ...shown.map((one) =>
      [`also: ${headline(one)}`, timesWords(timesOf(one))].filter(Boolean).join(', '),
    ),
    ...(left > 0 ? [`and ${count(left, 'more kind')} (${rest})`] : []),
  ]
}

/** The groups that fail a run, and those that the baseline excuses. */
export function splitGroups(report: Pick<Report, 'clauses' | 'findings'>): {
  fresh: Group[]
  known: Group[]
} {
  const known = report.findings.filter((one) => one.known !== undefined)
  const fresh = report.findings.filter((one) => one.known === undefined)
  return { fresh: groupsOf(report, fresh), known: groupsOf(report, known) }
}

/** The group of a violated requirement, as its cause or as a consequence. */
export const groupWith = (groups: readonly Group[], id: ClauseId): Group | undefined =>
  groups.find(({ clause }) => clause === id) ??
  groups.find(({ consequences }) => consequences.some(({ clause }) => clause === id))

/** `Probably also breaks list.page-full and create.listed.` */
export function consequenceWords({ consequences }: Group): string {
  return consequences.length === 0
    ? ''
    : `Probably also breaks ${consequences.map(({ clause }) => clause).join(', ')}.`
}

/** Plain text: the first finding in detail, one line for each of the others. */
export function groupLines(
  group: Group,
  {
    most = 20,
    dim = (line: string): string => line,
  }: { most?: number; dim?: (line: string) => string } = {},
): string[] {
  const { cases, quote } = group
  const [first, ...others] = cases
  const shown = others.slice(0, most)
  return [
    `"${quote}"`,
    ...caseLines(first, dim),
    ...shown.map((one) => `Also: ${sentence(one.message)}`),
    ...(others.length > shown.length
      ? [`And ${count(others.length - shown.length, 'more case')}.`]
      : []),
    ...[consequenceWords(group)].filter((words) => words !== ''),
    ...(first.known ? [`It is ${knownWords(first.known)}.`] : []),
  ]
}

export function caseLines(
  { message, expected, actual, pointer, exchanges, more }: Finding,
  dim = (line: string): string => line,
): string[] {
  const response = exchanges.at(-1)?.response
  return [
    sentence(message),
    `  expected  ${value(expected)}`,
    `  actual    ${value(actual)}${pointer === '' ? '' : `  at ${sentence(pointer)}`}`,
    ...(/^status [45]/.test(actual) && response?.body
      ? [`  response  ${value(response.body)}`]
      : []),
    ...exchanges.map(({ curl }) => `  ${dim(command(curl))}`),
    ...(more > 0 ? [`The same in ${count(more, 'more response')}.`] : []),
  ]
}
