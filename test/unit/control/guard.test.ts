/** Protection of the control API: other origins, DNS rebinding and the token. */
import { describe, expect, test } from 'vitest'
import type { ControlApi } from '../../../src/mock/control/control-api.ts'
import { isLoopback } from '../../../src/option-checks.ts'
import { createMock, sandboxKey } from '../../../src/mock/index.ts'
import { openSocket, statusesOf } from '../mock/raw-socket.ts'
import {
  sendTo,
  checkReply,
  type CallOptions,
  controlInProcess,
  startControlled,
} from './control.ts'
import { operations } from './document.ts'

const token = 'a-token-of-24-characters'
const bearer = { authorization: `Bearer ${token}` }

/** Each operation of the document, with values for its path parameters. */
const everyOperation = operations.map(({ method, path }) => ({
  method,
  target: path.replace('{sandbox}', 'team-a').replaceAll(/\{\w+\}/g, '1'),
}))

/** Public operations: probes and the OpenAPI document of the service. */
const isOpen = ({ target }: { target: string }): boolean =>
  /^\/_petstore\/(?:interface\.json|interface\.yaml|health|ready)$/.test(target)

describe('the Host header', () => {
  test('is required', async () => {
    const { mock } = await startControlled()
    const socket = openSocket(mock.port)
    socket.send('GET /_petstore/clock HTTP/1.0\r\n\r\n')
    expect(statusesOf(await socket.closed())).toEqual([403])
    const empty = openSocket(mock.port)
    empty.send('GET /_petstore/clock HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n')
    expect(statusesOf(await empty.closed())).toEqual([403])
  })

  test('must match a target in absolute form', async () => {
    const { mock } = await startControlled()
    const absolute = async (authority: string, host: string) => {
      const reply = await sendTo(mock.port, 'GET', `http://${authority}/_petstore/clock`, {
        headers: { host },
      })
      return reply.status
    }
    expect(await absolute('rebound.example.com', '127.0.0.1')).toBe(403)
    expect(await absolute('127.0.0.1', 'rebound.example.com')).toBe(403)
    expect(await absolute('127.0.0.1@rebound.example.com', '127.0.0.1')).toBe(403)
    expect(await absolute('', '127.0.0.1')).toBe(403)
    expect(await absolute('localhost:4010', 'localhost:4010')).toBe(200)
  })

  const statusAt = async (options: { host: string; allowedHosts?: string[] }, host: string) => {
    const { control } = controlInProcess({ ...options, token })
    const request = {
      method: 'GET',
      target: '/_petstore/clock',
      headers: { host, ...bearer },
      body: '',
    }
    return (await control.respond(request)).status
  }
  const here =
    '127.0.0.1|127.0.0.1:4010|127.1.2.3:1|localhost|LocalHost:4010|shop.localhost:4010|[::1]|[::1]:4010'
  const elsewhere =
    'rebound.example.com|rebound.example.com:4010|localhost.example.com|127.0.0.1.example.com|notlocalhost|' +
    'localhost@example.com|128.0.0.1|0.0.0.0:4010|10.0.0.1|[::2]:4010|[::ffff:10.0.0.1]|127.0.0.1:99999999|' +
    '127.0.0.1 example.com'
  test.each<[options: { host: string; allowedHosts?: string[] }, host: string, status: number]>([
    ...here
      .split('|')
      .map((host): [{ host: string }, string, number] => [{ host: '127.0.0.1' }, host, 200]),
    ...elsewhere
      .split('|')
      .map((host): [{ host: string }, string, number] => [{ host: '127.0.0.1' }, host, 403]),
    [{ host: '192.168.1.20' }, '192.168.1.20:4010', 200],
    [{ host: '192.168.1.20' }, '192.168.1.21:4010', 403],
    [{ host: 'fd00::7' }, '[FD00::7]:4010', 200],
    [{ host: 'fd00::7' }, '[fd00::8]:4010', 403],
    [{ host: 'build-box' }, 'Build-Box:4010', 200],
    [{ host: 'build-box' }, 'build-box.example.com:4010', 403],
    // On all interfaces, the host may be any address of the machine, but no unknown name (DNS rebinding).
    [{ host: '0.0.0.0' }, '192.168.1.20:4010', 200],
    [{ host: '::' }, '[fd00::7]:4010', 200],
    [{ host: '0.0.0.0' }, 'rebound.example.com:4010', 403],
    [{ host: '0.0.0.0', allowedHosts: ['petstore'] }, 'petstore:4010', 200],
    [{ host: '0.0.0.0', allowedHosts: ['petstore'] }, 'petstore.example.com:4010', 403],
    [{ host: '127.0.0.1', allowedHosts: ['0.0.0.0'] }, '192.168.1.20:4010', 403],
  ])('of a mock with %j requested as %s: %i', async (options, host, status) => {
    expect(await statusAt(options, host)).toBe(status)
  })
})

describe('a probe', () => {
  test.each(['health', 'ready'])(
    'of %s needs no token, accepts any Host, and shows only its status',
    async (name) => {
      const { mock, call } = await startControlled({ controlToken: token })
      const target = `/_petstore/${name}`
      for (const host of [
        '10.1.2.3:8080',
        'petstore.svc.cluster.local',
        'rebound.example.com',
        '',
      ]) {
        const reply = await sendTo(mock.port, 'GET', target, { headers: { host } })
        expect(reply.json, host).toEqual({ status: name === 'health' ? 'ok' : 'ready' })
        checkReply('GET', target, reply)
      }
      const socket = openSocket(mock.port)
      socket.send(`HEAD ${target} HTTP/1.0\r\n\r\n`)
      expect(statusesOf(await socket.closed())).toEqual([200])
      expect(
        (await call('GET', `/${name}`, { headers: { origin: 'https://example.com' } })).status,
      ).toBe(403)
      expect((await call('POST', `/${name}`)).status).toBe(401)
      expect((await call('GET', `/${name}/`)).status).toBe(401)
    },
  )
})

describe('pages', () => {
  const host = '127.0.0.1:4010'
  test.each<[string, NonNullable<CallOptions['headers']>]>([
    ['of another site', { origin: 'https://example.com' }],
    ['of another site that knows the port', { origin: 'http://example.com:4010' }],
    ['of another port', { origin: 'http://127.0.0.1:5173' }],
    ['of another loopback name', { origin: 'http://localhost:4010' }],
    ['of another scheme', { origin: 'https://127.0.0.1:4010' }],
    ['without an origin of their own, such as files and sandboxed frames', { origin: 'null' }],
    ['with an empty origin', { origin: '' }],
    ['with two origins', { origin: ['http://127.0.0.1:4010', 'https://example.com'] }],
    ['of another site, without Origin, as images and links do', { 'sec-fetch-site': 'cross-site' }],
    ['of the same site, another port', { 'sec-fetch-site': 'same-site' }],
    ['with an unknown Sec-Fetch-Site', { 'sec-fetch-site': 'elsewhere' }],
    ['with two values of Sec-Fetch-Site', { 'sec-fetch-site': ['same-origin', 'cross-site'] }],
    [
      'with the right origin and another site',
      { origin: 'http://127.0.0.1:4010', 'sec-fetch-site': 'cross-site' },
    ],
  ])('%s are rejected', async (_, headers) => {
    const { mock, call } = await startControlled()
    const before = mock.catalog.size
    expect((await call('GET', '/pets', { headers: { host, ...headers } })).status).toBe(403)
    expect((await call('DELETE', '/pets/1', { headers: { host, ...headers } })).status).toBe(403)
    expect((await call('POST', '/reset', { headers: { host, ...headers } })).status).toBe(403)
    const preflight = { host, 'access-control-request-method': 'PUT', ...headers }
    expect((await call('OPTIONS', '/pets', { headers: preflight })).status).toBe(403)
    expect(mock.catalog.size).toBe(before)
  })

  test.each<[string, NonNullable<CallOptions['headers']>]>([
    ['of its own origin', { origin: 'http://127.0.0.1:4010', 'sec-fetch-site': 'same-origin' }],
    ['opened by the user', { 'sec-fetch-site': 'none' }],
  ])('%s are accepted', async (_, headers) => {
    const { call } = await startControlled()
    expect((await call('GET', '/pets', { headers: { host, ...headers } })).status).toBe(200)
  })

  test('cannot send an empty form to operations without a body', async () => {
    const { mock, call } = await startControlled()
    mock.catalog.delete(1)
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '0' }
    expect((await call('POST', '/reset', { headers })).status).toBe(415)
    expect(mock.catalog.size).toBe(4)
  })
})

describe('the token', () => {
  test('is not needed for the document of the service', async () => {
    const { call } = await startControlled({ controlToken: token })
    expect((await call('GET', '/interface.json')).status).toBe(200)
    expect((await call('POST', '/interface.json')).status).toBe(401)
  })

  test('is required by all other operations', async () => {
    const { mock } = await startControlled({ controlToken: token })
    for (const { method, target } of everyOperation.filter((one) => !isOpen(one))) {
      const reply = await sendTo(mock.port, method, target)
      expect(reply.status, `${method} ${target}`).toBe(401)
      expect(reply.headers['www-authenticate']).toMatch(/^Bearer /)
      checkReply(method, target, reply)
    }
  })

  test.each<[string, NonNullable<CallOptions['headers']>]>([
    ['is wrong', { authorization: 'Bearer a-token-of-24-characterS' }],
    ['is cut', { authorization: `Bearer ${token.slice(0, -1)}` }],
    ['is too long', { authorization: `Bearer ${token}x` }],
    ['is doubled', { authorization: `Bearer ${token}${token}` }],
    ['is empty', { authorization: 'Bearer ' }],
    ['has another scheme', { authorization: `Basic ${btoa(`x:${token}`)}` }],
    ['has no scheme', { authorization: token }],
    ['has another one after it', { authorization: `Bearer ${token}, Bearer x` }],
    ['is the API key of the mock', { authorization: 'Bearer petstore-test-key' }],
  ])('%s: 401', async (_, headers) => {
    const { call } = await startControlled({ controlToken: token })
    expect((await call('GET', '/pets', { headers })).status).toBe(401)
  })

  test('differs in one bit: 401', () => {
    const { control } = controlInProcess({ token })
    const statusOf = (sent: string): number | undefined =>
      control.reject?.({
        method: 'GET',
        target: '/_petstore/pets',
        headers: { host: 'localhost', authorization: `Bearer ${sent}` },
        body: '',
      })?.status
    expect(statusOf(token)).toBeUndefined()
    for (let at = 0; at < token.length; at += 1)
      for (const bit of [1, 2, 4, 8, 16, 32, 64]) {
        const other = String.fromCharCode(token.charCodeAt(at) ^ bit)
        const sent = token.slice(0, at) + other + token.slice(at + 1)
        expect(statusOf(sent), sent).toBe(401)
      }
  })

  test('is right: 200', async () => {
    const { call } = await startControlled({ controlToken: token })
    expect((await call('GET', '/pets', { headers: bearer })).status).toBe(200)
    expect(
      (await call('GET', '/pets', { headers: { authorization: `bearer  ${token}` } })).status,
    ).toBe(200)
  })

  test.each([
    { ...bearer, origin: 'https://example.com' },
    { ...bearer, host: 'rebound.example.com' },
    // A request for another host does not reveal whether there is a token.
    { host: 'rebound.example.com' },
  ])('does not allow other origins or hosts: %j', async (headers) => {
    const { call } = await startControlled({ controlToken: token })
    expect((await call('GET', '/pets', { headers })).status).toBe(403)
  })

  const reachable =
    '0.0.0.0 :: 192.168.1.20 build-box 127.0.0.1.example.com localhost.example.com 128.0.0.1'
  test.each(reachable.split(' '))(
    'is generated if the mock listens on %s, not on loopback',
    (host) => {
      expect(isLoopback(host)).toBe(false)
      for (const own of ['127.0.0.1', '127.8.8.8', 'localhost', '::1'])
        expect(isLoopback(own)).toBe(true)
    },
  )

  test.each(['a token with spaces', 'short', ''])('cannot be %j', async (controlToken) => {
    await expect(startControlled({ controlToken })).rejects.toThrow(/printable ASCII/)
  })
})

test('all wrong host names are reported together', () => {
  const wrong = { allowedHosts: ['a:80', 'http://b', 'good.example.com'] }
  expect(() => controlInProcess(wrong)).toThrow(/"a:80"[^]*"http:\/\/b"/)
})

describe('a sandbox key', () => {
  const authorization = `Bearer ${sandboxKey('team-a')}`

  test.each([
    ...everyOperation,
    ...[
      '/_petstore/sandboxes/team-b',
      '/_petstore/sandboxes/team-b/journal',
      '/_petstore/sandboxes/team-a-2/journal',
      '/_petstore/sandboxes/TEAM-A/journal',
      '/_petstore/sandboxes/team%2Da/journal',
      '/_petstore/sandboxes/team-a%2f..%2fteam-b/journal',
      '/_petstore/sandboxes/team-a\\..\\team-b/journal',
      '/_petstore//sandboxes/team-a/journal',
      '//_petstore/sandboxes/team-a/journal',
      '/_petstore/sandboxes?x=/_petstore/sandboxes/team-a/journal',
      '/_petstore/x/../sandboxes/team-a/journal',
    ].map((target) => ({ method: 'GET', target })),
  ])(
    'in place of the token gives access only to its own sandbox: $method $target',
    ({ method, target }) => {
      const { control } = controlInProcess({ token })
      const reply = control.reject({
        method,
        target,
        headers: { host: 'localhost', authorization },
        body: '',
      })
      const isDocument =
        method === 'GET' &&
        /^\/_petstore(?:\/openapi\.json|\/requirements|\/explain\/[^/]+)?$/.test(target)
      const isCreation = method === 'POST' && target === '/_petstore/sandboxes'
      const isBelow = /^\/_petstore\/sandboxes\/team-a(?:-2)?(?:$|\/(?!runs))/.test(target)
      if (isOpen({ target }) || isDocument || isCreation || isBelow)
        return expect(reply).toBeUndefined()
      expect(reply?.status).toBe(403)
      expect(JSON.parse(reply?.body ?? '')).toMatchObject({
        code: 'forbidden',
        message: expect.stringContaining('gives access only to your own sandbox'),
      })
    },
  )

  test.each([
    ['team-a', undefined],
    ['team-a-test 7', undefined],
    ['team-a-test-7', undefined],
    ['team-b', 403],
    ['team-ab', 403],
    ['', 403],
  ])('creates sandboxes below its own name: %j', (name, status) => {
    const { control } = controlInProcess({ token })
    const request = {
      method: 'POST',
      target: '/_petstore/sandboxes',
      body: JSON.stringify({ name }),
    }
    const headers = { host: 'localhost', authorization, 'content-type': 'application/json' }
    expect(control.reject({ ...request, headers })?.status).toBe(status)
  })

  test.each([
    '/sandboxes/team-a/../team-b/journal',
    '/sandboxes/team-a/%2e%2e/team-b/journal',
    '/sandboxes/team-a/..',
  ])('gives no access through dot segments: %s', async (path) => {
    const { mock, call } = await startControlled({ controlToken: token })
    mock.sandboxes.get('team-b')
    expect((await call('GET', path, { headers: { authorization } })).status).toBe(403)
  })

  test('is rejected if cut, lengthened or with another scheme, or if sandboxes are off', async () => {
    const target = '/_petstore/sandboxes/team-a/journal'
    const [own, off] = [controlInProcess({ token }), createMock({ sandboxes: false })]
    const statusOf = (control: ControlApi, sent: string): number | undefined =>
      control.reject({
        method: 'GET',
        target,
        headers: { host: 'localhost', authorization: sent },
        body: '',
      })?.status
    for (const sent of [
      authorization.slice(0, -1),
      `${authorization}0`,
      authorization.replace('Bearer', 'Basic'),
    ]) {
      expect(statusOf(own.control, sent), sent).toBe(401)
    }
    expect(statusOf(controlInProcess({ token, mock: off }).control, authorization)).toBe(401)
  })

  test('is rejected if its name is not among those that open sandboxes', async () => {
    const sandboxes = ['team-b', 'team-b-*']
    const { mock, call } = await startControlled({ controlToken: token, sandboxes })
    const statusOf = async (name: string, made = name): Promise<(number | undefined)[]> => {
      const headers = { authorization: `Bearer ${sandboxKey(name)}` }
      return [
        (await call('GET', `/sandboxes/${name}/rules`, { headers })).status,
        (await call('POST', '/sandboxes', { headers, body: { name: made } })).status,
      ]
    }
    expect(await statusOf('team-a')).toEqual([403, 403])
    expect(mock.sandboxes.list()).toEqual([])
    expect(await statusOf('team-b', 'team-b-test-1')).toEqual([200, 201])
    const made = await call('POST', '/sandboxes', { headers: bearer, body: { name: 'team-a' } })
    expect(made.status).toBe(201)
    expect(await statusOf('team-a')).toEqual([200, 200])
    expect(await statusOf('team-a', 'team-a-test-1')).toEqual([200, 403])
  })

  test('creates its sandbox, and gives no access to others', async () => {
    const { mock, call } = await startControlled({ controlToken: token })
    const headers = { authorization }
    const added = await call('POST', '/sandboxes/team-a/rules', {
      headers,
      body: { reply: { status: 503 } },
    })
    expect(added.status).toBe(201)
    expect((await sendTo(mock.port, 'GET', '/v1/pets', { headers })).status).toBe(503)
    expect((await call('GET', '/sandboxes/team-a/journal', { headers })).json.entries).toHaveLength(
      1,
    )
    expect(
      (await call('GET', '/sandboxes/team-a/scorecard', { headers })).json.scorecards,
    ).toMatchObject([{ requests: 1 }])
    for (const path of ['/journal', '/sandboxes/team-b/journal', '/sandboxes']) {
      expect((await call('GET', path, { headers })).status, path).toBe(403)
    }
    expect([mock.rules(), mock.sandboxes.list().map(({ name }) => name)]).toEqual([[], ['team-a']])
    expect((await call('GET', '/sandboxes/team-c/rules', { headers: bearer })).status).toBe(404)
    expect((await call('DELETE', '/sandboxes/team-a', { headers })).status).toBe(204)
  })
})

describe('where TLS ends before a mock with --control-host mock.example.com', () => {
  const controlHosts = ['mock.example.com']
  const page = { 'sec-fetch-site': 'same-origin' }
  async function statusOf(headers: Record<string, string>, allowedHosts: string[]) {
    const { control } = controlInProcess({ host: '127.0.0.1', allowedHosts, token })
    const request = {
      method: 'POST',
      target: '/_petstore/rules',
      headers: { 'content-type': 'application/json', ...bearer, ...headers },
      body: '{"fault":"reset"}',
    }
    const rejected = control.reject(request)
    if (rejected !== undefined) return rejected.status
    return (await control.respond(request)).status
  }

  test.each([
    ['its https origin', { host: 'mock.example.com', origin: 'https://mock.example.com' }],
    ['its port', { host: 'mock.example.com:8443', origin: 'https://mock.example.com:8443' }],
    [
      'a Host that the proxy changed',
      { host: 'localhost:4010', origin: 'https://mock.example.com' },
    ],
    ['http, as before', { host: 'mock.example.com', origin: 'http://mock.example.com' }],
  ])('%s may change things', async (_, headers) => {
    const status = await statusOf({ ...page, ...headers }, controlHosts)
    expect(status).toBe(201)
  })

  test.each([
    ['a page elsewhere', { host: 'mock.example.com', origin: 'https://evil.example' }],
    ['a subdomain', { host: 'mock.example.com', origin: 'https://a.mock.example.com' }],
    [
      'a similar name',
      { host: 'mock.example.com', origin: 'https://mock.example.com.evil.example' },
    ],
    ['another port', { host: 'mock.example.com', origin: 'https://mock.example.com:8443' }],
    [
      'another program on this machine',
      { host: 'localhost:4010', origin: 'https://localhost:4010' },
    ],
    ['a rebound name', { host: 'evil.example', origin: 'https://evil.example' }],
    ['no origin of its own', { host: 'mock.example.com', origin: 'null' }],
    [
      'a page of the same site',
      {
        host: 'mock.example.com',
        origin: 'https://mock.example.com',
        'sec-fetch-site': 'same-site',
      },
    ],
  ])('%s may not', async (_, headers) => {
    expect(await statusOf({ ...page, ...headers }, controlHosts)).toBe(403)
  })

  test('without the option, its https origin may not', async () => {
    const headers = { ...page, host: '127.0.0.1', origin: 'https://127.0.0.1' }
    expect(await statusOf(headers, [])).toBe(403)
  })
})

test('all operations except probes reject other hosts and other origins', async () => {
  const { mock } = await startControlled()
  for (const { method, target } of everyOperation) {
    for (const headers of [{ host: 'rebound.example.com' }, { origin: 'https://example.com' }]) {
      const reply = await sendTo(mock.port, method, target, { headers })
      const isProbe = /\/(?:health|ready)$/.test(target) && headers.origin === undefined
      expect(reply.status, `${method} ${target}`).toBe(isProbe ? 200 : 403)
      checkReply(method, target, reply)
    }
  }
})

test.each(['/_petstore', '/_petstore/v1', '/_PETSTORE/v1'])(
  'the base path of the service cannot be %s',
  (basePath) => {
    expect(() => controlInProcess({ mock: createMock({ pets: 0, basePath }) })).toThrow(/base path/)
  },
)
