import { describe, expect, test } from 'vitest'

import { createMock } from '../../../src/mock/index.ts'
import { type Answer, sendTo } from './ask.ts'

const mock = createMock({ pets: 10 })
const preferring = (prefer: string | string[]): Promise<Answer> =>
  sendTo(mock, 'GET', '/v1/pets', { also: { prefer } })

describe('valid preferences', () => {
  const table: [prefer: string | string[], seen: object, applied: string | undefined][] = [
    ['code=503', { status: 503 }, 'code=503'],
    ['code=404', { status: 404 }, 'code=404'],
    ['CODE = "503"', { status: 503 }, 'code=503'],
    ['delay=2', { status: 200, delayMs: 2_000 }, 'delay=2'],
    ['delay=0.25', { status: 200, delayMs: 250 }, 'delay=0.25'],
    ['delay=0', { status: 200, delayMs: 0 }, 'delay=0'],
    ['fault=reset', { status: 200, wire: { reset: true } }, 'fault=reset'],
    [
      'fault=empty-response',
      { status: 200, wire: { reset: true, empty: true } },
      'fault=empty-response',
    ],
    [
      'fault=broken-chunk',
      { status: 200, wire: { brokenChunk: true, contentLength: expect.any(Number) } },
      'fault=broken-chunk',
    ],
    ['fault=silence', { status: 200, wire: { silent: true } }, 'fault=silence'],
    [
      'fault=truncated-body',
      { status: 200, wire: { contentLength: expect.any(Number) } },
      'fault=truncated-body',
    ],
    ['fault=slow-body', { status: 200, wire: { bodyMs: 2_000 } }, 'fault=slow-body'],
    [
      'code=500, delay=1, fault=slow-body',
      { status: 500, delayMs: 1_000, wire: { bodyMs: 2_000 } },
      'code=500, delay=1, fault=slow-body',
    ],
    [
      'code=503, retry-after=2',
      { status: 503, headers: { 'retry-after': '2' } },
      'code=503, retry-after=2',
    ],
    [
      'retry-after=0, code=500',
      { status: 500, headers: { 'retry-after': '0' } },
      'code=500, retry-after=0',
    ],
    ['code=429', { status: 429, headers: { 'retry-after': '1' } }, 'code=429'],
    ['code=500; delay=1', { status: 500, delayMs: 1_000 }, 'code=500, delay=1'],
    [['code=500', 'delay=1'], { status: 500, delayMs: 1_000 }, 'code=500, delay=1'],
    // RFC 7240: the first of several counts.
    ['code=500, code=503', { status: 500 }, 'code=500'],
    // Unknown preferences and quoted text are ignored.
    ['respond-async, code=502', { status: 502 }, 'code=502'],
    ['return=minimal', { status: 200 }, undefined],
    ['note="a, code=503; delay=9 \\" fault=reset"', { status: 200 }, undefined],
    ['codes=503, xcode=503', { status: 200 }, undefined],
    ['', { status: 200 }, undefined],
    [',;=,"', { status: 200 }, undefined],
    ['constructor=1, __proto__=2', { status: 200 }, undefined],
    ['code=200', { status: 200, rule: 'prefer' }, undefined],
  ]
  test.each(table)('%j', async (prefer, seen, applied) => {
    const reply = await preferring(prefer)
    expect(reply).toMatchObject(seen)
    expect(reply.headers['preference-applied']).toBe(applied)
    if (applied !== undefined) {
      expect(reply.rule).toBe('prefer')
      expect(reply.headers['access-control-expose-headers']).toContain('preference-applied')
    }
    if (reply.status >= 400) {
      expect(reply.json).toEqual({
        code: expect.any(String),
        message: expect.any(String),
        status: reply.status,
      })
    }
  })
})

describe('an invalid preference gets 400', () => {
  test.each([
    [
      'code=abc',
      'Prefer: code is 200, which is the ordinary response, or a status from 400 to 599, but was "abc".',
    ],
    ['code', 'but was "".'],
    ['code=', 'but was "".'],
    ['code=201', 'but was "201".'],
    ['code=302', 'but was "302".'],
    ['code=600', 'but was "600".'],
    ['code=0x1F7', 'but was "0x1F7".'],
    ['code=5.03e2', 'but was "5.03e2".'],
    ['code=-503', 'but was "-503".'],
    ['delay=-1', 'Prefer: delay is a number of seconds from 0 to 60, but was "-1".'],
    ['delay=61', 'but was "61".'],
    ['delay=1e1', 'but was "1e1".'],
    ['delay=Infinity', 'but was "Infinity".'],
    ['delay=', 'but was "".'],
    ['delay', 'but was "".'],
    [
      'fault=explode',
      'Prefer: fault is one of reset, silence, empty-response, truncated-body, broken-chunk, slow-body, html, but was "explode".',
    ],
    ['fault=toString', 'but was "toString".'],
    ['delay=1, code=7', 'code is 200'],
    [
      'code=503, retry-after=soon',
      'Prefer: retry-after is a number of seconds from 0 to 3600, but was "soon".',
    ],
    ['code=503, retry-after=3601', 'but was "3601".'],
    ['retry-after=2', 'Prefer: retry-after belongs to an error: add a code, such as code=503.'],
  ])('%s', async (prefer, message) => {
    const reply = await preferring(prefer)
    expect(reply.status).toBe(400)
    expect(reply.json).toMatchObject({ message: expect.stringContaining(message), status: 400 })
    expect(reply.delayMs).toBeUndefined()
    expect(reply.headers).not.toHaveProperty('preference-applied')
  })
})

test('Retry-After is added to 429 and 503, and to no other status', async () => {
  const seen = async (code: number): Promise<unknown> =>
    (await preferring(`code=${code}`)).headers['retry-after']
  expect([await seen(429), await seen(503), await seen(500), await seen(401)]).toEqual([
    '1',
    '1',
    undefined,
    undefined,
  ])
})

test('fault=html returns the error page of a gateway', async () => {
  const reply = await preferring('fault=html')
  expect([reply.status, reply.headers['content-type']]).toEqual([502, 'text/html'])
  expect(reply.body).toMatch(/^<html>.*Bad Gateway/)
  for (const both of ['code=503, fault=html', 'fault=html, code=503']) {
    expect(await preferring(both)).toMatchObject({
      status: 503,
      headers: { 'content-type': 'text/html', 'retry-after': '1' },
      body: expect.stringContaining('<html>'),
    })
  }
})

test('a long header is parsed in linear time', async () => {
  for (const prefer of [
    `"${'\\"'.repeat(200_000)}`,
    '"\\'.repeat(200_001),
    '"'.repeat(400_001),
    `code=503${',;="x'.repeat(100_000)}`,
  ]) {
    expect([200, 503]).toContain((await preferring(prefer)).status)
  }
})

test('a rejected creation stores no pet, an ordinary one does', async () => {
  const mock = createMock({ pets: 10 })
  const post = (prefer: string): Promise<Answer> =>
    sendTo(mock, 'POST', '/v1/pets', { body: '{"name":"Rex","categoryId":1}', also: { prefer } })
  expect([(await post('code=1')).status, mock.catalog.size]).toEqual([400, 10])
  expect([(await post('code=503')).status, mock.catalog.size]).toEqual([503, 10])
  expect([(await post('code=201')).status, mock.catalog.size]).toEqual([201, 11])
  expect((await post('code=200')).json.message).toContain('code is 201')
})

test('without a valid key, preferences are ignored and the response is 401', async () => {
  const { headers, status } = await sendTo(mock, 'GET', '/v1/pets', {
    headers: { prefer: 'code=503, delay=9, fault=reset' },
  })
  expect([status, headers['preference-applied']]).toEqual([401, undefined])
  const wrong = await sendTo(mock, 'GET', '/v1/pets', {
    key: 'wrong',
    also: { prefer: 'code=200' },
  })
  expect(wrong).toMatchObject({ status: 401, json: { status: 401 } })
  expect(wrong).not.toHaveProperty('delayMs')
})

test('preferences apply only to the three operations', async () => {
  expect((await sendTo(mock, 'GET', '/v1/nowhere', { also: { prefer: 'code=503' } })).status).toBe(
    404,
  )
  expect((await sendTo(mock, 'OPTIONS', '/v1/pets', { also: { prefer: 'code=503' } })).status).toBe(
    204,
  )
  expect((await sendTo(mock, 'HEAD', '/v1/pets', { also: { prefer: 'code=503' } })).status).toBe(
    503,
  )
})

test('overrides: false disables preferences, also by configure', async () => {
  const shared = createMock({ overrides: false })
  for (const prefer of ['code=503', 'code=nonsense', 'delay=5', 'fault=reset']) {
    const reply = await sendTo(shared, 'GET', '/v1/pets', { also: { prefer } })
    expect(reply.status).toBe(200)
    expect(reply).not.toHaveProperty('delayMs')
    expect(reply).not.toHaveProperty('wire')
    expect(reply).not.toHaveProperty('rule')
  }
  shared.configure({ overrides: true })
  expect((await sendTo(shared, 'GET', '/v1/pets', { also: { prefer: 'code=503' } })).status).toBe(
    503,
  )
  expect(
    (
      await sendTo(shared, 'GET', '/v1/pets', {
        key: shared.sandboxes.get('a').key,
        also: { prefer: 'code=503' },
      })
    ).status,
  ).toBe(200)
})

describe('with rules', () => {
  test('a preference comes first; rules add only what it does not set', async () => {
    const mock = createMock()
    mock.use({ reply: { status: 500 }, times: 2 }, { delayMs: 30 })
    expect(await sendTo(mock, 'GET', '/v1/pets', { also: { prefer: 'code=503' } })).toMatchObject({
      status: 503,
      delayMs: 30,
      rule: 'prefer',
    })
    expect(await sendTo(mock, 'GET', '/v1/pets', { also: { prefer: 'delay=1' } })).toMatchObject({
      status: 500,
      delayMs: 1_000,
    })
    expect(mock.rules().map(({ used }) => used)).toEqual([1, 1])
  })

  test('a preference for the ordinary response bypasses rules', async () => {
    const mock = createMock()
    mock.use(
      { reply: { status: 500 } },
      { rateLimit: { requests: 0, windowMs: 1_000 } },
      { fault: 'reset' },
    )
    const reply = await sendTo(mock, 'GET', '/v1/pets', { also: { prefer: 'code=200' } })
    expect([reply.status, reply.wire]).toEqual([200, undefined])
    expect(mock.pendingRules()).toHaveLength(3)
    const bad = await sendTo(mock, 'POST', '/v1/pets', { body: '{}', also: { prefer: 'code=201' } })
    expect([bad.status, bad.headers['preference-applied']]).toEqual([400, undefined])
  })
})
