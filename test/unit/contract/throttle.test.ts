import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { NoResponse } from '../../../src/contract/http/exchange.ts'
import { systemClock, Throttle, type RunClock } from '../../../src/contract/http/waiting.ts'
import { startVariant } from '../../support/variants/server.ts'
import { verifyVariant } from '../../support/verify-variant.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const throttleWith = (
  budgetMs: number,
  {
    clock = systemClock,
    signal = new AbortController().signal,
  }: { clock?: RunClock; signal?: AbortSignal } = {},
): Throttle =>
  new Throttle({ clock, signal, budgetMs, isTight: false, leastGapMs: 0, onWait: () => {} })

/** Rejects an attempt. */
const reject = (throttle: Throttle, attempt: number, status: number, retryAfterMs?: number): void =>
  throttle.pause(attempt, status, retryAfterMs, 12, `the target responded ${status}`)

test.each<[tries: number, budgetMs: number, retryAfterMs: number | undefined]>([
  [1, 0, undefined],
  [2, 60, undefined],
  [3, 150, undefined],
  [1, 999, 1_000],
  [12, 1e9, undefined],
  [12, 1e9, 0],
])(
  '%i tries of one request with a budget of %i ms and a Retry-After of %s ms',
  (tries, budgetMs, retryAfterMs) => {
    const throttle = throttleWith(budgetMs)
    for (let attempt = 0; attempt < tries - 1; attempt += 1)
      reject(throttle, attempt, 503, retryAfterMs)
    expect(() => reject(throttle, tries - 1, 503, retryAfterMs)).toThrow(
      /^the target responded 503/,
    )
  },
)

test.each<[status: number, retryAfterMs: number | undefined, kind: string, message: RegExp]>([
  [
    429,
    90_000,
    'rate-limit',
    /^the target responded 429 and requires a wait of 90 s, and .* another try$/,
  ],
  [503, undefined, 'gateway', /^the target responded 503, and the remaining/],
])('status %s without a budget ends with its reason', (status, retryAfterMs, kind, message) => {
  expect(() => reject(throttleWith(0), 0, status, retryAfterMs)).toThrow(
    expect.objectContaining({ kind, message: expect.stringMatching(message) }),
  )
})

test('waiting requests share one listener of the signal', async () => {
  const { signal } = new AbortController()
  const throttle = throttleWith(60_000, { signal })
  reject(throttle, 0, 429, 40)
  const waits = Array.from({ length: 50 }, () => throttle.resume())
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  await Promise.all(waits)
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('a signal ends the wait', async () => {
  const stop = new AbortController()
  const throttle = throttleWith(60_000, { signal: stop.signal })
  reject(throttle, 0, 429, 30_000)
  const pause = throttle.resume()
  stop.abort(new NoResponse('aborted', 'it was stopped'))
  await expect(pause).rejects.toMatchObject({ kind: 'aborted' })
})

test('the interval between requests doubles after each rejection, and returns to zero after many responses', async () => {
  const clock = new VirtualClock()
  const throttle = throttleWith(0, { clock })
  const intervals = async (): Promise<number[]> => {
    const at: number[] = []
    for (let request = 0; request < 3; request += 1) {
      await throttle.turn()
      at.push(clock.now())
    }
    return [at[1]! - at[0]!, at[2]! - at[1]!].map(Math.round)
  }
  for (let rejection = 0; rejection < 3; rejection += 1) throttle.slowDown(false)
  expect(await intervals()).toEqual([40, 40])
  for (let rejection = 0; rejection < 9; rejection += 1) throttle.slowDown(false)
  expect(await intervals()).toEqual([500, 500])
  for (let response = 0; response < 90; response += 1) throttle.speedUp()
  await throttle.turn()
  expect(await intervals()).toEqual([0, 0])
})

test('requests that a limiter rejects at the same moment slow a run down once', async () => {
  const clock = new VirtualClock()
  const throttle = throttleWith(60_000, { clock })
  for (let rejection = 0; rejection < 8; rejection += 1) {
    throttle.slowDown(true)
    reject(throttle, 0, 429, 1_000)
  }
  await throttle.resume()
  await throttle.turn()
  const before = clock.now()
  await throttle.turn()
  expect(Math.round(clock.now() - before)).toBe(10)
})

test.each([10, 1])(
  'a run adapts to a limit of %i requests per second without Retry-After',
  async (perSecond) => {
    const options = {
      rateLimit: { perSecond, of: 'requests', retryAfter: 'absent', speaker: 'gateway' },
    } as const
    const variant = {
      id: 'limited',
      silence: 'not shown',
      options,
      start: startVariant.bind(undefined, options),
    }
    const [report] = await verifyVariant(variant)
    expect(report).toMatchObject({ verdict: 'conforms', findings: [], counts: { notVerified: 0 } })
    expect(report?.counts.requests).toBeLessThan(250)
  },
)
