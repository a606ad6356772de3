import type { TwinAnswer } from '../twins/answers.ts'
import { twinKey } from '../twins/running-twin.ts'
import { editError, htmlPage, problem, withMember } from './answer-edits.ts'
import { letIn, type Call } from './call.ts'
import type { Row, Seams } from './fault.ts'

const token = ({ credential }: Call): string => /^bearer +(.*)$/i.exec(credential)?.[1] ?? ''
const isBearer = ({ credential }: Call): boolean => /^bearer\b/i.test(credential)

/** Lets in who fulfils a rule that is too weak. */
const lenient = (rule: (call: Call) => boolean): Seams => ({ hear: (call) => (rule(call) ? letIn(call) : call) })

/** Changes the answer to those who are not let in. */
const refusing = (edit: (answer: TwinAnswer, call: Call) => TwinAnswer): Seams => ({
  say: (answer, call) => (answer.status === 401 ? edit(answer, call) : answer),
})

const ofEach = ['list.401', 'get.401', 'create.401', 'auth.required'] as const

/** A key is compared in the wrong way, or its absence answered in the wrong way. */
export const keyFaults: Row[] = [
  [
    'm09-any-token',
    [...ofEach, 'auth.invalid-key'],
    'Any bearer token is accepted',
    () => lenient((call) => token(call) !== ''),
  ],
  [
    'scheme-api-key',
    [...ofEach, 'auth.invalid-key'],
    'The scheme may also be ApiKey',
    () => lenient(({ credential }) => credential === `ApiKey ${twinKey}`),
  ],
  [
    'm11-key-begins',
    [...ofEach, 'auth.invalid-key'],
    'A token that begins with the key is accepted',
    () => lenient((call) => token(call).startsWith(twinKey)),
  ],
  [
    'key-ends',
    [...ofEach, 'auth.invalid-key'],
    'A token that ends with the key is accepted',
    () => lenient((call) => token(call).endsWith(twinKey)),
  ],
  [
    'key-pattern',
    [...ofEach, 'auth.invalid-key'],
    'The key is used as a regular expression, in which a dot is any character',
    () => lenient((call) => new RegExp(`^${twinKey}$`).test(token(call))),
  ],
  [
    'key-bare',
    [...ofEach, 'auth.invalid-key'],
    'The key is accepted without a scheme',
    () => lenient(({ credential }) => credential === twinKey),
  ],
  [
    'm12-empty-token',
    [...ofEach, 'auth.missing-key', 'auth.invalid-key'],
    'An empty token is accepted',
    () => lenient((call) => isBearer(call) && token(call) === ''),
  ],
  [
    'm13-missing-403',
    [...ofEach, 'auth.missing-key'],
    'A missing key is answered 403',
    () => refusing((answer, { credential }) => (credential === '' ? problem(403) : answer)),
  ],
  [
    'wrong-key-403',
    [...ofEach, 'auth.invalid-key'],
    'A wrong key is answered 403, a missing one 401',
    () => refusing((answer, { credential }) => (credential === '' ? answer : problem(403))),
  ],
  [
    'missing-key-redirects-to-login',
    [...ofEach, 'auth.missing-key'],
    'Without a key there is a redirect to a login page',
    () =>
      refusing((answer, { credential }) =>
        credential === '' ? { status: 302, headers: { location: '/login' } } : answer,
      ),
  ],
  ['m14-401-empty', ['error.body'], 'The body of 401 is empty', () => refusing(() => ({ status: 401 }))],
  [
    'm14-401-html',
    ['error.body', 'http.media-type'],
    'The body of 401 is a page of HTML',
    () => refusing(() => htmlPage(401)),
  ],
  [
    '401-status-text',
    ['error.status'],
    'The Error of 401 has its status as a string',
    () => refusing((answer) => editError(answer, (error) => withMember(error, 'status', '401'))),
  ],
  [
    '401-status-zero',
    ['error.status-repeats-http'],
    'The Error of 401 has the status 0',
    () => refusing((answer) => editError(answer, (error) => withMember(error, 'status', 0n))),
  ],
  [
    '401-with-200',
    [...ofEach, 'auth.missing-key', 'auth.invalid-key'],
    'The Error of 401 comes with the HTTP status 200',
    () => refusing((answer) => ({ ...answer, status: 200 })),
  ],
]
