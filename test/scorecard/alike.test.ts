/** Requests that are alike are judged once. What is counted must be the same as if each had been judged alone. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createScorekeeper } from '../../src/mock/control/scorecard.ts'
import type { Exchange } from '../../src/mock/control/exchange.ts'
import { judge, type Reading } from '../../src/mock/control/judge.ts'
import { parameterNames } from '../../src/mock/control/scorecard-parameters.ts'
import { createRoutes } from '../../src/mock/routes.ts'
import { createClient } from './client.ts'

const keys = ['first-key', 'second-key']
const json = { 'content-type': 'application/json' }
const pet = { name: 'Rex', categoryId: 1 }

/** Most requests are flawless, so that many are alike. */
const often = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, fc.constantFrom(...others))

const keyed = often<string | undefined>(
  'Bearer first-key',
  'Bearer second-key',
  'bearer first-key',
  'Bearer wrong',
  undefined,
)
const target = often('/v1/pets', '/v1/pets?limit=5', '/v1/pets?limit=0', '/v1/pets?page=2', '/v1/pets/7', '/pets')
const body = fc.constantFrom(
  ...[pet, { ...pet, status: 'sold' }, { ...pet, status: 'pending' }, { ...pet, name: 'Tom' }].map((sent) =>
    JSON.stringify(sent),
  ),
  ...[{ ...pet, status: 'dead' }, { ...pet, id: 7 }, { ...pet, tag: 1 }, { name: '' }, []].map((sent) =>
    JSON.stringify(sent),
  ),
  '{"name":',
)
const request = fc
  .record({
    authorization: keyed,
    target,
    headers: often<Record<string, string>>(json, {}, { 'content-type': 'text/plain' }, { 'x-api-key': 'first-key' }),
    payload: fc.oneof(
      fc.constant({ method: 'GET', body: '' }),
      body.map((text) => ({ method: 'POST', body: text })),
    ),
    status: fc.constantFrom(200, 201, 400, 401),
  })
  .map(({ authorization, target, headers, payload, status }) => ({
    ...payload,
    target,
    headers: { ...headers, ...(authorization !== undefined && { authorization }) },
    reply: { status, headers: {}, body: '' },
  }))

/** What two requests say together is no matter of this test. */
const ofSequences = ['order.', 'retry.', 'creation.repeated', 'waits.']

test('the sums of requests that are alike', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(request, fc.integer({ min: 1, max: 4 })), { maxLength: 30 }), (runs) => {
      const keeper = createScorekeeper({ basePath: '/v1', keys })
      const expected = keys.map(() => ({ requests: 0, issues: new Map<string, number>(), parameters: new Map() }))
      const contract = { keys, basePath: '/v1', findRoute: createRoutes('/v1'), isRemoved: false }
      let number = 0
      for (const [sent, times] of runs) {
        for (let time = 0; time < times; time += 1) {
          number += 1
          const exchange: Exchange = { ...sent, number, at: number, rule: undefined, bytes: 0 }
          keeper.note(exchange)
          const reading = judge(exchange, contract)
          const sums = expected[reading?.key ?? -1]
          if (reading === undefined || sums === undefined) continue
          sums.requests += 1
          for (const id of new Set(reading.marks.map((mark) => mark.kind))) {
            sums.issues.set(id, (sums.issues.get(id) ?? 0) + 1)
          }
          for (const name of namesOf(reading)) sums.parameters.set(name, (sums.parameters.get(name) ?? 0) + 1)
        }
      }
      const cards = keeper.read()
      for (const [index, sums] of expected.entries()) {
        const { requests, issues, coverage } = cards[index]!
        expect(requests).toBe(sums.requests)
        const alone = issues.filter(({ id }) => !ofSequences.some((start) => id.startsWith(start)))
        expect(Object.fromEntries(alone.map(({ id, count }) => [id, count]))).toEqual(Object.fromEntries(sums.issues))
        const counted = coverage.operations.flatMap(({ operation, parameters }) =>
          Object.entries(parameters).map(([name, count]) => [`${operation} ${name}`, count]),
        )
        expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(sums.parameters))
      }
    }),
    { numRuns: 300 },
  )
})

test('a pet that is missing is not like the path with a trailing slash', async () => {
  const { send, kinds } = createClient()
  await send('GET', '/v1/pets/777')
  await send('GET', '/v1/pets/')
  expect(kinds()).toContain('path.trailing-slash')
})

function namesOf({ operation, parameters }: Reading): string[] {
  return operation === undefined
    ? []
    : parameterNames.filter((_, bit) => (parameters & (1 << bit)) !== 0).map((name) => `${operation} ${name}`)
}
