/** Clients for each adapter. Independent of a test runner, because the matrix uses them, too. */

import { once } from 'node:events'
// MSW 2 replaces properties of this object; named imports do not see that.
import http, { type IncomingMessage } from 'node:http'
import { type ClientHttp2Session, connect } from 'node:http2'
import https from 'node:https'

import type * as msw from 'msw'
import type * as mswNode from 'msw/node'
import type * as undici from 'undici'

import type { createFetch } from '../../../src/mock/adapters/fetch.ts'
import type { createHandlers } from '../../../src/mock/adapters/msw.ts'
import type { createDispatcher } from '../../../src/mock/adapters/undici.ts'
import type { createMock, Mock, MockOptions, startMock } from '../../../src/mock/index.ts'
import { createAuthority, createCertificate } from '../../support/certificate.ts'
import { type Case, headersOf } from './cases.ts'
import { type Answer, answerOf } from './compare.ts'

/** The functions from which the adapters are created. */
export interface Kit {
  createMock: typeof createMock
  startMock: typeof startMock
  createFetch: typeof createFetch
  createHandlers: typeof createHandlers
  createDispatcher: typeof createDispatcher
  setupServer: typeof mswNode.setupServer
  http: typeof msw.http
  undici: Pick<typeof undici, 'request' | 'fetch' | 'Agent'>
}

export interface Client {
  mock: Mock
  send: (request: Sent) => Promise<Answer>
  close: () => void | Promise<void>
}

type Sent = Pick<Case, 'method' | 'target' | 'headers' | 'body'>

export interface AdapterClient {
  name: string
  open: (kit: Kit, options: MockOptions) => Promise<Client>
}

export type Opened = ReturnType<Kit['setupServer']>

/** Handling of unhandled requests, with the option names of MSW 2 and MSW 3. */
export function opened(unhandled: 'error' | 'bypass'): object {
  return { onUnhandledRequest: unhandled, onUnhandledFrame: unhandled }
}

/** The origin that clients use for the mock. */
const origin = 'http://petstore.test'
const baseUrl = `${origin}/v1`

const bytesOf = ({ body = '' }: Sent): Buffer => Buffer.from(body as string)

/** Sends a request to the origin of the mock with any `fetch`. */
async function fetchAnswer(
  fetch: typeof globalThis.fetch,
  request: Sent,
  more: object = {},
): Promise<Answer> {
  const bytes = bytesOf(request)
  const response = await fetch(`${origin}${request.target}`, {
    method: request.method,
    headers: headersOf(request),
    redirect: 'manual',
    ...(request.body !== undefined && { body: bytes }),
    ...more,
  })
  return answerOf(response)
}

/** Sends with node:http, which does not normalize the target. */
async function httpAnswer(request: Sent, port: number, agent?: https.Agent): Promise<Answer> {
  const bytes = bytesOf(request)
  const sent = (agent === undefined ? http : https).request({
    ...(agent !== undefined && { agent }),
    host: port === 80 ? 'petstore.test' : '127.0.0.1',
    port,
    method: request.method,
    path: request.target,
    headers: {
      host: 'petstore.test',
      ...headersOf(request),
      ...(bytes.length > 0 && { 'content-length': bytes.length }),
    },
  })
  sent.end(bytes)
  const [message] = (await once(sent, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return {
    status: message.statusCode ?? 0,
    headers: message.headers as Record<string, string>,
    body: Buffer.concat(chunks),
  }
}

const server: AdapterClient = {
  name: 'server, by node:http',
  async open(kit, options) {
    const mock = await kit.startMock(options)
    return { mock, send: (request) => httpAnswer(request, mock.port), close: () => mock.close() }
  },
}

export const authority = createAuthority('petstore-kit tests')
export const certificate = createCertificate(
  { name: 'petstore.test', hosts: ['127.0.0.1', 'petstore.test'] },
  authority,
)

/** Converts a response to the one expected from a server without TLS. */
const withoutTls = (reply: Answer): Answer => {
  const location = reply.headers['location']?.replace(/^https:/, 'http:')
  return { ...reply, headers: { ...reply.headers, ...(location !== undefined && { location }) } }
}

const overTls: AdapterClient = {
  name: 'server over TLS, by HTTP/1.1',
  async open(kit, options) {
    const mock = await kit.startMock({ ...options, tls: certificate })
    const agent = new https.Agent({ ca: authority.cert, keepAlive: true })
    return {
      mock,
      send: async (request) => withoutTls(await httpAnswer(request, mock.port, agent)),
      close() {
        agent.destroy()
        return mock.close()
      },
    }
  },
}

export const overHttp2: AdapterClient = {
  name: 'server, by HTTP/2',
  async open(kit, options) {
    const mock = await kit.startMock({ ...options, tls: certificate })
    const session = connect(new URL(mock.url).origin, { ca: authority.cert })
    return {
      mock,
      send: async (request) => withoutTls(await http2Answer(session, request)),
      close() {
        session.close()
        return mock.close()
      },
    }
  },
}

/** Sends with HTTP/2, without normalizing the target. */
async function http2Answer(session: ClientHttp2Session, request: Sent): Promise<Answer> {
  const { method, target } = request
  const bytes = bytesOf(request)
  const pseudo = { ':method': method, ':path': target, ':authority': 'petstore.test' }
  const stream = session.request(
    { ...headersOf(request), ...pseudo },
    { endStream: bytes.length === 0 },
  )
  if (bytes.length > 0) stream.end(bytes)
  const [{ ':status': status, ...headers }] = (await once(stream, 'response')) as [
    Record<string, string>,
  ]
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return { status: Number(status), headers: { ...headers }, body: Buffer.concat(chunks) }
}

const fetched: AdapterClient = {
  name: 'petstore-kit/fetch',
  async open(kit, options) {
    const fetch = kit.createFetch(kit.createMock(options), { baseUrl, passthrough: false })
    return { mock: fetch.mock, send: (request) => fetchAnswer(fetch, request), close() {} }
  },
}

function throughMsw(name: string, send: (request: Sent) => Promise<Answer>): AdapterClient {
  return {
    name: `petstore-kit/msw, by ${name}`,
    async open(kit, options) {
      const handlers = kit.createHandlers(kit.createMock(options), { baseUrl })
      const server = kit.setupServer(...handlers)
      server.listen(opened('error'))
      return { mock: handlers.mock, send, close: () => server.close() }
    },
  }
}

function throughUndici(
  name: string,
  send: (kit: Kit, dispatcher: undici.Dispatcher, request: Sent) => Promise<Answer>,
): AdapterClient {
  return {
    name: `petstore-kit/undici, by ${name}`,
    async open(kit, options) {
      const dispatcher = kit.createDispatcher(kit.createMock(options), {
        baseUrl,
        passthrough: false,
      })
      return {
        mock: dispatcher.mock,
        send: (request) => send(kit, dispatcher, request),
        close: () => dispatcher.close(),
      }
    },
  }
}

export const mswClients: readonly AdapterClient[] = [
  throughMsw('fetch', (request) => fetchAnswer(globalThis.fetch, request)),
  throughMsw('node:http', (request) => httpAnswer(request, 80)),
]

export const otherClients: readonly AdapterClient[] = [
  server,
  overTls,
  overHttp2,
  fetched,
  throughUndici('undici.request', async (kit, dispatcher, request) => {
    const { statusCode, headers, body } = await kit.undici.request(`${origin}${request.target}`, {
      dispatcher,
      method: request.method as 'GET',
      headers: headersOf(request),
      ...(request.body !== undefined && { body: bytesOf(request) }),
    })
    const bytes = new Uint8Array(await body.arrayBuffer())
    return { status: statusCode, headers: headers as Record<string, string>, body: bytes }
  }),
  throughUndici('undici.fetch', (kit, dispatcher, request) =>
    fetchAnswer(kit.undici.fetch as unknown as typeof globalThis.fetch, request, { dispatcher }),
  ),
  throughUndici("Node's fetch", (_, dispatcher, request) =>
    fetchAnswer(globalThis.fetch, request, { dispatcher }),
  ),
]
