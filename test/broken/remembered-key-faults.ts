import type { ClauseId } from '../../src/spec/clauses.ts'
import type { TwinAnswer } from '../twins/answers.ts'
import { problem } from './answer-edits.ts'
import { letIn, type Call } from './call.ts'
import { ordinal, type Row, type Seams } from './fault.ts'

const open = (when: (call: Call) => boolean): Seams => ({ hear: (call) => (when(call) ? letIn(call) : call) })

const get: ClauseId[] = ['get.401', 'auth.required', 'auth.missing-key', 'auth.invalid-key']
const all: ClauseId[] = ['list.401', 'get.401', 'create.401', 'auth.required', 'auth.missing-key', 'auth.invalid-key']

/** A key that was right once opens for others, or is not right each time. */
export const rememberedKeyFaults: Row[] = [
  [
    'key-once-per-address',
    all,
    'Whoever has shown the key needs it no more for as long as the server runs',
    () => {
      let isKnown = false
      return {
        hear(call) {
          isKnown ||= call.isAuthorized
          return isKnown ? letIn(call) : call
        },
      }
    },
  ],
  [
    'm17-cache-ignores-key',
    all,
    'A cache gives the list of whoever asked before to those without a key',
    () => {
      const cache = new Map<string, TwinAnswer>()
      return {
        answer(call, serve) {
          const { path, query, method } = call.request
          const url = `${path}?${query}`
          const hit = method === 'GET' && !call.isAuthorized ? cache.get(url) : undefined
          const answer = hit ?? serve(call)
          if (method === 'GET' && call.isAuthorized && answer.status === 200) cache.set(url, answer)
          return answer
        },
      }
    },
  ],
  [
    'pet-cache-ignores-key',
    get,
    'A cache gives a pet that was fetched before to those without a key',
    () => {
      const cache = new Map<string, TwinAnswer>()
      return {
        answer(call, serve) {
          if (call.petId === undefined) return serve(call)
          const answer = cache.get(call.petId) ?? serve(call)
          if (answer.status === 200) cache.set(call.petId, answer)
          return answer
        },
      }
    },
  ],
  ...[3, 7, 20].map((n): Row => [
    `each-${ordinal(n)}-wrong-key`,
    all,
    `Each ${ordinal(n)} request without the key is let in`,
    () => {
      let wrong = 0
      return open(({ isAuthorized, operation }) => !isAuthorized && operation !== undefined && ++wrong % n === 0)
    },
  ]),
  ...[3, 7, 20].map((n): Row => [
    `m18-each-${ordinal(n)}-right-key`,
    ['auth.bearer'],
    `Each ${ordinal(n)} request with the right key is answered 401`,
    () => ({
      say: (answer, { nth, isAuthorized }) => (isAuthorized && nth % n === 0 ? problem(401) : answer),
    }),
  ]),
  [
    'right-key-refused-on-post',
    ['auth.bearer', 'create.success'],
    'createPet answers 401 to the right key',
    () => ({
      answer: (call, serve) => (call.operation === 'createPet' ? problem(401) : serve(call)),
    }),
  ],

  ['open-after-100-requests', all, 'From the 101st request on no key is needed', () => open(({ nth }) => nth > 100)],
]
