import type { ChoiceId } from '../spec/choices.ts'
import type { ClauseId } from '../spec/clauses.ts'
import type { Exchange } from './exchange.ts'
import type { Unverified } from './report.gen.ts'

/** A violation of a requirement, as a check words it. */
export interface Violation {
  clause: ClauseId
  /** Other clauses that the same behavior breaks. */
  alsoBreaks?: readonly ClauseId[]
  /** What was seen, in one sentence for someone who has never seen the code. */
  message: string
  /** JSON pointer (RFC 6901) into the body of the last exchange; empty for the whole response. */
  pointer?: string
  expected: string
  actual: string
  /** The requests and responses that show it, in the order in which they were sent. */
  exchanges: readonly Exchange[]
  /** Violations of one clause with one cause become one finding. Default: the check. */
  cause?: string
  /** Set where another client that changes its pets may cause the same: then it is no violation while one does. */
  unlessOthersChange?: boolean
}

/** Thrown by an expectation that does not hold. */
export class Violated extends Error {
  override readonly name = 'Violated'
  readonly violation: Violation

  constructor(violation: Violation) {
    super(violation.message)
    this.violation = violation
  }
}

/** Thrown by a check that the target gives no occasion to carry out. */
export class NotVerified extends Error {
  override readonly name = 'NotVerified'
}

/** What looks like a violation but may be a replica that lags or a concurrent writer: to be re-checked. */
export interface Suspicion {
  /** Suspicions with the same key are one. */
  key: string
  check: string
  clauses: readonly ClauseId[]
  /** From this moment of the run on, no lag explains it. */
  recheckAt: number
  /** Re-checks once. Returns the violation where it is still so. */
  again(): Promise<Violation | undefined>
}

/** A violation with the check that saw it. */
export interface Recorded extends Violation {
  check: string
  /** The check whose request showed it: another one where every response is judged. */
  during: string
  /** How many more responses showed the same. */
  more: number
}

/** What a response showed of unspecified behavior: an option, or those that are left. */
export interface Observed {
  value: string | readonly string[]
  evidence: string
  exchange: Exchange | undefined
}

export type IsSelected = (check: string, clause: ClauseId, during?: string) => boolean

/** Collects what the checks of one run establish. */
export class Findings {
  readonly violations: Recorded[] = []
  /** The checks through which a clause was seen violated, selected or not. */
  readonly seenBy = new Map<ClauseId, Set<string>>()
  /** Clauses that a response could have broken. */
  readonly judged = new Set<ClauseId>()
  /** Clauses that a check established, with the checks. */
  readonly verified = new Map<ClauseId, Set<string>>()
  /** Why a check could not establish a clause. */
  readonly open = new Map<ClauseId, Unverified[]>()
  /** Clauses about which a suspicion remains that could not be looked into. */
  readonly suspected = new Set<ClauseId>()
  /** Why a check did not come to its end, and whether it was because the target gives no occasion. */
  readonly stopped = new Map<string, { reason: string; lacksOccasion: boolean }>()
  /** Checks that came to their end. */
  readonly done = new Set<string>()
  readonly #isSelected: IsSelected
  readonly notes: string[] = []
  readonly observed = new Map<ChoiceId, Observed>()

  /** @param isSelected whether what a check finds about a clause is selected */
  constructor(isSelected: IsSelected = () => true) {
    this.#isSelected = isSelected
  }

  report(check: string, found: Violation, during = check): void {
    const broken = [found.clause, ...(found.alsoBreaks ?? [])]
    for (const id of broken) this.seenBy.set(id, (this.seenBy.get(id) ?? new Set()).add(check).add(during))
    const [clause, ...alsoBreaks] = broken.filter((id) => this.#isSelected(check, id, during))
    for (const id of broken.filter((one) => !this.#isSelected(check, one, during) && !this.suspected.has(one))) {
      this.suspected.add(id)
      this.note(`${id} was seen violated outside the selection: ${found.message}`)
    }
    if (clause === undefined) return
    const recorded = { ...found, clause, alsoBreaks, check, during, cause: found.cause ?? check }
    const same = this.violations.find((known) => known.clause === clause && known.cause === recorded.cause)
    if (same) {
      same.more += 1
      const all = [...new Set([...(same.alsoBreaks ?? []), ...alsoBreaks])]
      // The request that was sent first stands for all, whichever response came first.
      Object.assign(same, sentAt(found) < sentAt(same) ? recorded : {}, { alsoBreaks: all })
    } else this.violations.push({ ...recorded, more: 0 })
  }

  verify(check: string, clause: ClauseId): void {
    this.verified.set(clause, (this.verified.get(clause) ?? new Set()).add(check))
  }

  cannotVerify(check: string, clause: ClauseId, reason: string): void {
    const known = this.open.get(clause) ?? []
    if (known.some((one) => one.check === check && one.reason === reason)) return
    this.open.set(clause, [...known, { check, reason }])
  }

  /** Whether a check could not establish a clause. */
  isOpen(check: string, clause: ClauseId): boolean {
    return this.open.get(clause)?.some((one) => one.check === check) === true
  }

  note(text: string): void {
    if (!this.notes.includes(text)) this.notes.push(text)
  }

  /**
   * Keeps the first observation of each choice, but one response that shows a thing outweighs all that do not.
   *
   * @param value several where the response leaves several
   */
  observe(choice: ChoiceId, value: string | readonly string[], evidence: string, exchange?: Exchange): void {
    const known = this.observed.get(choice)
    const isStronger = value === 'present' || value === 'delayed' || typeof known?.value === 'object'
    if (known === undefined || (isStronger && typeof value === 'string')) {
      this.observed.set(choice, { value, evidence, exchange })
    }
  }
}

const sentAt = ({ exchanges }: Violation): number => exchanges[0]?.sentAt ?? Infinity
