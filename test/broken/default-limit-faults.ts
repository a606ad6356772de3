import type { ClauseId } from '../../src/spec/clauses.ts'
import { withParameters, type Call } from './call.ts'
import type { Row, Seams } from './fault.ts'

/** Has another default than 20. */
const defaulting = (count: number, when: (call: Call) => boolean = () => true): Seams => ({
  shop: { pets: 150, ids: 'gaps', order: 'newest' },
  hear: (call) =>
    call.operation === 'listPets' && !call.parameters.has('limit') && when(call)
      ? withParameters(call, { limit: count })
      : call,
})

const usual: ClauseId[] = ['list.limit.default', 'list.page-full']

/** Pages of the wrong length where there is no limit. */
export const defaultLimitFaults: Row[] = [
  ['default-19', usual, 'Without limit there are 19 pets', () => defaulting(19)],
  ['default-21', usual, 'Without limit there are 21 pets', () => defaulting(21)],
]
