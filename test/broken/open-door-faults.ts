import type { ClauseId } from '../../src/spec/clauses.ts'
import type { TwinAnswer } from '../twins/answers.ts'
import { twinKey } from '../twins/running-twin.ts'
import { problem } from './answer-edits.ts'
import { asking, bodyObject, bodyText, letIn, withBody, type Call } from './call.ts'
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

/** One operation, or one kind of request, asks for no key or judges something before it. */
export const openDoorFaults: Row[] = [
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

  [
    'trailing-slash-open',
    list,
    'GET /pets/ gives the list, and needs no key',
    () => ({
      hear: (call) => (call.request.path === '/v1/pets/' ? letIn(asking(call, { path: '/v1/pets' })) : call),
    }),
  ],
]
