/** The schema of a body and the server take the same bodies, and refuse the same ones. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Printable, printJson } from '../../src/json.ts'
import { createControl } from '../../src/mock/control/api.ts'
import type { ControlStream } from '../../src/mock/control/control.ts'
import { createMock, type MockReply } from '../../src/mock/index.ts'
import { checkReply } from './control.ts'
import { document, fitsSchema } from './document.ts'
import { arbitraryOf, mutated } from './fitting.ts'

/** Each operation of the mock itself with a body; those of sandboxes have the same schemas. */
const operations = Object.entries<any>(document.paths)
  .filter(([path]) => !path.includes('{sandbox}'))
  .flatMap(([path, item]) =>
    Object.entries<any>(item).map(([method, operation]) => ({
      operation: `${method.toUpperCase()} ${path}`,
      parameters: operation.parameters ?? [],
      schema: operation.requestBody?.content['application/json'].schema as { $ref: string } | undefined,
    })),
  )
const withBody = operations.flatMap(({ operation, schema }) =>
  schema === undefined ? [] : [{ operation, schema, name: schema.$ref.split('/').at(-1) ?? '' }],
)

const mock = createMock({ pets: 3 })
const control = createControl({ mock, host: '127.0.0.1', allScorecards: mock.allScorecards, version: '1.0.0' })

/** The answer to a request of an untouched mock, which must be one that the document describes. */
async function statusOf(operation: string, body: string): Promise<number> {
  const [method = '', template = ''] = operation.split(' ')
  const target = template.replaceAll('{id}', '1')
  mock.reset()
  const headers = { host: 'localhost', ...(body !== '' && { 'content-type': 'application/json' }) }
  const reply: MockReply | ControlStream = await control.respond({ method, target, headers, body })
  if (!('body' in reply)) return reply.status
  const isJson = reply.headers['content-type'] === 'application/json' && reply.body !== ''
  checkReply(method, target, {
    status: reply.status,
    headers: reply.headers,
    text: reply.body,
    json: isJson ? JSON.parse(reply.body) : undefined,
  })
  return reply.status
}

/**
 * What no JSON Schema can say, and the description of the schema does: members that depend on one another, ids that come
 * twice, and depth. The server refuses it, and answers 409 where it is not the body alone that is to blame.
 */
const unsaid: Record<string, (body: any) => boolean> = {
  Pets: (pets: { id: number }[]) => new Set(pets.map(({ id }) => id)).size < pets.length,
  NewRules: (rules) =>
    [rules].flat().some(({ delayMs }) => delayMs?.from > delayMs?.to || delayMs?.median > delayMs?.p99),
}

async function expectAgreement({ operation, name }: { operation: string; name: string }, value: unknown) {
  const body = printJson(value as Printable)
  const json: unknown = JSON.parse(body)
  const status = await statusOf(operation, body)
  const isTaken = status !== 400
  const fits = fitsSchema(name, json)
  expect({ body, status, fits }).toEqual({ body, status, fits: isTaken || (fits && unsaid[name]?.(json) === true) })
  return fits
}

describe.each(withBody)('$operation', (operation) => {
  const fitting = arbitraryOf(operation.schema)

  test('takes whatever its schema does', async () => {
    await fc.assert(
      fc.asyncProperty(fitting, async (value) => {
        expect(await expectAgreement(operation, value), printJson(value as Printable)).toBe(true)
      }),
      { seed: 20301205, numRuns: 150 },
    )
  })

  test('refuses whatever its schema does', async () => {
    let refused = 0
    await fc.assert(
      fc.asyncProperty(mutated(fitting), async (value) => {
        if (!(await expectAgreement(operation, value))) refused += 1
      }),
      { seed: 20301205, numRuns: 250 },
    )
    expect(refused).toBeGreaterThan(50)
  })
})

const rule = { reply: { status: 503 } }
const pet = { id: 1, name: 'Rex', categoryId: 1 }
const replying = (reply: object) => ({ reply: { status: 503, ...reply } })
/** Bodies that the server refuses, and the schema as well. */
const refused: Record<string, unknown[]> = {
  'PATCH /_petstore/settings': [
    [],
    null,
    'x',
    { seed: 1 },
    { explain: null },
    { overrides: 'yes' },
    { profile: null },
    { profile: [] },
    { profile: { 'list.nothing': '400' } },
    { profile: { 'list.order': 'random' } },
    { profile: { 'list.order': '400' } },
    { profile: { 'list.limit.below-minimum': '500' } },
    { profile: { 'list.limit.below-minimum': 400 } },
    { profile: { 'auth.scheme-case': '403' } },
    { profile: { 'error.code.400': 400 } },
    { deviations: 'list.limit-ignored' },
    { deviations: ['list.nothing'] },
    { deviations: [null] },
  ],
  'PUT /_petstore/pets': [
    {},
    [null],
    [{ ...pet, id: undefined }],
    [{ ...pet, id: '1' }],
    [{ ...pet, id: 1.5 }],
    [{ ...pet, id: 2n ** 64n }],
    [{ ...pet, categoryId: -(2n ** 64n) }],
    [{ ...pet, name: null }],
    [{ ...pet, status: null }],
    [{ ...pet, status: 'lost' }],
  ],
  'PATCH /_petstore/pets/{id}': [[], {}, { status: 'lost' }, { status: 'sold', name: 'Rex' }],
  'POST /_petstore/rules': [
    7,
    [],
    {},
    { times: 1 },
    [rule, null],
    Array.from({ length: 1_001 }, () => rule),
    { ...rule, id: 'rule-1' },
    { ...rule, when: null },
    { ...rule, when: { operation: 'deletePet' } },
    { ...rule, when: { operation: [] } },
    { ...rule, when: { query: { limit: 5 } } },
    { ...rule, when: { petId: 5 } },
    { ...rule, when: { headers: { 'not a name': '*/*' } } },
    { ...rule, when: { headers: { accept: 'a\nb' } } },
    { ...rule, when: { body: [] } },
    { ...rule, when: { method: 'GET' } },
    { ...rule, skip: -1 },
    { ...rule, skip: 1e12 + 1 },
    { ...rule, times: 0 },
    { ...rule, times: 1.5 },
    { ...rule, during: {} },
    { ...rule, during: { forMs: 0 } },
    { ...rule, during: { forMs: 1e12 + 1 } },
    { ...rule, during: { forMs: 1, afterMs: -1 } },
    { reply: {} },
    { reply: { status: 199 } },
    { reply: { status: 600 } },
    { reply: { status: '503' } },
    { reply: { status: 200 } },
    { reply: { status: 201, code: 'x' } },
    replying({ code: 5 }),
    replying({ message: null }),
    replying({ headers: { 'Content-Length': '1' } }),
    replying({ headers: { 'retry after': '1' } }),
    replying({ headers: { 'retry-after': 1 } }),
    replying({ headers: { 'retry-after': '€' } }),
    replying({ headers: { 'content-length': '5' } }),
    replying({ headers: { 'transfer-encoding': 'chunked' } }),
    replying({ color: 'red' }),
    { delayMs: -1 },
    { delayMs: 600_001 },
    { delayMs: '5' },
    { delayMs: {} },
    { delayMs: { from: 1 } },
    { delayMs: { from: 1, to: 2, unit: 's' } },
    { delayMs: { from: 1, p99: 2 } },
    { delayMs: { median: 0, p99: 5 } },
    { delayMs: { median: 5, p99: 600_001 } },
    { fault: 'explode' },
    { fault: {} },
    { fault: { slowBodyMs: 0 } },
    { fault: { slowBodyMs: 600_001 } },
    { rateLimit: { requests: 1 } },
    { rateLimit: { requests: 1.5, windowMs: 1 } },
    { rateLimit: { requests: 1, windowMs: 0 } },
    { rateLimit: { requests: 1e12 + 1, windowMs: 1 } },
  ],
  'PUT /_petstore/clock': [
    {},
    { now: 7 },
    { now: '7' },
    { now: '' },
    { now: 'tomorrow' },
    { now: '6 Dec 2030' },
    { now: '2030-12' },
    { now: '2030-13-06' },
    { now: '2030-12-32' },
    { now: '2030-12-06Z' },
    { now: '2030-12-06 09:30Z' },
    { now: '2030-12-06T9:30Z' },
    { now: '2030-12-06T24:00Z' },
    { now: '2030-12-06T23:59:60Z' },
    { now: '2030-12-06T09:30+0100' },
    { now: '2030-12-06', zone: 'UTC' },
  ],
  'POST /_petstore/clock/advance': [
    {},
    { ms: '1' },
    { ms: 0.5 },
    { ms: null },
    { ms: 2n ** 53n },
    { ms: -(2n ** 53n) },
    { ms: 1, s: 1 },
  ],
  'POST /_petstore/sandboxes': [
    {},
    { name: 7 },
    { name: '' },
    { name: 'Team-a' },
    { name: '-a' },
    { name: 'a-' },
    { name: 'a_b' },
    { name: 'a\n' },
    { name: 'x'.repeat(41) },
    { name: 'a', key: 'x' },
  ],
}

test('there are refused bodies for each operation', () => {
  expect(Object.keys(refused).toSorted()).toEqual(withBody.map(({ operation }) => operation).toSorted())
})

describe.each(withBody)('$operation', ({ operation, name }) => {
  const bodies = (refused[operation] ?? []).map((body) => ({ body: printJson(body as Printable) }))
  test.each(bodies)('refuses $body', async ({ body }) => {
    expect(await statusOf(operation, body)).toBe(400)
    expect(fitsSchema(name, JSON.parse(body))).toBe(false)
  })
})

const deep = `${'['.repeat(200)}${']'.repeat(200)}`
test.each([
  ['an id that comes twice', 'PUT /_petstore/pets', printJson([pet, pet])],
  ['a pet that is too deep', 'PUT /_petstore/pets', `[{"id":1,"name":"Rex","categoryId":1,"x":${deep}}]`],
  ['a reply that is too deep', 'POST /_petstore/rules', `{"reply":{"status":200,"body":${deep}}}`],
  ['a condition that is too deep', 'POST /_petstore/rules', `{"delayMs":1,"when":{"body":{"x":${deep}}}}`],
  ['a range that ends before it begins', 'POST /_petstore/rules', '{"delayMs":{"from":2,"to":1}}'],
  ['a percentile below the median', 'POST /_petstore/rules', '{"delayMs":{"median":2,"p99":1}}'],
])('%s is refused, which no schema can say', async (_, operation, body) => {
  const name = withBody.find((candidate) => candidate.operation === operation)?.name ?? ''
  expect(fitsSchema(name, JSON.parse(body))).toBe(true)
  expect(await statusOf(operation, body)).toBe(400)
})

describe('parameters', () => {
  const all = operations.flatMap(({ operation, parameters }) =>
    parameters.map((parameter: any) => ({ operation, ...parameter })),
  )
  const targetOf = (operation: string, place: string, name: string, value: string): string =>
    place === 'path'
      ? operation.replace(`{${name}}`, encodeURIComponent(value))
      : `${operation}?${name}=${encodeURIComponent(value)}`

  test.each(all.filter(({ in: place }) => place !== 'header'))(
    '$name of $operation is taken as its schema says',
    async ({ operation, in: place, name, schema }) => {
      const isWithBody = withBody.find((candidate) => candidate.operation === operation)
      const body = isWithBody === undefined ? '' : '{"status":"sold"}'
      const { default: _, ...rest } = schema
      await fc.assert(
        fc.asyncProperty(arbitraryOf(rest), async (value) => {
          expect(await statusOf(targetOf(operation, place, name, String(value)), body), String(value)).not.toBe(400)
        }),
        { seed: 20301205, numRuns: 30 },
      )
    },
  )

  test.each([
    ['GET /_petstore/rules', 'pending', 'maybe'],
    ['GET /_petstore/journal', 'operation', 'deletePet'],
    ['GET /_petstore/journal', 'status', '99'],
    ['GET /_petstore/journal', 'method', 'G T'],
    ['GET /_petstore/journal', 'after', '1000000000000000'],
    ['GET /_petstore/journal', 'limit', '1001'],
    ['GET /_petstore/scorecard', 'reporter', 'pdf'],
    ['PUT /_petstore/snapshots/{name}', 'name', 'a b'],
    ['DELETE /_petstore/pets/{id}', 'id', '9223372036854775808'],
  ])('%s refuses a %s of %s', async (operation, name, value) => {
    const { in: place } = all.find((one) => one.operation === operation && one.name === name)
    expect(await statusOf(targetOf(operation, place, name, value), '')).toBe(400)
  })
})
