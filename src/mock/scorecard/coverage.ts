import { type OperationId, operations, petStatuses } from '../../spec/operations.ts'
import type { Step } from './sequence.ts'
import type { Coverage, OperationCoverage } from './types.ts'

/** What a client of an operation meets sooner or later. */
interface Item {
  operation: OperationId
  what: string
  isTried: (counts: OperationCoverage) => boolean
}

const statusItems = (operation: OperationId): Item[] =>
  petStatuses.map((status) => {
    const what = `status=${status}`
    return { operation, what, isTried: ({ parameters }) => parameters[what] !== undefined }
  })
const responseItem = (operation: OperationId, what: string, pattern: RegExp): Item => ({
  operation,
  what: `a response ${what}`,
  isTried: ({ responses }) => Object.keys(responses).some((response) => pattern.test(response)),
})
const failureItem = (operation: OperationId): Item =>
  responseItem(operation, '429, 5xx or none', /^(429|5\d\d|reset|silence)$/)

/** By operation, in the order of the specification. */
const items: readonly Item[] = [
  { operation: 'listPets', what: 'limit', isTried: ({ parameters }) => parameters['limit'] !== undefined },
  ...statusItems('listPets'),
  responseItem('listPets', '401', /^401$/),
  failureItem('listPets'),
  ...statusItems('createPet'),
  {
    operation: 'createPet',
    what: 'no status',
    isTried: ({ requests, parameters }) => (parameters['status'] ?? 0) < requests,
  },
  responseItem('createPet', '400', /^400$/),
  responseItem('createPet', '401', /^401$/),
  failureItem('createPet'),
  responseItem('getPet', '404', /^404$/),
  responseItem('getPet', '401', /^401$/),
]

const itemsOf = (id: OperationId): Item[] => items.filter(({ operation }) => operation === id)
/** Nobody needs an operation that is deprecated. */
const isNeeded = ({ operation, requests }: OperationCoverage): boolean => requests > 0 || operation !== 'getPet'

/** What was requested, and what never was. */
export function coverageOf(steps: readonly Step[]): Coverage {
  const covered = (Object.keys(operations) as OperationId[]).map((operation): OperationCoverage => {
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
      return itemsOf(operation).flatMap(({ what, isTried }) => (isTried(counts) ? [] : [{ operation, what }]))
    }),
  }
}

/** How much of what a client meets was tried, in whole percent: of the operations, their responses and parameters. */
export function coveredPercent({ operations: all }: Coverage): number {
  const needed = all.filter(isNeeded)
  const tried = needed.filter(({ requests }) => requests > 0)
  const most = needed.reduce((sum, { operation }) => sum + 1 + itemsOf(operation).length, 0)
  const done = tried.reduce((sum, counts) => {
    return sum + 1 + itemsOf(counts.operation).filter(({ isTried }) => isTried(counts)).length
  }, 0)
  return Math.floor((100 * done) / most)
}

function responsesOf(steps: readonly Step[]): Record<string, number> {
  return countsOf(
    steps.map(({ entry: { reply } }) => {
      if (reply.wire?.reset) return 'reset'
      return reply.wire?.silent ? 'silence' : String(reply.status)
    }),
  )
}

/** How often each name came, in the order of the names. */
function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
