import type { ClauseId } from '../../src/spec/clauses.ts'
import type { PetTable } from '../twins/pet-table.ts'
import type { TwinOptions } from '../twins/settings.ts'
import { htmlPage } from './answer-edits.ts'
import { asking, withParameters, type Call } from './call.ts'
import type { Row, Seams } from './fault.ts'

const big: TwinOptions = { pets: 150, ids: 'random', order: 'newest' }

/** Gives the whole catalogue where the limit is no lawful one. */
function unbounded(when: (limit: string, call: Call) => boolean): Seams {
  let isOpen = false
  const store = (table: PetTable): PetTable => ({
    ...table,
    page: (limit, statuses) => table.page(isOpen ? 100_000 : limit, statuses),
  })
  return {
    shop: big,
    store,
    answer(call, serve) {
      const limit = call.parameters.get('limit')
      isOpen = call.operation === 'listPets' && limit !== null && when(limit, call)
      const answer = serve(isOpen ? withParameters(call, { limit: 100 }) : call)
      isOpen = false
      return answer
    },
  }
}

const crashing = (when: (call: Call) => boolean, status = 500): Seams => ({
  answer: (call, serve) => (call.isAuthorized && when(call) ? htmlPage(status) : serve(call)),
})

const isList = ({ operation }: Call): boolean => operation === 'listPets'
const formless: ClauseId[] = ['error.body', 'http.media-type', 'http.json-body']

/** Requests that the specification does not describe, and an answer that it forbids all the same. */
export const oddQueryFaults: Row[] = [
  ['limit-0-unbounded', ['list.limit.max'], 'limit=0 gives all 150 pets', () => unbounded((limit) => limit === '0')],
  ['limit-empty-unbounded', ['list.limit.max'], 'limit= gives all 150 pets', () => unbounded((limit) => limit === '')],
  [
    'limit-fraction-crash',
    formless,
    'limit=1.5 gives 500 and a stack trace',
    () => crashing((call) => isList(call) && /^\d+\.\d+$/.test(call.parameters.get('limit') ?? '')),
  ],
  [
    'pet-id-2-to-63-wraps',
    ['get.by-id', 'get.not-found'],
    'A petId beyond int64 wraps around and gives a pet',
    () => ({
      shop: { pets: 90, ids: 'extremes' },
      hear: (call) =>
        /^\d{19,}$/.test(call.petId ?? '')
          ? asking(call, { path: `/v1/pets/${BigInt.asIntN(64, BigInt(call.petId ?? 0))}` })
          : call,
    }),
  ],
]
