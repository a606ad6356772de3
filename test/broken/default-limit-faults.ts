import type { ClauseId } from '../../src/spec/clauses.ts'
import type { TwinOptions } from '../twins/settings.ts'
import { withParameters, type Call } from './call.ts'
import type { Row, Seams } from './fault.ts'

/** Takes another number of pets out of the store than the page should have. */
const taking = (count: (limit: number) => number, shop: TwinOptions = { pets: 150, ids: 'random' }): Seams => ({
  shop,
  store: (table) => ({ ...table, page: (limit, statuses) => table.page(count(limit), statuses) }),
})

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
  ['m23-default-10', usual, 'Without limit there are 10 pets', () => defaulting(10)],
  ['default-19', usual, 'Without limit there are 19 pets', () => defaulting(19)],
  ['default-21', usual, 'Without limit there are 21 pets', () => defaulting(21)],
  ['m24-default-100', usual, 'Without limit there are 100 pets', () => defaulting(100)],
  [
    'default-unbounded',
    [...usual, 'list.limit.max'],
    'Without limit there are all 150 pets',
    () => taking((limit) => (limit === 20 ? 1000 : limit)),
  ],
  [
    'default-10-with-status',
    usual,
    'Without limit, but with a status, there are 10 pets',
    () => defaulting(10, ({ status }) => status !== undefined),
  ],
  [
    'default-100-with-sold',
    usual,
    'Without limit the list of sold pets has up to 100',
    () => defaulting(100, ({ status }) => status === 'sold'),
  ],
]
