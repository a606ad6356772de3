import type { ChoiceId } from '../spec/choices.ts'
import type { ClauseId } from '../spec/clauses.ts'
import type { Exchange } from './exchange.ts'

/** A breach of a clause, as a check words it. */
export interface Breach {
  clause: ClauseId
  /** Other clauses that the same behaviour breaks. */
  alsoBreaks?: readonly ClauseId[]
  /** What was seen, in one sentence for someone who has never seen the code. */
  message: string
  /** JSON pointer (RFC 6901) into the body of the last exchange; empty for the whole answer. */
  pointer?: string
  expected: string
  actual: string
  /** The requests and answers that show it, in the order in which they were sent. */
  exchanges: readonly Exchange[]
  /** Breaches of one clause with one cause become one finding. Default: the check. */
  cause?: string
  /** Set where another client that changes its pets may cause the same: then it is no breach while one does. */
  unlessOthersChange?: boolean
}

/** Thrown by an expectation that does not hold. */
export class Violation extends Error {
  override readonly name = 'Violation'
  readonly breach: Breach

  constructor(breach: Breach) {
    super(breach.message)
    this.breach = breach
  }
}

/** Thrown by a check that the target gives no occasion to carry out. */
export class NotVerified extends Error {
  override readonly name = 'NotVerified'
}

/** A breach with the check that saw it. */
export interface Recorded extends Breach {
  check: string
  /** The check whose request showed it: another one where every answer is judged. */
  during: string
  /** How many more answers showed the same. */
  more: number
}

/** What one check could not establish of a clause, and why. */
export interface LeftOpen {
  check: string
  reason: string
}

/** Collects what the checks of one run establish. */
export class Findings {
  readonly breaches: Recorded[] = []
  /** The checks through which a clause was seen violated, also where nobody asked for it. */
  readonly seenBy = new Map<ClauseId, Set<string>>()
  /** Clauses that an answer could have broken. */
  readonly judged = new Set<ClauseId>()
  /** Clauses that a check established, with the checks. */
  readonly verified = new Map<ClauseId, Set<string>>()
  /** Why a check could not establish a clause. */
  readonly open = new Map<ClauseId, LeftOpen[]>()
  /** Clauses about which a suspicion remains that could not be looked into. */
  readonly suspected = new Set<ClauseId>()
  /** Clauses that a check left open, as `check clause`. */
  readonly leftOpen = new Set<string>()
  /** Why a check did not come to its end, and whether it was because the target gives no occasion. */
  readonly stopped = new Map<string, { reason: string; lacksOccasion: boolean }>()
  /** Checks that came to their end. */
  readonly done = new Set<string>()
  /** Whether what a check finds about a clause is wanted. */
  isAsked: (check: string, clause: ClauseId, during?: string) => boolean = () => true
  readonly notes: string[] = []
  readonly observed = new Map<ChoiceId, { value: string; evidence: string }>()

  breach(check: string, found: Breach, during = check): void {
    for (const id of [found.clause, ...(found.alsoBreaks ?? [])]) {
      this.seenBy.set(id, (this.seenBy.get(id) ?? new Set()).add(check).add(during))
    }
    const broken = [found.clause, ...(found.alsoBreaks ?? [])]
    const [clause, ...alsoBreaks] = broken.filter((id) => this.isAsked(check, id, during))
    for (const id of broken.filter((one) => !this.isAsked(check, one, during) && !this.suspected.has(one))) {
      this.suspected.add(id)
      this.note(`${id} was seen violated outside the selection: ${found.message}`)
    }
    if (clause === undefined) return
    const breach: Breach = { ...found, clause, alsoBreaks }
    const cause = breach.cause ?? check
    const same = this.breaches.find((known) => known.clause === breach.clause && known.cause === cause)
    if (same) {
      same.more += 1
      same.alsoBreaks = [...new Set([...(same.alsoBreaks ?? []), ...alsoBreaks])]
      // The request that was sent first stands for all, whichever answer came first.
      if (sentAt(breach) < sentAt(same)) Object.assign(same, { ...breach, during, alsoBreaks: same.alsoBreaks })
    } else this.breaches.push({ ...breach, check, during, cause, more: 0 })
  }

  /** Forgets what the responses of a wrong address showed: none of them speaks for the service. */
  forget(): void {
    this.breaches.length = 0
    this.notes.length = 0
    for (const collection of [this.judged, this.verified, this.open, this.leftOpen, this.suspected, this.observed])
      collection.clear()
  }

  verify(check: string, clause: ClauseId): void {
    const checks = this.verified.get(clause) ?? new Set()
    this.verified.set(clause, checks.add(check))
  }

  leaveOpen(check: string, clause: ClauseId, reason: string): void {
    this.leftOpen.add(`${check} ${clause}`)
    const known = this.open.get(clause) ?? []
    if (known.some((one) => one.check === check && one.reason === reason)) return
    this.open.set(clause, [...known, { check, reason }])
  }

  note(text: string): void {
    if (!this.notes.includes(text)) this.notes.push(text)
  }

  /** Keeps the first observation of each choice, but one answer that shows a thing outweighs all that do not. */
  observe(choice: ChoiceId, value: string, evidence: string): void {
    if (!this.observed.has(choice) || value === 'present' || value === 'delayed') {
      this.observed.set(choice, { value, evidence })
    }
  }
}

const sentAt = ({ exchanges }: Breach): number => exchanges[0]?.sentAt ?? Infinity
