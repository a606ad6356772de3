import type { BehaviorId } from '../../spec/behaviors.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import type { Int64 } from '../../spec/types.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Finding, Unverified } from '../report/report.gen.ts'

/** A value in a response that violates a requirement. */
export interface Mismatch {
  requirement: RequirementId
  /** Other requirements that the same response breaks. */
  alsoBreaks?: readonly RequirementId[]
  /** One short sentence for a reader who does not know the code: the request, the field and its value. */
  message: string
  /**
   * The message without values of the target, as a baseline knows it. Default: the message. Where others may explain the
   * violation (`unless`), its cause stands for it: how such a violation shows depends on the catalog.
   */
  way?: string
  /** JSON pointer (RFC 6901) into the body of the last exchange. Default: the whole response. */
  pointer?: string
  expected: string
  actual: string
  /**
   * What it is about, where something depends on it: the status of its response, that there is none, a pet that is missing,
   * more pets than allowed, or a field that is absent.
   */
  kind?: Finding['kind']
  /** Violations of a requirement with the same cause become one finding. Default: the check. */
  cause?: string
}

/** What may be innocent about a violation: the rows of `explanations`. */
export type ExplanationName =
  | 'otherStatusChanges'
  | 'leftStatusList'
  | 'ownPetRemoved'
  | 'idReused'
  | 'cached'
  | 'late'

export interface Violation extends Mismatch {
  /** The requests and responses that show it, in the order sent. */
  exchanges: readonly Exchange[]
  /** What may be innocent about it; `ownPetRemoved` is the pet of the run that others may have removed or changed. */
  unless?: {
    readonly [name in Exclude<ExplanationName, 'cached'>]?: name extends 'ownPetRemoved'
      ? Int64
      : boolean
  }
}

export class Violated extends Error {
  override readonly name = 'Violated'
  readonly violation: Violation

  constructor(violation: Violation) {
    super(violation.message)
    this.violation = violation
  }
}

/** Thrown when a precondition of a check is missing on the target, or where something innocent may explain what it saw. */
export class NotVerified extends Error {
  override readonly name = 'NotVerified'
}

/** Thrown where a check needs getPet, and it has been removed: that leaves nothing open. */
export class GetRemoved extends NotVerified {
  constructor() {
    super('getPet has been removed, as the specification announces')
  }
}

/** Thrown where no run can verify it on this target: a list shows 100 pets at most, and it has more of each kind. */
export class OutOfReach extends NotVerified {}

export interface Recorded extends Violation {
  check: string
  /** The check whose request showed it; differs from `check` for what holds for every response. */
  during: string
  /** How many more responses showed the same. */
  more: number
  /** The different messages of all of them, or what stands for these (`way`). */
  messages: readonly string[]
}

/** An option of unspecified behavior, or those that remain possible. */
export type Option = string | readonly string[]

/** What a response showed of unspecified behavior. */
export interface Observed {
  value: Option
  exchange: Exchange
}

/** In place of a check: the responses that differ from those to the same request. */
export const byChance = 'same-response'

/** Collects what the checks of one run establish. */
export class Findings {
  readonly violations: Recorded[] = []
  /** The checks that showed a requirement violated. */
  readonly seenBy = new Map<RequirementId, Set<string>>()
  /** Requirements that a response could have broken. */
  readonly judged = new Set<RequirementId>()
  /** Why a check could not verify a requirement. */
  readonly unverifiedBy = new Map<RequirementId, Unverified[]>()
  /** Why a check of a requirement has no object on this target. */
  readonly outOfReach = new Map<RequirementId, Unverified[]>()
  /** Requirements that look violated, but may be late, and were not waited for. */
  readonly unawaited = new Set<RequirementId>()
  /** Requirements that no other check may verify (`keepOpen`). */
  readonly keptOpen = new Set<RequirementId>()
  /** Checks that could not finish. */
  readonly stopped = new Map<string, { reason: string; lacksPrecondition: boolean }>()
  readonly done = new Set<string>()
  readonly notes: string[] = []
  readonly observed = new Map<BehaviorId, Observed>()

  report(check: string, found: Violation, during = check): void {
    const broken = allBroken(found)
    const [requirement, ...alsoBreaks] = broken
    for (const id of broken)
      this.seenBy.set(id, (this.seenBy.get(id) ?? new Set()).add(check).add(during))
    const recorded = {
      ...found,
      requirement,
      alsoBreaks,
      check,
      during,
      cause: found.cause ?? check,
    }
    // Where something may explain a claim, whatever that is here, its cause stands for its message.
    const what = (found.unless && found.cause) ?? found.way ?? found.message
    const same = this.violations.find(
      (known) => known.requirement === requirement && known.cause === recorded.cause,
    )
    if (same) {
      same.more += 1
      const all = [...new Set([...(same.alsoBreaks ?? []), ...alsoBreaks])]
      // The request that was sent first stands for all, whichever response came first.
      const messages = [...new Set([...same.messages, what])]
      Object.assign(same, sentAt(found) < sentAt(same) ? recorded : {}, {
        alsoBreaks: all,
        messages,
      })
    } else this.violations.push({ ...recorded, more: 0, messages: [what] })
  }

  /** Reports what is by chance, which leads; in place of what it was before. */
  lead(found: Violation, during: string): void {
    const place = this.violations.findIndex(({ check }) => check === byChance)
    const [before] = place < 0 ? [] : this.violations.splice(place, 1)
    this.report(byChance, { ...found, cause: byChance }, before?.during ?? during)
    this.violations.unshift(...this.violations.splice(-1))
  }

  cannotVerify(
    check: string,
    requirement: RequirementId,
    reason: string,
    reasons = this.unverifiedBy,
  ): void {
    const known = reasons.get(requirement) ?? []
    if (known.some((one) => one.check === check && one.reason === reason)) return
    reasons.set(requirement, [...known, { check, reason }])
  }

  /** Keeps requirements from being verified, even if other checks verify them. Without a reason, it is known already. */
  keepOpen(check: string, requirements: readonly RequirementId[], reason?: string): void {
    for (const requirement of requirements) {
      if (reason !== undefined) this.cannotVerify(check, requirement, reason)
      this.keptOpen.add(requirement)
    }
  }

  /** The run says so once, also where other checks verify the requirement. */
  cannotReach(check: string, requirement: RequirementId, reason: string): void {
    this.cannotVerify(check, requirement, reason, this.outOfReach)
    this.note(`${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`)
  }

  /** Whether a check could not verify a requirement. */
  couldNotVerify(check: string, requirement: RequirementId): boolean {
    return [this.unverifiedBy, this.outOfReach].some((reasons) =>
      reasons.get(requirement)?.some((one) => one.check === check),
    )
  }

  note(text: string): void {
    if (!this.notes.includes(text)) this.notes.push(text)
  }

  /** Keeps the first observation of each behavior; a later `present` or `delayed` overrides it. */
  observe(behavior: BehaviorId, value: Option, exchange: Exchange): void {
    const known = this.observed.get(behavior)
    const isStronger =
      value === 'present' || value === 'delayed' || typeof known?.value === 'object'
    if (known === undefined || (isStronger && typeof value === 'string')) {
      this.observed.set(behavior, { value, exchange })
    }
  }
}

/** The requirements that a violation breaks, the one it is reported by first. */
export const allBroken = ({
  requirement,
  alsoBreaks = [],
}: Violation): [RequirementId, ...RequirementId[]] => [
  requirement,
  ...new Set(alsoBreaks.filter((id) => id !== requirement)),
]

const sentAt = ({ exchanges }: Violation): number => exchanges[0]?.sentAt ?? Infinity
