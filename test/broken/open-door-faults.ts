import type { ClauseId } from '../../src/spec/clauses.ts'
import { twinKey } from '../twins/running-twin.ts'
import { problem } from './answer-edits.ts'
import { asking, bodyText, letIn, withBody, type Call } from './call.ts'
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
    'limit-before-key',
    list,
    'A limit of 0 is answered 400 before the key is looked at',
    () => hasty(400, ({ operation, limit }) => operation === 'listPets' && limit === 0),
  ],
  [
    'pet-id-before-key',
    get,
    'A petId that is no integer is answered 400 before the key is looked at',
    () => hasty(400, ({ petId }) => petId !== undefined && !/^-?\d+$/.test(petId)),
  ],
  [
    'cut-key-creates',
    ['auth.required', 'create.refused-leaves-nothing', 'create.401'],
    'createPet with the key cut short answers 401 and creates the pet',
    () => ({ shop: { pets: 60, ids: 'extremes' }, ...keeping((call) => token(call) === twinKey.slice(0, -1)) }),
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
