import { describe, expect, test } from 'vitest'
import type { Report } from '../../../src/contract/index.ts'
import type { MockReply } from '../../../src/mock/service/message.ts'
import {
  error,
  gateways,
  keyEndsAt,
  shortLivedKeys,
  starting,
  startsAfter,
  verifyBehind,
  type Gateway,
  type GatewayName,
} from '../../support/gateways.ts'
import { byLevel, sample } from '../../support/level.ts'
import { createChance } from '../../support/variants/chance.ts'
import { violationsIn } from '../../support/verify-variant.ts'

/** Of what comes by chance. */
const seeds = byLevel({ usual: [1], slow: [1, 2, 3], all: [1, 2, 3] })

const brokenCoding = {
  status: 200,
  headers: { 'content-type': 'application/json', 'content-encoding': 'none' },
}

const outcomeOf = (report: Report) => ({
  violations: violationsIn(report),
  exitCode: report.exitCode,
})

describe('a header of --header is what the gateway wants', () => {
  test('no probe replaces it', async () => {
    const report = await verifyBehind(gateways['api-key'](), {
      headers: { 'X-Api-Key': 'gateway-key-1' },
    })
    expect(outcomeOf(report)).toEqual({ violations: [], exitCode: 0 })
  })
})

describe('a page that the valid key gets as well is no verdict on the service', () => {
  test.each([
    'rate-403-page',
    'rate-403-json',
    'rate-403-error',
    'rate-200-captcha',
    'rate-302-captcha',
    'rate-406-page',
    'lockout-403-page',
    'lockout-403-error',
  ] satisfies GatewayName[])('%s', async (name) => {
    for (const concurrency of byLevel({ usual: [4], slow: [1, 4], all: [1, 4] })) {
      const report = await verifyBehind(gateways[name](), { concurrency })
      expect(outcomeOf(report)).toMatchObject({ violations: [] })
    }
  })
})

describe('pages that come and go at any moment are those of the service', () => {
  const html = { 'content-type': 'text/html' }
  test.each<[string, (count: number) => MockReply]>([
    ['a page', (count) => ({ status: 200, headers: html, body: `<p>You are number ${count}.` })],
    ['an error page', (count) => ({ status: 500, headers: html, body: `<p>Incident ${count}` })],
    [
      'a redirect',
      (count) => ({ status: 302, headers: { location: `/login?${count}` }, body: '' }),
    ],
    ['no content coding that exists', () => ({ ...brokenCoding, body: '[]' })],
  ])('%s two of three times', async (_, reply) => {
    for (const chance of [undefined, ...seeds.map(createChance)]) {
      const isReplaced = (count: number): boolean => (chance ? chance() < 2 / 3 : count % 3 !== 2)
      const gateway: Gateway = ({ count }) =>
        count > 1 && isReplaced(count) ? reply(count) : undefined
      const report = await verifyBehind(gateway)
      expect(report).toMatchObject({ exitCode: 1 })
      expect(report.reason).toBeUndefined()
      expect(report.durationMs).toBeLessThan(20_000)
      // Each page makes the suite send the request again.
      expect(report.counts.requests).toBeLessThan(450)
    }
  })
})

describe('a smoke run conforms at a limiter that names no time', () => {
  test.each<[status: number, perSecond: number]>([
    [429, 1],
    [429, 3],
    [429, 10],
    [503, 5],
  ])('by %i, for more than %i requests a second', async (status, perSecond) => {
    const times: number[] = []
    const gateway: Gateway = ({ now }) => {
      if (times.filter((at) => now - at < 1_000).length >= perSecond) return error(status)
      times.push(now)
      return undefined
    }
    const report = await verifyBehind(gateway, { depth: 'smoke' })
    expect(outcomeOf(report)).toEqual({ violations: [], exitCode: 0 })
  })
})

describe('a valid key that was accepted and is then rejected', () => {
  test.each(sample([5, 20, 60, 100, 150], { usual: 2, slow: 1, all: 1 }))(
    'is inconclusive from request %i on',
    async (nth) => {
      const report = await verifyBehind(keyEndsAt(nth))
      expect(outcomeOf(report)).toEqual({ violations: [], exitCode: 3 })
      expect(report.reason).toMatch(/^the key was accepted and then rejected \(401\)/)
    },
  )

  test.each<[how: string, share: number, isFirst: boolean]>([
    ['half of the time, from the first request on', 1 / 2, true],
    ['half of the time', 1 / 2, false],
    ['two of three times', 2 / 3, false],
  ])('by turns is a violation: %s', async (_, share, isFirst) => {
    for (const seed of seeds) {
      const chance = createChance(seed)
      const gateway: Gateway = ({ count, isValid }) =>
        isValid && (isFirst || count > 5) && chance() < share ? error(401) : undefined
      const report = await verifyBehind(gateway)
      expect(report).toMatchObject({ exitCode: 1 })
      expect(report.findings.map(({ requirement }) => requirement)).toEqual(['auth.bearer'])
    }
  })

  test('is a violation once it is accepted again', async () => {
    const report = await verifyBehind(gateways['lockout-401']())
    expect(report.exitCode).toBe(1)
    expect(report.findings.map(({ requirement }) => requirement)).toEqual(['auth.bearer'])
  })
})

describe('a key that expires', () => {
  test.each(sample([28, 29, 30, 31, 60, 100], { usual: 3, slow: 1, all: 1 }))(
    'is replaced by the next one after %i requests',
    async (lifetime) => {
      const { issue, issued, gateway, keys } = shortLivedKeys(lifetime)
      const report = await verifyBehind(gateway, { apiKey: async () => issue() }, { keys })
      expect(outcomeOf(report)).toEqual({ violations: [], exitCode: 0 })
      expect(report.counts.notVerified).toBe(0)
      expect(issued()).toBeGreaterThan(1)
      expect(issued()).toBeLessThan(2 + report.counts.requests / lifetime)
    },
  )

  test('is replaced while violations are still found, and all keys are redacted', async () => {
    const { issue, gateway, keys } = shortLivedKeys(60)
    const echo: Gateway = (at) => {
      const reply = gateway(at)
      return reply && { ...reply, body: reply.body?.replace('No.', `No: ${keys.join()}`) }
    }
    const report = await verifyBehind(
      echo,
      { apiKey: issue },
      { keys, defects: ['list.limit-ignored', 'auth.any-token'] },
    )
    expect(report.findings.map(({ requirement }) => requirement)).toEqual(
      expect.arrayContaining(['list.limit.respected', 'auth.invalid-key']),
    )
    const used = keys.slice(0, 2)
    for (const key of used) expect(JSON.stringify(report)).not.toContain(key)
  })

  test('does not excuse rejections of a key that has not expired', async () => {
    const { issue, issued, keys } = shortLivedKeys(Infinity)
    const flaky: Gateway = ({ count }) => (count % 20 === 19 ? error(401) : undefined)
    const report = await verifyBehind(flaky, { apiKey: issue }, { keys })
    expect(report.findings.map(({ requirement }) => requirement)).toEqual(['auth.bearer'])
    expect(issued()).toBe(1)
  })

  test.each<[what: string, next: (first: string) => string, problem: string]>([
    ['the same one comes again', (first) => first, 'getting another one gave the same one'],
    [
      'the next one is no key',
      () => 'a b',
      'the key that apiKey returned must be printable ASCII without spaces, which its character 2 is not',
    ],
    [
      'there is none',
      () => {
        throw new Error('no login')
      },
      'no login',
    ],
  ])('ends the run if %s', async (_, next, problem) => {
    const { issue, issued, gateway, keys } = shortLivedKeys(60)
    const apiKey = (): string => (issued() === 0 ? issue() : next(keys[0] ?? ''))
    const report = await verifyBehind(gateway, { apiKey }, { keys })
    expect(outcomeOf(report)).toEqual({ violations: [], exitCode: 3 })
    expect(report.reason).toMatch(
      /^the key was accepted and then rejected \(401\), also 5 s later: it may have expired, and getting /,
    )
    expect(report.reason).toContain(problem)
  })
})

describe('a page before the service is named', () => {
  test.each([
    ['basic', /Basic realm="staging".*Basic authentication/],
    ['basic-empty', /Basic realm="staging".*Basic authentication/],
    [
      'jwt',
      /401 \(text\/plain: "Jwt issuer is not configured"\), with WWW-Authenticate: Bearer.*--header/,
    ],
    ['authorizer', /401 \(application\/json\)\. Check the key.*--header/],
    ['authorizer-page', /401 \(text\/html: "Sign in"\), with WWW-Authenticate: DPoP/],
    ['authorizer-nothing', /401 \(no body\)\. Check the key.*--header/],
    ['authorizer-list', /401 \(application\/json\)/],
    [
      'authorizer-error',
      /^the key was rejected \(401\), with WWW-Authenticate: Bearer realm="pets"$/,
    ],
    ['login-page', /login page/],
    ['login-redirect', /login/],
    ['blocked-page', /firewall/],
    ['maintenance', /503/],
    ['http2-only', /Unknown ALPN Protocol.*HTTP\/1\.1/],
  ] as const)('%s', async (name, words) => {
    const report = await verifyBehind(gateways[name]())
    expect(outcomeOf(report)).toEqual({ violations: [], exitCode: 3 })
    expect(report.reason).toMatch(words)
  })
})

describe('--wait-until-ready waits for the service', () => {
  test.each(Object.entries(starting))('behind %s', async (_, reply) => {
    const report = await verifyBehind(startsAfter(6_000, reply), { waitUntilReadyMs: 30_000 })
    expect(outcomeOf(report)).toEqual({ violations: [], exitCode: 0 })
  })
})

describe('--rate', () => {
  test.each([1, 4])('keeps the distance with %i concurrent requests', async (concurrency) => {
    const times: number[] = []
    const gateway: Gateway = ({ now }) => void times.push(now)
    const report = await verifyBehind(gateway, { rate: 5, concurrency })
    expect(outcomeOf(report)).toEqual({ violations: [], exitCode: 0 })
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0))
    expect(times.length).toBeGreaterThan(100)
    expect(Math.min(...gaps)).toBeGreaterThan(195)
  })
})
