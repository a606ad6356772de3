import type { Report, VerifyInput } from '../../src/contract/index.ts'
import { createMock, type Mock, type MockOptions } from '../../src/mock/index.ts'
import type { MockReply, MockRequest } from '../../src/mock/service/message.ts'
import { verifyBy } from '../../src/contract/suite/verify.ts'
import { key } from './store.ts'
import { dispatcherOf } from './verify-in-process.ts'
import { VirtualClock } from './virtual-clock.ts'

/** A request at a gateway: milliseconds since any moment, and its number, from 1. */
export interface AtGateway {
  request: MockRequest
  now: number
  count: number
  /** Whether it has the valid key. */
  isValid: boolean
}

/** Responds in place of the service; undefined passes the request on. Each call of the table makes a new one. */
export type Gateway = (at: AtGateway) => MockReply | undefined

const page = (status: number, title: string, headers: Record<string, string> = {}): MockReply => ({
  status,
  headers: { 'content-type': 'text/html', ...headers },
  body: `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`,
})

const plain = (status: number, body: string): MockReply => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body,
})

const json = (status: number, value: unknown): MockReply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})

export const error = (status: number, code = 'unauthorized'): MockReply =>
  json(status, { code, message: 'No.', status })

/** Blocks everybody once more than `most` requests came within a window. */
function rateRule(most: number, windowMs: number, blocked: MockReply): Gateway {
  const times: number[] = []
  return ({ now }) => {
    while (times.length > 0 && (times[0] ?? 0) <= now - windowMs) times.shift()
    times.push(now)
    return times.length > most ? blocked : undefined
  }
}

/** Blocks everybody for a while after some requests without the valid key. */
function lockout(most: number, lockMs: number, blocked: MockReply): Gateway {
  let [wrong, until] = [0, -Infinity]
  return ({ isValid, now }) => {
    if (now < until) return blocked
    if (isValid) return undefined
    wrong += 1
    if (wrong < most) return undefined
    wrong = 0
    until = now + lockMs
    return undefined
  }
}

/** What stands in front of real deployments, one behavior each. */
export const gateways = {
  /** A usage plan wants a header of its own beside the bearer key. */
  'api-key': () => (at) =>
    at.request.headers['x-api-key'] === 'gateway-key-1'
      ? undefined
      : json(403, { message: 'Forbidden' }),
  /** A web application firewall counts requests. */
  'rate-403-page': () => rateRule(60, 5_000, page(403, 'Request blocked')),
  'rate-403-json': () => rateRule(60, 5_000, json(403, { message: 'Forbidden' })),
  'rate-403-error': () => rateRule(60, 5_000, error(403, 'blocked')),
  'rate-200-captcha': () => rateRule(60, 5_000, page(200, 'Are you a robot?')),
  'rate-302-captcha': () =>
    rateRule(60, 5_000, page(302, 'Moved', { location: 'https://captcha.example.com/' })),
  'rate-406-page': () => rateRule(60, 5_000, page(406, 'Not acceptable')),
  /** Like fail2ban. */
  'lockout-403-page': () => lockout(5, 15_000, page(403, 'Request blocked')),
  'lockout-403-error': () => lockout(5, 3_000, error(403, 'blocked')),
  'lockout-401': () => lockout(12, 1_500, error(401)),
  /** A login before the service. */
  basic: () => () =>
    page(401, '401 Authorization Required', { 'www-authenticate': 'Basic realm="staging"' }),
  'basic-empty': () => () => ({
    status: 401,
    headers: { 'www-authenticate': 'Basic realm="staging"' },
    body: '',
  }),
  /** As Envoy checks a JSON Web Token. */
  jwt: () => () => ({
    ...plain(401, 'Jwt issuer is not configured'),
    headers: {
      'content-type': 'text/plain',
      'www-authenticate': 'Bearer realm="http://pets.example/v1/pets", error="invalid_token"',
      server: 'istio-envoy',
    },
  }),
  authorizer: () => () => json(401, { message: 'Unauthorized', request_id: 'f00' }),
  'authorizer-page': () => () => page(401, 'Sign in', { 'www-authenticate': 'DPoP algs="ES256"' }),
  'authorizer-nothing': () => () => ({ status: 401, headers: {}, body: '' }),
  'authorizer-list': () => () => json(401, [{ id: '7' }]),
  /** Perhaps the service, which does not know the key. */
  'authorizer-error': () => () => ({
    ...error(401),
    headers: { 'content-type': 'application/json', 'www-authenticate': 'Bearer realm="pets"' },
  }),
  'login-page': () => () => page(200, 'Sign in to Example'),
  'login-redirect': () => () =>
    page(302, 'Found', { location: 'https://login.example.com/authorize?client=1' }),
  'blocked-page': () => () => page(403, 'Attention Required! | Example'),
  maintenance: () => () => page(503, 'Down for maintenance'),
  'http2-only': () => () => plain(403, 'Unknown ALPN Protocol, expected `h2` to be available.\n'),
} satisfies Record<string, () => Gateway>

export type GatewayName = keyof typeof gateways

/** Rejects the valid key from the Nth request on, as an expired one. */
export const keyEndsAt =
  (nth: number): Gateway =>
  ({ count }) =>
    count >= nth ? error(401) : undefined

/** Keys that are accepted for a number of requests, or until the next one is issued. */
export function shortLivedKeys(lifetime: number) {
  const keys = Array.from({ length: 50 }, (_, index) => `k3y-of-the-hour-${index}-Qr7Zt`)
  let [issued, used] = [0, 0]
  const gateway: Gateway = ({ request }) => {
    const number = keys.indexOf(String(request.headers['authorization']).replace('Bearer ', ''))
    if (number === -1) return undefined
    used += 1
    return number === issued - 1 && used <= lifetime ? undefined : error(401)
  }
  return {
    keys,
    gateway,
    issued: () => issued,
    issue(): string {
      used = 0
      return keys[issued++] ?? ''
    },
  }
}

/** Responds in another way for some seconds after its first request, as an ingress before its service has started. */
export const startsAfter = (ms: number, reply: MockReply): Gateway => {
  let startedAt: number | undefined
  return ({ now }) => {
    startedAt ??= now
    return now - startedAt < ms ? reply : undefined
  }
}

export const starting = {
  'default-backend': page(404, 'default backend - 404'),
  'no-route': plain(404, '404 page not found'),
  'no-keys-yet': error(401),
  migrating: error(500, 'migrating'),
  'not-ready': page(503, 'Service Unavailable'),
} satisfies Record<string, MockReply>

/** Passes requests through a gateway to a mock. */
function behind(gateway: Gateway, mock: Mock, now: () => number): Mock['handle'] {
  let count = 0
  return async (request) => {
    count += 1
    const isValid = request.headers['authorization'] === `Bearer ${key}`
    return gateway({ request, now: now(), count, isValid }) ?? mock.handle(request)
  }
}

/** Verifies a mock behind a gateway, in process and in virtual time. */
export function verifyBehind(
  gateway: Gateway,
  more: Partial<VerifyInput> = {},
  options: MockOptions = {},
): Promise<Report> {
  const clock = new VirtualClock()
  const mock = createMock({ keys: [key], now: () => new Date(clock.now()), ...options })
  const dispatcher = dispatcherOf(
    behind(gateway, mock, () => clock.now()),
    clock,
  )
  return verifyBy(clock, { baseUrl: 'http://localhost:1/v1', apiKey: key, dispatcher, ...more })
}
