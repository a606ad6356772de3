import { describe, expect, test } from 'vitest'

import type { HttpRequest } from '../../../src/spec/http.ts'
import {
  createMock,
  defaultKey,
  type Mock,
  type MockReply,
  varyProfile,
} from '../../../src/mock/index.ts'
import { behaviors } from '../../../src/spec/behaviors.ts'
import { requirements } from '../../../src/spec/requirements.ts'
import { sendTo, create } from './ask.ts'
import { sampleRequests } from './sample-requests.ts'

const requirementIds = new Set<string>(requirements.map(({ id }) => id))
const behaviorIds = new Set<string>(behaviors.map(({ id }) => id))

const key = { authorization: `Bearer ${defaultKey}` }
const json = { ...key, 'content-type': 'application/json' }
const preflight = { origin: 'https://shop.example', 'access-control-request-method': 'POST' }
const petIds = ['', '/', '/1', '/1/', '/999', '/x', '/9223372036854775808']
const targets = ['/v1/orders', '/', '/v1/%zz', ...petIds.map((id) => `/v1/pets${id}`)]
const bodies = [
  '',
  '{}',
  '[',
  '{"name":"","categoryId":1}',
  '{"name":"  ","categoryId":1}',
  '{"name":" Rex","categoryId":1}',
  '{"name":"Rex","categoryId":777}',
  '{"name":"Rex","categoryId":1,"id":5}',
  '{"name":"Rex","categoryId":1,"tag":5}',
  `{"name":"Rex","categoryId":1,"tag":${'['.repeat(300)}${']'.repeat(300)}}`,
  `{"name":"${'x'.repeat(1_000)}","categoryId":1}`,
  `{"name":"${'x'.repeat(1_100_000)}","categoryId":1}`,
]
const limits = ['0', '101', 'x', '1&limit=2', '%zz'].map((limit) => `limit=${limit}`)
const queries = [...limits, 'status=x', 'status=sold&status=sold', 'x=1']

/** Requests that cover every kind of response of the mock. */
const requests: readonly HttpRequest[] = [
  ...sampleRequests,
  ...['GET', 'HEAD', 'OPTIONS', 'PUT', 'post', 'BREW'].flatMap((method) =>
    targets.flatMap((target) => [
      { method, target, headers: key, body: '' },
      { method, target, headers: {}, body: '' },
      { method, target, headers: { ...key, ...preflight }, body: '' },
    ]),
  ),
  ...queries.map((query) => ({
    method: 'GET',
    target: `/v1/pets?${query}`,
    headers: key,
    body: '',
  })),
  ...bodies.flatMap((body) =>
    [json, key, { ...key, 'content-type': 'text/plain' }].map((headers) => ({
      method: 'POST',
      target: '/v1/pets',
      headers,
      body,
    })),
  ),
  {
    method: 'GET',
    target: '/v1/pets',
    headers: { authorization: `bearer ${defaultKey}` },
    body: '',
  },
  { method: 'GET', target: '/v1/pets', headers: { ...key, prefer: 'code=503' }, body: '' },
  { method: 'GET', target: '/v1/pets', headers: { ...key, prefer: 'code=1' }, body: '' },
]

function expectReason({ reason, status }: MockReply, mock: Mock, request: HttpRequest): void {
  const where = `${request.method} ${request.target} ${request.body.slice(0, 60)} -> ${status}`
  expect(reason, where).toBeDefined()
  if (requirementIds.has(reason ?? '')) return
  const [behavior = '', option] = (reason ?? '').split('=')
  expect(behaviorIds.has(behavior), `${where}: ${reason}`).toBe(true)
  expect(option, `${where}: ${reason}`).toBe(mock.settings.profile[behavior as 'list.order'])
  // An option that is a status is the status of the response.
  if (/^[45]\d\d$/.test(option ?? '') && behavior !== 'http.options')
    expect(status, `${where}: ${reason}`).toBe(Number(option))
}

describe('each response names the requirement or the behavior behind it', () => {
  test('by default', async () => {
    const mock = createMock({ explain: true })
    for (const request of requests) expectReason(await mock.handle(request), mock, request)
  })

  test('with random profiles, before the removal of getPet and after it', async () => {
    const touched = new Set<string>()
    for (let seed = 1; seed <= 12; seed += 1) {
      const now = seed % 2 === 0 ? '2026-11-20' : '2031-01-01'
      const mock = createMock({ pets: 30, profile: varyProfile(seed), now })
      for (const request of requests) {
        const reply = await mock.handle(request)
        expectReason(reply, mock, request)
        touched.add((reply.reason ?? '').replace(/=.*/, ''))
      }
    }
    const rarely =
      /^(list\.order|create\.(def|loc|vis)|(pet|error)\.|get\.(dep|sun)|auth\.(www|write)|rate)/
    expect([...behaviorIds].filter((id) => !rarely.test(id) && !touched.has(id))).toEqual([])
  })
})

const table: [request: Partial<HttpRequest>, reason: string][] = [
  [{}, 'list.success'],
  [{ target: '/v1/pets/1' }, 'get.by-id'],
  [{ target: '/v1/pets/999' }, 'get.not-found'],
  [{ target: '/v1/pets/x' }, 'get.id.not-an-integer=404'],
  [{ target: '/v1/pets/9223372036854775808' }, 'get.id.beyond-int64=404'],
  [{ method: 'POST', body: '{"name":"Rex","categoryId":1}' }, 'create.success'],
  [{ method: 'POST' }, 'create.body-required'],
  [{ method: 'POST', body: '{' }, 'http.json-request'],
  [{ method: 'POST', body: '{"name":"Rex"}' }, 'create.required-fields'],
  [{ method: 'POST', body: '{"name":7,"categoryId":1}' }, 'create.invalid-values'],
  [{ headers: {} }, 'auth.missing-key'],
  [{ headers: { authorization: 'Bearer wrong' } }, 'auth.invalid-key'],
  [{ target: '/v1/pets?limit=0' }, 'list.limit.below-minimum=400'],
  [{ target: '/v1/pets?limit=101' }, 'list.limit.above-maximum=400'],
  [{ target: '/v1/pets?status=x' }, 'list.status.unknown=400'],
  [{ target: '/v1/nowhere' }, 'http.unknown-path=404'],
  [{ target: '/v1/pets/' }, 'http.trailing-slash=404'],
  [{ method: 'DELETE' }, 'http.unknown-method=405'],
  [{ method: 'OPTIONS' }, 'http.options=204'],
  [{ method: 'OPTIONS', headers: preflight }, 'http.cors=any-origin'],
]
test.each(table)('%j: %s', async (request, reason) => {
  const mock = createMock({ explain: true })
  const full = { method: 'GET', target: '/v1/pets', headers: json, body: '', ...request }
  const reply = await mock.handle(full)
  expect(reply.reason).toBe(reason)
  expect(reply.headers['petstore-explain']).toBe(reason)
  expect(reply.headers['link']).toBe(`</_petstore/explain/${reason.split('=')[0]}>; rel="help"`)
  // Without `explain`, the response lacks only these headers.
  const bare = await createMock().handle(full)
  expect(bare.headers).not.toHaveProperty('petstore-explain')
  expect(bare.headers).not.toHaveProperty('link')
  expect([bare.status, bare.body]).toEqual([reply.status, reply.body])
})

describe('the header', () => {
  test('also names the rule', async () => {
    const mock = createMock({ explain: true })
    mock.use({ delayMs: 5 }, { when: { operation: 'getPet' }, reply: { status: 503 } })
    expect((await sendTo(mock, 'GET', '/v1/pets')).headers['petstore-explain']).toBe(
      'list.success, rule-1',
    )
    expect((await sendTo(mock, 'GET', '/v1/pets/1')).headers['petstore-explain']).toBe(
      'error.body, rule-2',
    )
    mock.use({ reply: { status: 200, body: [] } })
    expect((await sendTo(mock, 'GET', '/v1/pets')).headers['petstore-explain']).toBe('rule-3')
    const { headers } = await sendTo(mock, 'GET', '/v1/pets', { also: { prefer: 'code=404' } })
    expect(headers['petstore-explain']).toBe('error.body, prefer')
  })

  test('is exposed to pages of other origins, unless CORS is off', async () => {
    const mock = createMock({ explain: true })
    for (const reply of [
      await sendTo(mock, 'GET', '/v1/pets'),
      await sendTo(mock, 'GET', '/v1/pets', { headers: {} }),
      await create(mock, '{}'),
    ]) {
      const exposed = reply.headers['access-control-expose-headers']?.split(', ') ?? []
      expect(exposed).toContain('petstore-explain')
      expect(exposed).toContain('link')
      expect(exposed).toHaveLength(new Set(exposed).size)
    }
    mock.configure({ profile: { 'http.cors': 'none' } })
    expect((await sendTo(mock, 'GET', '/v1/pets')).headers).not.toHaveProperty(
      'access-control-expose-headers',
    )
  })

  test('is sent in response to HEAD, and contains only printable ASCII', async () => {
    const mock = createMock({ explain: true, profile: { 'error.code.404': 'ein schöner\r\nCode' } })
    expect((await sendTo(mock, 'HEAD', '/v1/pets')).headers['petstore-explain']).toBe(
      'list.success',
    )
    for (const request of requests) {
      for (const value of Object.values((await mock.handle(request)).headers))
        expect(value).toMatch(/^[\x20-\x7e]*$/)
    }
  })
})
