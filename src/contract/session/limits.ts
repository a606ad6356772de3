/**
 * How much a run tries: `smoke` a sample of the checks after each deployment, `standard` every check, `thorough` every
 * check and then random sequences of requests.
 */
export type Depth = 'smoke' | 'standard' | 'thorough'

/** The most requests and pets of a run, where the caller does not say. */
export const bounds: Readonly<Record<Depth, { maxRequests: number; maxWrites: number }>> = {
  smoke: { maxRequests: 30, maxWrites: 3 },
  standard: { maxRequests: 100_000, maxWrites: 25 },
  thorough: { maxRequests: 2_000, maxWrites: 200 },
}

/** The least and the most requests per second of the option `rate`. */
export const rates = [0.01, 1_000] as const

/** The options that are integers: default, minimum, maximum. The depth has its own defaults of requests and pets. */
export const integers = {
  timeoutMs: [10_000, 1, 600_000],
  settleMs: [5_000, 0, 600_000],
  concurrency: [4, 1, 64],
  retryBudgetMs: [60_000, 0, 3_600_000],
  maxDurationMs: [600_000, 1, 86_400_000],
  waitUntilReadyMs: [0, 0, 3_600_000],
  times: [3, 1, 20],
  seed: [1, 0, 2_147_483_647],
  maxRequests: [bounds.standard.maxRequests, 1, 100_000],
  maxWrites: [bounds.standard.maxWrites, 0, 1_000],
} as const satisfies Readonly<Record<string, readonly [number, number, number]>>
