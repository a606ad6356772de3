/** What is no matter of one response; that each defect of one is named, test/proof shows. */
import { expect, test } from 'vitest'
import { judgeResponse } from '../../../src/contract/every-response.ts'
import { compareShown } from '../../../src/contract/expect.ts'
import { toExchange } from './exchange.ts'

const pet = { id: 1, name: 'Bella', categoryId: 3, status: 'sold' }
const pets = (count: number) => Array.from({ length: count }, (_, index) => ({ ...pet, id: index }))
const clausesOf = (body: unknown): string[] => judgeResponse(toExchange('GET /pets', 200, body)).clauses

test('a response speaks for no clause that it was not able to break', () => {
  expect(clausesOf([])).toEqual(['http.media-type', 'http.json-body', 'list.success'])
  expect(clausesOf([pet])).not.toContain('pet.id.unique')
  expect(clausesOf(pets(2))).toContain('pet.id.unique')
})

test.each([
  ['GET /petkit', 404, 'not found', 'text/plain'],
  ['GET /pets/', 404, 'not found', 'text/plain'],
  ['GET /pets/1/toys', 404, 'not found', 'text/plain'],
  ['PATCH /pets', 405, '', ''],
  ['HEAD /pets', 500, '', ''],
  ['GET /pets', 308, 'moved', 'text/plain'],
])('%s answering %i calls no operation of the specification, or answers for none', (request, status, body, type) => {
  expect(judgeResponse(toExchange(request, status, body, { contentType: type }))).toEqual({ clauses: [], defects: [] })
})

test.each<[request: string, body: unknown]>([
  ['GET /pets?limit=3', { pets: pets(9) }],
  ['GET /pets?limit=2&limit=3', pets(100)],
  ['GET /pets?status=lost', pets(20)],
  ['GET /pets?status=pending&status=available', pets(20)],
  ['GET /pets/9223372036854775808', '{"id":9223372036854775808}'],
  ['GET /pets/abc', pet],
])('%s demands nothing of the pets that are shown', (request, body) => {
  expect(compareShown(toExchange(request, 200, body))).toEqual([])
})
