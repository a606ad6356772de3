import type { ClauseId } from '../../src/spec/clauses.ts'
import type { TwinAnswer } from '../twins/answers.ts'
import { twinKey } from '../twins/running-twin.ts'
import { problem } from './answer-edits.ts'
import { bodyObject, bodyText, letIn, withBody, type Call } from './call.ts'
import type { Row, Seams } from './fault.ts'

const token = ({ credential }: Call): string => /^bearer +(.*)$/i.exec(credential)?.[1] ?? ''
const open = (when: (call: Call) => boolean): Seams => ({ hear: (call) => (when(call) ? letIn(call) : call) })

/** Judges a part of the request before its key. */
const hasty = (status: number, when: (call: Call) => boolean): Seams => ({
  say: (answer, call) => (answer.status === 401 && when(call) ? problem(status) : answer),
})

/** Refuses a creation with 401 and carries it out all the same. */
const keeping = (when: (call: Call) => boolean): Seams => ({
  answer(call, serve) {
    if (call.operation === 'createPet' && !call.isAuthorized && when(call)) serve(letIn(call))
    return serve(call)
  },
})

const list: ClauseId[] = ['list.401', 'auth.required', 'auth.missing-key', 'auth.invalid-key']
const get: ClauseId[] = ['get.401', 'auth.required', 'auth.missing-key', 'auth.invalid-key']
const create: ClauseId[] = ['create.401', 'auth.required', 'auth.missing-key', 'auth.invalid-key']
const all: ClauseId[] = ['list.401', 'get.401', 'create.401', 'auth.required', 'auth.missing-key', 'auth.invalid-key']

/** The key is asked for, but not in each place, not each time, or too late. */
export const accessFaults: Row[] = [
  ['m05-list-open', list, 'GET /pets needs no key', () => open(({ operation }) => operation === 'listPets')],
  ['m06-create-open', create, 'POST /pets needs no key', () => open(({ operation }) => operation === 'createPet')],
  ['m07-get-open', get, 'GET /pets/{petId} needs no key', () => open(({ operation }) => operation === 'getPet')],
  [
    'filtered-list-open',
    list,
    'A list with a filter needs no key',
    () => open(({ operation, status }) => operation === 'listPets' && status !== undefined),
  ],
  [
    'sold-list-open',
    list,
    'The list of sold pets needs no key',
    () => open(({ operation, status }) => operation === 'listPets' && status === 'sold'),
  ],
  [
    'long-list-open',
    list,
    'A list with a limit above 50 needs no key',
    () => open(({ operation, limit }) => operation === 'listPets' && (limit ?? 0) > 50),
  ],
  [
    'list-of-both-open',
    list,
    'A list with limit and status needs no key',
    () =>
      open(({ operation, limit, status }) => operation === 'listPets' && limit !== undefined && status !== undefined),
  ],
  [
    'create-case',
    create,
    'createPet alone compares the key without letter case',
    () => open((call) => call.operation === 'createPet' && token(call).toLowerCase() === twinKey.toLowerCase()),
  ],
  [
    'create-empty-token',
    create,
    'createPet alone accepts an empty token',
    () => open(({ operation, credential }) => operation === 'createPet' && /^bearer *$/i.test(credential)),
  ],
  [
    'create-any-scheme',
    create,
    'createPet alone ignores the scheme',
    () => open(({ operation, credential }) => operation === 'createPet' && credential.endsWith(` ${twinKey}`)),
  ],
  [
    'get-empty-token',
    get,
    'getPet alone accepts an empty token',
    () => open(({ operation, credential }) => operation === 'getPet' && /^bearer *$/i.test(credential)),
  ],
  [
    'get-bare-key',
    get,
    'getPet alone accepts the key without a scheme',
    () => open(({ operation, credential }) => operation === 'getPet' && credential === twinKey),
  ],
  [
    'get-any-token',
    get,
    'getPet alone accepts any token',
    () => open((call) => call.operation === 'getPet' && token(call) !== ''),
  ],
  [
    'get-401-for-known-only',
    get,
    'getPet without a key answers 404 for a pet that does not exist',
    () => ({
      answer(call, serve) {
        const known = call.operation === 'getPet' && !call.isAuthorized ? serve(letIn(call)) : undefined
        return known !== undefined && known.status !== 200 ? known : serve(call)
      },
    }),
  ],
  [
    'm19-body-before-key',
    create,
    'A body that is no valid NewPet is answered 400 before the key is looked at',
    () => ({
      answer(call, serve) {
        const isRefused = (answer: TwinAnswer): boolean => answer.status === 401
        if (call.operation !== 'createPet' || !isRefused(serve(call))) return serve(call)
        const body = bodyObject(call)
        return body === undefined || !body.has('name') || !body.has('categoryId') ? problem(400) : serve(call)
      },
    }),
  ],
  [
    'syntax-before-key',
    create,
    'A body that is no JSON is answered 400 before the key is looked at',
    () =>
      hasty(400, (call) => call.operation === 'createPet' && bodyText(call) !== '' && bodyObject(call) === undefined),
  ],
  [
    'limit-before-key',
    list,
    'A limit of 0 is answered 400 before the key is looked at',
    () => hasty(400, ({ operation, limit }) => operation === 'listPets' && limit === 0),
  ],
  [
    'status-before-key',
    list,
    'An unknown status is answered 400 before the key is looked at',
    () =>
      hasty(
        400,
        ({ operation, status }) =>
          operation === 'listPets' && status !== undefined && !['available', 'pending', 'sold'].includes(status),
      ),
  ],
  [
    'pet-id-before-key',
    get,
    'A petId that is no integer is answered 400 before the key is looked at',
    () => hasty(400, ({ petId }) => petId !== undefined && !/^-?\d+$/.test(petId)),
  ],
  [
    'media-type-before-key',
    create,
    'Another Content-Type than JSON is answered 415 before the key is looked at',
    () =>
      hasty(
        415,
        ({ operation, request }) =>
          operation === 'createPet' && !String(request.headers['content-type']).startsWith('application/json'),
      ),
  ],
  [
    'm15-refused-key-creates',
    ['auth.required', 'create.refused-leaves-nothing', 'create.401'],
    'createPet without a key answers 401 and creates the pet',
    () => ({ shop: { pets: 40, order: 'newest', ids: 'random' }, ...keeping(({ credential }) => credential === '') }),
  ],
  [
    'cut-key-creates',
    ['auth.required', 'create.refused-leaves-nothing', 'create.401'],
    'createPet with the key cut short answers 401 and creates the pet',
    () => ({ shop: { pets: 60, ids: 'extremes' }, ...keeping((call) => token(call) === twinKey.slice(0, -1)) }),
  ],
  [
    'other-scheme-creates',
    ['auth.required', 'create.refused-leaves-nothing', 'create.401'],
    'createPet with another scheme answers 401 and creates the pet',
    () => ({
      shop: { pets: 30, ids: 'gaps', order: 'name' },
      ...keeping(({ credential }) => credential.startsWith('Basic')),
    }),
  ],
  [
    'm16-key-once-per-connection',
    all,
    'A connection that was let in once is let in again without a key',
    () => {
      const known = new WeakSet<object>()
      return {
        hear(call) {
          if (call.isAuthorized) known.add(call.socket)
          return known.has(call.socket) ? letIn(call) : call
        },
      }
    },
  ],
  [
    'key-once-per-connection-for-get',
    get,
    'getPet needs no key on a connection that was let in by it before',
    () => {
      const known = new WeakSet<object>()
      return {
        hear(call) {
          if (call.operation !== 'getPet') return call
          if (call.isAuthorized) known.add(call.socket)
          return known.has(call.socket) ? letIn(call) : call
        },
      }
    },
  ],
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
    'key-once-then-any-credential',
    all,
    'After a right key any other token is let in, though not its absence',
    () => {
      let isKnown = false
      return {
        hear(call) {
          isKnown ||= call.isAuthorized
          return isKnown && token(call) !== '' ? letIn(call) : call
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
    `each-${n}th-wrong-key`,
    all,
    `Each ${n}th request without the key is let in`,
    () => {
      let wrong = 0
      return open(({ isAuthorized, operation }) => !isAuthorized && operation !== undefined && ++wrong % n === 0)
    },
  ]),
  ...[3, 7, 20].map((n): Row => [
    `m18-each-${n}th-right-key`,
    ['auth.bearer'],
    `Each ${n}th request with the right key is answered 401`,
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
  [
    'right-key-refused-after-wrong-ones',
    ['auth.bearer'],
    'After ten wrong keys the right one is answered 401 for the next ten requests',
    () => {
      let wrong = 0
      let locked = 10
      return {
        answer(call, serve) {
          if (!call.isAuthorized) wrong += 1
          if (!call.isAuthorized || wrong < 10 || locked === 0) return serve(call)
          locked -= 1
          return problem(401)
        },
      }
    },
  ],
  [
    'wrong-key-empties-body',
    ['error.body', 'create.401'],
    'createPet reads the body of those without a key and crashes on malformed JSON',
    () => ({
      answer(call, serve) {
        const isBad = call.operation === 'createPet' && !call.isAuthorized && bodyText(call).endsWith(':')
        return isBad
          ? {
              status: 500,
              page: { contentType: 'text/plain', text: 'SyntaxError: Unexpected end of JSON input\n    at JSON.parse' },
            }
          : serve(withBody(call, bodyText(call)))
      },
    }),
  ],
]
