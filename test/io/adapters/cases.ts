import type { MockOptions } from '../../../src/mock/index.ts'

/** A request, and the response that every adapter must return. */
export interface Case {
  name: string
  method: string
  /** The request target, undecoded. */
  target: string
  /** A valid key by default; names in lower case. */
  headers?: Record<string, string>
  body?: string | Uint8Array
  status: number
  /** The body; an Error body without its message. Undefined: no body. */
  json: unknown
  /** Headers of the response; undefined for a header that must be absent. */
  has?: Record<string, string | undefined>
  /** Whether a page cannot send this request. */
  notFromPages?: true
}

export interface Sequence {
  name: string
  options: MockOptions
  cases: readonly Case[]
}

const key = { authorization: 'Bearer petstore-test-key' }
const json = { 'content-type': 'application/json' }
const error = (code: string, status: number): object => ({ code, status })

const tuffy = '{"id":1,"name":"Tuffy the Chartreux","categoryId":2,"status":"sold"}'
const archie = '{"id":2,"name":"Archie the Mini Lop","categoryId":4,"status":"sold"}'
const bella = '{"id":3,"name":"Bella the Mountain Degu","categoryId":6,"status":"available"}'
/** A pet whose integers a double cannot represent; every mock under test has it. */
export const bigPet = {
  id: 9007199254740993n,
  name: 'Zoë 🐾',
  categoryId: 9223372036854775807n,
  status: 'sold',
} as const
const big =
  '{"id":9007199254740993,"name":"Zoë 🐾","categoryId":9223372036854775807,"status":"sold"}'

const get = (target: string, status: number, json: unknown, more: Partial<Case> = {}): Case => {
  return { name: `GET ${target}`, method: 'GET', target, status, json, ...more }
}
const post = (
  name: string,
  body: string | Uint8Array,
  status: number,
  json: unknown,
  more: Partial<Case> = {},
): Case => {
  const headers = { ...key, 'content-type': 'application/json' }
  return {
    name: `POST: ${name}`,
    method: 'POST',
    target: '/v1/pets',
    headers,
    body,
    status,
    json,
    ...more,
  }
}
export const headersOf = ({ headers }: Pick<Case, 'headers'>): Record<string, string> =>
  headers ?? key

/** The expected body, byte for byte. */
export class Exactly {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
const exactly = (text: string): Exactly => new Exactly(text)

const reading: Case[] = [
  get('/v1/pets', 200, exactly(`[${big},${bella},${archie},${tuffy}]`), { has: json }),
  get('/v1/pets?limit=2', 200, exactly(`[${big},${bella}]`)),
  get('/v1/pets?limit=100', 200, exactly(`[${big},${bella},${archie},${tuffy}]`)),
  get('/v1/pets?status=available', 200, exactly(`[${bella}]`)),
  get('/v1/pets?status=pending', 200, exactly('[]')),
  get('/v1/pets?status=sold&limit=1', 200, exactly(`[${big}]`)),
  get('/v1/pets?%73tatus=%73old&limit=%31', 200, exactly(`[${big}]`)),
  get('/v1/pets?', 200, exactly(`[${big},${bella},${archie},${tuffy}]`)),
  get('/v1/pets?limit=1&limit=2', 400, error('invalid_request', 400)),
  get('/v1/pets?status=sold&status=sold', 400, error('invalid_request', 400)),
  get('/v1/pets?limit=0', 400, error('invalid_request', 400)),
  get('/v1/pets?limit=101', 400, error('invalid_request', 400)),
  get('/v1/pets?limit=1e1', 400, error('invalid_request', 400)),
  get('/v1/pets?limit=9223372036854775808', 400, error('invalid_request', 400)),
  get('/v1/pets?status=missing', 400, error('invalid_request', 400)),
  get('/v1/pets?limit=%E0%A4%A', 400, error('invalid_request', 400)),
  get('/v1/pets/1', 200, exactly(tuffy)),
  get('/v1/%70ets/%31', 200, exactly(tuffy)),
  get('/v1/pets/9007199254740993', 200, exactly(big)),
  get('/v1/pets/9007199254740992', 404, error('pet_not_found', 404)),
  get('/v1/pets/9223372036854775807', 404, error('pet_not_found', 404)),
  get('/v1/pets/-9223372036854775808', 404, error('pet_not_found', 404)),
  get('/v1/pets/0', 404, error('pet_not_found', 404)),
  get('/v1/pets/9223372036854775808', 404, error('pet_not_found', 404)),
  get(`/v1/pets/${'9'.repeat(9_000)}`, 404, error('pet_not_found', 404), {
    name: 'GET an id of 9,000 digits',
  }),
  get('/v1/pets/Luna', 404, error('pet_not_found', 404)),
  get('/v1/pets/a%2Fb', 404, error('pet_not_found', 404)),
  get('/v1/pets/%E0%A4%A', 400, error('invalid_request', 400)),
  get('/v1/pets/', 404, error('not_found', 404)),
  get('/v1/pets/1/', 404, error('not_found', 404)),
  get('/v1/pets/1/toys', 404, error('not_found', 404)),
  get('/v1/PETS', 404, error('not_found', 404)),
  get('/v1//pets', 404, error('not_found', 404)),
  get('/v1', 404, error('not_found', 404)),
  get('/v1/orders', 404, error('not_found', 404)),
]

const keys: Case[] = [
  get('/v1/pets', 401, error('unauthorized', 401), {
    name: 'no key',
    headers: {},
    has: { ...json, 'www-authenticate': 'Bearer realm="Pet Store Service"' },
  }),
  get('/v1/pets/1', 401, error('unauthorized', 401), {
    name: 'a wrong key',
    headers: { authorization: 'Bearer no' },
  }),
  get('/v1/pets', 401, error('unauthorized', 401), {
    name: 'no key at all',
    headers: { authorization: 'Bearer' },
  }),
  post('no key', '{"name":"Rex","categoryId":1}', 401, error('unauthorized', 401), { headers: {} }),
]

const rex = exactly('{"id":4,"name":"Rex","categoryId":1,"status":"available"}')

const creating: Case[] = [
  post('a pet', '{"name":"Rex","categoryId":1}', 201, rex, {
    has: { ...json, location: '/v1/pets/4' },
  }),
  get('/v1/pets/4', 200, rex),
  post(
    'int64',
    '{"name":"Max","categoryId":-9223372036854775808,"status":"sold"}',
    201,
    exactly('{"id":5,"name":"Max","categoryId":-9223372036854775808,"status":"sold"}'),
  ),
  post(
    'any letters',
    '{ "categoryId" : 9007199254740993 ,\n "name" : "Zo\\u00eb & <Tom> 🐾" }',
    201,
    exactly('{"id":6,"name":"Zoë & <Tom> 🐾","categoryId":9007199254740993,"status":"available"}'),
  ),
  post(
    'beyond int64',
    '{"name":"Max","categoryId":9223372036854775808}',
    400,
    error('invalid_request', 400),
  ),
  post('a fraction', '{"name":"Max","categoryId":1.5}', 400, error('invalid_request', 400)),
  post('no name', '{"categoryId":1}', 400, error('invalid_request', 400)),
  post(
    'another status',
    '{"name":"Max","categoryId":1,"status":"gone"}',
    400,
    error('invalid_request', 400),
  ),
  post('no JSON', '{"name":', 400, error('invalid_request', 400)),
  post('no body', '', 400, error('invalid_request', 400)),
  post('not UTF-8', Uint8Array.from([0x7b, 0xe9, 0x7d]), 400, error('invalid_request', 400)),
  post(
    'a byte order mark',
    '\uFEFF{"name":"Max","categoryId":1}',
    400,
    error('invalid_request', 400),
  ),
  post(
    '1 MiB and a byte',
    `{"name":"Max","categoryId":1}${' '.repeat(1_048_548)}`,
    413,
    error('body_too_large', 413),
  ),
  post(
    '1 MiB',
    `{"name":"Max","categoryId":1}${' '.repeat(1_048_547)}`,
    201,
    exactly('{"id":7,"name":"Max","categoryId":1,"status":"available"}'),
  ),
  post(
    'another media type',
    '{"name":"Max","categoryId":1}',
    415,
    error('unsupported_media_type', 415),
    {
      headers: { ...key, 'content-type': 'text/plain' },
    },
  ),
]

const methods: Case[] = [
  { name: 'HEAD', method: 'HEAD', target: '/v1/pets', status: 200, json: undefined, has: json },
  {
    name: 'HEAD without a key',
    method: 'HEAD',
    target: '/v1/pets',
    headers: {},
    status: 401,
    json: undefined,
  },
  {
    name: 'HEAD of an unknown pet',
    method: 'HEAD',
    target: '/v1/pets/0',
    status: 404,
    json: undefined,
  },
  {
    name: 'OPTIONS',
    method: 'OPTIONS',
    target: '/v1/pets',
    status: 204,
    json: undefined,
    has: {
      allow: 'GET, HEAD, POST, OPTIONS',
      'content-type': undefined,
      'content-length': undefined,
    },
  },
  {
    name: 'a preflight',
    method: 'OPTIONS',
    target: '/v1/pets',
    headers: { origin: 'http://page.test', 'access-control-request-method': 'POST' },
    status: 204,
    json: undefined,
    has: { 'access-control-allow-origin': '*', 'access-control-max-age': '600' },
    notFromPages: true,
  },
  ...['PUT', 'PATCH', 'DELETE'].map((method): Case => ({
    name: method,
    method,
    target: '/v1/pets/1',
    status: 405,
    json: error('method_not_allowed', 405),
    has: { allow: 'GET, HEAD, OPTIONS' },
  })),
]

/** JSON.parse rejects these bodies, so only their bytes are compared. */
const odd = (
  defect: NonNullable<MockOptions['defects']>[number],
  has: Case['has'] = {},
): Sequence => ({
  name: defect,
  options: { defects: [defect] },
  cases: [get('/v1/pets/1', 200, undefined, { has })],
})

export const sequences: readonly Sequence[] = [
  { name: 'as specified', options: {}, cases: [...reading, ...keys, ...creating, ...methods] },
  {
    name: 'another deployment',
    options: {
      profile: {
        'http.trailing-slash': 'redirect',
        'create.location': 'absolute',
        'http.cors': 'none',
        'get.sunset-header': 'present',
        'rate-limit.headers': 'present',
        'http.head': '405',
      },
      rules: [{ when: { petId: '3' }, reply: { status: 304 } }],
    },
    cases: [
      get('/v1/pets/?limit=1', 308, undefined, {
        has: { location: '/v1/pets?limit=1' },
        notFromPages: true,
      }),
      post('a pet', '{"name":"Rex","categoryId":1}', 201, rex, {
        has: {
          location: 'http://petstore.test/v1/pets/4',
          'access-control-allow-origin': undefined,
        },
      }),
      get('/v1/pets/4', 200, undefined, { has: { sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' } }),
      { name: 'HEAD', method: 'HEAD', target: '/v1/pets', status: 405, json: undefined },
      get('/v1/pets/3', 304, undefined, {
        has: { 'content-length': undefined },
        notFromPages: true,
      }),
    ],
  },
]

/** Responses that need the exact bytes on the wire. Browser bundles have no deliberate defects. */
export const oddSequences: readonly Sequence[] = [
  odd('http.no-media-type', { 'content-type': undefined }),
  odd('http.html-media-type', { 'content-type': 'text/html; charset=utf-8' }),
  odd('http.byte-order-mark'),
  odd('http.utf-16'),
  odd('http.latin-1'),
  odd('http.gzip-undeclared', { 'content-encoding': undefined }),
  odd('http.empty'),
]
