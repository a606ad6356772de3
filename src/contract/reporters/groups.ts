import type { ClauseId } from '../../spec/clauses.ts'
import { count } from '../../report/text.ts'
import { dependsOn } from '../dependencies.ts'
import type { Finding, Report } from '../report.ts'
import { command, knownWords, quoteOf, sentence, value } from './words.ts'

/** A violated requirement with its cases, and the requirements that are violated probably because of it. */
export interface Group {
  clause: ClauseId
  section: string
  /** The words of the specification, a row of a table as a sentence. */
  quote: string
  /** What was found about it, the first case first. */
  cases: readonly [Finding, ...Finding[]]
  /** How many responses show it. */
  times: number
  consequences: readonly Consequence[]
}

export interface Consequence {
  clause: ClauseId
  /** Empty where the cases of the cause show it, too. */
  cases: readonly Finding[]
}

/** One group for each probable cause, in the order of the specification. */
export function groupsOf({ clauses }: Report, findings: readonly Finding[]): Group[] {
  const own = new Map<ClauseId, [Finding, ...Finding[]]>()
  for (const finding of findings) {
    const cases = own.get(finding.clause)
    if (cases) cases.push(finding)
    else own.set(finding.clause, [finding])
  }
  const violated = new Set(findings.flatMap(({ clause, alsoBreaks }) => [clause, ...alsoBreaks]))
  const rootOf = (id: ClauseId): ClauseId => {
    const causes = (dependsOn[id] ?? []).filter((cause) => violated.has(cause))
    return causes.map(rootOf).find((cause) => own.has(cause)) ?? id
  }
  const claimed = new Set<ClauseId>(own.keys())
  return clauses.flatMap(({ id, section, quote }): Group[] => {
    const cases = own.get(id)
    if (cases === undefined || rootOf(id) !== id) return []
    const shown = clauses.filter((other) => other.id !== id && own.has(other.id) && rootOf(other.id) === id)
    const consequences = shown.map((other): Consequence => ({ clause: other.id, cases: own.get(other.id) ?? [] }))
    const named = [...cases, ...consequences.flatMap((one) => one.cases)].flatMap(({ alsoBreaks }) => alsoBreaks)
    for (const clause of named) {
      if (claimed.has(clause)) continue
      claimed.add(clause)
      consequences.push({ clause, cases: [] })
    }
    const times = cases.reduce((sum, { more }) => sum + 1 + more, 0)
    return [{ clause: id, section, quote: quoteOf(quote), cases, times, consequences }]
  })
}

/** The groups that fail a run, and those of known failures. */
export function splitGroups(report: Report): { fresh: Group[]; known: Group[] } {
  const groupsWhere = (isKnown: boolean): Group[] =>
    groupsOf(
      report,
      report.findings.filter(({ known }) => (known !== undefined) === isKnown),
    )
  return { fresh: groupsWhere(false), known: groupsWhere(true) }
}

/** The group in which a violated requirement is shown, first as its cause. */
export const groupWith = (groups: readonly Group[], id: ClauseId): Group | undefined =>
  groups.find(({ clause }) => clause === id) ??
  groups.find(({ consequences }) => consequences.some(({ clause }) => clause === id))

/** `Probably also breaks list.page-full and create.listed.`; empty where it breaks nothing else. */
export function consequenceWords({ consequences }: Group): string {
  return consequences.length === 0 ? '' : `Probably also breaks ${consequences.map(({ clause }) => clause).join(', ')}.`
}

/** A group in lines of plain text: its first case whole, the others in a line each. */
export function groupLines(
  group: Group,
  { most = 20, dim = (line: string): string => line }: { most?: number; dim?: (line: string) => string } = {},
): string[] {
  const { cases, quote } = group
  const [first, ...others] = cases
  const shown = others.slice(0, most)
  return [
    `"${quote}"`,
    ...caseLines(first, dim),
    ...shown.map((one) => `Also: ${sentence(one.message)}`),
    ...(others.length > shown.length ? [`And ${count(others.length - shown.length, 'more case')}.`] : []),
    ...[consequenceWords(group)].filter((words) => words !== ''),
    ...(first.known ? [`It is ${knownWords(first.known)}.`] : []),
  ]
}

/** One case in lines of plain text. */
export function caseLines(
  { message, expected, actual, pointer, exchanges, more }: Finding,
  dim = (line: string): string => line,
): string[] {
  return [
    sentence(message),
    `  expected  ${value(expected)}`,
    `  actual    ${value(actual)}${pointer === '' ? '' : `  at ${sentence(pointer)}`}`,
    ...exchanges.map(({ curl }) => `  ${dim(command(curl))}`),
    ...(more > 0 ? [`The same in ${count(more, 'more response')}.`] : []),
  ]
}
