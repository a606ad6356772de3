import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { printJson } from '../../../src/json.ts'
import {
  createMock,
  defaultKey,
  type Mock,
  type Rule,
  type RuleCondition,
  type RuleRequest,
  sandboxKey,
} from '../../../src/mock/index.ts'
import { cpuOf } from '../../support/cpu.ts'
import { sendTo, create, rex, statuses } from './ask.ts'

const reject: Rule = { reply: { status: 503 } }
let mock: Mock
beforeEach(() => {
  // Fake timers freeze the sandbox clocks, so that slow machines do not matter; tests advance them.
  vi.useFakeTimers({ toFake: ['performance'] })
  mock = createMock({ pets: 10 })
})
afterEach(() => void vi.useRealTimers())

describe('conditions', () => {
  const requests = {
    list: () => sendTo(mock, 'GET', '/v1/pets?limit=5&status=sold', { also: { 'x-team': 'a' } }),
    head: () => sendTo(mock, 'HEAD', '/v1/pets?limit=5'),
    create: () => create(mock, '{"name":"Rex","categoryId":9007199254740993,"status":"sold"}'),
    get: () => sendTo(mock, 'GET', '/v1/pets/7'),
    'get, encoded': () => sendTo(mock, 'GET', '/v1/pets/%37'),
  }
  type Name = keyof typeof requests
  const lists: Name[] = ['list', 'head']
  const gets: Name[] = ['get', 'get, encoded']
  const all = Object.keys(requests) as Name[]

  const table: [RuleCondition | undefined, readonly Name[]][] = [
    [undefined, all],
    [{}, all],
    [{ operation: 'listPets' }, lists],
    [{ operation: 'createPet' }, ['create']],
    [{ operation: ['createPet', 'getPet'] }, ['create', ...gets]],
    [{ query: {} }, all],
    [{ query: { limit: '5' } }, lists],
    [{ query: { limit: '5', status: 'sold' } }, ['list']],
    [{ query: { limit: '05' } }, []],
    [{ query: { page: '' } }, []],
    [{ petId: '7' }, gets],
    [{ petId: '07' }, []],
    [{ headers: { 'x-team': 'a' } }, ['list']],
    [{ headers: { 'x-team': 'A' } }, []],
    [{ headers: { authorization: `Bearer ${defaultKey}` } }, all],
    [{ body: {} }, ['create']],
    [{ body: { name: 'Rex' } }, ['create']],
    [{ body: { name: 'Rex', status: 'sold' } }, ['create']],
    [{ body: { categoryId: 9007199254740993n } }, ['create']],
    [{ body: { categoryId: 9007199254740992n } }, []],
    [{ body: { tag: null } }, []],
    [{ body: { toString: 'Rex' } }, []],
    [{ query: { limit: { regex: '^[1-5]$' } } }, lists],
    [{ query: { status: { contains: 'sol' } } }, ['list']],
    [{ query: { status: { absent: true } } }, ['head', 'create', ...gets]],
    [{ petId: { regex: '^[0-9]+$' } }, gets],
    [{ petId: { absent: true } }, ['list', 'head', 'create']],
    [{ headers: { 'X-Team': { contains: 'a' } } }, ['list']],
    [{ headers: { 'x-team': { absent: true } } }, all.filter((name) => name !== 'list')],
    [{ headers: { authorization: { absent: true } } }, []],
    [{ body: { name: { regex: '^R.x$' }, status: { contains: 'old' } } }, ['create']],
    [{ body: { name: { regex: '^e' } } }, []],
    [{ body: { categoryId: { regex: '993$' } } }, ['create']],
    [{ body: { name: { equals: 'Rex' } } }, ['create']],
    [{ body: { name: { equals: { contains: 'Rex' } } } }, []],
    [{ body: { tag: { absent: true } } }, all],
    [{ body: { name: { absent: true } } }, all.filter((name) => name !== 'create')],
    [{ body: { '/name': 'Rex', '/owner/name': { absent: true } } }, ['create']],
    [{ operation: 'listPets', petId: '7' }, []],
    [{ operation: 'listPets', query: { status: 'sold' }, headers: { 'x-team': 'a' } }, ['list']],
  ]
  const rows = table.map(
    ([when, expected]) => [printJson(when ?? 'always'), when, expected] as const,
  )
  test.each(rows)('%s', async (_, when, expected) => {
    mock.use({ ...reject, ...(when && { when }) })
    const rejected: string[] = []
    for (const name of all) if ((await requests[name]()).status === 503) rejected.push(name)
    expect(rejected).toEqual(expected)
  })

  test('query values are compared decoded, and body fields by value', async () => {
    mock.use({ ...reject, when: { query: { status: 'für alle & mehr' } } })
    expect((await sendTo(mock, 'GET', '/v1/pets?%73tatus=f%C3%BCr+alle+%26+mehr')).status).toBe(503)
    mock.use({ reply: { status: 418 }, when: { body: { tags: { a: 1, b: [1, { c: null }] } } } })
    expect(
      (await create(mock, '{ "tags": { "b": [1.0, { "c" : null }], "a": 1e0 } }')).status,
    ).toBe(418)
    expect((await create(mock, '{ "tags": { "b": [{ "c" : null }, 1], "a": 1 } }')).status).toBe(
      400,
    )
  })

  test('rules apply neither without a valid key nor outside the operations', async () => {
    mock.use(reject)
    expect((await sendTo(mock, 'GET', '/v1/pets', { headers: {} })).status).toBe(401)
    expect((await sendTo(mock, 'GET', '/v1/pets', { key: 'wrong' })).status).toBe(401)
    expect((await sendTo(mock, 'GET', '/v1/nowhere')).status).toBe(404)
    expect((await sendTo(mock, 'DELETE', '/v1/pets')).status).toBe(405)
    expect((await sendTo(mock, 'OPTIONS', '/v1/pets')).status).toBe(204)
    expect(mock.pendingRules()).toHaveLength(1)
  })
})

test('a JSON pointer leads to a value within the body', async () => {
  const body = { ...rex, owners: [{ 'a/b~c': { name: 'Ann', age: 7 } }], '': 1, length: 5 }
  const table: [NonNullable<RuleCondition['body']>, boolean][] = [
    [{ '/owners/0/a~1b~0c/name': { contains: 'nn' } }, true],
    [{ '/owners/0/a~1b~0c': { name: 'Ann', age: 7 } }, true],
    [{ '/owners/1': { absent: true } }, true],
    [{ '/owners/length': { absent: true } }, true],
    [{ '/length': 5, '/': 1, '': 1 }, true],
    [{ '/owners/0/a~1b~0c/name/first': { absent: true } }, true],
    [{ '/owners/0/a~1b~0c': { contains: 'Ann' } }, false],
    [{ '/owners': { regex: '' } }, false],
  ]
  for (const [wanted, isMatch] of table) {
    mock.removeRules()
    mock.use({ ...reject, when: { body: wanted } })
    expect([wanted, (await create(mock, body)).status]).toEqual([wanted, isMatch ? 503 : 201])
  }
})

test('an object with the words of a matcher and others is compared as a whole', async () => {
  mock.use({ ...reject, when: { body: { tag: { regex: 'a', contains: 'b' } } } })
  expect((await create(mock, { ...rex, tag: { contains: 'b', regex: 'a' } })).status).toBe(503)
  mock.use({ reply: { status: 418 }, when: { body: { tag: { equals: { regex: 5 } } } } })
  expect((await create(mock, { ...rex, tag: { regex: 5 } })).status).toBe(418)
})

describe('sequences', () => {
  const sequence = [{ reply: { status: 503 } }, { reply: { status: 500 }, delayMs: 7 }, {}]

  test('each request gets the next step; then the rule is over', async () => {
    const [rule] = mock.use({ sequence })
    expect(rule).toEqual({
      sequence,
      id: 'rule-1',
      used: 0,
      remaining: 3,
      enabled: true,
      active: true,
    })
    const first = await sendTo(mock, 'GET', '/v1/pets')
    expect(first).toMatchObject({ status: 503, rule: 'rule-1' })
    expect(await sendTo(mock, 'GET', '/v1/pets')).toMatchObject({ status: 500, delayMs: 7 })
    expect(await statuses(mock, 2)).toEqual([200, 200])
    expect(mock.rules()).toMatchObject([{ used: 3, remaining: 0, active: false }])
  })

  test('it starts again with more times, waits for skip, and counts matching requests only', async () => {
    mock.use({ sequence: sequence.slice(1), times: 5, skip: 1, when: { operation: 'listPets' } })
    await sendTo(mock, 'GET', '/v1/pets/1')
    expect(await statuses(mock, 7)).toEqual([200, 500, 200, 500, 200, 500, 200])
  })

  test('a step without an effect keeps the ordinary response from older rules', async () => {
    mock.use({ reply: { status: 429 } }, { delayMs: 3 }, { sequence: [{}, { fault: 'reset' }] })
    expect(await sendTo(mock, 'GET', '/v1/pets')).toMatchObject({ status: 200, delayMs: 3 })
    expect(await sendTo(mock, 'GET', '/v1/pets')).toMatchObject({ wire: { reset: true } })
    expect(await statuses(mock, 1)).toEqual([429])
    expect(mock.journal.list().map(({ rule }) => rule)).toEqual(['rule-3', 'rule-3', 'rule-1'])
  })

  test('a newer rule that responds does not use up a step', async () => {
    mock.use({ sequence }, { reply: { status: 418 }, times: 1 })
    expect(await statuses(mock, 4)).toEqual([418, 503, 500, 200])
  })
})

test('the regular expressions of all rules are limited together', () => {
  const regex = '^(?:[a-z]{2}x){100}$'
  const rule: Rule = { ...reject, when: { query: { q: { regex } }, body: { name: { regex } } } }
  const addMany = (): void => {
    for (let count = 0; count < 100; count += 1) mock.use(rule)
  }
  expect(addMany).toThrow(
    'The regular expressions of all rules are too large together. Use contains, or remove some rules.',
  )
  const { length } = mock.rules()
  expect(length).toBeGreaterThan(5)
  mock.removeRules('rule-1')
  mock.use(rule)
  expect(mock.rules()).toHaveLength(length)
})

describe('counters and windows', () => {
  test('times, skip, and both', async () => {
    mock.use({ ...reject, times: 2 })
    expect(await statuses(mock, 4)).toEqual([503, 503, 200, 200])
    mock.use({ ...reject, skip: 2 })
    expect(await statuses(mock, 4)).toEqual([200, 200, 503, 503])
    mock.removeRules()
    mock.use({ ...reject, skip: 1, times: 2 })
    expect(await statuses(mock, 5)).toEqual([200, 503, 503, 200, 200])
  })

  test('only matching requests are counted', async () => {
    const [rule] = mock.use({ ...reject, when: { operation: 'getPet' }, skip: 1, times: 1 })
    await statuses(mock, 3)
    const gets = []
    for (let time = 0; time < 3; time += 1)
      gets.push((await sendTo(mock, 'GET', '/v1/pets/1')).status)
    expect(gets).toEqual([200, 503, 200])
    expect(mock.rules()).toEqual([{ ...rule, used: 1, remaining: 0, active: false }])
  })

  test('a window moves with the clock', async () => {
    mock.use({ ...reject, during: { afterMs: 60_000, forMs: 30_000 } })
    const seen: number[] = []
    for (const ms of [0, 59_000, 2_000, 27_000, 3_000, 1_000_000]) {
      mock.clock.advance(ms)
      seen.push(...(await statuses(mock, 1)))
    }
    expect(seen).toEqual([200, 200, 503, 503, 200, 200])
    expect(mock.rules()).toMatchObject([{ used: 2, active: false }])
  })

  test('a window without afterMs begins at once, also with a frozen clock', async () => {
    const frozen = createMock({ now: '2026-11-20' })
    frozen.use({ ...reject, during: { forMs: 1_000 } })
    expect(await statuses(frozen, 2)).toEqual([503, 503])
    frozen.clock.set('2026-11-20T00:00:02Z')
    expect(await statuses(frozen, 1)).toEqual([200])
    frozen.clock.set('2026-11-20')
    expect(await statuses(frozen, 1)).toEqual([200])
  })

  test('only requests within the window are counted', async () => {
    mock.use({ ...reject, during: { afterMs: 1_000, forMs: 60_000 }, skip: 1, times: 1 })
    const before = await statuses(mock, 3)
    mock.clock.advance(2_000)
    expect([...before, ...(await statuses(mock, 3))]).toEqual([200, 200, 200, 200, 503, 200])
  })
})

describe('several rules', () => {
  test('the newest rule comes first, then older ones once it is used up', async () => {
    mock.use({ reply: { status: 500 } })
    mock.use({ reply: { status: 503 }, times: 1 })
    mock.use({ reply: { status: 429 }, times: 1 }, { reply: { status: 502 }, times: 1 })
    expect(await statuses(mock, 5)).toEqual([502, 429, 503, 500, 500])
    expect(mock.rules().map(({ id, used, active }) => [id, used, active])).toEqual([
      ['rule-1', 2, true],
      ['rule-2', 1, false],
      ['rule-3', 1, false],
      ['rule-4', 1, false],
    ])
  })

  test('an older rule adds only what newer ones do not set', async () => {
    mock.use({ reply: { status: 503 } }, { delayMs: 70 }, { delayMs: 5, times: 1 })
    expect(await sendTo(mock, 'GET', '/v1/pets')).toMatchObject({
      status: 503,
      delayMs: 5,
      rule: 'rule-1',
    })
    expect(await sendTo(mock, 'GET', '/v1/pets')).toMatchObject({
      status: 503,
      delayMs: 70,
      rule: 'rule-1',
    })
    mock.use({ reply: { status: 500 }, times: 1 })
    expect(await sendTo(mock, 'GET', '/v1/pets')).toMatchObject({
      status: 500,
      delayMs: 70,
      rule: 'rule-4',
    })
    mock.use({ delayMs: 0 })
    expect(await sendTo(mock, 'GET', '/v1/pets')).toMatchObject({
      status: 503,
      delayMs: 0,
      rule: 'rule-1',
    })
  })

  test('a rule that adds nothing is not used up', async () => {
    mock.use({ reply: { status: 503 }, times: 1 }, { reply: { status: 500 }, times: 1 })
    expect(await statuses(mock, 3)).toEqual([500, 503, 200])
    mock.use({ delayMs: 10, times: 1 }, { delayMs: 20, times: 1 })
    const delays = []
    for (let time = 0; time < 3; time += 1)
      delays.push((await sendTo(mock, 'GET', '/v1/pets')).delayMs)
    expect(delays).toEqual([20, 10, undefined])
  })
})

describe('management', () => {
  test('use returns the rules, rules lists them, pendingRules lists the unused ones', async () => {
    const added = mock.use({ ...reject, times: 1 }, { delayMs: 1, when: { operation: 'getPet' } })
    expect(added).toEqual([
      { ...reject, times: 1, id: 'rule-1', used: 0, remaining: 1, enabled: true, active: true },
      {
        delayMs: 1,
        when: { operation: 'getPet' },
        id: 'rule-2',
        used: 0,
        enabled: true,
        active: true,
      },
    ])
    expect(mock.rules()).toEqual(added)
    await statuses(mock, 1)
    expect(mock.pendingRules().map(({ id }) => id)).toEqual(['rule-2'])
  })

  test('removeRules removes one or all, and returns whether it removed any', async () => {
    mock.use(reject, { reply: { status: 500 } }, { reply: { status: 502 } })
    const removed = ['rule-3', 'rule-3', 'rule-9'].map((id) => mock.removeRules(id))
    expect(removed).toEqual([true, false, false])
    expect(await statuses(mock, 1)).toEqual([500])
    expect([mock.removeRules(), mock.removeRules()]).toEqual([true, false])
    expect(await statuses(mock, 1)).toEqual([200])
    expect(mock.use(reject)[0]?.id).toBe('rule-4')
  })

  test('rules are copied, so later changes to the input have no effect', async () => {
    const reply = { status: 503, headers: { 'x-test': 'yes' } }
    const rule: Rule = { reply, times: 1 }
    mock.use(rule)
    rule.times = 9
    reply.status = 7
    const [shown] = mock.rules()
    expect(() => Object.assign(shown?.reply ?? {}, { status: 8 })).toThrow(TypeError)
    expect(await sendTo(mock, 'GET', '/v1/pets')).toMatchObject({
      status: 503,
      headers: { 'x-test': 'yes' },
    })
    expect(await statuses(mock, 1)).toEqual([200])
  })
})

describe('rules of the options', () => {
  const options = { rules: [{ ...reject, times: 1 }] } as const

  test('apply to each sandbox, with separate counters', async () => {
    const mock = createMock(options)
    const [a, b] = [mock.sandboxes.get('a'), mock.sandboxes.get('b')]
    expect(await statuses(mock, 2)).toEqual([503, 200])
    expect(await statuses(mock, 2, { key: a.key })).toEqual([503, 200])
    expect(b.pendingRules()).toHaveLength(1)
    expect(await statuses(mock, 2, { key: b.key })).toEqual([503, 200])
  })

  test('reset restores them, and removes added rules', async () => {
    const mock = createMock(options)
    const initial = mock.rules()
    mock.use({ reply: { status: 500 } })
    expect(await statuses(mock, 2)).toEqual([500, 500])
    mock.reset()
    expect(mock.rules()).toEqual(initial)
    expect(await statuses(mock, 2)).toEqual([503, 200])
    mock.removeRules()
    mock.reset()
    expect(await statuses(mock, 2)).toEqual([503, 200])
  })

  test('reset restarts their windows', async () => {
    const mock = createMock({ rules: [{ ...reject, during: { forMs: 1_000 } }] })
    mock.clock.advance(1_500)
    expect(await statuses(mock, 1)).toEqual([200])
    mock.reset()
    expect(await statuses(mock, 1)).toEqual([503])
  })
})

describe('capacity', () => {
  const large = (): Rule => ({ reply: { status: 503, message: 'x'.repeat(1_000_000) } })

  test('rules share the capacity of the sandbox with its pets', async () => {
    const add = (): unknown => mock.use(large())
    const full = 'There is no capacity for these rules. Remove some, or reset the sandbox.'
    for (let count = 0; count < 67; count += 1) add()
    expect(add).toThrow(full)
    expect(mock.rules()).toHaveLength(67)
    expect((await create(mock, rex)).status).toBe(503)
    mock.removeRules('rule-3')
    add()
    mock.reset()
    const pets = Array.from({ length: 67 }, (_, id) => ({
      id,
      name: 'x'.repeat(1_000_000),
      categoryId: 1,
    }))
    mock.catalog.import(pets)
    expect(add).toThrow(full)
    mock.catalog.import([])
    add()
  })

  test('a body is parsed once for all rules', async () => {
    for (let number = 0; number < 100; number += 1)
      mock.use({ ...reject, when: { body: { name: `Rex ${number}` } } })
    const parse = vi.spyOn(JSON, 'parse')
    const body = JSON.stringify(rex)
    expect((await create(mock, body)).status).toBe(201)
    expect(parse.mock.calls.filter(([text]) => text === body).length).toBeLessThan(5)
    parse.mockRestore()
  })

  test('they read long queries and bodies in linear time', async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `n${index}`)
    const query = Object.fromEntries(names.map((name) => [name, '']))
    const items = Array.from({ length: 100_000 }, () => 1)
    const time = await cpuOf(async () => {
      for (let count = 0; count < 10; count += 1) mock.use({ when: { query }, delayMs: 1 })
      mock.use({ when: { body: { items } }, delayMs: 2 })
      expect(await sendTo(mock, 'GET', `/v1/pets?${names.join('&')}`)).toMatchObject({ delayMs: 1 })
      expect(await create(mock, { ...rex, items })).toMatchObject({ delayMs: 2 })
    })
    expect(time).toBeLessThan(1_500)
  })
})

describe('a rule that is a function', () => {
  test('gets the request, and returns its effect', async () => {
    const seen: RuleRequest[] = []
    mock.use(function rejectRex(request) {
      seen.push(request)
      return request.body?.['name'] === 'Rex' ? { reply: { status: 409 }, delayMs: 5 } : undefined
    })
    expect((await create(mock, { name: 'Tom', categoryId: 1 })).status).toBe(201)
    const rejected = { status: 409, delayMs: 5, rule: 'rule-1', json: { code: 'conflict' } }
    expect(await create(mock, rex)).toMatchObject(rejected)
    await sendTo(mock, 'GET', '/v1/pets?status=a%20b&limit=1&limit=2', { also: { 'x-team': 'a' } })
    await sendTo(mock, 'GET', '/v1/pets/7')
    await sendTo(mock, 'GET', '/v1/pets', { key: 'wrong' })
    expect(seen).toMatchObject([
      {
        operation: 'createPet',
        method: 'POST',
        target: '/v1/pets',
        query: {},
        body: { name: 'Tom', categoryId: 1 },
      },
      { body: rex },
      {
        operation: 'listPets',
        query: { status: 'a b', limit: '1' },
        headers: { 'x-team': 'a' },
        body: undefined,
      },
      { operation: 'getPet', petId: '7' },
    ])
    expect(seen).toHaveLength(4)
    expect(mock.rules()).toEqual([
      { id: 'rule-1', function: 'rejectRex', used: 1, enabled: true, active: true },
    ])
    expect(mock.catalog.size).toBe(11)
  })

  test('can be combined with other rules, given as an option, and disabled', async () => {
    const also = createMock({
      pets: 3,
      rules: [{ delayMs: 3 }, () => ({ fault: 'silence', delayMs: 8 })],
    })
    also.use({ reply: { status: 503 }, times: 1 })
    const key = sandboxKey('a')
    expect(await sendTo(also, 'GET', '/v1/pets')).toMatchObject({
      status: 503,
      delayMs: 8,
      rule: 'rule-3',
    })
    expect(await sendTo(also, 'GET', '/v1/pets', { key })).toMatchObject({
      wire: { silent: true },
      rule: 'rule-2',
    })
    expect(also.rules()[1]).toMatchObject({ function: 'anonymous', used: 1 })
    also.changeRule('rule-2', { enabled: false })
    expect(await sendTo(also, 'GET', '/v1/pets')).toMatchObject({ status: 200, delayMs: 3 })
    also.reset()
    expect(await sendTo(also, 'GET', '/v1/pets')).toMatchObject({ wire: { silent: true } })
  })

  const throws = (): never => {
    throw new Error('Oh')
  }
  const failing: [string, unknown, string][] = [
    ['throws', throws, 'Oh'],
    [
      'is async',
      async () => Promise.reject(new Error('Oh')),
      'It must not be async: the mock responds at once.',
    ],
    [
      'returns a count',
      () => ({ reply: { status: 503 }, times: 1 }),
      'It may return reply, delayMs and fault alone.',
    ],
    ['returns a function', () => () => undefined, 'It may return reply, delayMs and fault alone.'],
    [
      'returns no status',
      () => ({ reply: { status: 7 } }),
      'rule-1/reply/status must be a status from 200 to 599, but was 7.',
    ],
  ]
  test.each(failing)('that %s makes the response 500', async (_, rule, message) => {
    mock.use(rule as Rule)
    expect(await sendTo(mock, 'GET', '/v1/pets')).toMatchObject({
      status: 500,
      json: { message: `The function of rule-1 failed. ${message}` },
      rule: 'rule-1',
    })
  })
})
