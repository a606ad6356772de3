import type { ChoiceId } from '../../spec/choices.ts'
import type { ClauseId } from '../../spec/clauses.ts'
import type { Int64 } from '../../spec/types.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Unverified } from '../report/report.gen.ts'

/** A value in a response that violates a clause. */
export interface Defect {
  clause: ClauseId
  /** Other clauses that the same behavior breaks. */
  alsoBreaks?: readonly ClauseId[]
  /** One short sentence for a reader who does not know the code: the request, the field and its value. */
  message: string
  /** JSON pointer (RFC 6901) into the body of the last exchange. Default: the whole response. */
  pointer?: string
  expected: string
  actual: string
  /** Violations of a clause with the same cause become one finding. Default: the check. */
  cause?: string
}

export interface Violation extends Defect {
  /** The requests and responses that show it, in the order sent. */
  exchanges: readonly Exchange[]
  /**
   * What may explain it away. `change`: another client changes pets meanwhile. `delay`: the specification does not say how
   * soon a pet, or a change by others, is visible. `removal`: others remove pets. `taken`: they have removed or changed this
   * pet of the run.
   */
  unless?: { change?: boolean; delay?: boolean; removal?: boolean; taken?: Int64 }
}

export class Violated extends Error {
  override readonly name = 'Violated'
  readonly violation: Violation

  constructor(violation: Violation) {
    super(violation.message)
    this.violation = violation
  }
}

/** Thrown when a precondition of a check is missing on the target. */
export class NotVerified extends Error {
  override readonly name = 'NotVerified'
}

/** Thrown where no run can verify it on this target: a list shows 100 pets at most, and it has more of each kind. */
export class OutOfReach extends NotVerified {}

/** A possible violation that a lagging replica or a concurrent writer may explain, to be re-checked. */
export interface Suspicion {
  kind:
    | 'stored'
    | 'get'
    | 'missing'
    | 'short'
    | 'changed'
    | 'contradiction'
    | 'shared'
    | 'unstable'
    | 'repeated'
    | 'cause'
    | 'stray'
  /** The pet or the request. With the kind, it identifies duplicates. */
  of: string
  check: string
  clauses: readonly ClauseId[]
  /** The time of the run from which on no lag explains it. */
  recheckAt: number
  /** Re-checks once. Returns the violation if it persists. */
  again(): Promise<Violation | undefined>
}

export interface Recorded extends Violation {
  check: string
  /** The check whose request showed it; differs from `check` for what holds for every response. */
  during: string
  /** How many more responses showed the same. */
  more: number
  /** The different messages of all of them; of relations, their causes. */
  messages: readonly string[]
}

/** An option of unspecified behavior, or those that remain possible. */
export type Option = string | readonly string[]

/** What a response showed of unspecified behavior. */
export interface Observed {
  value: Option
  exchange: Exchange
}

/** Collects what the checks of one run establish. */
export class Findings {
  readonly violations: Recorded[] = []
  /** The checks that showed a clause violated. */
  readonly seenBy = new Map<ClauseId, Set<string>>()
  /** Clauses that a response could have broken. */
  readonly judged = new Set<ClauseId>()
  /** Why a check could not verify a clause. */
  readonly open = new Map<ClauseId, Unverified[]>()
  /** Why a check of a clause has no object on this target. */
  readonly outOfReach = new Map<ClauseId, Unverified[]>()
  /** Clauses with a suspicion that could not be re-checked. */
  readonly suspected = new Set<ClauseId>()
  /** Checks that could not finish. */
  readonly stopped = new Map<string, { reason: string; lacksPrecondition: boolean }>()
  readonly done = new Set<string>()
  readonly notes: string[] = []
  readonly observed = new Map<ChoiceId, Observed>()

  report(check: string, found: Violation, during = check): void {
    const broken = brokenBy(found)
    const [clause, ...alsoBreaks] = broken
    for (const id of broken)
      this.seenBy.set(id, (this.seenBy.get(id) ?? new Set()).add(check).add(during))
    const recorded = { ...found, clause, alsoBreaks, check, during, cause: found.cause ?? check }
    // How a relation shows depends on the catalog.
    const what = (found.unless && found.cause) ?? found.message
    const same = this.violations.find(
      (known) => known.clause === clause && known.cause === recorded.cause,
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

  cannotVerify(check: string, clause: ClauseId, reason: string, reasons = this.open): void {
    const known = reasons.get(clause) ?? []
    if (known.some((one) => one.check === check && one.reason === reason)) return
    reasons.set(clause, [...known, { check, reason }])
  }

  /** The run says so once, also where other checks verify the clause. */
  cannotReach(check: string, clause: ClauseId, reason: string): void {
    this.cannotVerify(check, clause, reason, this.outOfReach)
    this.note(reason)
  }

  /** Whether a check could not verify a clause. */
  isOpen(check: string, clause: ClauseId): boolean {
    return [this.open, this.outOfReach].some((reasons) =>
      reasons.get(clause)?.some((one) => one.check === check),
    )
  }

  note(text: string): void {
    if (!this.notes.includes(text)) this.notes.push(text)
  }

  /** Keeps the first observation of each choice; a later `present` or `delayed` overrides it. */
  observe(choice: ChoiceId, value: Option, exchange: Exchange): void {
    const known = this.observed.get(choice)
    const isStronger =
      value === 'present' || value === 'delayed' || typeof known?.value === 'object'
    if (known === undefined || (isStronger && typeof value === 'string')) {
      this.observed.set(choice, { value, exchange })
    }
  }
}

/** The clauses that a violation breaks, the one it is reported by first. */
export const brokenBy = ({ clause, alsoBreaks = [] }: Violation): [ClauseId, ...ClauseId[]] => [
  clause,
  ...new Set(alsoBreaks.filter((id) => id !== clause)),
]

const sentAt = ({ exchanges }: Violation): number => exchanges[0]?.sentAt ?? Infinity
