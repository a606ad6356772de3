/** Targets that cost time with each response: a run learns what they always do, and ends in bounded time. */
import { describe, expect, test } from 'vitest'
import type { Dispatcher } from 'undici'
import { retryAfter } from '../../../src/contract/http/failure.ts'
import type { VerifyInput } from '../../../src/contract/index.ts'
import { verifyBy } from '../../../src/contract/suite/verify.ts'
import { createMock } from '../../../src/mock/index.ts'
import type { MockReply } from '../../../src/mock/service/message.ts'
import { key } from '../../support/store.ts'
import { createChance } from '../../support/variants/chance.ts'
import { idsOf } from '../../support/verdicts.ts'
import { dispatcherOf } from '../../support/verify-in-process.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'
import { error, target, type Override } from './target.ts'

/** A limiter of requests in each second that counts rejected ones, too. */
function limiter(
  now: () => number,
  [most, status, retryAfter]: readonly [most: number, status: number, retryAfter?: string],
): Override {
  let times: number[] = []
  return () => {
    const at = now()
    times = [...times.filter((time) => time > at - 1_000), at]
    if (times.length <= most) return undefined
    const reply = error(status)
    return retryAfter === undefined
      ? reply
      : { ...reply, headers: { ...reply.headers, 'retry-after': retryAfter } }
  }
}

function verifyLimited(limit: Parameters<typeof limiter>[1], more: Partial<VerifyInput> = {}) {
  const { clock, run } = target({}, (...request) => override(...request))
  const override = limiter(() => clock.now(), limit)
  return run(more)
}

describe('Retry-After that names no time to wait says nothing', () => {
  const date = 'Wed, 21 Oct 2015 07:28:00 GMT'
  test.each<[value: string, ms: number | undefined, now?: string]>([
    ['0', undefined],
    ['0.0', undefined],
    ['-1', undefined],
    ['-0.5', undefined],
    ['1e3', undefined],
    ['0x10', undefined],
    ['soon', undefined],
    ['', undefined],
    [date, undefined],
    ['0.2', 200],
    ['2', 2_000],
    [date, 2_000, 'Wed, 21 Oct 2015 07:27:58 GMT'],
  ])('%j: %s ms', (value, ms, now) => {
    const headers = { 'retry-after': value, ...(now !== undefined && { date: now }) }
    expect(retryAfter(headers, Date.UTC(2026, 1))).toBe(ms)
  })

  test.each([
    [429, '0'],
    [429, '-1'],
    [503, '0'],
  ])('%i with %s costs no more requests than without', async (status, retryAfterHeader) => {
    const usual = await verifyLimited([10, status])
    const report = await verifyLimited([10, status, retryAfterHeader])
    expect(report.verdict).toBe('conforms')
    expect(report.counts.requests).toBeLessThan(1.1 * usual.counts.requests)
  })

  test.each(['0', '-1', '1'])('a smoke run conforms with Retry-After: %s', async (retryAfter) => {
    const report = await verifyLimited([5, 429, retryAfter], { depth: 'smoke' })
    expect(report).toMatchObject({ verdict: 'conforms', exitCode: 0 })
  })
})

describe('a target that fails by turns, at any pace', () => {
  const page: MockReply = {
    status: 503,
    headers: { 'content-type': 'text/html', server: 'nginx/1.22' },
    body: '<h1>503 Service Temporarily Unavailable</h1>',
  }
  const drawn = (seed: number): (() => boolean) => {
    const chance = createChance(seed)
    return () => chance() < 0.5
  }
  test.each<[how: string, fails: (index: number) => boolean, status?: number]>([
    ['each second time', (index) => index % 2 === 0],
    ['each second time with 502', (index) => index % 2 === 0, 502],
    ['each second time with 429', (index) => index % 2 === 0, 429],
    ['two of three times', (index) => index % 3 > 0],
    ['at random', drawn(1)],
    ['at random, otherwise', drawn(2)],
  ])('is inconclusive after a minute: %s', async (_, fails, status = 503) => {
    const { run } = target({}, ({ index }) => (fails(index) ? { ...page, status } : undefined))
    const lines: [line: string, request: number][] = []
    let requests = 0
    const onProgress = (line: string): void => void lines.push([line, requests])
    const report = await run({ onProgress, onCheck: () => (requests += 1) })
    expect(report).toMatchObject({ exitCode: 3, findings: [] })
    const words = `${status} from nginx at any pace, perhaps because one of several servers is down`
    expect(report.reason).toContain(words)
    expect(report.durationMs).toBeLessThan(65_000)
    expect(report.counts.verified).toBeGreaterThan(5)
    // Early: before half of the checks.
    expect(lines.find(([line]) => line.includes(words))?.[1]).toBeLessThan(16)
  })

  test('is not one that has failed for some time, nor a limiter', async () => {
    const failing = target({}, ({ index }) => (index > 40 && index < 60 ? page : undefined))
    expect(await failing.run()).toMatchObject({ exitCode: 0 })
    for (const [most, status] of [
      [2, 503],
      [2, 429],
      [5, 503],
    ] as const)
      expect(await verifyLimited([most, status])).toMatchObject({ exitCode: 0 })
  })
})

test('an address that stays blocked ends the run after the retry budget, with few requests', async () => {
  const blocked: MockReply = {
    status: 403,
    headers: { 'content-type': 'text/html' },
    body: '<html><body><h1>403 Forbidden</h1>\nRequest forbidden by administrative rules.\n',
  }
  let errors: number[] = []
  // As HAProxy does after more than 15 errors in 10 s, among them its own.
  const { clock, run } = target({}, async (request, mock) => {
    errors = errors.filter((time) => time > clock.now() - 10_000)
    const reply = errors.length > 15 ? blocked : await mock.handle(request)
    if (reply.status >= 400) errors.push(clock.now())
    return reply
  })
  const report = await run()
  expect(report).toMatchObject({ exitCode: 3, findings: [] })
  expect(report.reason).toBe(
    'a rate limit or a firewall responds 403, also to the valid key, and the remaining --retry-budget is too short for another try',
  )
  expect(report.durationMs).toBeLessThan(75_000)
  expect(report.counts.requests).toBeLessThan(400)
})

/** Bodies that stop before their end, as with a Content-Length that is too large, if `stops` says so. */
async function verifyStalling(stops: (status: number, nth: number) => boolean) {
  const clock = new VirtualClock()
  const mock = createMock({ keys: [key], pets: 30, now: () => new Date(clock.now()) })
  const inner = dispatcherOf(mock.handle, clock)
  let count = 0
  const request = async (options: Dispatcher.RequestOptions) => {
    const response = await inner.request(options)
    if (!stops(response.statusCode, (count += 1))) return response
    let end = (): void => {}
    const ended = new Promise<void>((resolve) => (end = resolve))
    async function* stalling() {
      yield* response.body
      await ended
      throw new Error('aborted')
    }
    return { ...response, body: Object.assign(stalling(), { destroy: () => end() }) }
  }
  const dispatcher = { request } as unknown as Dispatcher
  const input = { baseUrl: 'http://localhost:1/v1', apiKey: key, dispatcher, runId: 'Bcdfgh' }
  return verifyBy(clock, input)
}

test('a run against bodies that never end is not ended by --max-duration', async () => {
  const report = await verifyStalling(() => true)
  expect(report.verdict).toBe('violates')
  expect(report.reason).toBeUndefined()
  expect(report.durationMs).toBeLessThan(100_000)
})

test('nor one against errors whose bodies never end', async () => {
  const report = await verifyStalling((status) => status >= 400)
  expect(report.verdict).toBe('violates')
  expect(idsOf(report, 'violated')).toContain('http.json-body')
  expect(report.durationMs).toBeLessThan(200_000)
})

test('bodies that stop now and then are waited for and requested again', async () => {
  const report = await verifyStalling((_, nth) => nth % 7 === 0)
  expect(report.verdict).toBe('conforms')
})
