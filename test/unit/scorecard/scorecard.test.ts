/** Properties of a scorecard besides its issues: subject, score, coverage and redaction. */
import { describe, expect, test } from 'vitest'
import { verify } from '../../../src/contract/index.ts'
import { scorecardReporters } from '../../../src/mock/scorecard/reporters.ts'
import { defaultKey } from '../../../src/mock/index.ts'
import { ajv, areScorecards } from '../../support/schemas.ts'
import { createClient } from './client.ts'
import { serveMock } from '../../support/serve-mock.ts'

describe('the score', () => {
  test('is null before the first request', async () => {
    const card = await createClient().card()
    expect(card).toMatchObject({
      subject: 'main (default key)',
      requests: 0,
      score: null,
      issues: [],
    })
    expect(card).not.toHaveProperty('firstAt')
  })

  test.each([
    ['no request has an issue', 3, 0, 0, 100],
    ['one of many has a violation', 999, 0, 1, 99],
    ['one of many has a warning', 999, 1, 0, 99],
    ['half of them have a warning', 2, 2, 0, 75],
    ['one of three has a violation', 2, 0, 1, 66],
    ['all have a violation', 0, 0, 2, 0],
  ])('%s', async (_, clean, warned, violating, score) => {
    const { send, card } = createClient()
    for (let count = 0; count < clean; count += 1) await send('GET', '/v1/pets')
    for (let count = 0; count < warned; count += 1) await send('GET', '/v1/pets?page=2')
    for (let count = 0; count < violating; count += 1) await send('GET', '/v1/pets?limit=0&page=2')
    expect(await card()).toMatchObject({ requests: clean + warned + violating, score })
  })
})

describe('subjects', () => {
  test('with one key, all requests belong to it', async () => {
    const { send, mock } = createClient()
    await send('GET', '/v1/pets')
    await send('GET', '/v1/pets', { key: 'another' })
    await send('GET', '/v1/pets', { key: undefined })
    expect((await mock.scorecards()).map(({ subject, requests }) => [subject, requests])).toEqual([
      ['main (default key)', 3],
    ])
  })

  test('with several keys, each has a card, and requests without a valid key have another', async () => {
    const { send, mock } = createClient({ keys: ['first-key', 'second-key'] })
    const subjects = async () =>
      (await mock.scorecards()).map(({ subject, requests }) => [subject, requests])
    await send('GET', '/v1/pets', { key: 'second-key' })
    expect(await subjects()).toEqual([
      ['main (key 1)', 0],
      ['main (key 2)', 1],
    ])
    await send('GET', '/v1/pets', { key: 'third-key' })
    await send('GET', '/v1/pet', { key: 'first-key' })
    expect(await subjects()).toEqual([
      ['main (key 1)', 1],
      ['main (key 2)', 1],
      ['no valid key', 1],
    ])
  })
})

test('the coverage shows requests, responses, and what was never tried', async () => {
  const { send, create, card } = createClient()
  await send('GET', '/v1/pets')
  await send('GET', '/v1/pets?limit=5&status=sold&page=2&page=3')
  await send('GET', '/v1/pets?status=lost', { key: 'another' })
  await create({ name: 'Rex', categoryId: 1, status: 'sold' })
  await create({ name: 'Max', categoryId: 1, color: 'red' })
  await create({ name: 'Kim' })
  await send('DELETE', '/v1/pets/1')
  expect((await card()).coverage).toEqual({
    percent: 53,
    operations: [
      {
        operation: 'listPets',
        requests: 3,
        responses: { 200: 2, 401: 1 },
        parameters: { limit: 1, status: 2, 'status=sold': 1, other: 1 },
      },
      {
        operation: 'createPet',
        requests: 3,
        responses: { 201: 2, 400: 1 },
        parameters: { name: 3, categoryId: 2, status: 1, 'status=sold': 1, other: 1 },
      },
      { operation: 'getPet', requests: 0, responses: {}, parameters: {} },
    ],
    other: { requests: 1, responses: { 405: 1 } },
    neverTried: [
      { operation: 'listPets', what: 'status=available' },
      { operation: 'listPets', what: 'status=pending' },
      { operation: 'listPets', what: 'a failure: 429, 5xx or no response' },
      { operation: 'createPet', what: 'status=available' },
      { operation: 'createPet', what: 'status=pending' },
      { operation: 'createPet', what: 'a 401 response' },
      { operation: 'createPet', what: 'a failure: 429, 5xx or no response' },
    ],
  })
})

test('requests without a response are counted by their fault', async () => {
  const { mock, send, card } = createClient()
  mock.use({ fault: 'reset', times: 1 })
  await send('GET', '/v1/pets')
  mock.use({ fault: 'silence', times: 1 })
  await send('GET', '/v1/pets')
  const [list] = (await card()).coverage.operations
  expect(list?.responses).toEqual({ reset: 1, silence: 1 })
})

test('issues are sorted by severity, then by count', async () => {
  const { send, card } = createClient()
  await send('GET', '/v1/pets/1')
  for (const query of ['page=2', 'page=2', 'limit=0', 'status=x', 'status=x', 'limit=1&limit=2']) {
    await send('GET', `/v1/pets?${query}`)
  }
  expect(
    (await card()).issues.map(({ id, severity, count }) => `${severity} ${id} ${count}`),
  ).toEqual([
    'violation status.unknown 2',
    'violation limit.out-of-range 1',
    'warning query.unknown-parameter 2',
    'warning limit.repeated 1',
    'notice deprecated.used 1',
  ])
})

test('an issue has a message, an example, its sentence and a fix', async () => {
  const { create, card } = createClient()
  await create({ name: 'Rex', categoryId: 1, status: null })
  expect((await card()).issues).toEqual([
    {
      id: 'new-status.null',
      severity: 'violation',
      title: 'with null as the status of the new pet',
      reference: {
        table: 'requirements',
        id: 'pet.status',
        quote: 'String enumeration with exactly these values: `available`, `pending`, `sold`.',
        sentence: 'String enumeration with exactly these values: `available`, `pending`, `sold`.',
      },
      count: 1,
      entries: [1],
      message: 'status was null.',
      example: {
        method: 'POST',
        target: '/v1/pets',
        body: '{"name":"Rex","categoryId":1,"status":null}',
      },
      fix: 'Omit an unknown status: null is not one of the three values.',
    },
  ])
})

test('a scorecard conforms to its schema', async () => {
  const { send, create, mock } = createClient({ keys: ['first-key', 'second-key'] })
  await send('GET', '/v1/pets?limit=0&x=1')
  await send('GET', '/v1/pet', { key: 'none' })
  await create({ name: 'Rex', categoryId: 1, id: 1 })
  await send('GET', '/v1/pets', { key: mock.sandboxes.get('alice').key })
  const body = { scorecards: await mock.allScorecards() }
  expect(body.scorecards).toHaveLength(4)
  expect(
    areScorecards(JSON.parse(JSON.stringify(body))),
    ajv.errorsText(areScorecards.errors),
  ).toBe(true)
  expect(areScorecards({ scorecards: [{ ...body.scorecards[0], score: 101 }] })).toBe(false)
})

test('a short key is redacted as a separate word, and so is the key of a sandbox', async () => {
  const { send, card, mock } = createClient({ keys: ['pet'] })
  await send('GET', `/v1/pets?limit=pet,${mock.sandboxes.get('alice').key}`)
  expect((await card()).issues).toMatchObject([
    {
      message: 'limit was "<API_KEY>,<API_KEY>".',
      example: { target: '/v1/pets?limit=<API_KEY>,<API_KEY>' },
    },
  ])
})

describe('hostile requests', () => {
  test('the size of a scorecard is limited, and its text is well-formed', async () => {
    const { mock, card } = createClient()
    const long = `x${'😀'.repeat(1_000)}`
    for (let number = 0; number < 2_000; number += 1) {
      const headers = {
        authorization: `Bearer ${number % 7 === 0 ? `${long}${number}` : number % 2 === 0 ? defaultKey : number}`,
        'content-type': `x/${number}`,
      }
      const body =
        number % 11 === 0 ? `{"name":{"${long}":1},"x${number}":"${long}","id":"${long}"}` : ''
      const method = ['GET', 'POST', `M${number}`][number % 3] as string
      const path = number % 5 === 0 ? `/v1/pets/${number}x` : '/v1/pets'
      const target = `${path}?limit=${number}x&status=${number}&p${number}=${number % 13 === 0 ? long : 1}`
      await mock.handle({ method, target, headers, body })
    }
    const { requests, issues, ...rest } = await card()
    expect(requests).toBe(2_000)
    expect(issues.length).toBeGreaterThan(12)
    expect(JSON.stringify({ issues, ...rest }).length).toBeLessThan(48 * 1024)
    expect(issues.filter(({ example }) => example.body?.isWellFormed() === false)).toEqual([])
  })

  test.each([
    ['a body of deep nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['a number of a million digits', `{"name":"x","categoryId":${'9'.repeat(1_000_000)}}`],
    ['a body of lone surrogates', '{"name":"\ud800","categoryId":"\udfff"}'],
  ])('%s is scored', async (_, body) => {
    const { create, card } = createClient()
    await create(body)
    expect(await card()).toMatchObject({ requests: 1, score: 0 })
  })
})

describe('entries lost from the journal', () => {
  test('are counted beyond 10,000 requests', async () => {
    const { mock, send, card } = createClient({ pets: 1 })
    // A server has time to load scorecards before its journal is full.
    await card()
    await send('GET', '/v1/pets?limit=0')
    mock.use({ fault: 'reset', times: 1 })
    await send('GET', '/v1/pets?limit=1')
    for (let count = 0; count < 29_998; count += 1) await send('GET', '/v1/pets?limit=1')
    const found = await card()
    expect(found).toMatchObject({
      requests: 30_000,
      score: 99,
      journal: { kept: 10_000, received: 30_000, counted: 30_000 },
      issues: [{ id: 'limit.out-of-range', count: 1, example: { target: '/v1/pets?limit=0' } }],
    })
    expect(found.coverage.operations[0]?.responses).toMatchObject({ reset: 1, 200: 29_998 })
    expect(mock.journal.list({ limit: 50_000 })).toHaveLength(10_000)
    expect(scorecardReporters.text([found])).toMatch(/^30000 requests, 20[^(]*$/m)
    mock.journal.clear()
    expect((await card()).journal).toEqual({ kept: 0, received: 0, counted: 0 })
  })

  test('a chain goes on after its first request has left', async () => {
    const { send, create, kinds, card, mock } = createClient({ pets: 1 })
    await card()
    mock.use({ when: { operation: 'createPet' }, reply: { status: 500 }, times: 1 })
    await create({ name: 'Rex', categoryId: 1 })
    for (let count = 0; count < 10_005; count += 1) await send('GET', '/v1/pets/1')
    await create({ name: 'Rex', categoryId: 1 })
    expect(await kinds()).toEqual(['retry.creation', 'deprecated.used'])
  })

  test('are not counted twice, nor with the issues of others', async () => {
    const { mock, send, card } = createClient({ pets: 1 })
    await send('GET', '/v1/pets?page=1')
    for (let round = 0; round < 3; round += 1) await card()
    expect(await card()).toMatchObject({ requests: 1, issues: [{ count: 1, entries: [1] }] })
    const shown = await mock.inspect(mock.journal.list())
    expect(shown.map(({ issues }) => issues.map(({ id }) => id))).toEqual([
      ['query.unknown-parameter'],
    ])
  })

  test('response bodies are dropped first, but their data for scorecards is kept', async () => {
    const categoryId = 72_057_594_037_927_937n
    const data = [{ id: 1n, name: '. '.repeat(500_000), categoryId }]
    const { mock, send, create, kinds, card } = createClient({ data })
    await send('GET', '/v1/pets')
    await create('{"name":"Tom","categoryId":72057594037927940}')
    await send('GET', '/v1/pets?limit=1')
    for (let count = 0; count < 40; count += 1) await send('GET', '/v1/pets')
    expect((await card()).journal).toEqual({ kept: 43, received: 43, counted: 43 })
    const [first] = mock.journal.list()
    expect(first).toMatchObject({ bodyDropped: true, response: { status: 200, body: '' } })
    expect(mock.journal.last()).not.toHaveProperty('bodyDropped')
    expect(await kinds()).toEqual(['category-id.shown-rounded', 'order.new-pet-in-page'])
  })
})

describe('the requests of petstore verify', () => {
  const ofSuite = { 'user-agent': 'petstore-kit (contract suite)' }

  test('are counted separately', async () => {
    const { send, mock, card } = createClient()
    await send('GET', '/v1/pets')
    for (const target of ['/v1/pets?limit=0', '/v1/pets/x', '/v1/nothing'])
      await send('GET', target, { headers: ofSuite })
    await send('GET', '/v1/pets', { headers: ofSuite, key: undefined })
    expect(await card()).toMatchObject({ requests: 1, unscored: 4, score: 100, issues: [] })
    expect(
      areScorecards({ scorecards: await mock.scorecards() }),
      ajv.errorsText(areScorecards.errors),
    ).toBe(true)
    expect(mock.journal.last()?.number).toBe(5)
    for (const report of [
      scorecardReporters.text,
      scorecardReporters.markdown,
      scorecardReporters.html,
    ]) {
      expect(report(await mock.scorecards())).toContain(
        '4 requests of petstore verify are not scored.',
      )
    }
    mock.journal.clear()
    expect(await card()).not.toHaveProperty('unscored')
  })

  test('count for the key that they send', async () => {
    const { send, mock } = createClient({ keys: ['one-key-of-two', 'the-other-key'] })
    await send('GET', '/v1/pets', { headers: ofSuite, key: 'the-other-key' })
    await send('GET', '/v1/pets', { headers: ofSuite, key: undefined })
    expect(
      (await mock.scorecards()).map(({ subject, requests, unscored }) => [
        subject,
        requests,
        unscored,
      ]),
    ).toEqual([
      ['main (key 1)', 0, undefined],
      ['main (key 2)', 0, 1],
      ['no valid key', 0, 1],
    ])
  })

  test('do not affect the score of a mock', async () => {
    const mock = await serveMock({ port: 0 })
    const only = ['list.limit.respected']
    const { verdict, counts } = await verify({
      baseUrl: mock.url,
      apiKey: defaultKey,
      only,
      settleMs: 0,
    })
    expect(verdict).toBe('conforms')
    expect(await mock.scorecards()).toMatchObject([
      { requests: 0, score: null, unscored: counts.requests, issues: [] },
    ])
  })
})
