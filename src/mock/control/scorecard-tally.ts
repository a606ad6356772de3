import { choices } from '../../spec/choices.ts'
import { clauses } from '../../spec/clauses.ts'
import { type IssueRule, type IssueId, issueRules, type Severity } from '../scorecard/rules.ts'
import type { Mark } from './marks.ts'
import type { Reading } from './judge.ts'
import { type AllCounts, type Answer, coverageOf, OperationCounts } from './scorecard-coverage.ts'
import { type ExampleSource, toExample } from './scorecard-example.ts'
import type { Example, Reference, Scorecard, ScorecardIssue } from './scorecard.ts'

interface Found {
  count: number
  message: string
  example: Example
}

const byId = new Map<IssueId, IssueRule>(issueRules.map((judgement) => [judgement.id, judgement]))
const severities: readonly Severity[] = ['violation', 'warning', 'notice']

/** The sums of one scorecard. There are only so many kinds of mistakes, and an example is short. */
export class Tally {
  /** Requests of `petstore verify`. */
  unscored = 0
  readonly #keys: readonly string[]
  #requests = 0
  #violating = 0
  #warned = 0
  #firstAt = 0
  #lastAt = 0
  readonly #operations: AllCounts = {}
  #issues: Map<IssueId, Found> | undefined

  /** @param keys that no example may show. */
  constructor(keys: readonly string[]) {
    this.#keys = keys
  }

  get requests(): number {
    return this.#requests
  }

  /** Counts requests that were alike, and how they were answered. */
  count({ operation, parameters }: Reading, answer: Answer, times: number, firstAt: number, lastAt: number): void {
    if (this.#requests === 0 || firstAt < this.#firstAt) this.#firstAt = firstAt
    if (lastAt > this.#lastAt) this.#lastAt = lastAt
    this.#requests += times
    const counts = (this.#operations[operation ?? 'other'] ??= new OperationCounts())
    counts.add(answer, parameters, times)
  }

  /** Counts what was wrong with requests that were alike. Each request counts once for each kind. */
  mark(marks: readonly Mark[], times: number, source: ExampleSource): void {
    if (marks.length === 0) return
    this.#issues ??= new Map()
    const kinds = new Set<IssueId>()
    for (const { kind, message } of marks) {
      if (kinds.has(kind)) continue
      kinds.add(kind)
      const found = this.#issues.get(kind)
      if (found !== undefined) found.count += times
      else this.#issues.set(kind, { count: times, ...toExample(source, message, this.#keys) })
    }
  }

  /** Counts requests by the worst that was found in them. */
  blame(worst: Severity | undefined, times: number): void {
    if (worst === 'violation') this.#violating += times
    else if (worst === 'warning') this.#warned += times
  }

  /** The scorecard as it stands. */
  read(subject: string, sandbox: string | undefined): Scorecard {
    const requests = this.#requests
    const card: Scorecard = {
      subject,
      requests,
      // In whole numbers, so that no rounding makes 100 of less.
      score:
        requests === 0 ? null : Math.floor((100 * (2 * (requests - this.#violating) - this.#warned)) / (2 * requests)),
      coverage: coverageOf(this.#operations),
      issues: Array.from(this.#issues ?? [], toIssue).sort(compare),
    }
    if (sandbox !== undefined) card.sandbox = sandbox
    if (this.unscored > 0) card.unscored = this.unscored
    if (requests > 0) {
      card.firstAt = new Date(this.#firstAt).toISOString()
      card.lastAt = new Date(this.#lastAt).toISOString()
    }
    return card
  }
}

/** The worst of some issues. */
export function worstOf(marks: readonly Mark[]): Severity | undefined {
  let worst = severities.length
  for (const { kind } of marks) worst = Math.min(worst, severities.indexOf(byId.get(kind)?.severity ?? 'notice'))
  return severities[worst]
}

/** The sentence of the specification that a kind of mistake is about. */
export function referenceOf({ clause, choice, quote }: IssueRule): Reference {
  const table = clause === undefined ? 'choices' : 'clauses'
  const id = clause ?? choice ?? ''
  const entries: readonly { id: string; quote: string }[] = table === 'clauses' ? clauses : choices
  return { table, id, quote: quote ?? entries.find((entry) => entry.id === id)?.quote ?? '' }
}

function toIssue([kind, { count, message, example }]: [IssueId, Found]): ScorecardIssue {
  const judgement = byId.get(kind) as IssueRule
  const { severity, title, fix } = judgement
  return { id: kind, severity, title, reference: referenceOf(judgement), count, message, example, fix }
}

function compare(one: ScorecardIssue, other: ScorecardIssue): number {
  return (
    severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
    other.count - one.count ||
    (one.id < other.id ? -1 : 1)
  )
}
