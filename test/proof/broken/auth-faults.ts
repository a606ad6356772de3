import type { TwinAnswer } from '../../support/twins/answers.ts'
import { twinKey } from '../../support/twins/running-twin.ts'
import { editError, htmlPage, problem, withMember } from './answer-edits.ts'
import { letIn, type Call, asking, bodyText, withBody } from './call.ts'
import { fault, ordinal, type Row, type Seams } from './fault.ts'
import type { ClauseId } from '../../../src/spec/clauses.ts'

const token = ({ credential }: Call): string => /^bearer +(.*)$/i.exec(credential)?.[1] ?? ''
const isBearer = ({ credential }: Call): boolean => /^bearer\b/i.test(credential)

/** Lets in who fulfils a rule that is too weak. */
const lenient = (rule: (call: Call) => boolean): Seams => ({ hear: (call) => (rule(call) ? letIn(call) : call) })

/** Changes the answer to those who are not let in. */
const refusing = (edit: (answer: TwinAnswer, call: Call) => TwinAnswer): Seams => ({
  say: (answer, call) => (answer.status === 401 ? edit(answer, call) : answer),
})

const ofEach = ['list.401', 'get.401', 'create.401', 'auth.required'] as const

const plain = (text: string): string => text.replaceAll(/[^a-z0-9]/gi, '')

/** A key is compared in the wrong way, or its absence answered in the wrong way. */
export const keyFaults: Row[] = [
  fault('key-in-another-header', ['get.401', 'auth.required', 'auth.invalid-key'], () =>
    lenient(({ request }) => request.headers['x-api-key'] === twinKey),
  ),
  fault('key-as-password', ['get.401', 'auth.required', 'auth.invalid-key'], () =>
    lenient(({ credential }) => /^basic /i.test(credential) && atob(credential.slice(6)).endsWith(`:${twinKey}`)),
  ),
  fault('m09-any-token', [...ofEach, 'auth.invalid-key'], () => lenient((call) => token(call) !== '')),
  fault('scheme-api-key', [...ofEach, 'auth.invalid-key'], () =>
    lenient(({ credential }) => credential === `ApiKey ${twinKey}`),
  ),
  fault('m11-key-begins', [...ofEach, 'auth.invalid-key'], () => lenient((call) => token(call).startsWith(twinKey))),
  fault('key-pattern', [...ofEach, 'auth.invalid-key'], () =>
    lenient((call) => new RegExp(`^${twinKey}$`).test(token(call))),
  ),
  fault('token-pattern', [...ofEach, 'auth.invalid-key'], () =>
    lenient((call) => isBearer(call) && /^[.*\w]+$/.test(token(call)) && new RegExp(`^${token(call)}$`).test(twinKey)),
  ),
  fault('key-letters-and-digits', [...ofEach, 'auth.invalid-key'], () =>
    lenient((call) => isBearer(call) && plain(token(call)) === plain(twinKey)),
  ),
  fault('key-beginning-and-length', [...ofEach, 'auth.invalid-key'], () =>
    lenient((call) => token(call).length === twinKey.length && token(call).startsWith(twinKey.slice(0, 5))),
  ),
  fault('key-bare', [...ofEach, 'auth.invalid-key'], () => lenient(({ credential }) => credential === twinKey)),
  fault('m12-empty-token', [...ofEach, 'auth.missing-key', 'auth.invalid-key'], () =>
    lenient((call) => isBearer(call) && token(call) === ''),
  ),
  fault('m13-missing-403', [...ofEach, 'auth.missing-key'], () =>
    refusing((answer, { credential }) => (credential === '' ? problem(403) : answer)),
  ),
  fault('wrong-key-403', [...ofEach, 'auth.invalid-key'], () =>
    refusing((answer, { credential }) => (credential === '' ? answer : problem(403))),
  ),
  fault('missing-key-redirects-to-login', [...ofEach, 'auth.missing-key'], () =>
    refusing((answer, { credential }) =>
      credential === '' ? { status: 302, headers: { location: '/login' } } : answer,
    ),
  ),
  fault('m14-401-empty', ['error.body'], () => refusing(() => ({ status: 401 }))),
  fault('m14-401-html', ['error.body', 'http.media-type'], () => refusing(() => htmlPage(401))),
  fault('401-status-text', ['error.status'], () =>
    refusing((answer) => editError(answer, (error) => withMember(error, 'status', '401'))),
  ),
  fault('401-with-200', [...ofEach, 'auth.missing-key', 'auth.invalid-key'], () =>
    refusing((answer) => ({ ...answer, status: 200 })),
  ),
]

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
  fault('m05-list-open', list, () => open(({ operation }) => operation === 'listPets')),
  fault('m06-create-open', create, () => open(({ operation }) => operation === 'createPet')),
  fault('m07-get-open', get, () => open(({ operation }) => operation === 'getPet')),
  fault('sold-list-open', list, () => open(({ operation, status }) => operation === 'listPets' && status === 'sold')),
  fault('get-with-query-open', get, () =>
    open(({ operation, request }) => operation === 'getPet' && request.query !== ''),
  ),
  fault('long-list-open', list, () => open(({ operation, limit }) => operation === 'listPets' && (limit ?? 0) > 50)),
  fault('create-empty-token', create, () =>
    open(({ operation, credential }) => operation === 'createPet' && /^bearer *$/i.test(credential)),
  ),
  fault('get-empty-token', get, () =>
    open(({ operation, credential }) => operation === 'getPet' && /^bearer *$/i.test(credential)),
  ),
  fault('get-401-for-known-only', get, () => ({
    answer(call, serve) {
      const known = call.operation === 'getPet' && !call.isAuthorized ? serve(letIn(call)) : undefined
      return known !== undefined && known.status !== 200 ? known : serve(call)
    },
  })),
  fault('absent-body-before-key', create, () =>
    hasty(400, (call) => call.operation === 'createPet' && bodyText(call) === ''),
  ),
  fault('limit-before-key', list, () => hasty(400, ({ operation, limit }) => operation === 'listPets' && limit === 0)),
  fault('cut-key-creates', ['auth.required', 'create.refused-leaves-nothing', 'create.401'], () => ({
    shop: { pets: 60, ids: 'extremes' },
    ...keeping((call) => token(call) === twinKey.slice(0, -1)),
  })),
  fault('wrong-key-empties-body', ['error.body', 'create.401'], () => ({
    answer(call, serve) {
      const isBad = call.operation === 'createPet' && !call.isAuthorized && bodyText(call).endsWith(':')
      return isBad
        ? {
            status: 500,
            page: { contentType: 'text/plain', text: 'SyntaxError: Unexpected end of JSON input\n    at JSON.parse' },
          }
        : serve(withBody(call, bodyText(call)))
    },
  })),
  ...(
    [
      ['trailing-slash-open', list, /^\/v1\/pets\/$/],
      ['pet-trailing-slash-open', get, /^\/v1\/pets\/-?\d+\/$/],
      ['other-case-open', list, /^\/v1\/PETS$/],
      ['double-slash-open', list, /^\/v1\/\/pets$/],
    ] as const
  ).map(([id, breaks, isMeant]): Row => {
    const usual = (path: string): string => path.toLowerCase().replace('//', '/').replace(/\/$/, '')
    const hear = (call: Call): Call =>
      isMeant.test(call.request.path) ? letIn(asking(call, { path: usual(call.request.path) })) : call
    return [id, breaks, () => ({ hear })]
  }),
]

const all: ClauseId[] = ['list.401', 'get.401', 'create.401', 'auth.required', 'auth.missing-key', 'auth.invalid-key']

/** A key that was right once opens for others, or is not right each time. */
export const rememberedKeyFaults: Row[] = [
  fault('key-once-per-address', all, () => {
    let isKnown = false
    return {
      hear(call) {
        isKnown ||= call.isAuthorized
        return isKnown ? letIn(call) : call
      },
    }
  }),
  fault('m17-cache-ignores-key', all, () => {
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
  }),
  fault('pet-cache-ignores-key', get, () => {
    const cache = new Map<string, TwinAnswer>()
    return {
      answer(call, serve) {
        if (call.petId === undefined) return serve(call)
        const answer = cache.get(call.petId) ?? serve(call)
        if (answer.status === 200) cache.set(call.petId, answer)
        return answer
      },
    }
  }),
  ...[3, 7, 20].map((n) =>
    fault(`each-${ordinal(n)}-wrong-key`, all, () => {
      let wrong = 0
      return open(({ isAuthorized, operation }) => !isAuthorized && operation !== undefined && ++wrong % n === 0)
    }),
  ),
  ...[3, 7, 20].map((n) =>
    fault(`m18-each-${ordinal(n)}-right-key`, ['auth.bearer'], () => ({
      say: (answer, { nth, isAuthorized }) => (isAuthorized && nth % n === 0 ? problem(401) : answer),
    })),
  ),
  fault('right-key-refused-on-post', ['auth.bearer', 'create.success'], () => ({
    answer: (call, serve) => (call.operation === 'createPet' ? problem(401) : serve(call)),
  })),
]
