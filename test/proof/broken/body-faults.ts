import type { RequirementId } from '../../../src/spec/requirements.ts'
import { writeJson, type Json, type Writable } from '../../support/variants/exact-json.ts'
import { bodyObject, withBody, bodyText, type Call } from './call.ts'
import { fault, type Page, type Row, type Seams } from './fault.ts'
import { isSuccess, bytes, text } from './pages.ts'
import { toVariantResponse, type VariantResponse } from '../../support/variants/responses.ts'
import { editError, htmlPage, withField, type Fields } from './response-edits.ts'

/** Makes an invalid value valid; undefined leaves it invalid. */
type Fix = (value: Json | undefined) => Json | undefined

/** Accepts an invalid field as a valid one. */
const field = (name: 'name' | 'categoryId' | 'status', fix: Fix): Seams => ({
  hear(call) {
    const body = call.operation === 'createPet' ? bodyObject(call) : undefined
    const fixed = body && fix(body.get(name))
    return body === undefined || fixed === undefined
      ? call
      : withBody(call, writeJson(new Map(body).set(name, fixed)))
  },
})

const values: RequirementId[] = ['create.invalid-values', 'create.success']

/** Kinds of invalid NewPets for which a pet is created. */
export const valueHoles: Row[] = [
  fault('status-array', values, () =>
    field('status', (status) => (Array.isArray(status) ? status[0] : undefined)),
  ),
]

/** Reads fields under other names, too. */
const names = (form: (name: string) => string): Seams => ({
  hear(call) {
    const body = call.operation === 'createPet' ? bodyObject(call) : undefined
    if (body === undefined) return call
    const own = ['name', 'categoryId', 'status']
    const read = [...body].map(
      ([name, value]) => [own.find((one) => form(one) === form(name)) ?? name, value] as const,
    )
    return withBody(call, writeJson(new Map<string, Writable>(read)))
  },
})

const fields: RequirementId[] = ['create.required-fields', 'create.success']

/** Names of fields that are none, with which a pet is created. */
export const nameHoles: Row[] = [
  fault('fields-in-any-case', fields, () => names((name) => name.toLowerCase())),
  fault('fields-in-snake-case', fields, () =>
    names((name) => name.replaceAll('_', '').toLowerCase()),
  ),
]

/** Accepts text that is not a JSON object as one. */
const syntax = (fix: (text: string) => string | undefined): Seams => ({
  hear(call) {
    if (call.operation !== 'createPet' || bodyObject(call) !== undefined) return call
    const fixed = fix(bodyText(call))
    return fixed === undefined ? call : withBody(call, fixed)
  },
})

/** Accepts invalid JSON by replacing a pattern. */
const without = (pattern: RegExp, instead: string): Seams =>
  syntax((text) => (pattern.test(text) ? text.replace(pattern, instead) : undefined))

const bodyRequired: RequirementId[] = ['create.body-required', 'create.success']

/** Kinds of bodies that are not JSON objects for which a pet is created. */
export const syntaxHoles: Row[] = [
  fault('trailing-comma', bodyRequired, () => without(/,\s*\}/, '}')),
]

const header = (
  value: string | undefined,
  when: (page: Page, call: Call) => boolean = isSuccess,
): Seams => ({
  write(page, call) {
    if (!when(page, call)) return page
    const headers = Object.fromEntries(
      Object.entries(page.headers).filter(([name]) => name !== 'content-type'),
    )
    return {
      ...page,
      headers: value === undefined ? headers : { ...headers, 'content-type': value },
    }
  },
})

const media: RequirementId[] = ['http.media-type']

/** JSON with a wrong content type. */
export const mediaTypeFaults: Row[] = [fault('text-json', media, () => header('text/json'))]

const utf8: RequirementId[] = ['http.json-body']

/** Bodies that are not JSON text in UTF-8. */
export const jsonTextFaults: Row[] = [
  fault('utf-16', utf8, () => bytes((body) => Buffer.from(body.toString(), 'utf16le'))),
  fault('nul-behind', utf8, () => text((body) => `${body}\0`)),
]

const errors = (
  edit: (error: Fields, reply: VariantResponse) => Writable,
  status?: number,
): Seams => ({
  say: (reply) =>
    status === undefined || reply.status === status
      ? editError(reply, (error) => edit(error, reply))
      : reply,
})
const whole = (status: number, edit: (reply: VariantResponse) => VariantResponse): Seams => ({
  say: (reply) => (reply.status === status ? edit(reply) : reply),
})

const status: RequirementId[] = ['error.status', 'error.body']
const body: RequirementId[] = ['error.body', 'http.media-type', 'error.code', 'error.message']

/** Error responses without a valid Error body. */
export const errorFaults: Row[] = [
  fault('status-phrase-in-401', status, () =>
    errors((error) => withField(error, 'status', 'Unauthorized'), 401),
  ),
  fault('m111-problem-json', body, () => ({
    say: (reply) =>
      reply.status >= 400
        ? {
            status: reply.status,
            page: {
              contentType: 'application/problem+json',
              text: `{"type":"about:blank","title":"Error","status":${reply.status},"detail":"It failed."}`,
            },
          }
        : reply,
  })),
  fault('error-null', body, () => whole(404, () => toVariantResponse(404, null))),
  fault('html-for-400', body, () => whole(400, () => htmlPage(400))),
]

const isError = ({ status }: VariantResponse): boolean => status >= 400
const accepts = (call: Call): string => String(call.request.headers['accept'] ?? '*/*')
const redirect = (): VariantResponse => ({ status: 302, headers: { location: '/login' } })

/** How frameworks distinguish browsers from API clients: by the Accept header. */
const browserTests: [id: string, isBrowser: (call: Call) => boolean][] = [
  ['unless-json', (call) => accepts(call) !== 'application/json'],
  ['unless-json-named', (call) => !accepts(call).includes('json')],
  ['for-browsers', (call) => accepts(call).includes('text/html')],
]

const is =
  (status: number, operation: Call['operation']) =>
  (reply: VariantResponse, call: Call): boolean =>
    reply.status === status && call.operation === operation

const kinds: [
  id: string,
  breaks: RequirementId[],
  when: (reply: VariantResponse, call: Call) => boolean,
][] = [
  ['list-401', ['list.401'], is(401, 'listPets')],
  ['create-401', ['create.401'], is(401, 'createPet')],
  ['get-401', ['get.401'], is(401, 'getPet')],
  ['404', ['get.not-found'], is(404, 'getPet')],
  [
    'malformed-400',
    ['create.body-required'],
    ({ status }, call) => status === 400 && bodyObject(call) === undefined,
  ],
  [
    'invalid-400',
    ['create.required-fields', 'create.invalid-values'],
    (reply, call) => is(400, 'createPet')(reply, call) && bodyObject(call) !== undefined,
  ],
  ['query-error', [], ({ status }, { operation }) => status !== 401 && operation === 'listPets'],
  ['any-error', ['list.401', 'create.401', 'get.401', 'get.not-found'], () => true],
]

/** Errors with an Error body only for requests that require JSON. */
export const acceptFaults: Row[] = browserTests.flatMap(([suffix, isBrowser]) =>
  kinds.flatMap(([kind, breaks, when]): Row[] => {
    if (suffix !== 'unless-json' && kind !== 'any-error') return []
    const instead = (
      id: string,
      edit: (reply: VariantResponse) => VariantResponse,
      requirements: readonly RequirementId[],
    ): Row => [
      `${id}-${kind}-${suffix}`,
      requirements,
      () => ({
        shop: { pets: 30, limitOutside: 400, unknownStatus: 400 },
        say: (reply, call) =>
          isError(reply) && when(reply, call) && isBrowser(call) ? edit(reply) : reply,
      }),
    ]
    return [
      instead('html', ({ status }) => htmlPage(status), ['error.body']),
      // Requests outside the specification may be redirected.
      ...(breaks.length > 0 ? [instead('login', redirect, breaks)] : []),
    ]
  }),
)
