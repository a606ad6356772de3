import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { UsageError } from '../../../src/errors.ts'
import { parseJson } from '../../../src/json.ts'
import { createMock, defaultKey, type Rule } from '../../../src/mock/index.ts'
import { sendTo, create } from './ask.ts'
import { runs } from '../../support/level.ts'

const reply = { status: 503 }
const authorized = { authorization: `Bearer ${defaultKey}` }

test('all mistakes of all rules are reported together with their paths, and no rule is added', () => {
  const mock = createMock()
  const rules = [
    reply,
    {
      reply,
      when: {
        operation: 'deletePet',
        query: { limit: 5 },
        petId: 7,
        headers: { 'not a name': '*/*' },
        body: [],
      },
    },
    {
      reply: { code: 5, message: null, headers: { 'x-a': 'a\nb' }, color: 'red' },
      skip: -1,
      times: 0,
    },
    { delayMs: { from: 2, to: 1 }, during: {}, rateLimit: { requests: 1.5 } },
    { fault: 'explode', times: 1 },
    { fault: { slowBodyMs: 0 }, reply: { status: 200 } },
    { reply: { status: 600, headers: { 'content-length': '5', 'Transfer-Encoding': 'chunked' } } },
    { times: 3 },
    null,
    { reply: [], when: 7 },
    { delayMs: { from: 2, to: 1 } },
  ]
  const expected = [
    'rules/0 must be an object with at least one of reply, delayMs, fault, sequence, rateLimit.',
    'rules/0/status is unknown; there are when, reply, delayMs, fault, sequence, rateLimit, skip, times, during.',
    'rules/1/when/operation must be one of listPets, createPet, getPet, or an array of these, but was "deletePet".',
    'rules/1/when/query/limit must be a string, { contains: a string }, { regex: a string }, or { absent: true }, but was 5.',
    'rules/1/when/petId must be a string, { contains: a string }, { regex: a string }, or { absent: true }, but was 7.',
    'rules/1/when/headers has "not a name", which must be the name of a header.',
    'rules/1/when/body must be an object.',
    'rules/2/reply/status is required.',
    'rules/2/reply/code must be a string, but was 5.',
    'rules/2/reply/message must be a string, but was null.',
    'rules/2/reply/headers/x-a must be a string without line breaks and within Latin-1, but was "a\\nb".',
    'rules/2/reply/color is unknown; there are status, code, message, headers, body.',
    'rules/2/skip must be an integer from 0 to 1000000000000, but was -1.',
    'rules/2/times must be an integer from 1 to 1000000000000, but was 0.',
    'rules/3/rateLimit/windowMs is required.',
    'rules/3/rateLimit/requests must be an integer from 0 to 1000000000000, but was 1.5.',
    'rules/3/during/forMs is required.',
    'rules/4/fault must be one of reset, silence, empty-response, truncated-body, broken-chunk, or { slowBodyMs } of at most 600000, but was "explode".',
    'rules/5/reply must be an object, with a body where the status is below 300 and not 204.',
    'rules/5/fault must be one of reset, silence, empty-response, truncated-body, broken-chunk, or { slowBodyMs } of at most 600000.',
    'rules/6/reply/status must be a status from 200 to 599, but was 600.',
    'rules/6/reply/headers has "content-length", which must be the name of a header, other than those that say how a message is sent.',
    'rules/6/reply/headers has "Transfer-Encoding", which must be the name of a header, other than those that say how a message is sent.',
    'rules/7 must be an object with at least one of reply, delayMs, fault, sequence, rateLimit.',
    'rules/8 must be an object with at least one of reply, delayMs, fault, sequence, rateLimit, but was null.',
    'rules/9/when must be an object, but was 7.',
    'rules/9/reply must be an object, with a body where the status is below 300 and not 204.',
    'rules/10/delayMs must have its from at most its to.',
  ]
  const use = (): unknown => mock.use(...(rules as Rule[]))
  expect(use).toThrow(UsageError)
  expect(use).toThrow(expected.join('\n'))
  expect(mock.rules()).toEqual([])
  expect(() => createMock({ rules: rules as Rule[], pets: -1 })).toThrow(expected.join('\n'))
})

test('mistakes in matchers and sequences', () => {
  const rules = [
    {
      reply,
      when: {
        petId: { regex: '(' },
        query: { a: { regex: '(?=b)' }, b: { contains: 1 }, c: { absent: false } },
        headers: { Authorization: { contains: 'Bearer' }, 'x-api-key': { regex: 'a' } },
      },
    },
    {
      reply,
      when: {
        petId: { regex: '(' },
        query: { api_key: { contains: 'a' } },
        headers: { authorization: { regex: 'a' }, 'x-a': { regex: '(a)\\1' } },
        body: {
          a: { regex: 5 },
          b: { contains: null },
          c: { absent: false },
          d: { regex: 'x'.repeat(201) },
          e: { equals: { regex: 5 } },
          f: { regex: 'a', contains: 5 },
        },
      },
    },
    { sequence: [], fault: 'reset' },
    { sequence: [{ reply: { status: 200 } }, { times: 2 }, 'ordinary'] },
    {
      sequence: [{ delayMs: { from: 2, to: 1 } }, { reply: { status: 500, body: 2 ** 60 } }],
      delayMs: 5,
      reply,
    },
  ]
  const matcher = 'must be { regex: a string }, { contains: a string } or { absent: true }'
  const text = 'must be a string, { contains: a string }, { regex: a string }, or { absent: true }.'
  expect(() => createMock().use(...(rules as Rule[]))).toThrow(
    [
      `rules/0/when/query/b ${text}`,
      `rules/0/when/query/c ${text}`,
      'rules/1/when/petId/regex must be a regular expression: Unterminated group.',
      'rules/1/when/query/api_key must be a whole value or { absent: true }.',
      'rules/1/when/headers/authorization must be a whole value or { absent: true }.',
      'rules/1/when/headers/x-a/regex must be a regular expression without backreferences.',
      `rules/1/when/body/a ${matcher}; { equals: … } compares with any object.`,
      `rules/1/when/body/b ${matcher}; { equals: … } compares with any object.`,
      `rules/1/when/body/c ${matcher}; { equals: … } compares with any object.`,
      'rules/1/when/body/d/regex must be a regular expression of at most 200 characters.',
      'rules/2/sequence must not be empty.',
      'rules/3/sequence/0/reply must be an object, with a body where the status is below 300 and not 204.',
      'rules/3/sequence/1/times is unknown; there are reply, delayMs, fault.',
      'rules/3/sequence/2 must be an object with reply, delayMs or fault, or an empty one, but was "ordinary".',
      'rules/4/sequence/0/delayMs must have its from at most its to.',
      'rules/4/sequence/1/reply/body has 1152921504606847000, beyond 2^53, where a number is not exact. Write a bigint, such as 1152921504606846976n.',
      'rules/4/reply cannot be combined with sequence.',
      'rules/4/delayMs cannot be combined with sequence.',
    ].join('\n'),
  )
})

describe('values that are not JSON are rejected', () => {
  const circle: Record<string, unknown> = { name: 'Rex' }
  circle['self'] = circle
  const deep = parseJson('['.repeat(500) + ']'.repeat(500))
  test.each<[string, unknown]>([
    ['a function', () => 1],
    ['a function within', { pets: [() => 1] }],
    ['a symbol', Symbol('x')],
    ['NaN', Number.NaN],
    ['infinity', [Infinity]],
    ['a Date', new Date(0)],
    ['a Map', { pets: new Map() }],
    ['a hole', [undefined]],
    ['a circle', circle],
    ['500 levels', deep],
  ])('%s', (_, body) => {
    const mock = createMock()
    expect(() => mock.use({ reply: { status: 200, body: body as never } })).toThrow(
      'rules/0/reply/body must be JSON, of at most 100 levels.',
    )
    expect(() => mock.use({ reply, when: { body: { x: body as never } } })).toThrow(
      'rules/0/when/body must be',
    )
  })

  test.each([
    [{ when: { body: { categoryId: 2 ** 53 } }, reply }, 'rules/0/when/body'],
    [{ reply: { status: 409, body: [{ id: [2 ** 53] }] } }, 'rules/0/reply/body'],
  ])('an integer that JavaScript has rounded is rejected: %j', (rule, path) => {
    expect(() => createMock().use(rule)).toThrow(
      `${path} has 9007199254740992, beyond 2^53, where a number is not exact. Write a bigint, such as 9007199254740992n.`,
    )
  })

  test('an undefined field is omitted', async () => {
    const mock = createMock()
    mock.use({ reply: { status: 200, body: { a: undefined, b: 1 } } })
    expect((await sendTo(mock, 'GET', '/v1/pets')).body).toBe('{"b":1}')
  })
})

test.each<[unknown]>([
  [-1],
  [600_001],
  ['5'],
  [Number.NaN],
  [[1, 2]],
  [{}],
  [{ from: 1 }],
  [{ from: 1, to: 2, p99: 3 }],
  [{ from: 1, to: 2, unit: 's' }],
  [{ from: 1, to: undefined }],
  [{ median: 0, p99: 5 }],
  [{ median: 5, p99: 4 }],
  [{ median: 5, p99: 600_001 }],
  [null],
])('rejects delayMs %j', (delayMs) => {
  expect(() => createMock({ rules: [{ delayMs: delayMs as never }] })).toThrow(
    'rules/0/delayMs must',
  )
})

describe('any JSON given as a rule is rejected with a UsageError or applied safely', () => {
  type Or = (
    arbitrary: fc.Arbitrary<unknown>,
    wild?: fc.Arbitrary<unknown>,
  ) => fc.Arbitrary<unknown>
  const json = fc.jsonValue({ maxDepth: 3 })
  const anyText = fc.string({ unit: 'binary', maxLength: 5 })
  const anyNumber = fc.oneof(
    fc.integer({ min: -2, max: 700 }),
    fc.double(),
    fc.constantFrom(1e12, 1e300, 0.5),
  )

  /** @param or either keeps the valid arbitrary, or sometimes replaces it by any other value. */
  function ruleOf(or: Or): fc.Arbitrary<unknown> {
    const text = or(fc.constantFrom('', 'sold', 'limit', '5', '1', 'constructor'), anyText)
    const ms = or(fc.integer({ min: 1, max: 9_000 }), anyNumber)
    const name = fc.oneof(
      fc.constantFrom('retry-after', 'x-a', 'limit', 'constructor'),
      or(fc.constant('name'), anyText) as never,
    )
    const texts = or(fc.dictionary(name as fc.Arbitrary<string>, text, { maxKeys: 2 }))
    const operation = or(
      fc.constantFrom('listPets', 'createPet', 'getPet'),
      fc.constant('orderPet'),
    )
    const range = fc
      .tuple(ms, ms)
      .map(([one, other]) => [one, other].sort((a, b) => Number(a) - Number(b)))
    const optional = (model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
      or(fc.record(model, { requiredKeys: [] }))
    const when = optional({
      operation: or(fc.oneof(operation, fc.array(operation, { minLength: 1, maxLength: 2 }))),
      query: texts,
      petId: text,
      headers: texts,
      body: or(
        fc.dictionary(
          fc.constantFrom('name', 'x', '__proto__'),
          fc.oneof(fc.constant('Rex'), json),
          { maxKeys: 1 },
        ),
      ),
    })
    const body = fc.oneof(fc.constant(undefined), json)
    const error = fc.record({
      status: or(fc.integer({ min: 400, max: 599 }), anyNumber),
      code: text,
      message: text,
      headers: texts,
    })
    const other = fc.record({
      status: or(fc.integer({ min: 200, max: 599 }), anyNumber),
      body,
      headers: texts,
    })
    const effect = fc.oneof(
      fc.record({ reply: or(fc.oneof(error, other)) }),
      fc.record({
        delayMs: or(
          fc.oneof(
            ms,
            range.map(([from, to]) => ({ from, to })),
            range.map(([median, p99]) => ({ median, p99 })),
          ),
        ),
      }),
      fc.record({
        fault: or(
          fc.oneof(
            fc.constantFrom('reset', 'silence', 'truncated-body'),
            fc.record({ slowBodyMs: ms }),
          ),
        ),
      }),
      fc.record({ rateLimit: or(fc.record({ requests: or(fc.nat(3), anyNumber), windowMs: ms })) }),
    )
    const counted = fc.record(
      {
        when: fc.oneof(
          { weight: 3, arbitrary: fc.constant(undefined) },
          { weight: 1, arbitrary: when },
        ),
        skip: or(fc.nat(2), anyNumber),
        times: or(fc.integer({ min: 1, max: 3 }), anyNumber),
        during: or(fc.record({ afterMs: fc.constant(0), forMs: ms }, { requiredKeys: ['forMs'] })),
      },
      { requiredKeys: [] },
    )
    return fc.tuple(effect, effect, counted).map((parts) => Object.assign({}, ...parts) as unknown)
  }
  const valid = ruleOf((arbitrary) => arbitrary)
  const wild = ruleOf((arbitrary, other = json) =>
    fc.oneof({ weight: 9, arbitrary }, { weight: 1, arbitrary: other }),
  )
  const given = fc.oneof(
    { weight: 10, arbitrary: valid },
    { weight: 10, arbitrary: wild },
    { weight: 1, arbitrary: json },
  )

  test('every reply is valid HTTP', async () => {
    const seen = { rejected: 0, applied: 0 }
    await fc.assert(
      fc.asyncProperty(given, async (given) => {
        const mock = createMock({ pets: 3, explain: true })
        try {
          mock.use(given as Rule)
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError)
          expect((error as Error).message).toMatch(/^rules\/0.*\.$/s)
          seen.rejected += 1
          return
        }
        const replies = [
          await mock.handle({
            method: 'GET',
            target: '/v1/pets?limit=5&status=sold',
            headers: authorized,
            body: '',
          }),
          await sendTo(mock, 'HEAD', '/v1/pets'),
          await mock.handle({
            method: 'POST',
            target: '/v1/pets',
            headers: authorized,
            body: '{"name":"Rex","categoryId":1}',
          }),
          await mock.handle({ method: 'GET', target: '/v1/pets/1', headers: authorized, body: '' }),
        ]
        const { used } = mock.rules()[0] as { used: number }
        if (used > 0) seen.applied += 1
        for (const { status, headers, body, delayMs = 0, wire } of replies) {
          expect(status).toBeGreaterThanOrEqual(200)
          expect(status).toBeLessThanOrEqual(599)
          const isOwnBody = (given as Rule).reply?.body !== undefined
          if (body !== '') expect(() => parseJson(body)).not.toThrow()
          if (status >= 400 && body !== '' && !isOwnBody) {
            expect(JSON.parse(body)).toEqual({
              code: expect.any(String),
              message: expect.any(String),
              status,
            })
          }
          expect(delayMs >= 0 && delayMs <= 600_000).toBe(true)
          expect(wire?.bodyMs ?? 1).toBeLessThanOrEqual(600_000)
          for (const [name, value] of Object.entries(headers))
            expect(`${name}: ${value}`).toMatch(/^[^\r\n\0]+$/)
          expect(() => new Headers(headers)).not.toThrow()
        }
        expect(() => JSON.stringify(mock.journal.list())).not.toThrow()
        mock.reset()
        expect((await create(mock, { name: 'Rex', categoryId: 1 })).status).toBe(201)
      }),
      { numRuns: runs(1_000) },
    )
    expect(seen.rejected).toBeGreaterThan(runs(100))
    expect(seen.applied).toBeGreaterThan(runs(100))
  })
})
