import { describe, expect, test } from 'vitest'
import { judgeResponse } from '../../../src/contract/every-response.ts'
import { compareShown } from '../../../src/contract/expect.ts'
import { toExchange } from './exchange.ts'

const pet = { id: 1, name: 'Bella', categoryId: 3, status: 'sold' }
const error = (status: number) => ({ code: 'not_found', message: '', status })
const pets = (count: number, more = {}) => Array.from({ length: count }, (_, index) => ({ ...pet, id: index, ...more }))

type Row = [request: string, status: number, body: unknown, contentType?: string | undefined]
const exchangeOf = ([request, status, body, contentType]: Row) =>
  toExchange(request, status, body, contentType === undefined ? {} : { contentType })
const judge = (row: Row) => judgeResponse(exchangeOf(row))

describe('conforming responses have no defect', () => {
  test.each<Row>([
    ['GET /pets', 200, []],
    ['GET /pets', 200, pets(20)],
    ['GET /pets?limit=1', 200, pets(1)],
    ['GET /pets?limit=100', 200, pets(100)],
    ['GET /pets?limit=0', 200, pets(100)],
    ['GET /pets?limit=101', 200, pets(100)],
    ['GET /pets?limit=abc', 200, pets(20)],
    ['GET /pets?limit=2&limit=30', 200, pets(30)],
    ['GET /pets?status=sold', 200, pets(2)],
    ['GET /pets?status=lost', 200, pets(2)],
    ['GET /pets?status=sold&status=pending', 200, pets(2, { status: 'pending' })],
    ['GET /pets/1', 200, pet],
    ['POST /pets', 201, { ...pet, extra: [] }],
    ['GET /pets/9', 404, error(404)],
    ['GET /pets/9', 404, error(404), 'Application/JSON;charset=utf-8'],
    ['GET /pets/9', 404, error(404), 'application/json; profile="x"'],
    ['POST /pets', 418, error(418)],
  ])('%s answers %i', (...row) => {
    expect(judge(row).defects).toEqual([])
  })
})

describe('a defect of a response comes with its place', () => {
  test.each<[...row: [string, number, unknown, string | undefined], clause: string, pointer: string, actual: string]>([
    ['GET /pets', 200, '', undefined, 'list.success', '', 'an empty body'],
    ['GET /pets', 200, 'null', undefined, 'list.success', '', 'null'],
    ['GET /pets', 200, { pets: [] }, undefined, 'list.success', '', '{"pets":[]}'],
    ['GET /pets', 200, [], '', 'http.media-type', '', 'no Content-Type'],
    ['GET /pets', 200, [], 'text/json', 'http.media-type', '', 'Content-Type: text/json'],
    ['GET /pets', 200, [], 'application/json5', 'http.media-type', '', 'Content-Type: application/json5'],
    [
      'GET /pets',
      200,
      '[1,',
      undefined,
      'http.json-body',
      '',
      'it is not valid JSON (Unexpected end of JSON input): [1,',
    ],
    ['GET /pets', 200, [pet, { ...pet, id: 2, name: 7 }], undefined, 'pet.name', '/1/name', '7'],
    ['GET /pets', 200, [pet, null], undefined, 'pet.fields', '/1', 'null'],
    ['GET /pets', 200, [pet, { ...pet, name: 'Max' }], undefined, 'pet.id.unique', '/1/id', '1'],
    ['GET /pets/1', 200, '', undefined, 'get.success', '', 'an empty body'],
    ['GET /pets/1', 200, [pet], undefined, 'get.success', '', JSON.stringify([pet])],
    ['POST /pets', 201, 'true', undefined, 'create.success', '', 'true'],
    ['POST /pets', 400, '', undefined, 'error.body', '', 'an empty body'],
    ['POST /pets', 400, [error(400)], undefined, 'error.body', '', JSON.stringify([error(400)])],
    ['POST /pets', 400, error(422), undefined, 'error.status-repeats-http', '/status', '422'],
    [
      'GET /pets',
      401,
      '{"code":',
      undefined,
      'http.json-body',
      '',
      'it is not valid JSON (Unexpected end of JSON input): {"code":',
    ],
  ])('%s answers %i with %j as %s: %s', (request, status, body, contentType, clause, pointer, actual) => {
    const { defects } = judge([request, status, body, contentType])
    expect(defects.map((defect) => defect.clause)).toEqual([clause])
    expect(defects[0]).toMatchObject({ pointer, actual })
  })
})

describe('what a request demands of the pets that are shown', () => {
  test.each<[request: string, body: unknown, clause: string, pointer: string, actual: string]>([
    ['GET /pets', pets(21), 'list.limit.default', '', '21 pets'],
    ['GET /pets?status=sold', pets(21), 'list.limit.default', '', '21 pets'],
    ['GET /pets?limit=3', pets(4), 'list.limit.honoured', '', '4 pets'],
    ['GET /pets?limit=3&petkit=1', pets(4), 'list.limit.honoured', '', '4 pets'],
    ['GET /pets?limit=0', pets(101), 'list.limit.max', '', '101 pets'],
    ['GET /pets?limit=2&limit=3', pets(101), 'list.limit.max', '', '101 pets'],
    ['GET /pets?limit=1000&status=pending', [pet], 'list.status.filter', '/0/status', JSON.stringify(pet)],
    ['GET /pets?status=pending', [pet], 'list.status.filter', '/0/status', JSON.stringify(pet)],
    ['GET /pets/2', pet, 'get.by-id', '/id', 'pet 1'],
  ])('%s', (request, body, clause, pointer, actual) => {
    expect(compareShown(exchangeOf([request, 200, body]))).toMatchObject([{ clause, pointer, actual }])
  })

  test.each<[request: string, body: unknown]>([
    ['GET /pets', pets(20)],
    ['GET /pets?limit=3', []],
    ['GET /pets?limit=3', { pets: pets(9) }],
    ['GET /pets?limit=2&limit=3', pets(100)],
    ['GET /pets?status=sold', pets(2)],
    ['GET /pets?status=lost', pets(20)],
    ['GET /pets?status=pending&status=available', pets(20)],
    ['GET /pets/9223372036854775808', '{"id":9223372036854775808}'],
    ['GET /pets/abc', pet],
    ['GET /pets/1', pet],
  ])('%s with %j shows it', (request, body) => {
    expect(compareShown(exchangeOf([request, 200, body]))).toEqual([])
  })
})

test('every element of a list is judged, not the first alone', () => {
  const spoilt = pets(20).map((one, index) => (index === 19 ? { ...one, id: '19' } : one))
  expect(judge(['GET /pets', 200, spoilt]).defects).toMatchObject([{ clause: 'pet.id', pointer: '/19/id' }])
})

test('a page of HTML in place of an Error is a breach of the clause about errors', () => {
  const { defects } = judge(['GET /pets/9', 404, '<h1>Not Found</h1>', 'text/html'])
  expect(defects.map(({ clause }) => clause)).toContain('error.body')
})

test('an answer speaks for no clause that it was not able to break', () => {
  expect(judge(['GET /pets', 200, []]).clauses).toEqual(['http.media-type', 'http.json-body', 'list.success'])
  expect(judge(['GET /pets', 200, [pet]]).clauses).not.toContain('pet.id.unique')
  expect(judge(['GET /pets', 200, pets(2)]).clauses).toContain('pet.id.unique')
})

test.each<Row>([
  ['GET /petkit', 404, 'not found', 'text/plain'],
  ['GET /pets/', 404, 'not found', 'text/plain'],
  ['GET /pets/1/toys', 404, 'not found', 'text/plain'],
  ['PATCH /pets', 405, '', ''],
  ['HEAD /pets', 500, '', ''],
  ['GET /pets', 308, 'moved', 'text/plain'],
])('%s answering %i calls no operation of the specification, or answers for none', (...row) => {
  expect(judge(row)).toEqual({ clauses: [], defects: [] })
})
