import { describe, expect, test } from 'vitest'

import type { JsonValue } from '../../../src/json.ts'
import { createMock } from '../../../src/mock/index.ts'
import { sendTo, create } from './ask.ts'

test('default codes are the codes of the profile and the status', async () => {
  const mock = createMock({
    profile: { 'error.code.400': 'E400', 'error.code.401': 'E401', 'error.code.404': 'E404' },
  })
  const forced = async (status: number, target = '/v1/pets'): Promise<unknown> => {
    mock.use({ reply: { status }, times: 1 })
    return (await sendTo(mock, 'GET', target)).json.code
  }
  expect([await forced(400), await forced(401), await forced(404, '/v1/pets/1')]).toEqual([
    'E400',
    'E401',
    'E404',
  ])
  expect([await forced(503), await forced(429)]).toEqual([
    'service_unavailable',
    'too_many_requests',
  ])
  expect(await forced(599)).toBe('error')
})

test('a rule can set code, message and headers', async () => {
  const mock = createMock()
  const error = { status: 503, code: 'maintenance', message: 'Back at noon.' }
  mock.use({ reply: { ...error, headers: { 'retry-after': '3600' } } })
  expect(await sendTo(mock, 'GET', '/v1/pets')).toMatchObject({
    json: error,
    headers: { 'retry-after': '3600', 'access-control-expose-headers': 'retry-after' },
  })
})

test('header names are case-insensitive', async () => {
  const mock = createMock()
  mock.use({
    when: { headers: { 'X-Team': 'a' } },
    reply: { status: 503, headers: { 'Retry-After': '2' } },
  })
  const reply = await sendTo(mock, 'GET', '/v1/pets', { also: { 'x-team': 'a' } })
  expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '2' } })
  expect(Object.keys(reply.headers).filter((name) => name !== name.toLowerCase())).toEqual([])
})

test('the Error body names the rule or the Prefer header', async () => {
  const mock = createMock()
  mock.use({ reply: { status: 503 }, times: 1 }, { reply: { status: 500 }, times: 1 })
  const message = async (also = {}): Promise<unknown> =>
    (await sendTo(mock, 'GET', '/v1/pets', { also })).json.message
  expect(await message()).toBe('This response was requested by rule-2.')
  expect(await message({ prefer: 'code=502' })).toBe(
    'This response was requested by the Prefer header.',
  )
  expect(await message()).toBe('This response was requested by rule-1.')
  mock.use({ reply: { status: 503, message: 'Out of order.' }, times: 1 })
  await message()
  // The journal has what the rule says, not that there is one, which is its field `rule`.
  expect(mock.journal.list().map((entry) => [entry.rule, entry.message])).toEqual([
    ['rule-2', undefined],
    ['prefer', undefined],
    ['rule-1', undefined],
    ['rule-3', 'Out of order.'],
  ])
})

describe('a forced 401 has the WWW-Authenticate header of the profile', () => {
  test.each([
    ['present', 'Bearer realm="Pet Store Service"'],
    ['absent', undefined],
  ] as const)('%s', async (option, challenge) => {
    const mock = createMock({ profile: { 'auth.www-authenticate': option } })
    mock.use({ reply: { status: 401 }, times: 1 })
    expect((await sendTo(mock, 'GET', '/v1/pets')).headers['www-authenticate']).toBe(challenge)
    mock.use({ reply: { status: 401, body: { error: 'expired' } }, times: 1 })
    expect(await sendTo(mock, 'GET', '/v1/pets')).toMatchObject({ json: { error: 'expired' } })
    mock.use({ reply: { status: 401, body: null }, times: 1 })
    expect((await sendTo(mock, 'GET', '/v1/pets')).headers['www-authenticate']).toBe(challenge)
    const { headers } = await sendTo(mock, 'GET', '/v1/pets', { also: { prefer: 'code=401' } })
    expect(headers['www-authenticate']).toBe(challenge)
  })

  test('unless the rule sets it', async () => {
    const mock = createMock()
    mock.use({
      reply: { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } },
    })
    expect((await sendTo(mock, 'GET', '/v1/pets')).headers['www-authenticate']).toBe(
      'Bearer error="invalid_token"',
    )
  })
})

describe('a body of the rule', () => {
  test('can be any JSON, with exact numbers', async () => {
    const mock = createMock()
    const body = [
      { id: 9223372036854775807n, name: 'Big', categoryId: 1, tags: ['a', null, 1.5, { b: true }] },
    ]
    mock.use({ reply: { status: 200, body } })
    const reply = await sendTo(mock, 'GET', '/v1/pets')
    expect(reply.body).toBe(
      '[{"id":9223372036854775807,"name":"Big","categoryId":1,"tags":["a",null,1.5,{"b":true}]}]',
    )
    expect(reply.headers['content-type']).toBe('application/json')
  })

  test('is sent unchanged if it is a string and its content type is not JSON', async () => {
    const mock = createMock()
    const sent = async (type: string | undefined, body: JsonValue): Promise<[unknown, string]> => {
      mock.use({
        reply: {
          status: 502,
          body,
          ...(type !== undefined && { headers: { 'Content-Type': type } }),
        },
      })
      const reply = await sendTo(mock, 'GET', '/v1/pets')
      return [reply.headers['content-type'], reply.body]
    }
    const page = '<html>bad "gateway"</html>'
    expect(await sent('text/html; charset=utf-8', page)).toEqual(['text/html; charset=utf-8', page])
    expect(await sent('text/plain', '')).toEqual(['text/plain', ''])
    expect(await sent('application/problem+json', page)).toEqual([
      'application/problem+json',
      JSON.stringify(page),
    ])
    const json = 'Application/JSON;charset=utf-8'
    expect(await sent(json, page)).toEqual([json, JSON.stringify(page)])
    expect(await sent(undefined, page)).toEqual(['application/json', JSON.stringify(page)])
    expect(await sent('text/html', { no: 'string' })).toEqual(['text/html', '{"no":"string"}'])
  })

  test('is optional', async () => {
    const mock = createMock()
    const headers = { location: 'https://elsewhere.example/v1/pets' }
    mock.use({ reply: { status: 204 }, times: 1 }, { reply: { status: 302, headers }, times: 1 })
    expect(await sendTo(mock, 'GET', '/v1/pets')).toMatchObject({ status: 302, body: '', headers })
    const empty = await sendTo(mock, 'GET', '/v1/pets')
    expect(empty).toMatchObject({ status: 204, body: '' })
    expect(empty.headers).not.toHaveProperty('content-type')
    mock.use({ reply: { status: 205, body: 'RFC 9110 allows none' } })
    expect(await sendTo(mock, 'GET', '/v1/pets')).toMatchObject({ status: 205, body: '' })
  })
})

describe('faults reach the adapter', () => {
  const rex = '{"id":11,"name":"Zoë","categoryId":1,"status":"available"}'

  test('truncated-body sends half of the bytes, and the full Content-Length', async () => {
    const mock = createMock({ pets: 10 })
    mock.use({ fault: 'truncated-body', when: { operation: 'createPet' } })
    const { wire, status } = await create(mock, { name: 'Zoë', categoryId: 1 })
    const bytes = new TextEncoder().encode(rex)
    expect([status, wire?.contentLength, wire?.bytes]).toEqual([
      201,
      bytes.length,
      bytes.slice(0, bytes.length >> 1),
    ])
    expect((await sendTo(mock, 'GET', '/v1/pets/11')).body).toBe(rex)
  })

  test('truncated-body does not affect a response to HEAD', async () => {
    const mock = createMock()
    mock.use({ fault: 'truncated-body', times: 1 })
    const { wire, body } = await sendTo(mock, 'HEAD', '/v1/pets')
    expect([wire?.bytes, body]).toEqual([undefined, ''])
    mock.use({ fault: 'reset', times: 1 })
    expect((await sendTo(mock, 'HEAD', '/v1/pets')).wire).toEqual({ reset: true })
  })

  test('reset applies after the pet is created', async () => {
    const mock = createMock({ pets: 10 })
    mock.use({ fault: 'reset', times: 1 })
    expect((await create(mock, { name: 'Rex', categoryId: 1 })).wire).toEqual({ reset: true })
    expect(mock.catalog.size).toBe(11)
  })
})
