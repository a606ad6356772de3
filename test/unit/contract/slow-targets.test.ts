/** Targets that cost time with each response: a run learns what they always do, and ends in bounded time. */
import { expect, test } from 'vitest'
import type { Dispatcher } from 'undici'
import { verifyBy } from '../../../src/contract/suite/verify.ts'
import { createMock } from '../../../src/mock/index.ts'
import { key } from '../../support/store.ts'
import { idsOf } from '../../support/verdicts.ts'
import { dispatcherOf } from '../../support/verify-in-process.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'
import { error, target } from './target.ts'

test('429 with Retry-After: 0 each second time does not slow the run down', async () => {
  const { run } = target({}, ({ index }) => {
    const reply = error(429)
    return index % 2 === 0
      ? { ...reply, headers: { ...reply.headers, 'retry-after': '0' } }
      : undefined
  })
  const report = await run()
  expect(report.verdict).toBe('conforms')
  expect(report.durationMs).toBeLessThan(60_000)
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
