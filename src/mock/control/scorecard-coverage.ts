import { type OperationId, operations } from '../../spec/operations.ts'
import { type ParameterName, parameterNames, type ParameterSet, statusNames } from './scorecard-parameters.ts'
import type { Coverage, OperationCoverage } from './scorecard.ts'

/** What a request was answered: an HTTP status, or that there was no answer. */
export type Answer = number | 'reset' | 'silence'

/** How often something was answered. A chain takes less memory than a map, and there are few. */
interface AnswerCount {
  readonly answer: Answer
  count: number
  readonly next: AnswerCount | undefined
}

/** What was counted of one operation. */
export class OperationCounts {
  #requests = 0
  #responses: AnswerCount | undefined
  #parameters: number[] | undefined

  add(answer: Answer, parameters: ParameterSet, times: number): void {
    this.#requests += times
    let known = this.#responses
    while (known !== undefined && known.answer !== answer) known = known.next
    if (known === undefined) this.#responses = { answer, count: times, next: this.#responses }
    else known.count += times
    if (parameters === 0) return
    const counts = (this.#parameters ??= parameterNames.map(() => 0))
    for (let bit = 0; bit < counts.length; bit += 1) {
      if ((parameters & (1 << bit)) !== 0) counts[bit] = (counts[bit] ?? 0) + times
    }
  }

  get requests(): number {
    return this.#requests
  }

  /** By answer, in their order. */
  responses(): Record<string, number> {
    const counts: [string, number][] = []
    for (let known = this.#responses; known !== undefined; known = known.next) {
      counts.push([String(known.answer), known.count])
    }
    return Object.fromEntries(counts.sort(([one], [other]) => (one < other ? -1 : 1)))
  }

  /** By name. What never came is not there. */
  parameters(): Partial<Record<ParameterName, number>> {
    const counts = parameterNames.map((name, bit) => [name, this.#parameters?.[bit] ?? 0] as const)
    return Object.fromEntries(counts.filter(([, count]) => count > 0))
  }
}

/** What was counted, by operation. What was never asked is not there. */
export type AllCounts = Partial<Record<OperationId | 'other', OperationCounts>>

/** What a client of an operation meets sooner or later. */
interface Item {
  operation: OperationId
  what: string
  isTried: (counts: OperationCoverage) => boolean
}

const ids = Object.keys(operations) as OperationId[]

const sent =
  (name: string) =>
  ({ parameters }: OperationCoverage): boolean =>
    parameters[name] !== undefined
const answered =
  (pattern: RegExp) =>
  ({ responses }: OperationCoverage): boolean =>
    Object.keys(responses).some((answer) => pattern.test(answer))

const statusItems = (operation: OperationId): Item[] =>
  statusNames.map((what) => ({ operation, what, isTried: sent(what) }))
const answerItem = (operation: OperationId, status: number): Item => ({
  operation,
  what: `an answer ${status}`,
  isTried: answered(new RegExp(`^${status}$`)),
})
const failureItem = (operation: OperationId): Item => ({
  operation,
  what: 'an answer 429, 5xx or none',
  isTried: answered(/^(429|5\d\d|reset|silence)$/),
})

/** By operation, in the order of the specification. */
const items: readonly Item[] = [
  { operation: 'listPets', what: 'limit', isTried: sent('limit') },
  ...statusItems('listPets'),
  answerItem('listPets', 401),
  failureItem('listPets'),
  ...statusItems('createPet'),
  {
    operation: 'createPet',
    what: 'no status',
    isTried: ({ requests, parameters }) => (parameters['status'] ?? 0) < requests,
  },
  answerItem('createPet', 400),
  answerItem('createPet', 401),
  failureItem('createPet'),
  answerItem('getPet', 404),
  answerItem('getPet', 401),
]

/** What was asked, and what never was. */
export function coverageOf(counts: AllCounts): Coverage {
  const covered = ids.map((operation) => toCoverage(operation, counts[operation]))
  return {
    operations: covered,
    other: { requests: counts.other?.requests ?? 0, responses: counts.other?.responses() ?? {} },
    neverTried: covered.flatMap(neverTried),
  }
}

/** How much of what a client meets was tried, in whole percent: of the operations, their responses and parameters. */
export function coveredPercent({ operations }: Coverage): number {
  // Nobody needs an operation that is deprecated.
  const needed = operations.filter(({ operation, requests }) => requests > 0 || operation !== 'getPet')
  const own = ({ operation }: OperationCoverage): Item[] => items.filter((item) => item.operation === operation)
  const all = needed.reduce((sum, covered) => sum + 1 + own(covered).length, 0)
  const used = needed.filter(({ requests }) => requests > 0)
  const tried = used.reduce((sum, covered) => sum + 1 + own(covered).filter((item) => item.isTried(covered)).length, 0)
  return Math.floor((100 * tried) / all)
}

function toCoverage(operation: OperationId, counts: OperationCounts | undefined): OperationCoverage {
  return {
    operation,
    requests: counts?.requests ?? 0,
    responses: counts?.responses() ?? {},
    parameters: counts?.parameters() ?? {},
  }
}

function neverTried(covered: OperationCoverage): Coverage['neverTried'] {
  const { operation, requests } = covered
  // Nobody needs an operation that is deprecated.
  if (requests === 0) return operation === 'getPet' ? [] : [{ operation, what: 'the operation' }]
  return items
    .filter((item) => item.operation === operation && !item.isTried(covered))
    .map(({ what }) => ({ operation, what }))
}
