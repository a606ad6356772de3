import { type OperationId, operationIds, operations, petStatuses } from '../../spec/operations.ts'
import type { Step } from './sequence.ts'
import type { Coverage, OperationCoverage } from './scorecard.gen.ts'

/** Something that a client should try, and whether it has. */
type Item = readonly [what: string, isTried: (counts: OperationCoverage) => boolean]

const statuses = petStatuses.map((status): Item => {
  const what = `status=${status}`
  return [what, ({ parameters }) => parameters[what] !== undefined]
})
const response = (what: string, pattern: RegExp): Item => [
  `a ${what} response`,
  ({ responses }) => Object.keys(responses).some((name) => pattern.test(name)),
]
const failure = response('429, 5xx or missing', /^(429|5\d\d|reset|silence)$/)

const parameterItems: Readonly<Record<string, readonly Item[]>> = {
  limit: [['limit', ({ parameters }) => parameters['limit'] !== undefined]],
  status: statuses,
  NewPet: [
    ...statuses,
    ['no status', ({ requests, parameters }) => (parameters['status'] ?? 0) < requests],
  ],
}

function itemsOf(operation: OperationId): Item[] {
  const { query, body, errors, deprecated } = operations[operation]
  return [
    ...[...query, ...(body ? [body] : [])].flatMap((name) => parameterItems[name] ?? []),
    ...errors.map((status) => response(String(status), new RegExp(`^${status}$`))),
    ...(deprecated ? [] : [failure]),
  ]
}

/** Clients need not use deprecated operations. */
const isNeeded = ({ operation, requests }: OperationCoverage): boolean =>
  requests > 0 || !operations[operation].deprecated

export function coverageOf(steps: readonly Step[]): Coverage {
  const covered = operationIds.map((operation): OperationCoverage => {
    const own = steps.filter((step) => step.operation === operation)
    const parameters = countsOf(own.flatMap((step) => [...new Set(step.parameters)]))
    return { operation, requests: own.length, responses: responsesOf(own), parameters }
  })
  const others = steps.filter(({ operation }) => operation === undefined)
  return {
    operations: covered,
    other: { requests: others.length, responses: responsesOf(others) },
    neverTried: covered.filter(isNeeded).flatMap((counts) => {
      const { operation, requests } = counts
      if (requests === 0) return [{ operation, what: 'the operation' }]
      return itemsOf(operation).flatMap(([what, isTried]) =>
        isTried(counts) ? [] : [{ operation, what }],
      )
    }),
  }
}

/** The percentage of operations, responses and parameters that were tried, rounded down. */
export function coveredPercent({ operations: all, neverTried }: Coverage): number {
  const most = (list: readonly OperationCoverage[]): number =>
    list.reduce((sum, { operation }) => sum + 1 + itemsOf(operation).length, 0)
  const needed = all.filter(isNeeded)
  const untried = needed.filter(({ requests }) => requests === 0)
  const left = neverTried.length - untried.length
  return Math.floor((100 * (most(needed) - most(untried) - left)) / most(needed))
}

function responsesOf(steps: readonly Step[]): Record<string, number> {
  return countsOf(
    steps.map(({ entry: { reply } }) => {
      if (reply.wire?.reset) return 'reset'
      return reply.wire?.silent ? 'silence' : String(reply.status)
    }),
  )
}

function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
