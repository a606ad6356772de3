/** Requests that HTTP parsing rejects: each gets an Error body, and leaves a trace for whoever runs the mock or the proxy. */
import { once } from 'node:events'
import { connect } from 'node:http2'
import { expect, onTestFinished, test } from 'vitest'

import { toJsonLine, toTextLine } from '../../../src/cli/mock/request-log.ts'
import { defaultKey } from '../../../src/mock/index.ts'
import type { JournalEntry } from '../../../src/mock/journal/entry.ts'
import type { LoggedRequest } from '../../../src/mock/sandbox/types.ts'
import { createAuthority, createCertificate } from '../../support/certificate.ts'
import { serveMock } from '../../support/serve-mock.ts'
import { lastBodyOf, openSocket } from '../../unit/mock/raw-socket.ts'
import { logOf, proxyOf } from '../proxy/proxy.ts'

const key = `Authorization: Bearer ${defaultKey}\r\n`
const get = (headers: string, line = 'GET /v1/pets?limit=3 HTTP/1.1'): string =>
  `${line}\r\n${headers}\r\n`
const host = 'Host: 127.0.0.1\r\nConnection: close\r\n'
const post = 'POST /v1/pets HTTP/1.1'

/** What is sent, the response, and what the journal shows of the request line. */
const malformed: readonly [string, string, number, RegExp, string, string][] = [
  [
    'large headers',
    get(`${host}${key}Cookie: ${'x'.repeat(20_000)}\r\n`),
    431,
    /headers are too large/,
    'GET',
    '/v1/pets?limit=3',
  ],
  [
    'a long target',
    `GET /v1/${'x'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`,
    414,
    /target is too long/,
    'GET',
    `/v1/${'x'.repeat(2_044)}`,
  ],
  ['bare line feeds', `GET /v1/pets HTTP/1.1\nHost: x\n\n`, 400, /not HTTP\/1\.1/, '-', '-'],
  [
    'no Host',
    get(`${key}Connection: close\r\n`),
    400,
    /one Host header/,
    'GET',
    '/v1/pets?limit=3',
  ],
  ['two Hosts', get(`${host}Host: b\r\n${key}`), 400, /one Host header/, 'GET', '/v1/pets?limit=3'],
  [
    'both framings',
    get(`${host}${key}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n`, post),
    400,
    /not HTTP\/1\.1/,
    'POST',
    '/v1/pets',
  ],
  [
    'another coding',
    get(`${host}${key}Transfer-Encoding: gzip\r\n`, post),
    501,
    /only supported transfer coding/,
    'POST',
    '/v1/pets',
  ],
  [
    'a method in lower case',
    get(host + key, 'get /v1/pets HTTP/1.1'),
    400,
    /method in upper case/,
    'get',
    '/v1/pets',
  ],
  [
    'an unknown version',
    get(host + key, 'GET /v1/pets HTTP/1.7'),
    400,
    /not HTTP\/1\.1/,
    'GET',
    '/v1/pets',
  ],
  ['HTTP/0.9', 'GET /v1/pets\r\n\r\n', 505, /must be HTTP\/1\.1/, 'GET', '/v1/pets'],
  ['TLS', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', 400, /speaks TLS/, '-', '-'],
  ['HTTP/2 without TLS', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505, /HTTP\/2 needs TLS/, 'PRI', '*'],
  [
    'CONNECT',
    'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n',
    501,
    /CONNECT is not supported/,
    'CONNECT',
    'example.com:443',
  ],
  [
    'a broken chunk',
    `${get(`${host}${key}Transfer-Encoding: chunked\r\n`, post)}no\r\n`,
    400,
    /not HTTP\/1\.1/,
    'POST',
    '/v1/pets',
  ],
]
const finished: typeof malformed = [
  [
    'a body that ends early',
    `${get(`${host}${key}Content-Type: application/json\r\nContent-Length: 9\r\n`, post)}{`,
    400,
    /not HTTP\/1\.1/,
    'POST',
    '/v1/pets',
  ],
]

/** Sends bytes, and ends its side of the connection with `isFinished`; resolves with the response. */
async function send(port: number, bytes: string, isFinished: boolean): Promise<string> {
  const client = openSocket(port)
  onTestFinished(() => void client.socket.destroy())
  client.send(bytes)
  if (isFinished) client.socket.end()
  return client.closed()
}

const cases = [
  ...malformed.map((row) => [...row, false] as const),
  ...finished.map((row) => [...row, true] as const),
]

test.each(cases)(
  '%s: in the journal, the log and the metrics of the mock',
  async (_, bytes, status, message, method, target, isFinished) => {
    const logged: LoggedRequest[] = []
    const mock = await serveMock({ onRequest: (request) => logged.push(request) })
    const received = await send(mock.port, bytes, isFinished)
    expect(received).toContain(`HTTP/1.1 ${status} `)
    expect(JSON.parse(lastBodyOf(received))).toMatchObject({
      status,
      message: expect.stringMatching(message) as string,
    })
    const read = await fetch(`${mock.controlUrl}/journal`)
    const { entries } = (await read.json()) as { entries: JournalEntry[] }
    expect(entries).toEqual([
      expect.objectContaining({
        malformed: true,
        request: expect.objectContaining({ method, target }) as object,
        response: expect.objectContaining({ status, body: lastBodyOf(received) }) as object,
      }),
    ])
    expect(JSON.stringify(entries)).not.toContain(defaultKey)
    expect(logged).toMatchObject(mock.journal.list())
    const [line] = logged.map(toTextLine({ color: false, rulesOf: () => [] }))
    expect(line).toContain(`  ${status}  `)
    expect(line).toMatch(message)
    expect(JSON.parse(logged.map((one) => toJsonLine(one, true)).join(''))).toMatchObject({
      malformed: true,
    })
    const metrics = await (await fetch(`${mock.controlUrl}/metrics`)).text()
    expect(metrics).toContain('petstore_malformed_requests_total 1\n')
    expect(metrics).toMatch(
      new RegExp(
        `petstore_requests_total\\{operation="\\w+",status="${status}",sandbox="own"\\} 1`,
      ),
    )
    // What its client meant is unknown.
    expect(await mock.scorecards()).toMatchObject([{ requests: 0, score: null }])
  },
)

test.each([
  [
    'large headers',
    get(`${host}${key}Cookie: ${'x'.repeat(20_000)}\r\n`, 'HEAD /v1/pets HTTP/1.1'),
  ],
  ['a target that is not escaped', get(host + key, 'HEAD /v1/pets/é HTTP/1.1')],
  ['no Host', get(`${key}Connection: close\r\n`, 'HEAD /v1/pets HTTP/1.1')],
  [
    'large headers for the control API',
    get(`${host}X: ${'x'.repeat(20_000)}\r\n`, 'HEAD /_petstore HTTP/1.1'),
  ],
])('HEAD with %s gets no body', async (_, bytes) => {
  const mock = await serveMock()
  const received = await send(mock.port, bytes, false)
  expect(received).toMatch(/^HTTP\/1\.1 4\d\d [^]+\r\ncontent-length: [1-9]\d*\r\n[^]*\r\n\r\n$/i)
})

test('the mock records them over HTTP/2, and those of sandboxes, in its own journal', async () => {
  const authority = createAuthority('petstore-kit tests')
  const tls = createCertificate({ name: 'localhost', hosts: ['127.0.0.1'] }, authority)
  const mock = await serveMock({ tls })
  const session = connect(new URL('/', mock.url), { ca: authority.cert })
  onTestFinished(() => session.destroy())
  const authorization = `Bearer ${mock.sandboxes.get('p1').key}`
  const stream = session.request({
    ':path': '/v1/pets',
    authorization,
    cookie: `token=${'x'.repeat(20_000)}`,
  })
  await once(stream, 'response')
  expect(mock.journal.list()).toMatchObject([
    { malformed: true, request: { method: 'GET', target: '/v1/pets' }, response: { status: 431 } },
  ])
  expect(JSON.stringify(mock.journal.list())).not.toContain(authorization)
})

test('the control API does not, since its own requests are not in the journal', async () => {
  const mock = await serveMock()
  await send(mock.port, `GET /_petstore/pets HTTP/1.1\r\n${key}Connection: close\r\n\r\n`, false)
  await send(mock.port, `GET /_petstore/pets/é HTTP/1.1\r\n${host}\r\n`, false)
  expect(mock.journal.list()).toEqual([])
})

test('repeating one repeats its rejection', async () => {
  const mock = await serveMock()
  await send(mock.port, `POST /v1/pets HTTP/1.1\r\n${key}Connection: close\r\n\r\n`, false)
  expect(mock.repeat(1)).toMatchObject({ malformed: true, response: { status: 400 } })
})

test.each(cases)(
  '%s: in the journal and the log of the proxy',
  async (_, bytes, status, message, ...rest) => {
    const mock = await serveMock()
    const log = logOf()
    const proxy = await proxyOf(mock.url, log)
    expect(await send(proxy.port, bytes, rest[2])).toContain(`HTTP/1.1 ${status} `)
    const [entry] = await log.nth(1)
    expect(entry).toMatchObject({ response: { status }, judged: { verdict: 'proxy' } })
    expect(entry?.judged?.reason).toMatch(message)
    const { entries } = (await (await fetch(`${proxy.controlUrl}/journal`)).json()) as {
      entries: JournalEntry[]
    }
    expect(entries).toHaveLength(1)
    // It reaches the deployment only in part, or not at all.
    expect(mock.journal.list().every(({ malformed }) => malformed)).toBe(true)
  },
)
