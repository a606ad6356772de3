import { requirements, type Requirement, type RequirementId } from '../../spec/requirements.ts'
import { checks } from './checks.ts'
import { allBroken, type Findings, GetRemoved, type Recorded } from '../judge/findings.ts'
import type { VerifyOptions } from '../session/options.ts'
import {
  checkedOf,
  toVerdict,
  type RequirementResult,
  type RequirementVerdict,
  type Counts,
  type Report,
} from '../report/report.ts'
import { everyResponse, isJudgedByEachResponse, type Schedule } from './selection.ts'

/** What the verdicts depend on, beside the schedule. */
export interface JudgedRun {
  readonly findings: Findings
  readonly options: Pick<
    VerifyOptions,
    'depth' | 'minVerified' | 'only' | 'readOnly' | 'skip' | 'strict'
  >
  readonly getRemoved: boolean
}

type Verdict = Pick<Report, 'verdict' | 'exitCode' | 'reason' | 'selection' | 'requirements'> & {
  counts: Omit<Report['counts'], 'requests' | 'writes'>
}

/** @param ended why the run could not start or ended early */
export function reachVerdict(run: JudgedRun, schedule: Schedule, ended?: string): Verdict {
  const { depth, minVerified, only, skip, strict } = run.options
  const results = (requirements as readonly Requirement[]).map((requirement) =>
    judgeRequirement(requirement, run, schedule, ended),
  )
  const count = (verdict: RequirementVerdict): number =>
    results.filter((result) => result.verdict === verdict).length
  const partlyOpen = results.filter(
    (one) => one.verdict === 'verified' && one.open !== undefined,
  ).length
  const counts = {
    verified: count('verified'),
    violated: count('violated'),
    notVerified: count('not-verified'),
    ...(partlyOpen > 0 && { partlyOpen }),
  }
  const isSelection = only.length + skip.length > 0
  const finished = schedule.scheduled.filter(({ id }) => run.findings.done.has(id))
  const unproven =
    depth === 'smoke'
      ? unfinished(run, schedule)
      : isSelection && counts.verified + counts.violated === 0
        ? 'no selected requirement could be verified'
        : undefined
  const reason = ended ?? unproven ?? tooFew(counts, minVerified)
  return {
    ...toVerdict(counts, { reason, depth }, strict),
    ...(reason !== undefined && { reason }),
    ...((isSelection || depth === 'smoke') && {
      selection: {
        checks: finished.length,
        of: checks.length,
        ...(isSelection && { only: [...only], skip: [...skip] }),
      },
    }),
    counts: { ...counts, notApplicable: count('not-applicable') },
    requirements: results,
  }
}

const isReported = (
  requirement: RequirementId,
  { findings }: JudgedRun,
  { isSelected }: Schedule,
): boolean => isSelected(requirement, findings.seenBy.get(requirement))

/** The violations of selected requirements, each by the first of them, and notes on the others: no selection hides a violation. */
export function selectViolations(
  run: JudgedRun,
  schedule: Schedule,
): { violations: Recorded[]; notes: string[] } {
  const violations: Recorded[] = []
  const outside = new Map<RequirementId, string>()
  for (const found of run.findings.violations) {
    const broken = allBroken(found)
    const [requirement, ...alsoBreaks] = broken.filter((id) => isReported(id, run, schedule))
    if (requirement !== undefined) violations.push({ ...found, requirement, alsoBreaks })
    for (const id of broken)
      if (!isReported(id, run, schedule) && !outside.has(id)) outside.set(id, found.message)
  }
  const notes = [...outside].map(
    ([id, message]) => `${id}, which is not selected, is violated: ${message}`,
  )
  return { violations, notes }
}

/** Why --min-verified is not met. */
function tooFew(counts: Counts, least: VerifyOptions['minVerified']): string | undefined {
  const { checked, of } = checkedOf(counts)
  const wanted =
    typeof least === 'string' ? Math.ceil((Number.parseInt(least, 10) * of) / 100) : (least ?? 0)
  return checked >= wanted ? undefined : `--min-verified ${least} demands more`
}

/**
 * A requirement is violated if a finding says so. It is verified if a check of it finished, or a response that could violate it
 * did not, unless a claim remains. It is not applicable if nothing but the limits of the interface kept its checks
 * from verifying it. A smoke run sends too few requests to verify one.
 */
function judgeRequirement(
  requirement: Requirement,
  run: JudgedRun,
  schedule: Schedule,
  ended?: string,
): RequirementResult {
  const { findings, getRemoved, options } = run
  const id = requirement.id as RequirementId
  const { section, quote } = requirement
  const open = findings.unverifiedBy.get(id) ?? []
  const result = (
    verdict: RequirementVerdict,
    by: readonly string[],
    reason?: string,
  ): RequirementResult => ({
    id,
    section,
    quote,
    verdict,
    checks: [...new Set(by)],
    ...(reason !== undefined && { reason }),
    ...(verdict === 'not-verified' && findings.unawaited.has(id) && { looksViolated: true }),
    ...(open.length > 0 && verdict !== 'not-applicable' && { open }),
  })
  if (!isReported(id, run, schedule))
    return result('not-applicable', [], requirement.untestable ?? 'excluded by --only or --skip')
  const showing = findings.violations.filter((one) => allBroken(one).includes(id))
  if (showing.length > 0)
    return result(
      'violated',
      showing.map(({ check }) => check),
    )
  if (requirement.untestable !== undefined)
    return result('not-applicable', [], requirement.untestable)
  const isSmoke = options.depth === 'smoke'
  const isOpen = findings.keptOpen.has(id) || isSmoke
  const verified = schedule.scheduled
    .filter((check) => check.requirements.includes(id))
    .map((check) => check.id)
    .filter((check) => findings.done.has(check) && !findings.couldNotVerify(check, id))
  if (verified.length > 0 && !isOpen) return result('verified', verified)
  if (getRemoved && id.startsWith('get.')) {
    return result('not-applicable', [], new GetRemoved().message)
  }
  if (isJudgedByEachResponse(id) && findings.judged.has(id) && !isOpen)
    return result('verified', [everyResponse])
  const left = schedule.leftOut.get(id)
  const beyond = findings.outOfReach.get(id) ?? []
  if (beyond.length > 0 && open.length === 0 && left === undefined && !isOpen) {
    return result('not-applicable', [], joined(beyond.map(({ reason }) => reason)))
  }
  const reasons = left === undefined ? open.map(({ reason }) => reason) : [left]
  if (isSmoke) reasons.push('the depth smoke sends only some requests')
  if (reasons.length === 0) reasons.push(ended ?? 'not exercised by this run')
  return result('not-verified', [], joined(reasons))
}

/** Different reasons in one line: a message that ends as a sentence does not end it. */
const joined = (reasons: readonly string[]): string =>
  [...new Set(reasons.map((reason) => reason.replace(/\.$/, '')))].join('; ')

/** Why a smoke run shows too little: a check of a selected requirement that could not finish, other than for lack of a precondition. */
function unfinished(run: JudgedRun, schedule: Schedule): string | undefined {
  const { done, stopped } = run.findings
  const planned = schedule.scheduled.filter(({ requirements: its }) =>
    its.some((requirement) => isReported(requirement, run, schedule)),
  )
  const [first, ...more] = planned.filter(
    ({ id }) => !done.has(id) && stopped.get(id)?.lacksPrecondition !== true,
  )
  if (first) {
    const others = more.length === 0 ? '' : ` and ${more.length} more`
    return `${first.id}${others} could not finish: ${stopped.get(first.id)?.reason ?? 'the run ended before'}`
  }
  return planned.some(({ id }) => done.has(id))
    ? undefined
    : 'no selected requirement could be tried'
}
