import {
  type OperationId,
  operationIds,
  operations,
  petStatuses,
  type QueryParameter,
} from '../../spec/operations.ts'
import type { MockReply } from '../service/message.ts'
import type { Step } from './request.ts'
import type { Coverage, OperationCoverage, Scorecard } from './scorecard.gen.ts'

/** Something that a client should try, and whether it has. */
type Item = readonly [what: string, isTried: (counts: OperationCoverage) => boolean]

const sentItem = (what: string): Item => [what, ({ parameters }) => parameters[what] !== undefined]
const statuses = petStatuses.map((status) => sentItem(`status=${status}`))
const responseItem = (what: string, pattern: RegExp): Item => [
  what,
  ({ responses }) => Object.keys(responses).some((name) => pattern.test(name)),
]
const failureItem = responseItem(
  'a failure: 429, 5xx or no response',
  /^(429|5\d\d|reset|silence)$/,
)

const parameterItems: Readonly<Record<QueryParameter | 'NewPet', readonly Item[]>> = {
  limit: [sentItem('limit')],
  status: statuses,
  NewPet: [
    ...statuses,
    ['no status', ({ requests, parameters }) => (parameters['status'] ?? 0) < requests],
  ],
}

function itemsOf(operation: OperationId): Item[] {
  const { query, body, errors, deprecated } = operations[operation]
  return [
    ...(Object.keys(query) as QueryParameter[]).flatMap((name) => parameterItems[name]),
    ...(body ? parameterItems[body] : []),
    ...errors.map((status) => responseItem(`a ${status} response`, new RegExp(`^${status}$`))),
    ...(deprecated ? [] : [failureItem]),
  ]
}

/** Clients need not use deprecated operations. */
const isNeeded = ({ operation, requests }: OperationCoverage): boolean =>
  requests > 0 || !operations[operation].deprecated

/** Requests, and how often they had each response and each parameter. */
interface Counts {
  requests: number
  responses: Map<string, number>
  parameters: Map<string, number>
}

const noCounts = (): Counts => ({ requests: 0, responses: new Map(), parameters: new Map() })

/** Counts what a client has tried. */
export class CoverageCounter {
  readonly #counts = new Map<OperationId | undefined, Counts>(
    [...operationIds, undefined].map((operation) => [operation, noCounts()]),
  )

  add({ assessment, entry: { reply, abandoned } }: Step): void {
    const counts = this.#counts.get(assessment.operation) as Counts
    counts.requests += 1
    const response = responseOf(reply, abandoned)
    if (response !== undefined) increment(counts.responses, response)
    for (const name of assessment.sent) increment(counts.parameters, name)
  }

  get coverage(): Coverage {
    const covered = operationIds.map((operation): OperationCoverage => {
      const { requests, ...counts } = this.#counts.get(operation) as Counts
      const responses = toSorted(counts.responses)
      return { operation, requests, responses, parameters: toSorted(counts.parameters) }
    })
    const others = this.#counts.get(undefined) as Counts
    const neverTried = covered.filter(isNeeded).flatMap((counts) => {
      const { operation, requests } = counts
      if (requests === 0) return [{ operation, what: 'the operation' }]
      return itemsOf(operation).flatMap(([what, isTried]) =>
        isTried(counts) ? [] : [{ operation, what }],
      )
    })
    return {
      percent: percentOf(covered, neverTried),
      operations: covered,
      other: { requests: others.requests, responses: toSorted(others.responses) },
      neverTried,
    }
  }
}

/**
 * The percentage of operations, responses and parameters that were tried, rounded down. An operation that was never tried is
 * one row of `neverTried`, and misses all of its items.
 */
function percentOf(all: readonly OperationCoverage[], neverTried: Coverage['neverTried']): number {
  const most = (list: readonly OperationCoverage[]): number =>
    list.reduce((sum, { operation }) => sum + 1 + itemsOf(operation).length, 0)
  const needed = all.filter(isNeeded)
  const untried = needed.filter(({ requests }) => requests === 0)
  const left = neverTried.length - untried.length
  return Math.floor((100 * (most(needed) - most(untried) - left)) / most(needed))
}

/** What a score counts, beside it everywhere. */
export function scoreWords({
  score,
  coverage,
  issues,
}: Pick<Scorecard, 'score' | 'coverage' | 'issues'>): string {
  if (score === null) return ''
  const half = issues.some(({ severity }) => severity === 'warning') ? ' (only warnings: half)' : ''
  return `${score}% of the requests right${half}, coverage ${coverage.percent}%`
}

/** The color of a score, in every report and in the console: only a client without mistakes is green. */
export const toneOf = (score: number | null): 'off' | 'good' | 'warn' | 'bad' =>
  score === null ? 'off' : score === 100 ? 'good' : score >= 60 ? 'warn' : 'bad'

/** Undefined where a recording has none. */
function responseOf({ status, wire }: MockReply, isAbandoned: boolean): string | undefined {
  if (wire?.reset) return 'reset'
  if (status === 0 && !isAbandoned) return undefined
  return wire?.silent || status === 0 ? 'silence' : String(status)
}

const increment = (counts: Map<string, number>, name: string): void =>
  void counts.set(name, (counts.get(name) ?? 0) + 1)

const toSorted = (counts: ReadonlyMap<string, number>): Record<string, number> =>
  Object.fromEntries([...counts].sort(([one], [other]) => (one < other ? -1 : 1)))
