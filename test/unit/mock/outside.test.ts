import { describe, expect, test } from 'vitest'
import type { Profile } from '../../../src/spec/behaviors.ts'

import { createMock, defaultKey, sandboxKey } from '../../../src/mock/index.ts'
import { createFetch } from '../../../src/mock/adapters/fetch.ts'
import { rejectedCredentials } from './sample-requests.ts'
import { sendTo } from './ask.ts'

const mock = createMock({ keys: [defaultKey, 'second-key'] })

describe('authentication comes first', () => {
  const targets = [
    'GET /v1/pets',
    'GET /v1/pets?limit=0',
    'GET /v1/pets?limit=%zz',
    'GET /v1/pets/1',
    'GET /v1/pets/999',
    'GET /v1/pets/abc',
    'POST /v1/pets',
    'HEAD /v1/pets',
  ] as const

  test.each(rejectedCredentials)('%s', async (_, authorization) => {
    const headers = authorization === undefined ? {} : { authorization }
    const before = mock.catalog.export()
    for (const target of targets) {
      const [method = '', path = ''] = target.split(' ')
      for (const body of method === 'POST'
        ? ['', '{"name":"Rex","categoryId":1}', '{', 'x'.repeat(2_000_000)]
        : ['']) {
        const reply = await sendTo(mock, method, path, { body, headers })
        expect(reply.status, target).toBe(401)
        expect(reply.headers['www-authenticate']).toBe('Bearer realm="Pet Store Service"')
        if (method !== 'HEAD')
          expect(reply.json).toMatchObject({ code: 'unauthorized', status: 401 })
        expect(reply.body).not.toContain(defaultKey)
      }
    }
    expect(mock.catalog.export()).toEqual(before)
  })

  test.each([
    `Bearer ${defaultKey}`,
    `bearer ${defaultKey}`,
    'BEARER second-key',
    `Bearer   ${defaultKey}`,
    `bearer ${sandboxKey('team-a')}`,
  ])('%s is accepted', async (authorization) => {
    expect((await sendTo(mock, 'GET', '/v1/pets', { headers: { authorization } })).status).toBe(200)
  })

  test.each([
    ['Bearer', defaultKey, undefined],
    ['bearer', defaultKey, 'auth.scheme-case=401'],
    ['BEARER', 'second-key', 'auth.scheme-case=401'],
    ['bearer', sandboxKey('team-a'), 'auth.scheme-case=401'],
    ['bearer', 'wrong', 'auth.invalid-key'],
    ['bearer', '', 'auth.invalid-key'],
    ['bearer', `${sandboxKey('team-a')}0`, 'auth.invalid-key'],
    ['Basic', defaultKey, 'auth.invalid-key'],
  ])('with a case-sensitive scheme, %s %s: %s', async (scheme, key, reason) => {
    const strict = createMock({
      keys: [defaultKey, 'second-key'],
      profile: { 'auth.scheme-case': '401' },
      explain: true,
    })
    const reply = await sendTo(strict, 'GET', '/v1/pets', {
      headers: { authorization: `${scheme} ${key}`.trim() },
    })
    expect(reply.status).toBe(reason === undefined ? 200 : 401)
    expect(reply.headers['petstore-explain']).toBe(reason ?? 'list.success')
    if (reason?.startsWith('auth.scheme-case')) {
      expect(reply.json.message).toContain('must be written Bearer')
      expect(reply.headers['link']).toContain('/explain/auth.scheme-case>')
    }
  })
})

test.each([
  ['/pets', 'Did you mean /v1/pets? The base path is /v1.'],
  ['/pets/7', 'Did you mean /v1/pets/{petId}? The base path is /v1.'],
  ['//pets', 'Did you mean /v1/pets? The base path is /v1.'],
  ['/v2/pets', 'Did you mean /v1/pets? The base path is /v1.'],
  ['/v1/v1/pets', 'Did you mean /v1/pets? The base path is /v1.'],
  ['/v1/x/../pets', 'The path has a dot segment. The path is /v1/pets.'],
  ['/v1/pets/../pets/1', 'The path has a dot segment. The path is /v1/pets/1.'],
  ['/v1/./pets', 'The path has a dot segment. The path is /v1/pets.'],
  ['/v1/pets/%2e%2E/pets', 'The path has a dot segment. The path is /v1/pets.'],
  ['/v1/pet', 'Did you mean /v1/pets? The name is plural.'],
  ['/v1/pet/7', 'Did you mean /v1/pets/{petId}?'],
  ['/v1/Pets', 'Did you mean /v1/pets? Paths are case-sensitive'],
  ['/V1/PETS', 'Did you mean /v1/pets?'],
  ['//v1/pets', 'The path is /v1/pets'],
  ['/v1//pets', 'The path is /v1/pets'],
  ['/v1/pets/', 'Did you mean /v1/pets, without the trailing slash?'],
  ['/v1/pets/7/', 'Did you mean /v1/pets/7, without the trailing slash?'],
  ['/v1/pets/7/photos', 'A pet has no paths below it.'],
  ['/', 'The operations are GET /v1/pets, POST /v1/pets and GET /v1/pets/{petId}.'],
  ['/v1', 'The operations are'],
  ['/v1/orders', 'mentions store orders and shows no operation'],
  ['/v1/store/orders', 'mentions store orders and shows no operation'],
  ['/orders/7', 'mentions store orders and shows no operation'],
  ['*', 'The operations are'],
  ['', 'The operations are'],
])('%s: 404 with a hint', async (target, message) => {
  for (const headers of [{}, { authorization: `Bearer ${defaultKey}` }]) {
    const { json } = await sendTo(mock, 'GET', target, { headers })
    expect(json).toEqual({
      code: 'not_found',
      message: expect.stringContaining(message),
      status: 404,
    })
  }
})

test('equivalent spellings of paths are accepted', async () => {
  for (const target of [
    '/v1/%70ets',
    'http://example.com/v1/pets',
    '/v1/pets?',
    '/%761/pets?limit=20',
  ]) {
    expect((await sendTo(mock, 'GET', target)).status).toBe(200)
  }
  expect((await sendTo(mock, 'GET', '/v1/pets/%31')).json.id).toBe(1)
  expect((await sendTo(mock, 'GET', '/v1/%zz')).status).toBe(400)
})

test('the base path is configurable', async () => {
  const other = createMock({ basePath: '/store/v1' })
  expect((await sendTo(other, 'GET', '/store/v1/pets/1')).status).toBe(200)
  expect((await sendTo(other, 'GET', '/v1/pets')).json.message).toContain(
    'The base path is /store/v1.',
  )
  expect((await sendTo(createMock({ basePath: '' }), 'GET', '/pets')).status).toBe(200)
})

describe('methods', () => {
  test.each(['PUT', 'PATCH', 'DELETE', 'TRACE', 'BREW'])('%s: 405 with Allow', async (method) => {
    const onList = await sendTo(mock, method, '/v1/pets')
    expect(onList).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD, POST, OPTIONS' },
      json: { status: 405 },
    })
    expect((await sendTo(mock, method, '/v1/pets/1')).headers['allow']).toBe('GET, HEAD, OPTIONS')
  })

  test.each([
    ['works', '204', 'GET, HEAD, OPTIONS'],
    ['404', '204', 'OPTIONS'],
    ['405', '200', 'OPTIONS'],
    ['410', '204', 'OPTIONS'],
    ['501', '204', 'OPTIONS'],
    ['410', '405', ''],
  ])(
    'after the removal of getPet (%s, OPTIONS %s), Allow on a pet is %j',
    async (removed, options, allow) => {
      const profile = { 'get.after-removal': removed, 'http.options': options } as Partial<Profile>
      const later = createMock({ profile, now: '2030-12-05' })
      const put = await sendTo(later, 'PUT', '/v1/pets/1')
      expect(put).toMatchObject({ status: 405, headers: { allow }, json: { status: 405 } })
      expect(put.json.message).toBe(`Method PUT is not allowed; allowed: ${allow || 'none'}.`)
      expect(await sendTo(later, 'OPTIONS', '/v1/pets/1')).toMatchObject({
        status: Number(options),
        headers: { allow },
      })
      if (removed === '405')
        expect((await sendTo(later, 'GET', '/v1/pets/1')).headers['allow']).toBe(allow)
      // The list stays, and the pet is available until that day.
      const all = options === '405' ? '' : ', OPTIONS'
      expect((await sendTo(later, 'PUT', '/v1/pets')).headers['allow']).toBe(
        `GET, HEAD, POST${all}`,
      )
      later.clock.advance(-1)
      expect((await sendTo(later, 'PUT', '/v1/pets/1')).headers['allow']).toBe(`GET, HEAD${all}`)
    },
  )

  test('HEAD is GET without its body', async () => {
    for (const target of ['/v1/pets', '/v1/pets/1', '/v1/pets/999']) {
      const [get, head] = [await sendTo(mock, 'GET', target), await sendTo(mock, 'HEAD', target)]
      expect(head).toMatchObject({ status: get.status, headers: get.headers, body: '' })
    }
  })

  test('OPTIONS needs no key', async () => {
    const reply = await sendTo(mock, 'OPTIONS', '/v1/pets', { headers: {} })
    expect(reply).toMatchObject({
      status: 204,
      headers: { allow: 'GET, HEAD, POST, OPTIONS' },
      body: '',
    })
  })
})

describe('CORS', () => {
  const origin = 'https://shop.example'

  test('a preflight needs no key, on any path', async () => {
    const headers = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-private-network': 'true',
    }
    for (const target of ['/v1/pets', '/v1/pets/1', '/pets']) {
      const reply = await sendTo(mock, 'OPTIONS', target, { headers })
      expect(reply.status).toBe(204)
      expect(reply.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': expect.stringContaining('POST'),
        'access-control-allow-headers': 'Authorization, Content-Type, *',
        'access-control-max-age': '600',
        'access-control-allow-private-network': 'true',
      })
      expect(reply.headers).not.toHaveProperty('access-control-allow-credentials')
    }
  })

  test('a page may read every response and its headers', async () => {
    const headers = {
      origin,
      authorization: `Bearer ${defaultKey}`,
      'content-type': 'application/json',
    }
    const replies = [
      await sendTo(mock, 'GET', '/v1/pets', { headers }),
      await sendTo(mock, 'GET', '/v1/pets', { headers: { origin } }),
      await sendTo(mock, 'GET', '/nowhere', { headers }),
      await sendTo(mock, 'POST', '/v1/pets', { headers, body: '{"name":"Rex","categoryId":1}' }),
    ]
    for (const reply of replies) expect(reply.headers['access-control-allow-origin']).toBe('*')
    expect(replies[1]?.headers['access-control-expose-headers']).toContain('www-authenticate')
    expect(replies[3]?.headers['access-control-expose-headers']).toContain('location')
  })

  describe('with credentials', () => {
    const corsOrigins = [origin, 'http://localhost:5173', 'capacitor://localhost']
    const listed = createMock({ corsOrigins })
    const authorization = `Bearer ${defaultKey}`
    const wanted = 'authorization,content-type, x-trace , bad name'
    const preflight = {
      'access-control-request-method': 'POST',
      'access-control-request-headers': wanted,
    }
    const corsOf = ({ headers }: { headers: Readonly<Record<string, string>> }) =>
      Object.fromEntries(
        Object.entries(headers).filter(([name]) => /^(?:vary|access-control-allow-)/.test(name)),
      )

    test.each(corsOrigins)('a page of %s may send them', async (origin) => {
      const replies = [
        await sendTo(listed, 'GET', '/v1/pets', { headers: { origin, authorization } }),
        await sendTo(listed, 'GET', '/v1/pets', { headers: { origin } }),
        await sendTo(listed, 'GET', '/nowhere', { headers: { origin } }),
        await sendTo(listed, 'GET', '/v1/pets?limit=0', { headers: { origin, authorization } }),
      ]
      for (const reply of replies) {
        expect(corsOf(reply)).toEqual({
          'access-control-allow-origin': origin,
          'access-control-allow-credentials': 'true',
          vary: 'Origin',
        })
      }
      expect(replies[1]?.headers['access-control-expose-headers']).toBe('www-authenticate')
      const reply = await sendTo(listed, 'OPTIONS', '/v1/pets', {
        headers: { origin, ...preflight },
      })
      expect(reply).toMatchObject({
        status: 204,
        headers: {
          'access-control-allow-origin': origin,
          'access-control-allow-credentials': 'true',
          'access-control-allow-headers': 'authorization, content-type, x-trace',
          'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
          vary: 'Origin',
        },
      })
    })

    test.each([
      undefined,
      'null',
      'https://shop.example.evil.example',
      'http://shop.example',
      'https://shop.example:444',
      'https://SHOP.example',
      '*',
    ])('a page of the origin %s may read nothing', async (origin) => {
      const headers = { ...(origin !== undefined && { origin }), authorization }
      const reply = await sendTo(listed, 'GET', '/v1/pets', { headers })
      expect([reply.status, corsOf(reply)]).toEqual([200, { vary: 'Origin' }])
      const before = await sendTo(listed, 'OPTIONS', '/v1/pets', {
        headers: { ...headers, ...preflight },
      })
      expect(corsOf(before)).toEqual({ vary: 'Origin' })
    })

    test('other origins may read responses without them when the profile says so', async () => {
      const open = createMock({ corsOrigins, profile: { 'http.cors': 'any-origin' } })
      const other = { origin: 'https://other.example', authorization }
      expect(corsOf(await sendTo(open, 'GET', '/v1/pets', { headers: other }))).toEqual({
        'access-control-allow-origin': '*',
        vary: 'Origin',
      })
      expect(
        corsOf(await sendTo(open, 'GET', '/v1/pets', { headers: { origin, authorization } })),
      ).toMatchObject({ 'access-control-allow-credentials': 'true' })
    })

    test('a header that a rule sets stays', async () => {
      const ruled = createMock({ corsOrigins })
      const headers = { 'access-control-allow-origin': 'https://wrong.example', vary: 'Accept' }
      ruled.use({ reply: { status: 503, headers } })
      const reply = await sendTo(ruled, 'GET', '/v1/pets', { headers: { origin, authorization } })
      expect(corsOf(reply)).toEqual({ ...headers, vary: 'Accept, Origin' })
    })

    test('an adapter and a defect change nothing about it', async () => {
      const broken = createMock({ corsOrigins, defects: ['list.limit-ignored'] })
      const fetch = createFetch(broken, { baseUrl: 'http://pets.example/v1' })
      const response = await fetch('http://pets.example/v1/pets', {
        headers: { origin, authorization },
      })
      expect(corsOf({ headers: Object.fromEntries(response.headers) })).toMatchObject({
        'access-control-allow-credentials': 'true',
      })
    })

    test.each([
      ['*'],
      ['null'],
      ['https://*.example'],
      ['http://localhost:5173/'],
      ['https://shop.example/app'],
      ['https://shop.example:443'],
      ['https://SHOP.example'],
      ['https://user@shop.example'],
      ['localhost:5173'],
      [7],
    ])('%s is no origin', (wrong) => {
      expect(() => createMock({ corsOrigins: [origin, wrong] as string[] })).toThrow(
        'corsOrigins must be a list of origins such as http://localhost:5173, without a path and without *, but was',
      )
    })

    test.each([null, 'https://shop.example', {}])('%j is no list', (corsOrigins) => {
      expect(() => createMock({ corsOrigins: corsOrigins as unknown as string[] })).toThrow(
        'corsOrigins must be a list of origins',
      )
    })
  })
})
