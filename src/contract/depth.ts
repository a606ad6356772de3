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
