import type { TwinAnswer } from '../twins/answers.ts'
import type { Row } from './fault.ts'
import { stored } from './clause-groups.ts'

/** Lists out of a cache that should not have kept them. */
export const cacheFaults: Row[] = [
  [
    'list-cache-ignores-query',
    ['list.limit.honoured', 'list.status.filter', 'list.page-full', 'list.limit.min', 'list.limit.default'],
    'A cache keeps the list without regard to its query for 50 ms',
    ({ now }) => {
      let cached: { answer: TwinAnswer; until: number } | undefined
      return {
        answer(call, serve) {
          if (call.operation !== 'listPets' || !call.isAuthorized) return serve(call)
          if (cached === undefined || now() > cached.until) cached = { answer: serve(call), until: now() + 50 }
          return cached.answer
        },
      }
    },
  ],
  [
    'list-cache-ignores-limit',
    ['list.limit.honoured', 'list.page-full', 'list.limit.min', 'list.limit.default', 'create.listed'],
    'A cache keeps the list by its status, without regard to limit',
    () => {
      const cache = new Map<string, TwinAnswer>()
      return {
        answer(call, serve) {
          if (call.operation !== 'listPets' || !call.isAuthorized) return serve(call)
          const answer = cache.get(call.status ?? '') ?? serve(call)
          cache.set(call.status ?? '', answer)
          return answer
        },
      }
    },
  ],

  [
    'unfiltered-list-from-before',
    stored,
    'A cache keeps each list without a filter as it was when it was first asked for',
    () => {
      const cache = new Map<string, TwinAnswer>()
      return {
        shop: { pets: 60, ids: 'gaps', order: 'oldest' },
        answer(call, serve) {
          if (call.operation !== 'listPets' || !call.isAuthorized || call.status !== undefined) return serve(call)
          const key = call.request.query
          const answer = cache.get(key) ?? serve(call)
          cache.set(key, answer)
          return answer
        },
      }
    },
  ],
  [
    'sold-list-from-before',
    stored,
    'A cache keeps the list of sold pets as it was when it was first asked for, in a store of 150',
    () => {
      const cache = new Map<string, TwinAnswer>()
      return {
        shop: { pets: 150, ids: 'random', order: 'newest' },
        answer(call, serve) {
          if (call.operation !== 'listPets' || !call.isAuthorized || call.status !== 'sold') return serve(call)
          const key = call.request.query
          const answer = cache.get(key) ?? serve(call)
          cache.set(key, answer)
          return answer
        },
      }
    },
  ],
]
