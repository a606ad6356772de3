import type { VariantResponse } from '../../support/variants/responses.ts'
import { createChance } from '../../support/variants/chance.ts'
import { variantKey } from '../../support/variants/running-variant.ts'
import { htmlPage, problem } from './response-edits.ts'
import { withValidKey, type Call, withRequest, bodyObject, bodyText, withBody } from './call.ts'
import { fault, ordinal, type Row, type Seams } from './fault.ts'
import type { RequirementId } from '../../../src/spec/requirements.ts'

const token = ({ credential }: Call): string => /^bearer +(.*)$/i.exec(credential)?.[1] ?? ''
const isBearer = ({ credential }: Call): boolean => /^bearer\b/i.test(credential)

/** Accepts requests by a rule that is too weak. */
const lenient = (rule: (call: Call) => boolean): Seams => ({
  hear: (call) => (rule(call) ? withValidKey(call) : call),
})

/** Changes the response to rejected requests. */
const rejecting = (edit: (reply: VariantResponse, call: Call) => VariantResponse): Seams => ({
  say: (reply, call) => (reply.status === 401 ? edit(reply, call) : reply),
})

const ofEach = ['list.401', 'get.401', 'create.401', 'auth.required'] as const

const plain = (text: string): string => text.replaceAll(/[^a-z0-9]/gi, '')

/** Wrong comparisons of keys, and wrong responses to missing or invalid ones. */
export const keyFaults: Row[] = [
  fault('key-as-password', ['get.401', 'auth.required', 'auth.invalid-key'], () =>
    lenient(
      ({ credential }) =>
        /^basic /i.test(credential) && atob(credential.slice(6)).endsWith(`:${variantKey}`),
    ),
  ),
  fault('m09-any-token', [...ofEach, 'auth.invalid-key'], () =>
    lenient((call) => token(call) !== ''),
  ),
  fault('key-pattern', [...ofEach, 'auth.invalid-key'], () =>
    lenient((call) => new RegExp(`^${variantKey}$`).test(token(call))),
  ),
  fault('key-letters-and-digits', [...ofEach, 'auth.invalid-key'], () =>
    lenient((call) => isBearer(call) && plain(token(call)) === plain(variantKey)),
  ),
  ...(['list', 'get', 'create'] as const).map((name) =>
    fault(`bearer-anywhere-${name}`, [`${name}.401`, 'auth.required', 'auth.invalid-key'], () =>
      lenient(
        ({ credential, operation = '' }) =>
          operation.startsWith(name) && credential.endsWith(`Bearer ${variantKey}`),
      ),
    ),
  ),
  fault('key-first-word', [...ofEach, 'auth.invalid-key'], () =>
    lenient((call) => isBearer(call) && token(call).split(' ')[0] === variantKey),
  ),
  fault('key-beginning-and-length', [...ofEach, 'auth.invalid-key'], () =>
    lenient(
      (call) =>
        token(call).length === variantKey.length && token(call).startsWith(variantKey.slice(0, 5)),
    ),
  ),
  ...(['list', 'get', 'create'] as const).flatMap((name) =>
    (
      [
        ['case-ignored', (sent) => sent.toLowerCase() === variantKey.toLowerCase()],
        ['beginning-compared', (sent) => sent.startsWith(variantKey)],
        ['cut-accepted', (sent) => sent.length > 8 && variantKey.startsWith(sent)],
      ] satisfies [string, (sent: string) => boolean][]
    ).map(([how, isAlike]) =>
      fault(`key-${how}-${name}`, [`${name}.401`, 'auth.required', 'auth.invalid-key'], () =>
        lenient((call) => call.operation?.startsWith(name) === true && isAlike(token(call))),
      ),
    ),
  ),
  fault('key-in-cookie', ['get.401', 'auth.required', 'auth.missing-key'], () =>
    lenient(
      ({ operation, request: { headers } }) =>
        operation === 'getPet' && String(headers['cookie']).includes(`token=${variantKey}`),
    ),
  ),
  fault('key-in-query', [...ofEach, 'auth.missing-key'], () =>
    lenient(({ parameters }) => parameters.get('token') === variantKey),
  ),
  fault('key-in-form', ['create.401', 'auth.required', 'auth.missing-key'], () =>
    lenient((call) => new URLSearchParams(bodyText(call)).get('access_token') === variantKey),
  ),
  fault('key-in-field', ['create.401', 'auth.required', 'auth.missing-key'], () =>
    lenient((call) => bodyObject(call)?.get('api_key') === variantKey),
  ),
  fault('m14-401-html', ['error.body', 'http.media-type'], () => rejecting(() => htmlPage(401))),
  fault('401-with-200', [...ofEach, 'auth.missing-key', 'auth.invalid-key'], () =>
    rejecting((reply) => ({ ...reply, status: 200 })),
  ),
]

const open = (when: (call: Call) => boolean): Seams => ({
  hear: (call) => (when(call) ? withValidKey(call) : call),
})

/** Responds 401 to a creation, but stores the pet. */
const keeping = (when: (call: Call) => boolean): Seams => ({
  respond(call, serve) {
    if (call.operation === 'createPet' && !call.isAuthorized && when(call))
      serve(withValidKey(call))
    return serve(call)
  },
})

const list: RequirementId[] = ['list.401', 'auth.required', 'auth.missing-key', 'auth.invalid-key']
const get: RequirementId[] = ['get.401', 'auth.required', 'auth.missing-key', 'auth.invalid-key']

/** One operation or kind of request requires no key, or validates something before the key. */
export const openDoorFaults: Row[] = [
  fault('m05-list-open', list, () => open(({ operation }) => operation === 'listPets')),
  fault('long-list-open', list, () =>
    open(({ operation, limit }) => operation === 'listPets' && (limit ?? 0) > 50),
  ),
  fault('unknown-parameter-before-key', list, () => ({
    say: (reply, { parameters }) =>
      reply.status === 401 && parameters.has('petkit') ? problem(400) : reply,
  })),
  fault(
    'cut-key-creates',
    ['auth.required', 'create.rejected-leaves-nothing', 'create.401'],
    () => ({
      shop: { pets: 60, ids: 'extremes' },
      ...keeping((call) => token(call) === variantKey.slice(0, -1)),
    }),
  ),
  fault('wrong-key-empties-body', ['error.body', 'create.401'], () => ({
    respond(call, serve) {
      const isBad =
        call.operation === 'createPet' && !call.isAuthorized && bodyText(call).endsWith(':')
      return isBad
        ? {
            status: 500,
            page: {
              contentType: 'text/plain',
              text: 'SyntaxError: Unexpected end of JSON input\n    at JSON.parse',
            },
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
      ['escaped-path-open', list, /^\/v1\/%70ets$/],
    ] as const
  ).map(([id, breaks, isMeant]): Row => {
    const usual = (path: string): string =>
      decodeURIComponent(path).toLowerCase().replace('//', '/').replace(/\/$/, '')
    const hear = (call: Call): Call =>
      isMeant.test(call.request.path)
        ? withValidKey(withRequest(call, { path: usual(call.request.path) }))
        : call
    return [id, breaks, () => ({ hear })]
  }),
]

const all: RequirementId[] = [
  'list.401',
  'get.401',
  'create.401',
  'auth.required',
  'auth.missing-key',
  'auth.invalid-key',
]

/** A valid key also gives access to later requests without one, or is sometimes rejected. */
export const rememberedKeyFaults: Row[] = [
  fault('session-cookie-in-place-of-key', all, () => ({
    hear: (call) =>
      call.request.headers['cookie'] === 'sid=c0ffee; lb=a' ? withValidKey(call) : call,
    write(page, { isAuthorized }) {
      const cookies = 'sid=c0ffee; Path=/; Expires=Thu, 05 Dec 2030 00:00:00 GMT, lb=a; HttpOnly'
      return isAuthorized ? { ...page, headers: { ...page.headers, 'set-cookie': cookies } } : page
    },
  })),
  fault('m17-cache-ignores-key', all, () => {
    const cache = new Map<string, VariantResponse>()
    return {
      respond(call, serve) {
        const { path, query, method } = call.request
        const url = `${path}?${query}`
        const hit = method === 'GET' && !call.isAuthorized ? cache.get(url) : undefined
        const reply = hit ?? serve(call)
        if (method === 'GET' && call.isAuthorized && reply.status === 200) cache.set(url, reply)
        return reply
      },
    }
  }),
  ...[3, 7, 20].map((n) =>
    fault(`each-${ordinal(n)}-wrong-key`, all, () => {
      let wrong = 0
      return open(
        ({ isAuthorized, operation }) =>
          !isAuthorized && operation !== undefined && ++wrong % n === 0,
      )
    }),
  ),
  ...[3, 7, 20].map((n) =>
    fault(`m18-each-${ordinal(n)}-right-key`, ['auth.bearer'], () => ({
      say: (reply, { nth, isAuthorized }) => (isAuthorized && nth % n === 0 ? problem(401) : reply),
    })),
  ),
  ...(
    [
      ['one-of-two-servers', 1 / 2],
      ['two-of-three-servers', 2 / 3],
    ] as const
  ).map(([which, share]) =>
    fault(`old-key-on-${which}`, ['auth.bearer'], () => {
      const chance = createChance(7)
      return {
        respond: (call, serve) =>
          call.isAuthorized && chance() < share ? problem(401) : serve(call),
      }
    }),
  ),
  fault('right-key-rejected-for-a-while', ['auth.bearer'], () => ({
    say: (reply, { nth, isAuthorized }) =>
      isAuthorized && nth > 60 && nth <= 90 ? problem(401) : reply,
  })),
  fault('right-key-rejected-with-an-id', ['auth.bearer'], () => ({
    respond: (call, serve) => (bodyText(call).includes('"id"') ? problem(401) : serve(call)),
  })),
]
