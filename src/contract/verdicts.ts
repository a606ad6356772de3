import { clauses, type Clause, type ClauseId } from '../spec/clauses.ts'
import { checks } from './checks/index.ts'
import type { Findings } from './findings.ts'
import type { VerifyOptions } from './options.ts'
import {
  checkedOf,
  toVerdict,
  type ClauseResult,
  type ClauseVerdict,
  type Counts,
  type Report,
} from './report.ts'
import {
  everyResponse,
  isJudgedByEachResponse,
  isWriting,
  matches,
  survey,
  type Schedule,
} from './selection.ts'
import type { Check } from './session.ts'

/** What the verdicts depend on, beside the schedule. */
export interface JudgedRun {
  readonly findings: Findings
  readonly options: Pick<
    VerifyOptions,
    'depth' | 'minVerified' | 'only' | 'readOnly' | 'skip' | 'strict'
  >
  readonly getRemoved: boolean
}

/** How the reasons of checks begin that need getPet, once it is removed. */
const removed = 'getPet has been removed'

type Verdict = Pick<Report, 'verdict' | 'exitCode' | 'reason' | 'selection' | 'clauses'> & {
  counts: Omit<Report['counts'], 'requests' | 'writes'>
}

/** @param ended why the run could not start or ended early */
export function reachVerdict(run: JudgedRun, schedule: Schedule, ended?: string): Verdict {
  const { depth, minVerified, only, skip, strict } = run.options
  const results = (clauses as readonly Clause[]).map((clause) =>
    judgeClause(clause, run, schedule, ended),
  )
  const count = (verdict: ClauseVerdict): number =>
    results.filter((result) => result.verdict === verdict).length
  const [verified, violated, notVerified] = [
    count('verified'),
    count('violated'),
    count('not-verified'),
  ]
  const partlyOpen = results.filter(
    (one) => one.verdict === 'verified' && one.open !== undefined,
  ).length
  const counts = { verified, violated, notVerified, ...(partlyOpen > 0 && { partlyOpen }) }
  const isPartial = depth === 'smoke' || only.length + skip.length > 0
  const finished = schedule.scheduled.filter(({ id }) => run.findings.done.has(id))
  const selection = isPartial ? { checks: finished.length, of: checks.length } : undefined
  const unproven = isPartial ? whyUnproven(run, schedule.scheduled, verified + violated) : undefined
  const reason = ended ?? unproven ?? tooFew(counts, minVerified)
  return {
    ...toVerdict(counts, { reason, selection }, strict),
    ...(reason !== undefined && { reason }),
    ...(selection && { selection }),
    counts: { ...counts, notApplicable: count('not-applicable') },
    clauses: results,
  }
}

/** Why --min-verified is not met. */
function tooFew(counts: Counts, least: VerifyOptions['minVerified']): string | undefined {
  const { checked, of } = checkedOf(counts)
  const wanted =
    typeof least === 'string' ? Math.ceil((Number.parseInt(least, 10) * of) / 100) : (least ?? 0)
  return checked >= wanted ? undefined : `--min-verified ${least} demands more`
}

/**
 * A clause is violated if a finding says so. It is verified if a check of it finished, or a response that could violate it
 * did not, unless a suspicion remains or a partial run lacks a check that could show more.
 */
function judgeClause(
  clause: Clause,
  run: JudgedRun,
  schedule: Schedule,
  ended?: string,
): ClauseResult {
  const { findings, getRemoved, options } = run
  const id = clause.id as ClauseId
  const { section, quote } = clause
  // A removed operation leaves nothing open.
  const open = (findings.open.get(id) ?? []).filter(
    (one) => !(getRemoved && one.reason.startsWith(removed)),
  )
  const result = (
    verdict: ClauseVerdict,
    by: readonly string[],
    reason?: string,
  ): ClauseResult => ({
    id,
    section,
    quote,
    verdict,
    checks: [...new Set(by)],
    ...(reason !== undefined && { reason }),
    ...(open.length > 0 && verdict !== 'not-applicable' && { open }),
  })
  const showing = findings.violations.filter((one) =>
    [one.clause, ...(one.alsoBreaks ?? [])].includes(id),
  )
  const shownBy = showing.map(({ check }) => check)
  if (shownBy.length > 0) return result('violated', shownBy)
  if (clause.untestable !== undefined) return result('not-applicable', [], clause.untestable)
  const isSelected = (check: string): boolean => schedule.isSelected(check, id)
  if (![...schedule.checks.map((check) => check.id), everyResponse].some(isSelected))
    return result('not-applicable', [], 'excluded by --only or --skip')
  const missing = missingChecks(run, schedule, id)
  const isOpen = findings.suspected.has(id) || missing.length > 0
  const verified = schedule.scheduled
    .filter((check) => check.clauses.includes(id))
    .map((check) => check.id)
    .filter((check) => findings.done.has(check) && !findings.isOpen(check, id) && isSelected(check))
  if (verified.length > 0 && !isOpen) return result('verified', verified)
  if (getRemoved && id.startsWith('get.')) {
    return result('not-applicable', [], `${removed}, as the specification announces`)
  }
  if (isJudgedByEachResponse(id) && findings.judged.has(id) && !isOpen)
    return result('verified', [everyResponse])
  const left = schedule.leftOut.get(id)
  const reasons =
    left === undefined ? (findings.open.get(id) ?? []).map(({ reason }) => reason) : [left]
  if (missing.length > 0) {
    const isSmoke = options.depth === 'smoke'
    reasons.push(
      isSmoke
        ? 'the depth smoke sends only some requests'
        : `partial run, without ${enumerate(missing)}`,
    )
  }
  if (reasons.length === 0) reasons.push(ended ?? 'not exercised by this run')
  return result('not-verified', [], [...new Set(reasons)].join('; '))
}

const maxNamed = 5

function enumerate(ids: readonly string[]): string {
  return (
    ids.slice(0, maxNamed).join(', ') +
    (ids.length > maxNamed ? ` and ${ids.length - maxNamed} more checks` : '')
  )
}

/**
 * The checks that a partial run lacks to verify a clause, except those that a complete run would leave out, too: in a
 * read-only run, or for lack of a precondition after all dependencies ran.
 */
function missingChecks(
  { findings, options }: JudgedRun,
  { needs }: Schedule,
  clause: ClauseId,
): readonly string[] {
  const needed = needs?.(clause) ?? []
  // At this depth, no check sends all of its requests.
  if (options.depth === 'smoke') return needed
  const { done, stopped } = findings
  const isForbidden = (id: string): boolean =>
    options.readOnly && checks.some((check) => check.id === id && isWriting(check))
  const hasRun = (id: string): boolean =>
    done.has(id) || stopped.get(id)?.lacksPrecondition === true || isForbidden(id)
  const isWhole = (id: string): boolean => {
    if (done.has(id) && !findings.isOpen(id, clause)) return true
    const dependsOn = checks.flatMap((one) =>
      one.id === id ? [...(one.dependsOn ?? []), ...survey] : [],
    )
    return hasRun(id) && dependsOn.every(hasRun)
  }
  return needed.filter((id) => !isWhole(id))
}

/**
 * Why a selection does not show that the target conforms. Checks that are selected by id must finish; others may lack a
 * precondition.
 *
 * @param decided how many clauses are verified or violated
 */
function whyUnproven(
  { findings, options: { only } }: JudgedRun,
  planned: readonly Check[],
  decided: number,
): string | undefined {
  const { done, stopped } = findings
  const isNamed = ({ id }: Check): boolean => only.some((pattern) => matches(pattern, id))
  const [first, ...more] = planned.filter(
    (check) =>
      !done.has(check.id) && (isNamed(check) || stopped.get(check.id)?.lacksPrecondition !== true),
  )
  if (first) {
    const others = more.length === 0 ? '' : ` and ${more.length} more`
    return `${first.id}${others} could not finish: ${stopped.get(first.id)?.reason ?? 'the run ended before'}`
  }
  const isEmpty =
    !planned.some(({ id }) => done.has(id)) || (only.length > 0 && !planned.some(isNamed))
  return decided === 0 && isEmpty ? 'no selected requirement could be verified' : undefined
}
