import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { createMock, defaultKey, type Mock } from '../../../src/mock/index.ts'
import { sendTo, create, statuses } from './ask.ts'

// Fake timers freeze the sandbox clocks, so that slow machines do not matter; tests advance them.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

describe('a rate limit of three requests a second', () => {
  const limited = (): Mock =>
    createMock({ rules: [{ rateLimit: { requests: 3, windowMs: 1_000 } }] })

  test('sends the remaining quota, then Retry-After', async () => {
    const mock = limited()
    const seen: unknown[] = []
    for (let time = 0; time < 5; time += 1) {
      const { status, headers } = await sendTo(mock, 'GET', '/v1/pets')
      seen.push([status, headers['ratelimit-policy'], headers['ratelimit'], headers['retry-after']])
    }
    const policy = '"default";q=3;w=1'
    expect(seen).toEqual([
      [200, policy, '"default";r=2;t=1', undefined],
      [200, policy, '"default";r=1;t=1', undefined],
      [200, policy, '"default";r=0;t=1', undefined],
      [429, policy, '"default";r=0;t=1', '1'],
      [429, policy, '"default";r=0;t=1', '1'],
    ])
  })

  test('a rate-limited client is accepted again after the wait', async () => {
    const mock = limited()
    await statuses(mock, 3)
    expect(await statuses(mock, 1)).toEqual([429])
    mock.clock.advance(1_000)
    const last = await sendTo(mock, 'GET', '/v1/pets')
    expect([last.status, last.headers['ratelimit']]).toEqual([200, '"default";r=2;t=1'])
    expect(last.headers).not.toHaveProperty('retry-after')
  })

  test('a rejected creation stores no pet; client errors count, a missing key does not', async () => {
    const mock = limited()
    expect((await create(mock, '{}')).headers['ratelimit']).toBe('"default";r=2;t=1')
    expect((await sendTo(mock, 'GET', '/v1/pets', { headers: {} })).headers).not.toHaveProperty(
      'ratelimit',
    )
    await statuses(mock, 2)
    const rejected = await create(mock, { name: 'Rex', categoryId: 1 })
    expect(rejected.json).toEqual({
      code: 'too_many_requests',
      message: expect.any(String),
      status: 429,
    })
    expect(mock.catalog.size).toBe(100)
  })

  test('the headers are exposed to pages of other origins', async () => {
    const mock = limited()
    const headers = { authorization: `Bearer ${defaultKey}`, origin: 'https://shop.example' }
    const exposed: string[] = []
    for (let time = 0; time < 4; time += 1) {
      const reply = await sendTo(mock, 'GET', '/v1/pets', { headers })
      exposed.push(reply.headers['access-control-expose-headers'] ?? '')
    }
    expect(exposed[0]?.split(', ').sort()).toEqual(['ratelimit', 'ratelimit-policy'])
    expect(exposed[3]?.split(', ').sort()).toEqual(['ratelimit', 'ratelimit-policy', 'retry-after'])
    const silent = createMock({
      profile: { 'http.cors': 'none' },
      rules: [{ rateLimit: { requests: 0, windowMs: 1 } }],
    })
    const { headers: bare } = await sendTo(silent, 'GET', '/v1/pets', { headers })
    expect(Object.keys(bare).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  test('a limit can apply to one operation, and expire after some requests', async () => {
    const mock = createMock()
    mock.use({
      when: { operation: 'getPet' },
      rateLimit: { requests: 0, windowMs: 60_000 },
      times: 2,
    })
    expect(await statuses(mock, 1)).toEqual([200])
    const gets: number[] = []
    for (let time = 0; time < 3; time += 1)
      gets.push((await sendTo(mock, 'GET', '/v1/pets/1')).status)
    expect(gets).toEqual([429, 429, 200])
  })

  test('the response shows the exceeded one of two limits', async () => {
    const mock = createMock()
    mock.use(
      { rateLimit: { requests: 3, windowMs: 60_000 } },
      { rateLimit: { requests: 2, windowMs: 1_000 } },
    )
    const seen: string[] = []
    const sendOnce = async (): Promise<void> => {
      const { status, headers } = await sendTo(mock, 'GET', '/v1/pets')
      seen.push(`${status} ${headers['ratelimit-policy']} ${headers['ratelimit']?.slice(10, 13)}`)
    }
    for (let time = 0; time < 3; time += 1) await sendOnce()
    mock.clock.advance(1_000)
    for (let time = 0; time < 2; time += 1) await sendOnce()
    expect(seen).toEqual([
      '200 "default";q=2;w=1 r=1',
      '200 "default";q=2;w=1 r=0',
      '429 "default";q=2;w=1 r=0',
      '200 "default";q=2;w=1 r=1',
      '429 "default";q=3;w=60 r=0',
    ])
  })

  test('a rule replaces the rate limit headers of the profile', async () => {
    const mock = createMock({ profile: { 'rate-limit.headers': 'present' } })
    expect((await sendTo(mock, 'GET', '/v1/pets')).headers['ratelimit']).toBe(
      '"default";r=999;t=60',
    )
    mock.use({ rateLimit: { requests: 5, windowMs: 2_500 } })
    expect((await sendTo(mock, 'GET', '/v1/pets')).headers).toMatchObject({
      'ratelimit-policy': '"default";q=5;w=3',
      ratelimit: '"default";r=4;t=3',
    })
  })
})
