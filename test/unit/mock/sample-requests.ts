import type { HttpRequest } from '../../../src/spec/http.ts'
import { defaultKey } from '../../../src/mock/index.ts'

const authorization = `Bearer ${defaultKey}`
const json = { authorization, 'content-type': 'application/json' }

function get(target: string, headers: HttpRequest['headers'] = { authorization }): HttpRequest {
  return { method: 'GET', target, headers, body: '' }
}

function post(body: string, headers: HttpRequest['headers'] = json): HttpRequest {
  return { method: 'POST', target: '/v1/pets', headers, body }
}

/** Authorization values that must be rejected. */
export const rejectedCredentials: readonly [
  what: string,
  authorization: string | string[] | undefined,
][] = [
  ['no header', undefined],
  ['an empty header', ''],
  ['no token', 'Bearer'],
  ['an empty token', 'Bearer '],
  ['another scheme', `Basic ${defaultKey}`],
  ['the bare key', defaultKey],
  ['a scheme without a space', `Bearer${defaultKey}`],
  ['the key cut short', `Bearer ${defaultKey.slice(0, -1)}`],
  ['the key lengthened', `Bearer ${defaultKey}x`],
  ['the key and a no-break space', `Bearer ${defaultKey}\u00a0`],
  ['the key twice', `Bearer ${defaultKey}${defaultKey}`],
  ['the key in other letters', `Bearer ${defaultKey.toUpperCase()}`],
  ['two keys in one header', `Bearer ${defaultKey}, Bearer ${defaultKey}`],
  ['the key in two headers', [`Bearer ${defaultKey}`, `Bearer ${defaultKey}`]],
]

/** Bodies that must be rejected, each with part of the message of the mock. */
export const rejectedBodies: readonly [body: string, message: string][] = [
  ['', 'A body is required'],
  ['{"name":"Rex","categoryId":1', 'not JSON'],
  ['\uFEFF{"name":"Rex","categoryId":1}', 'not JSON'],
  ['{"name":"Rex","categoryId":1}x', 'not JSON'],
  ["{'name':'Rex','categoryId':1}", 'not JSON'],
  ['null', 'must be a NewPet object, but was null'],
  ['[{"name":"Rex","categoryId":1}]', 'must be a NewPet object, but was an array'],
  ['"Rex"', 'must be a NewPet object, but was "Rex"'],
  ['1e999', 'must be a NewPet object, but was 1e999'],
  ['99999999999999999999', 'must be a NewPet object'],
  ['{}', 'name is required. categoryId is required.'],
  ['{"name":"Rex"}', 'categoryId is required.'],
  ['{"categoryId":1}', 'name is required.'],
  ['{"name":null,"categoryId":1}', 'name must be a string, but was null.'],
  ['{"name":7,"categoryId":1}', 'name must be a string, but was 7.'],
  ['{"name":true,"categoryId":1}', 'name must be a string'],
  ['{"name":["Rex"],"categoryId":1}', 'name must be a string'],
  ['{"name":{"first":"Rex"},"categoryId":1}', 'name must be a string'],
  ['{"name":"Rex","categoryId":"7"}', 'categoryId must be an integer within int64, but was "7".'],
  ['{"name":"Rex","categoryId":"dogs"}', 'categoryId must be an integer'],
  ['{"name":"Rex","categoryId":1.5}', 'but was 1.5.'],
  ['{"name":"Rex","categoryId":7.0000000000000000001}', 'categoryId must be an integer'],
  ['{"name":"Rex","categoryId":1e999}', 'categoryId must be an integer'],
  ['{"name":"Rex","categoryId":9223372036854775808}', 'categoryId must be an integer'],
  ['{"name":"Rex","categoryId":-9223372036854775809}', 'categoryId must be an integer'],
  ['{"name":"Rex","categoryId":null}', 'categoryId must be an integer'],
  ['{"name":"Rex","categoryId":true}', 'categoryId must be an integer'],
  ['{"name":"Rex","categoryId":[7]}', 'categoryId must be an integer'],
  [
    '{"name":"Rex","categoryId":1,"status":"Available"}',
    'status must be one of available, pending, sold',
  ],
  ['{"name":"Rex","categoryId":1,"status":"missing"}', 'status must be one of'],
  ['{"name":"Rex","categoryId":1,"status":1}', 'status must be one of'],
  ['{"name":"Rex","categoryId":1,"status":null}', 'status must be one of'],
  ['{"name":"Rex","categoryId":1,"status":["sold"]}', 'status must be one of'],
  ['{"name":"Rex","name":7,"categoryId":1}', 'name must be a string'],
]

const goodBodies = [
  '{"name":"Rex","categoryId":1}',
  '{"name":"Zoë & <Tom> 🐾","categoryId":2147483648,"status":"sold"}',
  '{ "categoryId" : -5 ,\n "name" : "L\\u00fcna" }',
  '{"name":"Max","categoryId":9007199254740993,"status":"pending"}',
  '{"name":"Kim","categoryId":3,"id":5}',
]

/** A sequence that covers every requirement: its responses distinguish a mock from one with a defect. */
export const sampleRequests: readonly HttpRequest[] = [
  ...[
    '',
    '?limit=1',
    '?limit=9',
    '?limit=50',
    '?limit=100',
    '?limit=200',
    '?limit=0',
    '?limit=abc',
  ].map((query) => get(`/v1/pets${query}`)),
  ...['available', 'pending', 'sold'].flatMap((status) => [
    get(`/v1/pets?status=${status}`),
    get(`/v1/pets?limit=15&status=${status}`),
    get(`/v1/pets?limit=100&status=${status}`),
    get(`/v1/pets?status=${status}&limit=2`),
  ]),
  ...[
    '1',
    '2',
    '1',
    '3',
    '4',
    '1',
    '0',
    '-1',
    '4294967297',
    '9223372036854775807',
    '999',
    'abc',
  ].map((id) => get(`/v1/pets/${id}`)),
  ...[
    ...rejectedCredentials.map(([, credential]) => credential),
    'Bearer wrong',
    `bearer ${defaultKey}`,
  ]
    .map((credential) => (credential === undefined ? {} : { authorization: credential }))
    .flatMap((headers) => [
      get('/v1/pets', headers),
      get('/v1/pets?limit=0', headers),
      get('/v1/pets/1', headers),
      get('/v1/pets/999', headers),
      post('{"name":"Rex","categoryId":1}', { ...headers, 'content-type': 'application/json' }),
      post('{}', { ...headers, 'content-type': 'application/json' }),
    ]),
  ...rejectedBodies.map(([body]) => post(body)),
  post('{"name":"Rex","categoryId":1}', { authorization, 'content-type': 'text/plain' }),
  post('{"name":"Rex","categoryId":1}', {
    authorization,
    'content-type': 'application/json; charset=utf-8',
  }),
  ...goodBodies.flatMap((body) => [post(body), get('/v1/pets?limit=100&status=sold')]),
  ...['101', '102', '101', '102', '103', '104', '105', '106', '5', '1'].map((id) =>
    get(`/v1/pets/${id}`),
  ),
  get('/v1/pets?limit=100'),
  get('/v1/pets'),
]
