import type { Delay } from './types.ts'

/** The 99th percentile of the standard normal distribution. */
const z99 = 2.326347874

/**
 * Draws a delay in milliseconds.
 *
 * @param random numbers from 0 to below 1, seeded, so that the same run has the same delays.
 */
export function drawDelay(delay: Delay, random: () => number): number {
  if (typeof delay === 'number') return delay
  if ('from' in delay) return delay.from + Math.round(random() * (delay.to - delay.from))
  const spread = Math.log(delay.p99 / delay.median) / z99
  return Math.min(longestDelayMs, Math.round(delay.median * Math.exp(spread * standardNormal(random))))
}

/** The longest delay: ten minutes. */
const longestDelayMs = 600_000

/** Box and Muller. */
function standardNormal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
