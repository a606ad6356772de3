import type { ClauseId } from '../spec/clauses.ts'
import type { ChoiceId } from '../spec/choices.ts'
import type { ClauseVerdict, Report } from './report.ts'

/** A requirement whose verdict differs between two reports. */
export interface RequirementChange {
  id: ClauseId
  section: string
  quote: string
  before: ClauseVerdict
  after: ClauseVerdict
}

/** An unspecified behavior of which two reports observed different options. */
export interface BehaviorChange {
  id: ChoiceId
  before: string
  after: string
}

/** What differs between two reports. */
export interface Comparison {
  before: ComparedReport
  after: ComparedReport
  requirements: {
    /** Violated now, and not before. */
    regressed: RequirementChange[]
    /** Violated before, and verified now. */
    fixed: RequirementChange[]
    /** Neither of these: one of the two runs was inconclusive. */
    incomparable: RequirementChange[]
    /** How many have the same verdict. */
    same: number
  }
  behaviors: {
    differing: BehaviorChange[]
    /** How many show the same option. */
    same: number
    /** How many only one of the runs observed, or neither. */
    unknown: number
  }
}

/** One side of a comparison. Different versions of the kit may check different things. */
export type ComparedReport = Pick<Report, 'target' | 'kit' | 'startedAt' | 'verdict'>

/** Compares two reports, requirement by requirement and behavior by behavior. Bytes, dates and ids play no part. */
export function compareReports(before: Report, after: Report): Comparison {
  const changes = after.clauses.flatMap(({ id, section, quote, verdict }): RequirementChange[] => {
    const was = before.clauses.find((clause) => clause.id === id)?.verdict ?? 'not-verified'
    return was === verdict ? [] : [{ id, section, quote, before: was, after: verdict }]
  })
  const regressed = changes.filter((change) => change.after === 'violated')
  const fixed = changes.filter((change) => change.before === 'violated' && change.after === 'verified')
  const ids = Object.keys(after.profile) as ChoiceId[]
  const observed = ids.map((id): BehaviorChange => {
    return { id, before: before.profile[id] ?? 'unknown', after: after.profile[id] }
  })
  const both = observed.filter((one) => one.before !== 'unknown' && one.after !== 'unknown')
  const differing = both.filter((one) => one.before !== one.after)
  return {
    before: sideOf(before),
    after: sideOf(after),
    requirements: {
      regressed,
      fixed,
      incomparable: changes.filter((change) => !regressed.includes(change) && !fixed.includes(change)),
      same: after.clauses.length - changes.length,
    },
    behaviors: { differing, same: both.length - differing.length, unknown: ids.length - both.length },
  }
}

const sideOf = ({ target, kit, startedAt, verdict }: Report): ComparedReport => ({ target, kit, startedAt, verdict })
