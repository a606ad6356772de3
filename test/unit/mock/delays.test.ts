import { describe, expect, test } from 'vitest'

import { createMock, type Delay } from '../../../src/mock/index.ts'
import { sendTo } from './ask.ts'

/** Draws the delays of `count` responses. */
async function drawn(delayMs: Delay, count: number, seed = 1): Promise<number[]> {
  const mock = createMock({ pets: 0, seed })
  mock.use({ delayMs })
  const delays: number[] = []
  for (let index = 0; index < count; index += 1)
    delays.push((await sendTo(mock, 'GET', '/v1/pets')).delayMs ?? Number.NaN)
  return delays
}

test.each<[Delay, number]>([
  [250, 250],
  [0, 0],
  [{ from: 7, to: 7 }, 7],
  [{ median: 50, p99: 50 }, 50],
])('%j is always %i ms', async (delay, ms) => expect(await drawn(delay, 3)).toEqual([ms, ms, ms]))

describe('a range', () => {
  test('delays cover the range and stay within it', async () => {
    const delays = await drawn({ from: 100, to: 200 }, 2_000)
    expect(Math.min(...delays)).toBeLessThan(103)
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(100)
    expect(Math.max(...delays)).toBeGreaterThan(197)
    expect(Math.max(...delays)).toBeLessThanOrEqual(200)
    const mean = delays.reduce((sum, ms) => sum + ms, 0) / delays.length
    expect(Math.abs(mean - 150)).toBeLessThan(3)
  })
})

describe('log-normal', () => {
  test('half of the delays are below the median, and one in a hundred above p99', async () => {
    const delays = await drawn({ median: 80, p99: 900 }, 4_000)
    const share = (limit: number): number =>
      delays.filter((ms) => ms <= limit).length / delays.length
    // For 4,000 draws, four standard defects of the share are 0.032 and 0.0063.
    expect(Math.abs(share(80) - 0.5)).toBeLessThan(0.032)
    expect(Math.abs(share(900) - 0.99)).toBeLessThan(0.0063)
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...delays)).toBeLessThanOrEqual(600_000)
    expect(delays.every(Number.isInteger)).toBe(true)
  })

  test('delays are capped at ten minutes', async () => {
    expect(Math.max(...(await drawn({ median: 1, p99: 600_000 }, 5_000)))).toBe(600_000)
  })
})

describe('the same seed gives the same delays', () => {
  test.each([[{ from: 0, to: 10_000 }], [{ median: 100, p99: 5_000 }]])('%j', async (delay) => {
    const delays = await drawn(delay, 50)
    expect(await drawn(delay, 50)).toEqual(delays)
    expect(await drawn(delay, 50, 2)).not.toEqual(delays)
  })

  test('also after a reset, with a separate sequence for each rule', async () => {
    const delayMs = { from: 0, to: 100_000 }
    const mock = createMock({
      rules: [
        { delayMs, times: 3 },
        { delayMs, times: 3 },
      ],
    })
    const six = async (): Promise<unknown[]> => {
      const delays: unknown[] = []
      for (let index = 0; index < 6; index += 1)
        delays.push((await sendTo(mock, 'GET', '/v1/pets')).delayMs)
      return delays
    }
    const first = await six()
    expect(new Set(first).size).toBe(6)
    mock.reset()
    expect(await six()).toEqual(first)
  })
})
