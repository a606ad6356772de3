import type { RequirementId } from '../../spec/requirements.ts'
import { count, rowToSentence } from '../../report/text.ts'
import type { Finding, Report } from '../report/report.ts'
import { byChance } from '../judge/findings.ts'
import { causeOf } from './causes.ts'
import { besideWords, command, headline, knownWords, sentence, value } from '../report/words.ts'

/** A violated requirement with its findings, and the violated requirements that are its probable consequences. */
export interface Group {
  requirement: RequirementId
  section: string
  /** The words of the specification; table rows as sentences. */
  quote: string
  cases: readonly [Finding, ...Finding[]]
  /** How many responses show it. */
  times: number
  consequences: readonly Consequence[]
  /** Its probable cause, if the baseline accepts that. */
  knownCause?: RequirementId
}

interface Consequence {
  requirement: RequirementId
  quote: string
  /** Empty if the findings of the cause show it as well. */
  cases: readonly Finding[]
}

/** Groups findings by probable cause, in the order of the specification. */
export function groupsOf(
  { requirements }: Pick<Report, 'requirements'>,
  findings: readonly Finding[],
): Group[] {
  const found = byRequirement(findings)
  const causes = new Map([...found.keys()].map((id) => [id, causeOf(id, found)]))
  // Where two explain each other, neither would be shown.
  for (const cause of causes.values()) if (causes.get(cause) !== cause) causes.set(cause, cause)
  const claimed = new Set<RequirementId>(found.keys())
  const leads = (group: Group): number => Number(group.cases.some(isByChance))
  const quoteOf = (id: RequirementId): string =>
    rowToSentence(requirements.find((one) => one.id === id)?.quote ?? '')
  const groups = requirements.flatMap(({ id, section }): Group[] => {
    // What most responses show is the headline, whichever operation responded first.
    const cases = found.get(id)?.sort((one, other) => rankOf(other) - rankOf(one))
    if (cases === undefined || causes.get(id) !== id) return []
    const shown = requirements.filter((other) => other.id !== id && causes.get(other.id) === id)
    const consequences = shown.map((other): Consequence => ({
      requirement: other.id,
      quote: quoteOf(other.id),
      cases: found.get(other.id) ?? [],
    }))
    const named = [...cases, ...consequences.flatMap((one) => one.cases)].flatMap(
      ({ alsoBreaks }) => alsoBreaks,
    )
    for (const requirement of named) {
      if (claimed.has(requirement)) continue
      claimed.add(requirement)
      consequences.push({ requirement, quote: quoteOf(requirement), cases: [] })
    }
    const times = cases.reduce((sum, one) => sum + timesOf(one), 0)
    return [{ requirement: id, section, quote: quoteOf(id), cases, times, consequences }]
  })
  return groups.sort((one, other) => leads(other) - leads(one))
}

const isByChance = ({ check }: Finding): boolean => check === byChance

/** Known failures come last: what fails the run is the headline. */
function rankOf(finding: Finding): number {
  const times = timesOf(finding)
  return finding.known ? -1 / times : isByChance(finding) ? Infinity : times
}

function byRequirement(findings: readonly Finding[]): Map<RequirementId, [Finding, ...Finding[]]> {
  const found = new Map<RequirementId, [Finding, ...Finding[]]>()
  for (const finding of findings) {
    const cases = found.get(finding.requirement)
    if (cases) cases.push(finding)
    else found.set(finding.requirement, [finding])
  }
  return found
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
export function splitGroups(report: Pick<Report, 'requirements' | 'findings'>): {
  fresh: Group[]
  known: Group[]
} {
  const known = report.findings.filter((one) => one.known !== undefined)
  const fresh = report.findings.filter((one) => one.known === undefined)
  const all = byRequirement(report.findings)
  const withKnownCause = (group: Group): Group => {
    const knownCause = causeOf(group.requirement, all)
    const isKnown = fresh.every(({ requirement }) => requirement !== knownCause)
    return isKnown ? { ...group, knownCause } : group
  }
  return { fresh: groupsOf(report, fresh).map(withKnownCause), known: groupsOf(report, known) }
}

/** The group of a violated requirement, as its cause or as a consequence. */
export const groupWith = (groups: readonly Group[], id: RequirementId): Group | undefined =>
  groups.find(({ requirement }) => requirement === id) ??
  groups.find(({ consequences }) => consequences.some(({ requirement }) => requirement === id))

/** `Probably also breaks list.page-full, create.listed.` */
export function consequenceWords({ consequences, knownCause }: Group): string {
  const all = consequences.map(({ requirement }) => requirement).join(', ')
  return [
    ...(all === '' ? [] : [`Probably also breaks ${all}.`]),
    ...(knownCause === undefined
      ? []
      : [
          `Probably comes from the known failure of ${knownCause}; petstore baseline can accept it, too.`,
        ]),
  ].join(' ')
}

/** How the sentences, the values and the commands of a case become lines. */
export interface CaseLayout {
  text: (line: string) => string[]
  value: (line: string) => string[]
  command: (line: string) => string[]
}

const plain: CaseLayout = {
  text: (line) => [line],
  value: (line) => [`  ${line}`],
  command: (line) => [`  ${line}`],
}

/** Plain text: the first finding in detail, one line for each of the others. */
export function groupLines(group: Group, most = 20, layout = plain): string[] {
  const { cases, quote } = group
  const [first, ...others] = cases
  const shown = others.slice(0, most)
  const words = [
    ...shown.map((one) => `Also: ${sentence(one.message)}`),
    ...(others.length > shown.length
      ? [`And ${count(others.length - shown.length, 'more case')}.`]
      : []),
    ...[consequenceWords(group)].filter((words) => words !== ''),
    ...(first.known ? [`It is ${knownWords(first.known)}.`] : []),
  ]
  return [
    ...layout.text(`"${quote}"`),
    ...layout.text(sentence(first.message)),
    ...caseLines(first, layout),
    ...words.flatMap(layout.text),
  ]
}

/** What a sentence is about. */
export function caseLines(
  { expected, actual, kind, pointer, exchanges, more, conforming }: Finding,
  layout: CaseLayout,
): string[] {
  const response = exchanges.at(-1)?.response
  return [
    ...[
      `expected  ${value(expected)}`,
      `actual    ${value(actual)}${pointer === '' ? '' : `  at ${sentence(pointer)}`}`,
      ...(kind === 'status' && response?.body && response.status >= 400
        ? [`response  ${value(response.body)}`]
        : []),
      ...(conforming ? [`a conforming service: ${besideWords(conforming)}`] : []),
    ].flatMap(layout.value),
    ...exchanges.flatMap(({ curl }) => layout.command(command(curl))),
    ...(more > 0 ? layout.text(`The same in ${count(more, 'more response')}.`) : []),
  ]
}
