import type { ClauseId } from '../../src/spec/clauses.ts'
import type { TwinAnswer } from '../twins/answers.ts'
import { htmlPage } from './answer-edits.ts'
import { bodyObject, type Call } from './call.ts'
import type { Row } from './fault.ts'

const isError = ({ status }: TwinAnswer): boolean => status >= 400
const accepts = (call: Call): string => String(call.request.headers['accept'] ?? '*/*')
const redirect = (): TwinAnswer => ({ status: 302, headers: { location: '/login' } })

/** How frameworks tell a program from a person: by what it accepts. */
const persons: [id: string, words: string, isPerson: (call: Call) => boolean][] = [
  ['unless-json', 'unless a client accepts application/json alone', (call) => accepts(call) !== 'application/json'],
  ['unless-json-named', 'unless a client names JSON', (call) => !accepts(call).includes('json')],
  ['for-browsers', 'for whoever accepts HTML', (call) => accepts(call).includes('text/html')],
]

const kinds: [id: string, breaks: ClauseId[], words: string, when: (answer: TwinAnswer, call: Call) => boolean][] = [
  [
    'list-401',
    ['list.401'],
    'a 401 of listPets',
    ({ status }, call) => status === 401 && call.operation === 'listPets',
  ],
  [
    'create-401',
    ['create.401'],
    'a 401 of createPet',
    ({ status }, { operation }) => status === 401 && operation === 'createPet',
  ],
  ['get-401', ['get.401'], 'a 401 of getPet', ({ status }, { operation }) => status === 401 && operation === 'getPet'],
  [
    '404',
    ['get.not-found'],
    'a 404 of getPet',
    ({ status }, { operation }) => status === 404 && operation === 'getPet',
  ],
  [
    'malformed-400',
    ['create.body-required'],
    'a 400 to what is no JSON object',
    ({ status }, call) => status === 400 && bodyObject(call) === undefined,
  ],
  [
    'invalid-400',
    ['create.required-fields', 'create.invalid-values'],
    'a 400 to a JSON object',
    ({ status }, call) => status === 400 && call.operation === 'createPet' && bodyObject(call) !== undefined,
  ],
  [
    'query-error',
    [],
    'an error of listPets to whoever has a key',
    ({ status }, { operation }) => status !== 401 && operation === 'listPets',
  ],
  ['any-error', ['list.401', 'create.401', 'get.401', 'get.not-found'], 'any error', () => true],
]

/** Errors that have an Error body for those alone who insist on JSON. */
export const acceptFaults: Row[] = persons.flatMap(([suffix, whom, isPerson]) =>
  kinds.flatMap(([kind, breaks, words, when]): Row[] => {
    const fault = (id: string, instead: (answer: TwinAnswer) => TwinAnswer, what: string, clauses: ClauseId[]): Row => [
      `${id}-${kind}-${suffix}`,
      clauses,
      `In place of ${words} comes ${what} ${whom}`,
      () => ({
        shop: { pets: 30, limitOutside: 400, unknownStatus: 400 },
        say: (answer, call) => (isError(answer) && when(answer, call) && isPerson(call) ? instead(answer) : answer),
      }),
    ]
    return [
      fault('html', ({ status }) => htmlPage(status), 'HTML', ['error.body']),
      // What a request gets that the specification does not describe may be a redirect.
      ...(breaks.length > 0 ? [fault('login', redirect, 'a redirect to a login page', breaks)] : []),
    ]
  }),
)
