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

const badBodies = [
  '{}',
  '{"name":"Rex"}',
  '{"categoryId":1}',
  '{"name":null,"categoryId":1}',
  '{"name":7,"categoryId":1}',
  '{"name":true,"categoryId":1}',
  '{"name":["Rex"],"categoryId":1}',
  '{"name":{"first":"Rex"},"categoryId":1}',
  '{"name":"Rex","categoryId":"7"}',
  '{"name":"Rex","categoryId":"dogs"}',
  '{"name":"Rex","categoryId":1.5}',
  '{"name":"Rex","categoryId":9223372036854775808}',
  '{"name":"Rex","categoryId":true}',
  '{"name":"Rex","categoryId":null}',
  '{"name":"Rex","categoryId":[7]}',
  '{"name":"Rex","categoryId":1,"status":"missing"}',
  '{"name":"Rex","categoryId":1,"status":"Available"}',
  '{"name":"Rex","categoryId":1,"status":null}',
  '{"name":"Rex","categoryId":1,"status":1}',
  '',
  'null',
  '"Rex"',
  '7',
  '[{"name":"Rex","categoryId":1}]',
  '{"name":"Rex","categoryId":1',
  '{"name":"Rex","categoryId":1} and more',
]

const goodBodies = [
  '{"name":"Rex","categoryId":1}',
  '{"name":"Zoë & <Tom> 🐾","categoryId":2147483648,"status":"sold"}',
  '{ "categoryId" : -5 ,\n "name" : "L\\u00fcna" }',
  '{"name":"Max","categoryId":9007199254740993,"status":"pending"}',
  '{"name":"Kim","categoryId":3,"id":5}',
]

/** One after the other, they touch every clause: what a mock answers to them tells it from one that deviates. */
export const sampleRequests: readonly HttpRequest[] = [
  ...['', '?limit=1', '?limit=9', '?limit=50', '?limit=100', '?limit=200', '?limit=0', '?limit=abc'].map((query) =>
    get(`/v1/pets${query}`),
  ),
  ...['available', 'pending', 'sold'].flatMap((status) => [
    get(`/v1/pets?status=${status}`),
    get(`/v1/pets?limit=15&status=${status}`),
    get(`/v1/pets?limit=100&status=${status}`),
    get(`/v1/pets?status=${status}&limit=2`),
  ]),
  ...['1', '2', '1', '3', '4', '1', '0', '-1', '4294967297', '9223372036854775807', '999', 'abc'].map((id) =>
    get(`/v1/pets/${id}`),
  ),
  ...[
    {},
    { authorization: '' },
    { authorization: 'Bearer' },
    { authorization: 'Bearer wrong' },
    { authorization: `${authorization}x` },
    { authorization: authorization.slice(0, -1) },
    { authorization: authorization.toUpperCase() },
    { authorization: `Basic ${defaultKey}` },
    { authorization: defaultKey },
    { authorization: `bearer ${defaultKey}` },
  ].flatMap((headers) => [
    get('/v1/pets', headers),
    get('/v1/pets?limit=0', headers),
    get('/v1/pets/1', headers),
    get('/v1/pets/999', headers),
    post('{"name":"Rex","categoryId":1}', { ...headers, 'content-type': 'application/json' }),
    post('{}', { ...headers, 'content-type': 'application/json' }),
  ]),
  ...badBodies.map((body) => post(body)),
  post('{"name":"Rex","categoryId":1}', { authorization, 'content-type': 'text/plain' }),
  post('{"name":"Rex","categoryId":1}', { authorization, 'content-type': 'application/json; charset=utf-8' }),
  ...goodBodies.flatMap((body) => [post(body), get('/v1/pets?limit=100&status=sold')]),
  ...['101', '102', '101', '102', '103', '104', '105', '106', '5', '1'].map((id) => get(`/v1/pets/${id}`)),
  get('/v1/pets?limit=100'),
  get('/v1/pets'),
]
