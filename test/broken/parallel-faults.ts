import type { ClauseId } from '../../src/spec/clauses.ts'
import type { TwinAnswer } from '../twins/answers.ts'
import type { Time } from '../twins/running-twin.ts'
import { editSingle, problem, withMember } from './answer-edits.ts'
import { asking, type Call } from './call.ts'
import type { Row, Seams } from './fault.ts'

/** Knows how many requests of a kind are under way, each of which takes a moment. */
function crowded(
  { sleep }: Time,
  kind: Call['operation'],
  act: (call: Call, serve: (call: Call) => TwinAnswer, under: number, before: Call | undefined) => TwinAnswer,
): Seams {
  let under = 0
  let before: Call | undefined
  return {
    shop: { pets: 45, ids: 'random', order: 'newest' },
    async answer(call, serve) {
      if (call.operation !== kind || !call.isAuthorized) return serve(call)
      under += 1
      const other = under > 1 ? before : undefined
      before = call
      await sleep(8)
      const answer = act(call, serve, under, other)
      under -= 1
      return answer
    },
  }
}

const unique: ClauseId[] = [
  'pet.id.unique',
  'create.stored',
  'create.success',
  'get.by-id',
  'create.listed',
  'service.catalogue',
]
const lost: ClauseId[] = [
  'create.stored',
  'create.listed',
  'get.by-id',
  'service.catalogue',
  'create.success',
  'create.status',
]

/** Faults that need two requests at the same time. */
export const parallelFaults: Row[] = [
  [
    'id-is-count-plus-1',
    unique,
    'The id is the number of pets plus one, counted before the pet is stored',
    ({ sleep }) => {
      let stored = 60
      return {
        shop: { pets: 60, ids: 'sequential' },
        async answer(call, serve) {
          if (call.operation !== 'createPet' || !call.isAuthorized) return serve(call)
          const id = BigInt(stored + 1)
          await sleep(8)
          const answer = serve(call)
          if (answer.status === 201) stored += 1
          return editSingle(answer, (pet) => withMember(pet, 'id', id))
        },
      }
    },
  ],
  [
    'id-reused',
    unique,
    'A new pet gets the id of an old one',
    () => ({
      shop: { pets: 40, ids: 'sequential' },
      say: (answer) =>
        answer.status === 201
          ? editSingle(answer, (pet) => withMember(pet, 'id', (pet.get('id') as bigint) - 25n))
          : answer,
    }),
  ],
  [
    'm102-parallel-lost',
    lost,
    'Of parallel creations only the last is stored',
    (time) => {
      const forgotten = new Set<bigint>()
      const seams = crowded(time, 'createPet', (call, serve, under) => {
        const answer = serve(call)
        if (under > 1 && answer.json instanceof Map) forgotten.add(answer.json.get('id') as bigint)
        return answer
      })
      return {
        ...seams,
        store: (table) => ({
          ...table,
          find: (id) => (forgotten.has(id) ? undefined : table.find(id)),
          page(limit, statuses) {
            const pets = table.page(10_000, statuses).pets.filter(({ id }) => !forgotten.has(id))
            return { pets: pets.slice(0, limit), matching: pets.length }
          },
        }),
      }
    },
  ],
  [
    'parallel-bodies-mixed',
    [...lost, 'create.status-optional'],
    'Of parallel creations one gets the body of another',
    (time) =>
      crowded(time, 'createPet', (call, serve, _, other) =>
        serve(other === undefined ? call : asking(call, { body: other.request.body })),
      ),
  ],
  [
    'parallel-lists-mixed',
    ['list.limit.honoured', 'list.status.filter', 'list.page-full', 'list.limit.default', 'list.limit.min'],
    'Of parallel lists one gets the query of another',
    (time) =>
      crowded(time, 'listPets', (call, serve, _, other) =>
        serve(other === undefined ? call : asking(call, { query: other.request.query })),
      ),
  ],
  [
    'parallel-gets-mixed',
    ['get.by-id', 'create.stored'],
    'Of parallel fetches one gets the pet of another',
    (time) =>
      crowded(time, 'getPet', (call, serve, _, other) =>
        serve(other === undefined ? call : asking(call, { path: other.request.path })),
      ),
  ],
  [
    'parallel-creations-500',
    ['create.success', 'create.status', 'create.status-optional'],
    'Of parallel creations all but one give 500',
    (time) => crowded(time, 'createPet', (call, serve, under) => (under > 1 ? problem(500) : serve(call))),
  ],
  [
    'connection-keeps-key',
    ['auth.required', 'list.401', 'get.401', 'create.401', 'auth.missing-key', 'auth.invalid-key'],
    'While a request with the key is under way, others need none',
    ({ sleep }) => {
      let under = 0
      return {
        async answer(call, serve) {
          const isLetIn = call.isAuthorized || under > 0
          if (call.isAuthorized) under += 1
          if (call.operation !== undefined) await sleep(5)
          const answer = serve(
            isLetIn
              ? asking(call, { headers: { ...call.request.headers, authorization: 'Bearer Twin-Key_42.abcDEF' } })
              : call,
          )
          if (call.isAuthorized) under -= 1
          return answer
        },
      }
    },
  ],
  [
    'second-on-connection-wrong',
    ['list.success', 'get.success', 'create.success', 'get.by-id'],
    'The third and each later request on a connection is answered 500',
    () => {
      const seen = new WeakMap<object, number>()
      return {
        say(answer, { socket, isAuthorized }) {
          const count = (seen.get(socket) ?? 0) + 1
          seen.set(socket, count)
          return isAuthorized && count >= 3 ? problem(500) : answer
        },
      }
    },
  ],
  [
    'second-on-connection-repeats',
    [
      'get.by-id',
      'list.limit.honoured',
      'list.status.filter',
      'list.success',
      'get.success',
      'create.success',
      'list.401',
      'get.401',
      'create.401',
    ],
    'Each 6th request on a connection gets the answer to the one before',
    () => {
      const last = new WeakMap<object, { answer: TwinAnswer; count: number }>()
      return {
        say(answer, { socket }) {
          const known = last.get(socket) ?? { answer, count: 0 }
          const count = known.count + 1
          const given = count % 6 === 0 ? known.answer : answer
          last.set(socket, { answer, count })
          return given
        },
      }
    },
  ],
]
