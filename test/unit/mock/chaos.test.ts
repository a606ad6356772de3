import fc from 'fast-check'
import { expect, test } from 'vitest'

import { parseJson, printJson } from '../../../src/json.ts'
import type { HttpRequest } from '../../../src/spec/http.ts'
import {
  createMock,
  defaultKey,
  defects,
  type Mock,
  type Rule,
  sandboxKey,
  varyProfile,
} from '../../../src/mock/index.ts'
import { sampleRequests } from './sample-requests.ts'
import { runs } from '../../support/level.ts'

const rex = { name: 'Rex', categoryId: 1 }
const rules: Rule[] = [
  { reply: { status: 503 }, times: 2 },
  { reply: { status: 200, body: [] }, when: { operation: 'listPets' }, skip: 1 },
  { delayMs: { median: 5, p99: 50 }, when: { body: { name: 'Rex' } } },
  { fault: 'truncated-body', during: { forMs: 1_000 } },
  { sequence: [{ fault: 'empty-response' }, {}, { fault: 'broken-chunk' }], times: 9 },
  { reply: { status: 409 }, when: { body: { name: { regex: '^(a|b)*$' }, x: { absent: true } } } },
  { fault: { slowBodyMs: 50 }, reply: { status: 204 } },
  { rateLimit: { requests: 2, windowMs: 1_000 } },
]
const pick = <T>(values: readonly T[], number: number): T => values[number % values.length] as T

type Act = (sandbox: Mock | ReturnType<Mock['sandboxes']['get']>, number: number) => unknown
/** Control operations, allowed at any moment. */
const acts: Record<string, Act> = {
  use: (sandbox, number) => sandbox.use(pick(rules, number)),
  'remove rules': (sandbox, number) =>
    sandbox.removeRules(number % 3 === 0 ? undefined : `rule-${number % 5}`),
  profile: (sandbox, number) => sandbox.configure({ profile: varyProfile(number) }),
  break: (sandbox, number) => sandbox.configure({ defects: [pick(defects, number).id] }),
  conform: (sandbox) => sandbox.configure({ defects: [] }),
  explain: (sandbox, number) =>
    sandbox.configure({ explain: number % 2 === 0, overrides: number % 3 === 0 }),
  import: (sandbox, number) =>
    sandbox.catalog.import(
      [number, number + 1, 9007199254740993n, -number - 1].map((id) => ({ id, ...rex })),
    ),
  'set a status': (sandbox, number) =>
    sandbox.catalog.change(number % 120, { status: pick(['sold', null], number) }),
  delete: (sandbox, number) => sandbox.catalog.delete(number % 120),
  save: (sandbox, number) => sandbox.snapshots.save(`s${number % 3}`),
  restore: (sandbox, number) => sandbox.snapshots.restore(`s${number % 3}`),
  clear: (sandbox) => sandbox.pets.clear(),
  'create a pet': (sandbox, number) =>
    sandbox.pets.create({ id: number % 150, ...rex }).catch(() => undefined),
  reset: (sandbox) => sandbox.reset(),
  advance: (sandbox, number) => sandbox.clock.advance(number),
  'after the removal': (sandbox) => sandbox.clock.set('2031-01-01'),
  'back in time': (sandbox) => sandbox.clock.reset(),
  'clear the journal': (sandbox) => sandbox.journal.clear(),
}

test('any request gets a response, a journal entry and a place in the scorecard', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(...'application/json */* code=404 1 keep-alive \ud800'.split(' ')),
    fc.constantFrom(defaultKey, sandboxKey('a')).map((key) => `Bearer ${key}`),
  )
  const names =
    'authorization content-type prefer host origin access-control-request-method accept x-api-key cookie'
  const name = fc.oneof(
    fc.constantFrom(...names.split(' ')),
    fc.string({ unit: 'binary', maxLength: 5 }),
  )
  const target = fc.oneof(
    text,
    fc
      .tuple(fc.constantFrom('/v1/pets', '/v1/pets/', '/v1/pets?', '/v1/pets/1?'), text)
      .map((parts) => parts.join('')),
  )
  const request = fc.record({
    method: fc.oneof(fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS', 'PUT'), text),
    target,
    headers: fc.dictionary(name, fc.oneof(text, text, fc.array(text, { maxLength: 3 }))),
    body: fc.oneof(
      fc.constant(''),
      text,
      fc.json(),
      fc.json().map((json) => `{"name":"Rex","categoryId":1,"x":${json}}`),
    ),
  })
  const mock = createMock({ explain: true, profile: { 'create.extra-fields': 'store' } })
  await fc.assert(
    fc.asyncProperty(
      request,
      fc.constantFrom(undefined, 'too-large', 'not-utf8'),
      async (request, bodyFault) => {
        const { status, body } = await mock.handle({ ...request, ...(bodyFault && { bodyFault }) })
        expect(body).not.toContain('The mock failed')
        if (status >= 400 && body !== '')
          expect(JSON.parse(body)).toMatchObject({ code: expect.any(String), status })
        const text = printJson([mock.journal.last(), mock.sandboxes.get('a').journal.last()])
        expect(text).not.toContain(defaultKey)
        expect(text).not.toContain(sandboxKey('a'))
      },
    ),
    { numRuns: runs(400) },
  )
  expect(() => JSON.stringify(mock.allScorecards())).not.toThrow()
})

const act = fc.record({
  what: fc.constantFrom(...Object.keys(acts)),
  sandbox: fc.nat(2),
  number: fc.nat(10_000),
})
const request = fc.record({
  sample: fc.nat(sampleRequests.length - 1),
  sandbox: fc.nat(2),
  prefer: fc.constantFrom(
    undefined,
    undefined,
    undefined,
    'code=404',
    'delay=1, fault=slow-body',
    'code=7',
  ),
})

test('the mock responds and its sandboxes stay consistent after any sequence of operations', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(act, request), { maxLength: 40 }), async (steps) => {
      const mock = createMock({ pets: 100, rules: [{ delayMs: 1, skip: 2, times: 3 }] })
      const sandboxOf = (sandbox: number) =>
        sandbox === 0 ? mock : mock.sandboxes.get(`team-${sandbox}`)
      const keyOf = (sandbox: number): string =>
        sandbox === 0 ? defaultKey : sandboxKey(`team-${sandbox}`)
      for (const step of steps) {
        if ('what' in step) await acts[step.what]?.(sandboxOf(step.sandbox), step.number)
        else {
          const sample = sampleRequests[step.sample] as HttpRequest
          const { authorization } = sample.headers
          const reply = await mock.handle({
            ...sample,
            headers: {
              ...sample.headers,
              ...(typeof authorization === 'string' && {
                authorization: authorization.replace(defaultKey, keyOf(step.sandbox)),
              }),
              ...(step.prefer !== undefined && { prefer: step.prefer }),
            },
          })
          expect(reply.body).not.toContain('The mock failed')
          expect(reply.status).toBeGreaterThanOrEqual(200)
          // A request with a damaged key is handled by the default sandbox.
          if ([0, step.sandbox].some((sandbox) => sandboxOf(sandbox).settings.defects.length > 0))
            continue
          if (reply.body !== '') expect(() => parseJson(reply.body)).not.toThrow()
          if (reply.status >= 400 && reply.body !== '') {
            expect(JSON.parse(reply.body)).toMatchObject({
              message: expect.any(String),
              status: reply.status,
            })
          }
        }
      }
      for (const sandbox of [0, 1, 2]) {
        const { catalog, pets, journal, scorecards, reset } = sandboxOf(sandbox)
        await pets.settled()
        const ids = catalog.export().map(({ id }) => id)
        expect(new Set(ids).size).toBe(ids.length)
        expect([catalog.size, pets.count()]).toEqual([ids.length, ids.length])
        const cards = await scorecards()
        // Entries show the pets that changed, whose integers may be bigints.
        const text = printJson([journal.list(), cards])
        expect(parseJson(text)).toHaveLength(2)
        reset()
        expect(catalog.export().map(({ id }) => id)).toEqual(
          Array.from({ length: 100 }, (_, index) => index + 1),
        )
      }
    }),
    { numRuns: runs(50) },
  )
})
