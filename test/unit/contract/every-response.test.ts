/** Limits of the checks of single responses; test/proof covers the mismatches that they report. */
import { describe, expect, test } from 'vitest'
import { judgeResponse, looksLikeTheInterface } from '../../../src/contract/judge/every-response.ts'
import { compareShown } from '../../../src/contract/judge/expect.ts'
import { toExchange } from './exchange.ts'

const pet = { id: 1, name: 'Bella', categoryId: 3, status: 'sold' }
const pets = (count: number) => Array.from({ length: count }, (_, index) => ({ ...pet, id: index }))
const requirementsOf = (body: unknown): string[] =>
  judgeResponse(toExchange('GET /pets', 200, body)).requirements

test('a response verifies only requirements that it could violate', () => {
  expect(requirementsOf([])).toEqual(['http.media-type', 'http.json-body', 'list.success'])
  expect(requirementsOf([pet])).not.toContain('pet.id.unique')
  expect(requirementsOf(pets(2))).toContain('pet.id.unique')
})

test.each([
  ['GET /petkit', 404, 'not found', 'text/plain'],
  ['GET /pets/', 404, 'not found', 'text/plain'],
  ['GET /pets/1/toys', 404, 'not found', 'text/plain'],
  ['PATCH /pets', 405, '', ''],
  ['HEAD /pets', 500, '', ''],
  ['GET /pets', 308, 'moved', 'text/plain'],
])('%s with status %i verifies nothing and has no mismatches', (request, status, body, type) => {
  expect(judgeResponse(toExchange(request, status, body, { contentType: type }))).toEqual({
    requirements: [],
    mismatches: [],
  })
})

test.each<[request: string, body: unknown]>([
  ['GET /pets?limit=3', { pets: pets(9) }],
  ['GET /pets?limit=2&limit=3', pets(100)],
  ['GET /pets?status=lost', pets(20)],
  ['GET /pets?status=pending&status=available', pets(20)],
  ['GET /pets/9223372036854775808', '{"id":9223372036854775808}'],
  ['GET /pets/abc', pet],
])('%s sets no requirement for the shown pets', (request, body) => {
  expect(compareShown(toExchange(request, 200, body))).toEqual([])
})

test('a repeated Content-Type is named as such', () => {
  const type = 'application/json, application/json'
  const { mismatches } = judgeResponse(toExchange('GET /pets', 200, '[]', { contentType: type }))
  expect(mismatches.map(({ message }) => message)).toEqual([
    `GET /pets responded 200 with Content-Type: ${type}, must be application/json, once: the header was sent several times.`,
  ])
})

test('a pet is named by its place in the list', () => {
  const list = pets(23).map((one) => ({ ...one, categoryId: 'x' }))
  const { mismatches } = judgeResponse(toExchange('GET /pets?limit=23', 200, list))
  const places = mismatches.map(({ message }) => /^The (\S+) pet of GET/.exec(message)?.[1])
  expect(places.slice(0, 4)).toEqual(['1st', '2nd', '3rd', '4th'])
  expect(places.slice(9, 13)).toEqual(['10th', '11th', '12th', '13th'])
  expect(places.slice(19, 23)).toEqual(['20th', '21st', '22nd', '23rd'])
})

describe('a response looks like the interface', () => {
  test.each<[body: string, type?: string, status?: number]>([
    ['[]', 'text/html'],
    ['{"data":{"items":[{"id":1,"name":"x"}]}}'],
    ['{"error":{"code":"x","message":"x"}}', 'application/json', 500],
    ['"[{\\"id\\":1}]"'],
    ['<br />\n<b>Warning</b>: x<br />\n[{"id":1}]', 'text/html'],
    ['show([{"id":1}]);', 'application/javascript'],
    ['[{"id":1', 'application/json'],
    ['', 'text/html', 401],
  ])('%j as %s', (body, contentType = 'application/json', status = 200) => {
    expect(looksLikeTheInterface(toExchange('GET /pets', status, body, { contentType }))).toBe(true)
  })
})

describe('a response does not look like the interface', () => {
  test.each<[body: string, type?: string, status?: number]>([
    ['{}'],
    ['{"message":"Forbidden"}', 'application/json', 403],
    ['{"errors":[{"message":"x","extensions":{"code":"x"}}]}', 'application/json', 400],
    ['<html><script>var all = [{"id":1,"name":"x"}]</script></html>', 'text/html'],
    ['<html>the id: 1, the name: x</html>', 'application/json'],
    ['id: 1, name: x, code: x, message: x', 'text/plain'],
    ['[{"id":1', 'text/plain'],
    ['[]', 'application/json', 404],
    // Each bracket could be the last one.
    [`${']'.repeat(60_000)}x`, 'text/plain'],
  ])('%.60j as %s', (body, contentType = 'application/json', status = 200) => {
    const response = toExchange('GET /pets', status, body, { contentType })
    const since = performance.now()
    expect(looksLikeTheInterface(response)).toBe(false)
    expect(performance.now() - since).toBeLessThan(1_000)
  })
})
