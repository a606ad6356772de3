import { createChance } from './chance.ts'
import { toProblem, type VariantResponse, type VariantRequest } from './responses.ts'
import type { Settings } from './settings.ts'

/** Effects of the network and gateways between the client and the service. */
export interface Weather {
  /** Whether the connection is reset before the request reaches the service. */
  breaks(): boolean
  /** Latency of the request in milliseconds. */
  latencyMs(): number
  /** The response of a gateway, or undefined if the request reaches the service. */
  stop(request: VariantRequest): VariantResponse | undefined
}

/** @param now clock in milliseconds since the epoch. */
export function createWeather(settings: Settings, now: () => number): Weather {
  const chance = createChance(settings.seed + 1)
  const { coldStart, rateLimit, outage } = settings
  let [connections, delayed, requests, creations] = [0, 0, 0, 0]
  let window = { since: Number.NEGATIVE_INFINITY, count: 0 }

  function limitRate(method: string): VariantResponse | undefined {
    if (rateLimit === null || (rateLimit.of === 'creations' && method !== 'POST')) return undefined
    if (now() - window.since >= 1000) window = { since: now(), count: 0 }
    if (++window.count <= rateLimit.perSecond) return undefined
    const freeAt = window.since + 1000
    const retryAfter = {
      absent: {},
      counted: { 'X-RateLimit-Remaining': '0' },
      seconds: { 'Retry-After': String(Math.max(1, Math.ceil((freeAt - now()) / 1000))) },
      date: { 'Retry-After': new Date(Math.ceil(freeAt / 1000) * 1000).toUTCString() },
    }[rateLimit.retryAfter]
    const { status = 429 } = rateLimit
    if (rateLimit.speaker === 'service')
      return toProblem(status, 'Too many requests.', settings, retryAfter)
    return {
      status,
      headers: retryAfter,
      page: { contentType: 'text/plain', text: 'Slow down.\n' },
    }
  }

  return {
    breaks: () =>
      (settings.resetEvery > 0 && ++connections % settings.resetEvery === 0) ||
      (rateLimit?.speaker === 'connection' && limitRate('GET') !== undefined),
    latencyMs() {
      const [least, most] = settings.latencyMs
      const start = delayed++ === 0 ? (coldStart?.firstResponseMs ?? 0) : 0
      return start + least + chance() * (most - least)
    },
    stop({ method, headers }) {
      requests++
      if (settings.firewall && method === 'POST' && !/json/i.test(String(headers['content-type'])))
        return toProblem(403, 'Blocked.', settings)
      if (method === 'POST') creations++
      if (coldStart !== null && requests <= coldStart.rejections) return gatewayPages.html(503)
      const counts = outage?.of === 'requests' || method === 'POST'
      const turn = outage?.of === 'creations' ? creations : requests
      if (outage === null || !counts || turn % outage.every !== 0)
        return rateLimit?.speaker === 'connection' ? undefined : limitRate(method)
      const page = gatewayPages[outage.page](outage.status)
      return outage.retryAfter === undefined
        ? page
        : { ...page, headers: { 'Retry-After': String(outage.retryAfter) } }
    },
  }
}

/** Responses of a gateway, which does not know the Error body of the service. */
const gatewayPages: Record<'html' | 'text' | 'json', (status: number) => VariantResponse> = {
  html: (status) => ({
    status,
    headers: { server: 'gateway' },
    page: {
      contentType: 'text/html; charset=utf-8',
      text: `<html><body><h1>${status}</h1><hr>gateway</body></html>`,
    },
  }),
  text: (status) => ({
    status,
    page: { contentType: 'text/plain', text: 'upstream connect error' },
  }),
  json: (status) => ({
    status,
    page: { contentType: 'application/json', text: '{"message":"Service Unavailable"}' },
  }),
}

/** A shared cache with a separate entry for each key (RFC 9111); it stores successful responses to GET. */
export function createCache(
  { cacheSeconds: seconds, cacheSays }: Settings,
  now: () => number,
): { through(request: VariantRequest, serve: () => VariantResponse): VariantResponse } {
  const kept = new Map<string, { reply: VariantResponse; at: number }>()
  return {
    through({ method, path, query, headers }, serve) {
      if (seconds === 0 || method !== 'GET') return serve()
      const name = `${path}?${query} ${String(headers['authorization'])}`
      const known = kept.get(name)
      const age = known === undefined ? Infinity : Math.floor((now() - known.at) / 1000)
      const reply = known !== undefined && age < seconds ? known.reply : serve()
      if (reply !== known?.reply && reply.status === 200) kept.set(name, { reply, at: now() })
      const isKept = reply === known?.reply
      const freshUntil = new Date(now() + (seconds - (isKept ? age : 0)) * 1000)
      const cacheHeaders: Record<Settings['cacheSays'], Record<string, string>> = {
        'max-age': { 'cache-control': `max-age=${seconds}`, ...(isKept && { age: String(age) }) },
        'max-age-of-fields': { 'cache-control': `no-cache="set-cookie", max-age=${seconds}` },
        'stale-while-revalidate': {
          'cache-control': `max-age=0, stale-while-revalidate=${seconds}`,
        },
        'cdn-max-age': { 'cache-control': 'no-store', 'cdn-cache-control': `max-age=${seconds}` },
        expires: { date: new Date(now()).toUTCString(), expires: freshUntil.toUTCString() },
        nothing: {},
        hit: { 'x-cache': isKept ? 'HIT from edge' : 'MISS from edge' },
      }
      return { ...reply, headers: { ...reply.headers, ...cacheHeaders[cacheSays] } }
    },
  }
}
