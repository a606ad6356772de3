/** What is left of a rate limit, as a plain value. */
export interface RateWindow {
  readonly until: number
  readonly left: number
}

/**
 * Counts a request of a limit of so many requests in each window, which begins with its first request. The headers are
 * those of the IETF draft "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers), and Retry-After of
 * RFC 9110.
 *
 * @param window undefined before the first request.
 */
export function takeRequest(
  { requests, windowMs }: { requests: number; windowMs: number },
  window: RateWindow | undefined,
  now: number,
): { window: RateWindow; headers: Record<string, string>; isExceeded: boolean } {
  const { until, left } =
    window === undefined || now >= window.until ? { until: now + windowMs, left: requests } : window
  const isExceeded = left === 0
  const after = { until, left: isExceeded ? 0 : left - 1 }
  const seconds = String(Math.ceil((until - now) / 1000))
  return {
    window: after,
    isExceeded,
    headers: {
      'ratelimit-policy': `"default";q=${requests};w=${Math.ceil(windowMs / 1000)}`,
      ratelimit: `"default";r=${after.left};t=${seconds}`,
      ...(isExceeded && { 'retry-after': seconds }),
    },
  }
}
