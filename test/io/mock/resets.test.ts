/** Clients that reset their connection at any point: the process of a mock or a proxy survives, and serves others. */
import { once } from 'node:events'
import * as http from 'node:http'
import * as https from 'node:https'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { defaultKey } from '../../../src/mock/index.ts'
import { createCertificate } from '../../support/certificate.ts'
import { byLevel } from '../../support/level.ts'
import { serveMock } from '../../support/serve-mock.ts'
import { proxyOf } from '../proxy/proxy.ts'

const unhandled: unknown[] = []
const note = (error: unknown): void => void unhandled.push(error)
beforeAll(() => void process.on('uncaughtExceptionMonitor', note))
afterAll(() => void process.off('uncaughtExceptionMonitor', note))

const authorization = `Authorization: Bearer ${defaultKey}\r\n`
const request = (line: string, headers = '', body = ''): string =>
  `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}${headers}\r\n${body}`
const length = 'Content-Type: application/json\r\nContent-Length: 100\r\n'

/** For each event by which Node hands over a socket, and each state of a request. */
const http1: Record<string, string> = {
  nothing: '',
  'half a head': 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n',
  'a request': request('GET /v1/pets'),
  'requests at once': request('GET /v1/pets').repeat(50),
  'half a body': request('POST /v1/pets', length, '{"name"'),
  'half a chunk': request('POST /v1/pets', 'Transfer-Encoding: chunked\r\n', 'ff\r\n{'),
  CONNECT: 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n',
  'CONNECT and bytes of the tunnel': `${request('CONNECT x:1')}\x16\x03\x01\x02\0`,
  'a request, then CONNECT': request('GET /v1/pets') + request('CONNECT x:1'),
  Upgrade: request('GET /v1/pets', 'Connection: Upgrade\r\nUpgrade: websocket\r\n', '\x81\0'),
  'Upgrade: h2c': request('GET /v1/pets', 'Connection: Upgrade\r\nUpgrade: h2c\r\n'),
  'Expect: 100-continue': request('POST /v1/pets', `${length}Expect: 100-continue\r\n`),
  'Expect: other': request('POST /v1/pets', `${length}Expect: other\r\n`),
  'no HTTP': 'SSH-2.0-OpenSSH_9.2\r\n\r\n',
  'large headers': request('GET /v1/pets', `X: ${'x'.repeat(30_000)}\r\n`),
  'an unescaped target': request('GET /v1/pets/é'),
  'a broken chunk': request('POST /v1/pets', 'Transfer-Encoding: chunked\r\n', 'no\r\n'),
  'a delayed request': request('GET /v1/pets', 'Prefer: delay=30\r\n'),
  'a silent request': request('GET /v1/pets', 'Prefer: fault=silence\r\n'),
  'a slow response': request('GET /v1/pets', 'Prefer: fault=slow-body\r\n'),
  'an event stream': request('GET /_petstore/journal/stream'),
  'a TLS record': '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
}

const frame = (type: number, flags: number, stream: number, payload = '', size = payload.length) =>
  `\0${String.fromCharCode(size >> 8, size & 255, type, flags)}\0\0\0${String.fromCharCode(stream)}${payload}`
const hello = `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${frame(4, 0, 0)}`
/** An HPACK literal without indexing, from the static table of names. */
const field = (name: number, value: string): string =>
  String.fromCharCode(...(name < 15 ? [name] : [15, name - 15]), value.length) + value
const path = '\x04\x0a/v1/pets?l'
const heads = {
  get: `\x82\x87${path}${field(1, 'x')}`,
  post: `\x83\x87${path}${field(1, 'x')}`,
  connect: `${field(2, 'CONNECT')}${field(1, 'x:1')}`,
  expect: `\x83\x87${path}${field(1, 'x')}${field(35, '100-continue')}`,
}
const http2: Record<string, string> = {
  nothing: '',
  'half a preface': hello.slice(0, 10),
  SETTINGS: hello,
  'half a frame': hello + frame(1, 5, 1, heads.get).slice(0, 12),
  'HEADERS without an end': hello + frame(1, 1, 1, heads.get),
  'a request': hello + frame(1, 5, 1, heads.get),
  'half a body': hello + frame(1, 4, 1, heads.post) + frame(0, 0, 1, '{"name"'),
  CONNECT: hello + frame(1, 4, 1, heads.connect),
  'CONNECT and bytes of the tunnel': hello + frame(1, 4, 1, heads.connect) + frame(0, 0, 1, 'x'),
  Expect: hello + frame(1, 4, 1, heads.expect),
  RST_STREAM: hello + frame(1, 4, 1, heads.post) + frame(3, 0, 1, '\0\0\0\x08'),
  GOAWAY: hello + frame(7, 0, 0, '\0\0\0\0\0\0\0\0'),
  'a broken frame': hello + frame(8, 0, 0, '\0'),
  'no HTTP/2': 'GET / HTTP/1.1\r\n\r\n',
}

const ends = {
  'at once': (raw: Socket) => raw.resetAndDestroy(),
  'with unread bytes': (raw: Socket) => raw.destroy(),
} as const
/** A reset before the bytes are read, a turn of the event loop later, and after the first bytes of the response. */
const moments = ['sent', 'later', 'answered'] as const

/** A connection to a server, over TLS if `protocol` is set; resolves when the client has left it. */
async function leave(
  port: number,
  protocol: string | undefined,
  bytes: string,
  moment: (typeof moments)[number],
  end: (raw: Socket) => unknown,
): Promise<void> {
  // Node cannot reset a socket that it has begun to end by itself.
  const raw = connectTcp({ port, host: '127.0.0.1', allowHalfOpen: true })
  raw.on('error', () => {})
  const closed = new Promise((resolve) => raw.once('close', resolve))
  const client =
    protocol === undefined
      ? raw
      : connectTls({ socket: raw, rejectUnauthorized: false, ALPNProtocols: [protocol] })
  client.on('error', () => raw.destroy())
  // The server may close the connection at any time.
  const either = (event: Promise<unknown>): Promise<unknown> => Promise.race([event, closed])
  const next = (event: string) => new Promise((resolve) => client.once(event, resolve))
  await either(next(protocol === undefined ? 'connect' : 'secureConnect'))
  const answered = next('readable')
  await either(new Promise((resolve) => client.write(bytes, 'latin1', resolve)))
  if (moment === 'later') await new Promise((resolve) => setImmediate(resolve))
  if (moment === 'answered') {
    // Not every request gets a response.
    await either(Promise.race([answered, new Promise((resolve) => setTimeout(resolve, 50))]))
  }
  end(raw)
  await closed
}

const tls = createCertificate({ name: 'localhost', hosts: ['127.0.0.1'] })
const start = {
  mock: () => serveMock(),
  secure: () => serveMock({ tls }),
  proxy: async () => proxyOf((await serveMock()).url),
  silent: () => proxyOf('http://127.0.0.1:9/v1'),
}

const servers = [
  ['the mock', 'mock', undefined, http1],
  ['the proxy', 'proxy', undefined, http1],
  ['a proxy without a deployment', 'silent', undefined, http1],
  ['the mock, HTTP/1.1 over TLS', 'secure', 'http/1.1', http1],
  ['the mock, HTTP/2', 'secure', 'h2', http2],
  ['the mock, no TLS on its port for TLS', 'secure', undefined, http1],
] as const

test.each(servers)('%s survives every reset', async (_, name, protocol, payloads) => {
  const server = await start[name]()
  const before = unhandled.length
  for (const bytes of Object.values(payloads)) {
    await Promise.all(
      Object.values(ends).flatMap((end) =>
        moments.flatMap((moment) =>
          // Which of the events comes first is chance.
          Array.from({ length: byLevel({ usual: 1, slow: 3, all: 9 }) }, () =>
            leave(server.port, protocol, bytes, moment, end),
          ),
        ),
      ),
    )
  }
  expect(unhandled.slice(before)).toEqual([])
  const { get } = server.url.startsWith('https:') ? https : http
  const url = new URL('/_petstore/health', server.url)
  const [{ statusCode }] = (await once(
    get(url, { agent: false, rejectUnauthorized: false }),
    'response',
  )) as [http.IncomingMessage]
  expect(statusCode).toBe(200)
})
