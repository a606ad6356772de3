import type { ClauseId } from '../../src/spec/clauses.ts'
import type { PetTable } from '../twins/pet-table.ts'
import type { TwinOptions } from '../twins/settings.ts'
import { htmlPage, problem } from './answer-edits.ts'
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
  [
    'limit-101-unbounded',
    ['list.limit.max'],
    'limit=101 gives 101 pets',
    () => unbounded((limit) => Number(limit) > 100),
  ],
  [
    'limit-1000-unbounded',
    ['list.limit.max'],
    'limit=1000 gives all 150 pets',
    () => unbounded((limit) => Number(limit) >= 1000),
  ],
  [
    'limit-negative-unbounded',
    ['list.limit.max'],
    'limit=-1 gives all 150 pets',
    () => unbounded((limit) => limit.startsWith('-')),
  ],
  ['limit-empty-unbounded', ['list.limit.max'], 'limit= gives all 150 pets', () => unbounded((limit) => limit === '')],
  [
    'limit-text-unbounded',
    ['list.limit.max'],
    'limit=abc gives all 150 pets',
    () => unbounded((limit) => Number.isNaN(Number(limit))),
  ],
  [
    'limit-0-html',
    formless,
    'limit=0 gives an error without an Error body',
    () => crashing((call) => isList(call) && call.limit === 0, 400),
  ],
  [
    'limit-text-crash',
    formless,
    'limit=abc gives 500 and a stack trace',
    () => crashing((call) => isList(call) && call.parameters.get('limit') === 'abc'),
  ],
  [
    'limit-fraction-crash',
    formless,
    'limit=1.5 gives 500 and a stack trace',
    () => crashing((call) => isList(call) && /^\d+\.\d+$/.test(call.parameters.get('limit') ?? '')),
  ],
  [
    'limit-huge-crash',
    formless,
    'limit=99999999999999999999 gives 500 and a stack trace',
    () => crashing((call) => isList(call) && (call.limit ?? 0) > 2 ** 63),
  ],
  [
    'status-unknown-crash',
    formless,
    'An unknown status gives 500 and a stack trace',
    () => crashing((call) => isList(call) && call.status === 'lost'),
  ],
  [
    'status-empty-crash',
    formless,
    'An empty status gives 500 and a stack trace',
    () => crashing((call) => isList(call) && call.status === ''),
  ],
  [
    'status-twice-crash',
    formless,
    'A status that is sent twice gives 500 and a stack trace',
    () => crashing((call) => isList(call) && call.parameters.getAll('status').length > 1),
  ],
  [
    'limit-twice-crash',
    formless,
    'A limit that is sent twice gives 500 and a stack trace',
    () => crashing((call) => isList(call) && call.parameters.getAll('limit').length > 1),
  ],
  [
    'unknown-parameter-crash',
    formless,
    'An unknown parameter gives 400 and a page of HTML',
    () =>
      crashing(
        (call) => isList(call) && [...call.parameters.keys()].some((name) => name !== 'limit' && name !== 'status'),
        400,
      ),
  ],
  [
    'pet-id-text-html',
    formless,
    'A petId that is no integer gives 400 and a page of HTML',
    () => crashing(({ petId }) => petId !== undefined && !/^-?\d+$/.test(petId), 400),
  ],
  [
    'pet-id-beyond-crash',
    formless,
    'A petId beyond int64 gives 500 and a stack trace',
    () => crashing(({ petId }) => /^\d{19,}$/.test(petId ?? '') && BigInt(petId ?? 0) > 2n ** 63n - 1n),
  ],
  [
    'pet-id-percent-crash',
    formless,
    'A petId with a lone percent sign gives 400 and a page of HTML',
    () => crashing(({ petId }) => /%(?![0-9a-f]{2})|%e0%a4$/i.test(petId ?? ''), 400),
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
  [
    'media-type-text-html',
    formless,
    'A creation declared as text/plain is answered 415 with a page of HTML',
    () =>
      crashing(
        ({ operation, request }) =>
          operation === 'createPet' && String(request.headers['content-type']).startsWith('text/plain'),
        415,
      ),
  ],
  [
    'long-body-html',
    formless,
    'A body of more than 100 kB is answered 413 with a page of HTML',
    () => crashing(({ operation, request }) => operation === 'createPet' && request.body.length > 100_000, 413),
  ],
  [
    'scheme-case-html',
    formless,
    'The scheme in lower case is answered 401 with a page of HTML',
    () => ({
      answer: (call, serve) => (call.credential.startsWith('bearer ') ? htmlPage(401) : serve(call)),
    }),
  ],
  [
    'scheme-case-wrong-status',
    ['error.status-repeats-http'],
    'The scheme in lower case is answered 400 with the status 401 in its Error',
    () => ({
      answer: (call, serve) => (call.credential.startsWith('bearer ') ? { ...problem(401), status: 400 } : serve(call)),
    }),
  ],
]
