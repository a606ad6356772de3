import type { WorldClock } from './clock.ts'

/** Counts requests in windows. */
export interface RateLimit {
  /** Counts one request: its headers, and whether it is one too many. */
  take: () => { headers: Record<string, string>; isExceeded: boolean }
}

/**
 * A limit of so many requests in each window, which begins with its first request. The headers are those of the IETF
 * draft "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers), and Retry-After of RFC 9110.
 */
export function createRateLimit(limit: { requests: number; windowMs: number }, clock: WorldClock): RateLimit {
  const { requests, windowMs } = limit
  const policy = `"default";q=${requests};w=${Math.ceil(windowMs / 1000)}`
  let until = Number.NEGATIVE_INFINITY
  let left = 0
  return {
    take() {
      const now = clock.elapsed()
      if (now >= until) {
        until = now + windowMs
        left = requests
      }
      const isExceeded = left === 0
      if (!isExceeded) left -= 1
      const seconds = String(Math.ceil((until - now) / 1000))
      return {
        isExceeded,
        headers: {
          'ratelimit-policy': policy,
          ratelimit: `"default";r=${left};t=${seconds}`,
          ...(isExceeded && { 'retry-after': seconds }),
        },
      }
    },
  }
}
