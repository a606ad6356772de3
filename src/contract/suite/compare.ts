import { type BehaviorId, behaviors } from '../../spec/behaviors.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import { version } from '../../spec/version.ts'
import type { VerifyInput } from '../session/options.ts'
import { groupsOf, groupWith } from '../reporters/groups.ts'
import { headline } from '../report/words.ts'
import type {
  BehaviorChange,
  ComparedReport,
  Comparison,
  RequirementChange,
  Varying,
} from '../report/report.gen.ts'
import {
  type RequirementResult,
  type RequirementVerdict,
  expectReport,
  type Report,
  type ReportedExchange,
} from '../report/report.ts'
import { checkOptions, verifyBy } from './verify.ts'
import { type RunClock, systemClock } from '../http/waiting.ts'

/** How reports are compared. */
export interface CompareTerms {
  /** What the user calls the sides. Default: their targets. */
  names?: readonly [before: string, after: string] | undefined
  /** The reports of second runs: what they disagree about with the first is `varying`, not a difference. */
  again?: readonly [before: Report | undefined, after: Report | undefined] | undefined
}

/**
 * Compares two reports, requirement by requirement and behavior by behavior. Bytes, dates and ids play no part.
 *
 * @throws {UsageError} for anything but reports
 * @example
 * const { requirements, behaviors } = compareReports(lastWeek, today)
 * if (requirements.regressed.length > 0) console.log(requirements.regressed)
 */
export function compareReports(
  before: Report,
  after: Report,
  { names, again }: CompareTerms = {},
): Comparison {
  for (const report of [before, after]) expectReport(report)
  const runsOf = (first: Report, second: Report | undefined): Runs =>
    second ? [first, second] : [first]
  const runs = [runsOf(before, again?.[0]), runsOf(after, again?.[1])] as const
  const requirements = compareRequirements(...runs)
  const behaviors = compareBehaviors(...runs)
  const sides = { before: sideOf(before, names?.[0]), after: sideOf(after, names?.[1]) }
  const notes =
    before.kit === after.kit
      ? []
      : [
          `The reports are of petstore-kit ${before.kit} and ${after.kit}, which may check different things.`,
        ]
  return {
    schemaVersion: 1,
    kit: version,
    ...verdictOn({ ...sides, requirements, behaviors }),
    ...sides,
    requirements,
    behaviors,
    notes,
  }
}

function sideOf(
  { target, kit, startedAt, verdict, counts, reason }: Report,
  name = target,
): ComparedReport {
  return { name, target, kit, startedAt, verdict, ...(reason !== undefined && { reason }), counts }
}

/** The reports of the runs against one side. */
type Runs = readonly [Report, ...Report[]]

/** The values of all runs against one side: conclusive ones if there are any. */
function valuesOf(
  runs: Runs,
  valueOf: (report: Report) => string,
  isKnown: (value: string) => boolean,
): string[] {
  const values = runs.map(valueOf)
  const known = [...new Set(values.filter(isKnown))]
  return known.length > 0 ? known : values.slice(0, 1)
}

const isConclusive = (verdict: string): boolean => verdict === 'verified' || verdict === 'violated'

function compareRequirements(before: Runs, after: Runs): Comparison['requirements'] {
  const varying: Varying[] = []
  const changes: RequirementChange[] = []
  const same: RequirementVerdict[] = []
  const violatedInBoth: RequirementId[] = []
  const explain = explainer([after[0], before[0], ...after.slice(1), ...before.slice(1)])
  for (const { id, section, quote } of after[0].requirements) {
    const verdictIn = (report: Report): string => resultIn(report, id)?.verdict ?? 'not-verified'
    const [was, is] = [
      valuesOf(before, verdictIn, isConclusive),
      valuesOf(after, verdictIn, isConclusive),
    ]
    const [from, to] = [was[0] as RequirementVerdict, is[0] as RequirementVerdict]
    if (was.length + is.length > 2) varying.push({ id, before: was, after: is })
    else if (from !== to)
      changes.push({ id, section, quote, before: from, after: to, ...explain(id) })
    else same.push(to)
    if (from === 'violated' && to === 'violated') violatedInBoth.push(id)
  }
  // Requirements with a request of their own come before consequences.
  changes.sort((a, b) => Number(b.exchange !== undefined) - Number(a.exchange !== undefined))
  const regressed = changes.filter((change) => change.after === 'violated')
  const fixed = changes.filter(
    (change) => change.before === 'violated' && change.after === 'verified',
  )
  const compared = [
    ...same,
    ...regressed.map((one) => one.before),
    ...fixed.map((one) => one.after),
  ]
  return {
    regressed,
    fixed,
    incomparable: changes.filter(
      (change) => !regressed.includes(change) && !fixed.includes(change),
    ),
    varying,
    violatedInBoth,
    same: same.length,
    compared: compared.filter(isConclusive).length,
  }
}

const resultIn = (report: Report | undefined, id: RequirementId): RequirementResult | undefined =>
  report?.requirements.find((requirement) => requirement.id === id)

/** Explains why a requirement is violated in any of the reports or, if it is not, why it is not verified. */
function explainer(
  reports: readonly Report[],
): (id: RequirementId) => Pick<RequirementChange, 'message' | 'exchange'> {
  const groups = new Map(reports.map((report) => [report, groupsOf(report, report.findings)]))
  return (id) => {
    for (const report of reports) {
      const isViolated = resultIn(report, id)?.verdict === 'violated'
      const group = isViolated ? groupWith(groups.get(report) ?? [], id) : undefined
      if (!group) continue
      const [first] = group.cases
      if (group.requirement !== id)
        return { message: `probably because ${group.requirement} is violated` }
      const exchange = first.exchanges.at(-1)
      return { message: headline(first), ...(exchange && { exchange }) }
    }
    const [after, before] = reports
    const reason = resultIn(before, id)?.reason ?? resultIn(after, id)?.reason
    return { message: reason ?? 'not known in one of the reports' }
  }
}

const isObserved = (option: string): boolean => option !== 'unknown'

function compareBehaviors(before: Runs, after: Runs): Comparison['behaviors'] {
  const result: Comparison['behaviors'] = {
    differing: [],
    oneSided: [],
    varying: [],
    same: 0,
    unknown: 0,
  }
  for (const id of Object.keys(after[0].profile) as BehaviorId[]) {
    const optionIn = ({ profile }: Report): string => profile[id] ?? 'unknown'
    const [was, is] = [
      valuesOf(before, optionIn, isObserved),
      valuesOf(after, optionIn, isObserved),
    ]
    const [from = 'unknown', to = 'unknown'] = [was[0], is[0]]
    const change = (): BehaviorChange => {
      const { question = '', safe = '' } = behaviors.find((behavior) => behavior.id === id) ?? {}
      const [shownBefore, shownAfter] = [
        observationOf(id, from, before),
        observationOf(id, to, after),
      ]
      return {
        id,
        before: from,
        after: to,
        question,
        safe,
        exchanges: {
          ...(shownBefore && { before: shownBefore }),
          ...(shownAfter && { after: shownAfter }),
        },
      }
    }
    const isRuledOut =
      (isObserved(from) && after[0].candidates?.[id]?.includes(from) === false) ||
      (isObserved(to) && before[0].candidates?.[id]?.includes(to) === false)
    if (was.length + is.length > 2) result.varying.push({ id, before: was, after: is })
    else if (from === to && isObserved(from)) result.same += 1
    else if (isRuledOut || (isObserved(from) && isObserved(to))) {
      result.differing.push({
        ...change(),
        before: optionsOf(id, from, before[0]),
        after: optionsOf(id, to, after[0]),
      })
    } else {
      result.unknown += 1
      if (from !== to) result.oneSided.push(change())
    }
  }
  return result
}

/** An observed option, or those that remain possible. */
const optionsOf = (id: BehaviorId, option: string, { candidates }: Report): string =>
  isObserved(option) ? option : (candidates?.[id]?.join(' or ') ?? option)

/** What showed an option, in the first report that has it. */
const observationOf = (id: BehaviorId, option: string, runs: Runs): ReportedExchange | undefined =>
  runs.find(({ profile }) => profile[id] === option)?.observations?.[id]

type Verdict = Pick<Comparison, 'verdict' | 'reason'>

/** Unknown options never count as the same. */
function verdictOn(
  compared: Pick<Comparison, 'before' | 'after' | 'requirements' | 'behaviors'>,
): Verdict {
  const { before, after, requirements, behaviors } = compared
  const open = [before, after].find(({ verdict }) => verdict === 'not-verified')
  const isDifference = (change: RequirementChange): boolean => {
    const ends = [change.before, change.after]
    return ends.every(isConclusive) || (open === undefined && ends.includes('violated'))
  }
  const { regressed, fixed, incomparable } = requirements
  if (
    behaviors.differing.length > 0 ||
    [...regressed, ...fixed, ...incomparable].some(isDifference)
  ) {
    return { verdict: 'differ' }
  }
  if (open !== undefined) {
    return {
      verdict: 'not-verified',
      reason: `${open.name} could not be verified: ${open.reason ?? 'see its report'}`,
    }
  }
  if (requirements.compared + behaviors.same === 0) {
    return { verdict: 'not-verified', reason: 'nothing could be verified on both sides' }
  }
  return { verdict: incomparable.length + behaviors.oneSided.length > 0 ? 'no-difference' : 'same' }
}

/** What one side is: options as `verify` takes them, or the report of an earlier run. */
export type Comparable = VerifyInput | Report

/**
 * Verifies two deployments side by side and compares them. Where they differ, both run a second time, read-only: what then
 * differs from itself is `varying`. Nothing is written unless the options of a side say so: `readOnly` is true by default here.
 *
 * @throws {UsageError} when an option is wrong
 * @example
 * const { verdict, behaviors } = await compare({ baseUrl: staging, apiKey }, { baseUrl: production, apiKey })
 */
export async function compare(
  before: Comparable,
  after: Comparable,
  { names }: Pick<CompareTerms, 'names'> = {},
): Promise<Comparison> {
  return compareBy(systemClock, before, after, names)
}

/** `compare` by another clock. */
export async function compareBy(
  clock: RunClock,
  before: Comparable,
  after: Comparable,
  names?: CompareTerms['names'],
): Promise<Comparison> {
  const sides = [before, after].map((side) =>
    isReport(side) ? side : { ...side, readOnly: side?.readOnly ?? true },
  )
  for (const side of sides) if (!isReport(side)) checkOptions(side)
  const [one, two] = sides as [Comparable, Comparable]
  const run = async (side: Comparable): Promise<Report> =>
    isReport(side) ? side : verifyBy(clock, side)
  const [first, second] = await Promise.all([run(one), run(two)])
  const once = compareReports(first, second, { names })
  const { requirements, behaviors } = once
  const isDisputed =
    requirements.regressed.length + requirements.fixed.length + behaviors.differing.length > 0
  if (!isDisputed || sides.every(isReport)) return once
  // Read-only: duplicates of the pets of the first run may be rejected.
  const runAgain = async (side: Comparable) =>
    isReport(side) ? undefined : verifyBy(clock, { ...side, readOnly: true })
  const again = await Promise.all([runAgain(one), runAgain(two)])
  return compareReports(first, second, { names, again })
}

// JavaScript can pass anything.
const isReport = (side: Comparable): side is Report => 'requirements' in (Object(side) as object)
