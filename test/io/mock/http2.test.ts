/** TLS: HTTP/2 and HTTP/1.1 on one port. The common cases and faults of all adapters are in test/io/adapters. */
import { once } from 'node:events'
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from 'node:http2'
import { connect as connectTcp } from 'node:net'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

import { listen, type ListenOptions } from '../../../src/mock/http/listen.ts'
import {
  createMock,
  defaultKey,
  type RunningMock,
  type StartOptions,
} from '../../../src/mock/index.ts'
import type { ControlApi } from '../../../src/mock/control/control-api.ts'
import type { MockReply, MockRequest } from '../../../src/mock/service/message.ts'
import { run, runProcess, startMockCommand } from '../cli/command.ts'
import { makeFolder } from '../../support/folder.ts'
import { writeFileSync } from 'node:fs'
import { connect as connectTls } from 'node:tls'
import { join } from 'node:path'
import { printJson } from '../../../src/json.ts'
import { runs } from '../../support/level.ts'
import { createAuthority, createCertificate } from '../../support/certificate.ts'
import { serveMock } from '../../support/serve-mock.ts'
import { patient } from './serving.ts'

const authority = createAuthority('petstore-kit tests')
const tls = createCertificate(
  { name: 'petstore.test', hosts: ['127.0.0.1', 'localhost'] },
  authority,
)
const authorization = `Bearer ${defaultKey}`

function openSession(port: number): ClientHttp2Session {
  const session = connect(`https://127.0.0.1:${port}`, { ca: authority.cert })
  session.on('error', () => {})
  onTestFinished(() => session.destroy())
  return session
}

async function startTls(
  options: StartOptions = {},
): Promise<RunningMock & { session: ClientHttp2Session }> {
  const mock = await serveMock({ pets: 3, ...options, tls })
  return Object.assign(mock, { session: openSession(mock.port) })
}

/** Starts a server with the given replies, and returns its port. */
async function listenWith(
  respond: (request: MockRequest) => MockReply,
  options: Partial<ListenOptions> = {},
  control?: ControlApi,
): Promise<number> {
  const reject = (status: number, message: string): MockReply => ({
    status,
    headers: {},
    body: message,
  })
  const listening = await listen(
    {
      respond: (request) =>
        request.rejection === undefined ? respond(request) : reject(...request.rejection),
      reject,
      bodyLimit: 100_000,
      ...(control !== undefined && { control }),
    },
    { ...patient, port: 0, host: '127.0.0.1', tls, ...options },
  )
  onTestFinished(() => listening.close())
  return listening.port
}

const serve = async (...server: Parameters<typeof listenWith>): Promise<ClientHttp2Session> =>
  openSession(await listenWith(...server))

interface Seen {
  status?: number
  headers: Record<string, unknown>
  body: string
  /** The code of RST_STREAM; undefined if the stream ended normally. */
  reset?: number
}

/** Waits for the end of a stream, with or without an error. */
const closed = (stream: ClientHttp2Stream): Promise<unknown> =>
  new Promise(
    (resolve) =>
      void (stream.closed && stream.destroyed ? resolve(0) : stream.once('close', resolve)),
  )

async function seen(stream: ClientHttp2Stream): Promise<Seen> {
  const found: Seen = { headers: {}, body: '' }
  stream.on('response', ({ ':status': status, ...headers }) =>
    Object.assign(found, { status, headers }),
  )
  stream.setEncoding('utf8').on('data', (text: string) => (found.body += text))
  stream.on('error', () => {})
  await closed(stream)
  if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) found.reset = stream.rstCode
  return found
}

function call(
  session: ClientHttp2Session,
  path: string,
  headers: OutgoingHttpHeaders = {},
  body?: string,
): Promise<Seen> {
  const stream = session.request(
    { ':path': path, authorization, ...headers },
    { endStream: body === undefined },
  )
  if (body !== undefined) stream.end(body)
  return seen(stream)
}

const post = { ':method': 'POST', 'content-type': 'application/json' }

describe('faults', () => {
  test('a reset is RST_STREAM before any header, and the connection stays open', async () => {
    const { session, use } = await startTls()
    use({ fault: 'reset', times: 1 })
    expect(await call(session, '/v1/pets')).toEqual({
      headers: {},
      body: '',
      reset: constants.NGHTTP2_INTERNAL_ERROR,
    })
    expect((await call(session, '/v1/pets')).status).toBe(200)
  })

  test('a delayed response or slow body is marked as abandoned when the client cancels it', async () => {
    const { session, use, journal } = await startTls()
    use({ delayMs: 600_000, times: 1 })
    const arrived = journal.waitFor({ after: journal.range.last })
    const late = session.request({ ':path': '/v1/pets', authorization }).on('error', () => {})
    await arrived
    expect((await call(session, '/v1/pets')).status).toBe(200)
    late.close(constants.NGHTTP2_CANCEL)
    await expect.poll(() => journal.list()[0]?.abandoned).toBe(true)
    use({ fault: { slowBodyMs: 60_000 }, times: 1 })
    const slow = session.request({ ':path': '/v1/pets', authorization }).on('error', () => {})
    await once(slow, 'data')
    slow.close(constants.NGHTTP2_CANCEL)
    await expect.poll(() => journal.last()?.abandoned).toBe(true)
  })
})

test('an incomplete creation creates nothing', async () => {
  const { session, port, catalog } = await startTls()
  for (const code of [constants.NGHTTP2_CANCEL, constants.NGHTTP2_NO_ERROR]) {
    const sent = { ':path': '/v1/pets', authorization, ...post, 'content-length': '100' }
    const stream = session.request(sent).on('error', () => {})
    stream.write('{"name":"Rex","categoryId":1}')
    expect((await call(session, '/v1/pets')).status).toBe(200)
    stream.close(code)
    await closed(stream)
    expect((await call(session, '/v1/pets')).status).toBe(200)
  }
  const other = openSession(port)
  const stream = other
    .request({ ':path': '/v1/pets', authorization, ...post })
    .on('error', () => {})
  stream.write('{"name":"Rex","categoryId":1}')
  expect((await call(other, '/v1/pets')).status).toBe(200)
  other.destroy()
  await closed(stream)
  expect((await call(session, '/v1/pets')).status).toBe(200)
  expect(catalog.size).toBe(3)
})

test('drops connection headers of HTTP/1.1, and survives any status', async () => {
  const replies: MockReply[] = [
    {
      status: 200,
      headers: {
        connection: 'close',
        'keep-alive': 'x',
        'transfer-encoding': 'chunked',
        'x-own': '1',
      },
      body: 'a',
    },
    { status: 101, headers: { upgrade: 'websocket' }, body: '' },
    { status: 200, headers: { 'x-bad': 'a\nb' }, body: 'a' },
    { status: 204, headers: {}, body: '' },
  ]
  const warnings: unknown[] = []
  const listener = (warning: Error): unknown => warnings.push(warning)
  process.on('warning', listener)
  onTestFinished(() => void process.off('warning', listener))
  const session = await serve(() => replies.shift() as MockReply)
  const first = await call(session, '/')
  expect(first).toMatchObject({
    status: 200,
    body: 'a',
    headers: { 'x-own': '1', 'content-length': '1' },
  })
  expect(Object.keys(first.headers)).not.toContain('connection')
  expect(await call(session, '/')).toMatchObject({
    status: 500,
    body: expect.stringContaining('cannot carry'),
  })
  expect(await call(session, '/')).toMatchObject({ status: 500 })
  expect(await call(session, '/')).toMatchObject({ status: 204, body: '' })
  expect(warnings).toEqual([])
})

test('sends 100 Continue, but not for a body that is declared too large', async () => {
  const { session } = await startTls()
  // The mock accepts methods in any letter case.
  const head = {
    ...post,
    ':method': 'post',
    ':path': '/v1/pets',
    authorization,
    expect: '100-continue',
  }
  const stream = session.request(head)
  await once(stream, 'continue')
  stream.end('{"name":"Rex","categoryId":1}')
  expect((await seen(stream)).status).toBe(201)
  const large = session.request({
    ':path': '/v1/pets',
    authorization,
    ...post,
    expect: '100-continue',
    'content-length': '9999999',
  })
  large.on('continue', () => expect.unreachable())
  expect((await seen(large)).status).toBe(413)
})

test('streams events of the control API, and closing the mock ends the stream normally', async () => {
  const { session, close, url } = await startTls()
  const stream = session.request({ ':path': '/_petstore/events', accept: 'text/event-stream' })
  let text = ''
  stream
    .setEncoding('utf8')
    .on('data', (chunk: string) => (text += chunk))
    .on('error', () => {})
  await once(stream, 'response')
  await call(session, '/v1/pets/1')
  await expect.poll(() => text).toContain('/v1/pets/1')
  const closed = once(stream, 'close')
  await close()
  await closed
  expect(url).toMatch(/^https:/)
})

test('while it drains, it announces its end to old and new sessions, and still responds', async () => {
  const { session, drain, port, use, journal } = await startTls()
  use({ delayMs: 100, times: 1 })
  const arrived = journal.waitFor({ after: journal.range.last })
  const late = call(session, '/v1/pets')
  await arrived
  const old = once(session, 'goaway')
  drain()
  // The largest id: also requests that are on their way get a response.
  expect((await old).slice(0, 2)).toEqual([constants.NGHTTP2_NO_ERROR, 2 ** 31 - 1])
  expect((await late).status).toBe(200)
  const next = openSession(port)
  const left = once(next, 'goaway')
  expect((await call(next, '/v1/pets')).status).toBe(200)
  expect((await left)[0]).toBe(constants.NGHTTP2_NO_ERROR)
})

test('accepts its own origin only with https', async () => {
  const { session, port } = await startTls()
  const host = `127.0.0.1:${port}`
  const callAs = (origin: string) =>
    call(session, '/_petstore/clock', { origin, ':authority': host })
  expect((await callAs(`https://${host}`)).status).toBe(200)
  expect((await callAs(`http://${host}`)).status).toBe(403)
  expect(
    (await call(session, '/_petstore/clock', { ':authority': 'rebound.example.com' })).status,
  ).toBe(403)
})

describe('limits', () => {
  test('headers over 16 KiB get 431, a path 414, and headers over 64 KiB a reset', async () => {
    const { session } = await startTls()
    expect((await call(session, '/v1/pets', { 'x-long': 'x'.repeat(20_000) })).status).toBe(431)
    expect((await call(session, `/v1/pets?${'x'.repeat(20_000)}`)).status).toBe(414)
    const many = Object.fromEntries(
      Array.from({ length: 700 }, (_, index) => [`x-${index}`, 'some longer value, repeated']),
    )
    expect((await call(session, '/v1/pets', many)).status).toBe(431)
    expect(
      (await call(session, '/v1/pets', { 'x-long': 'x'.repeat(70_000) })).status,
    ).toBeUndefined()
    expect(
      (await call(openSession(Number(session.originSet?.[0]?.split(':').at(-1) ?? 0)), '/v1/pets'))
        .status,
    ).toBe(200)
  })

  test('allows a hundred concurrent streams', async () => {
    const { session, use } = await startTls()
    await call(session, '/v1/pets')
    expect(session.remoteSettings.maxConcurrentStreams).toBe(100)
    use({ fault: 'silence' })
    const streams = Array.from({ length: 150 }, () =>
      session.request({ ':path': '/v1/pets', authorization }).on('error', () => {}),
    )
    expect(streams.length).toBe(150)
    await expect.poll(() => session.state.nextStreamID).toBeGreaterThan(200)
  })

  test('a rapid reset of thousands of streams ends only its connection', async () => {
    const mock = await startTls()
    const { session } = mock
    await call(session, '/v1/pets')
    let opened = 0
    const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
    mock.use({ fault: 'silence' })
    while (!session.destroyed && !session.closed && opened < 20_000) {
      const streams = Array.from({ length: 50 }, () =>
        session.request({ ':path': '/v1/pets', authorization }).on('error', () => {}),
      )
      opened += 50
      await turn()
      for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL)
      await turn()
    }
    mock.removeRules()
    expect(opened).toBeLessThan(20_000)
    expect((await call(openSession(mock.port), '/v1/pets')).status).toBe(200)
  })

  test('all connections share 128 MiB for open streams, which closed connections free', async () => {
    const port = await listenWith(({ headers }) => ({
      status: 200,
      headers: {},
      body: '',
      wire: headers['x'] === undefined ? {} : { silent: true },
    }))
    const sessions = Array.from({ length: 60 }, () => openSession(port))
    // The client sends it once on each connection, and then an index.
    const pad = 'x'.repeat(3_900)
    for (const session of sessions)
      for (let count = 1; count <= 100; count += 1)
        session.request({ ':path': '/', ...post, x: [pad, pad, pad, pad] }).on('error', () => {})
    const open = (): number => sessions.filter(({ closed }) => !closed).length
    await expect.poll(open, { interval: 5 }).toBeLessThan(58)
    expect(open()).toBeGreaterThan(45)
    for (const session of sessions) session.destroy()
    const served = async (): Promise<unknown> => (await call(openSession(port), '/')).status
    await expect.poll(served).toBe(200)
  })

  test('a body that does not arrive in time gets 408', async () => {
    const session = await serve(() => ({ status: 200, headers: {}, body: '' }), {
      requestTimeoutMs: 50,
    })
    const stream = session.request({ ':path': '/', ...post })
    stream.write('{')
    expect((await seen(stream)).status).toBe(408)
  })

  test('closes an idle connection, and one with an open request whose client no longer speaks HTTP/2', async () => {
    const silent: MockReply = { status: 200, headers: {}, body: '', wire: { silent: true } }
    const session = await serve(() => silent, { idleMs: 500 })
    await new Promise((resolve) => session.once('remoteSettings', resolve))
    const port = Number(session.socket.remotePort)
    await new Promise((resolve) => session.once('close', resolve))
    const waiting = openSession(port)
    waiting.request({ ':path': '/' }).on('error', () => {})
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(waiting.closed).toBe(false)
    const broken = connectTls({
      port,
      host: '127.0.0.1',
      ca: authority.cert,
      ALPNProtocols: ['h2'],
    })
    await new Promise((resolve) => broken.once('secureConnect', resolve))
    // Settings; GET / with the authority `l`; and data on stream 0.
    const frames = '000000040000000000 000006010500000001828684 41016c 00000100000000000000'
    broken.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
    broken.write(Buffer.from(frames.replaceAll(' ', ''), 'hex'))
    await new Promise((resolve) => broken.resume().once('close', resolve))
  })

  describe('time to receive the headers', () => {
    const reply = { status: 200, headers: {}, body: 'ok' }
    const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
    const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])
    const opening = Buffer.concat([preface, settings])
    /** A HEADERS frame of the first stream that declares more bytes than it has. */
    const headers = (flags: number, missing = 0): Buffer => {
      const block = [0x82, 0x87, 0x84, 0x41, 1, 0x78]
      const size = block.length + missing
      return Buffer.from([0, size >> 8, size & 255, 1, flags, 0, 0, 0, 1, ...block])
    }

    /** A client that sends these bytes; resolves when it is disconnected. */
    async function untilDisconnected(
      bytes: Buffer,
      more?: Buffer,
      control?: ControlApi,
    ): Promise<void> {
      const client = connectTls({
        port: await listenWith(() => reply, { headersTimeoutMs: 500 }, control),
        host: '127.0.0.1',
        ca: authority.cert,
        ALPNProtocols: ['h2'],
      })
      onTestFinished(() => void client.destroy())
      client.on('error', () => {}).resume()
      client.write(bytes)
      const dripping = setInterval(() => more && client.write(more), 10)
      await once(client, 'close')
      clearInterval(dripping)
    }

    const continuation = Buffer.from([0, 0, 9, 9, 4, 0, 0, 0, 1, 0])
    test.each([
      ['nothing', Buffer.alloc(0)],
      ['half a preface', preface.subarray(0, 10)],
      ['SETTINGS', opening],
      ['half a SETTINGS frame', opening.subarray(0, -3)],
      ['HEADERS without their end', Buffer.concat([opening, headers(1)])],
      ['half a HEADERS frame', Buffer.concat([opening, headers(5, 200)])],
      ['half a CONTINUATION frame', Buffer.concat([opening, headers(1), continuation])],
    ])('a client that stops after %s is disconnected', (_, bytes) => untilDisconnected(bytes))

    test('a client that stops within a frame while it reads an event stream is disconnected', async () => {
      const beat = new TextEncoder().encode(':\n\n')
      let open = 0
      const control: ControlApi = {
        matches: () => true,
        reject: () => undefined,
        close() {},
        bodyLimit: 0,
        async respond() {
          open += 1
          let timer: NodeJS.Timeout
          const stream = new ReadableStream<Uint8Array>({
            start: (events) => void (timer = setInterval(() => events.enqueue(beat), 20)),
            cancel: () => clearInterval(timer),
          })
          return { status: 200, headers: { 'content-type': 'text/event-stream' }, stream }
        },
      }
      const half = headers(5, 200)
      // The next stream of the client.
      half[8] = 3
      await untilDisconnected(Buffer.concat([opening, headers(5), half]), undefined, control)
      expect(open).toBe(1)
    })

    test('a client that sends a frame byte by byte is disconnected', () =>
      untilDisconnected(Buffer.concat([opening, headers(5, 16_000)]), Buffer.from([0])))

    test('a client that is idle before and between requests is not', async () => {
      const session = await serve(() => reply, { headersTimeoutMs: 300 })
      let pings = 0
      session.on('ping', () => (pings += 1))
      await once(session, 'ping')
      for (let count = 1; count <= 3; count += 1) {
        expect(await call(session, '/v1/pets')).toMatchObject({ status: 200 })
        await new Promise((resolve) => setTimeout(resolve, 1_000))
      }
      expect(session.closed).toBe(false)
      // Only after bytes of the client: an idle connection costs nothing.
      expect(pings).toBeLessThanOrEqual(8)
    })
  })

  test('sends no second response to a body that was rejected before its end by an unread response', async () => {
    const session = await serve(() => ({ status: 413, headers: {}, body: 'x' }), {
      requestTimeoutMs: 50,
    })
    session.settings({ initialWindowSize: 0 })
    await new Promise((resolve) => session.once('localSettings', resolve))
    const stream = session
      .request({ ':path': '/', ...post, 'content-length': 1_000_000 })
      .on('error', () => {})
    await new Promise((resolve) => stream.once('response', resolve))
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect((await call(session, '/', { ':method': 'HEAD' })).status).toBe(413)
  })

  test('a body beyond the limit gets 413, even if the client continues to send', async () => {
    const { session, catalog } = await startTls()
    const stream = session
      .request({ ':path': '/v1/pets', authorization, ...post })
      .on('error', () => {})
    const piece = 'x'.repeat(100_000)
    const send = (): boolean =>
      stream.destroyed || stream.write(piece, () => void setImmediate(send))
    send()
    expect((await seen(stream)).status).toBe(413)
    expect(catalog.size).toBe(3)
  })

  test('buffers only a few megabytes of unread responses, and resets stalled streams', async () => {
    let handled = 0
    const body = 'x'.repeat(4 * 2 ** 20)
    const session = await serve(
      () => {
        handled += 1
        return { status: 200, headers: {}, body }
      },
      { stallMs: 50 },
    )
    // Paused streams do not open their windows.
    const streams = Array.from({ length: 50 }, () =>
      session
        .request({ ':path': '/' })
        .on('error', () => {})
        .pause(),
    )
    const codes = await Promise.all(
      streams.map((stream) => closed(stream).then(() => stream.rstCode)),
    )
    expect(handled).toBeGreaterThan(0)
    expect(handled * body.length).toBeLessThan(32 * 2 ** 20)
    expect(codes.filter((code) => code === constants.NGHTTP2_NO_ERROR)).toEqual([])
  })
})

test('any request gets the same response as in process', async () => {
  const { session } = await startTls({ profile: { 'get.sunset-header': 'absent' } })
  const beside = createMock({ pets: 3, profile: { 'get.sunset-header': 'absent' } })
  const text = fc.string({
    unit: fc.constantFrom(...'azAZ09 %2F-._~!$&\'()*+,;=:@/?[]{}"<>\\^`|é'),
    maxLength: 20,
  })
  const path = fc.oneof(
    text.map((one) => `/v1/pets/${one}`),
    text.map((one) => `/v1/pets?${one}`),
    fc.constantFrom(
      '/v1/pets',
      '/v1/pets?limit=2&status=sold',
      '/v1/pets/9223372036854775807',
      '/',
      '/v1//pets',
    ),
  )
  const sent = fc.record({
    method: fc.constantFrom(
      'GET',
      'GET',
      'POST',
      'POST',
      'HEAD',
      'OPTIONS',
      'DELETE',
      'PATCH',
      'QUERY',
    ),
    target: path.map((one) => one.replaceAll(' ', '%20')),
    authorization: fc.constantFrom(
      authorization,
      authorization,
      authorization,
      'Bearer no',
      'Basic x',
      '',
    ),
    type: fc.constantFrom(
      'application/json',
      'application/json; charset=utf-8',
      'text/plain',
      undefined,
    ),
    body: fc.oneof(
      fc.record({
        name: fc.string({ unit: 'binary' }),
        categoryId: fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }),
      }),
      fc.json(),
      fc.string({ unit: 'binary' }),
    ),
    prefer: fc.constantFrom(undefined, undefined, undefined, 'code=503', 'code=99', 'delay=1'),
  })
  const ofProcess = async (request: Omit<MockRequest, 'scheme'>) => {
    const { status, body } = await beside.handle(request)
    return { status, body: request.method === 'HEAD' ? '' : body }
  }
  await fc.assert(
    fc.asyncProperty(sent, async ({ method, target, type, body, prefer, ...more }) => {
      const bytes = Buffer.from(typeof body === 'string' ? body : printJson(body))
      const headers = {
        authorization: more.authorization,
        ...(type !== undefined && { 'content-type': type }),
        ...(prefer !== undefined && { prefer }),
        ...(method === 'POST' && { 'content-length': String(bytes.length) }),
      }
      const latin = Buffer.from(target).toString('latin1')
      const stream = session.request(
        { ':method': method, ':path': latin, ...headers },
        { endStream: method !== 'POST' },
      )
      if (method === 'POST') stream.end(bytes)
      const { status, body: received, reset } = await seen(stream)
      const expected = await ofProcess({
        method,
        target,
        headers: { ...headers, host: 'x' },
        body: bytes.toString(),
      })
      expect({ status, body: received, reset }).toEqual({ ...expected, reset: undefined })
    }),
    { numRuns: runs(250) },
  )
})

test('rejects a request with two hosts, of which the guard would see one', async () => {
  const { session } = await startTls()
  const headers = { ':authority': 'evil.example', host: 'localhost' }
  expect((await call(session, '/_petstore/pets', headers)).status).toBe(400)
  expect((await call(session, '/v1/pets', headers)).status).toBe(400)
  const same = { ':authority': 'LOCALHOST', host: 'localhost' }
  expect((await call(session, '/_petstore/pets', same)).status).toBe(200)
})

describe('HTTP/1.1 on the same port', () => {
  test('invalid requests get an Error body', async () => {
    const { port } = await startTls()
    const socket = connectTls({
      port,
      host: '127.0.0.1',
      ca: authority.cert,
      ALPNProtocols: ['http/1.1'],
    })
    let received = ''
    socket
      .setEncoding('latin1')
      .on('data', (text: string) => (received += text))
      .on('error', () => {})
    socket.write('GET /v1/pets HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n')
    await once(socket, 'close')
    expect(received).toMatch(/^HTTP\/1\.1 400 /)
    expect(received).toContain('"status":400')
  })

  test('a client without ALPN uses HTTP/1.1, and a request without TLS ends only its connection', async () => {
    const { port, session } = await startTls()
    const plain = connectTcp({ port, host: '127.0.0.1' })
    plain
      .on('error', () => {})
      .resume()
      .write('GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(plain, 'close')
    const socket = connectTls({ port, host: '127.0.0.1', ca: authority.cert })
    socket.write('GET /v1/pets/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    const [head] = (await once(socket.setEncoding('latin1'), 'data')) as [string]
    expect(head).toMatch(/^HTTP\/1\.1 401 /)
    expect((await call(session, '/v1/pets')).status).toBe(200)
  })

  test('closing ends connections during the TLS handshake, also with fake timers', async () => {
    const { port, close } = await startTls()
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    for (const bytes of ['', '\u0016\u0003\u0001']) {
      const socket = connectTcp({ port, host: '127.0.0.1' })
      socket.on('error', () => {}).write(bytes)
      await once(socket, 'connect')
    }
    await close()
  })
})

test('a request has the same data as in process', async () => {
  const requests: MockRequest[] = []
  const session = await serve((request) => {
    requests.push(request)
    return { status: 200, headers: {}, body: '' }
  })
  await call(session, `/v1/p%65ts?x=${Buffer.from('é').toString('latin1')}`, {
    'x-twice': ['a', 'b'],
    'X-Case': 'C',
  })
  expect(requests[0]).toMatchObject({
    method: 'GET',
    target: '/v1/p%65ts?x=é',
    headers: {
      authorization,
      'x-twice': ['a', 'b'],
      'x-case': 'C',
      host: expect.stringMatching(/^127\.0\.0\.1:/),
    },
    body: '',
    scheme: 'https',
  })
  expect(Object.keys(requests[0]?.headers ?? {}).filter((name) => name.startsWith(':'))).toEqual([])
})

describe('the command', () => {
  function files(): string[] {
    const folder = makeFolder()
    writeFileSync(join(folder, 'cert.pem'), tls.cert)
    writeFileSync(join(folder, 'key.pem'), tls.key)
    return [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  }

  test('serves HTTPS, prints https URLs, and works with petstore health and scorecard', async () => {
    const [cert = '', key = ''] = files()
    const mock = await startMockCommand('--tls-cert', cert, '--tls-key', key)
    const { port, protocol } = new URL(mock.url)
    expect(protocol).toBe('https:')
    const env = { PETSTORE_MOCK_PORT: port, PETSTORE_MOCK_TLS_CERT: cert }
    expect((await run(['health'], { env })).stdout).toBe(
      `The mock at https://127.0.0.1:${port} is ready.\n`,
    )
    const verified = await runProcess(['verify', mock.url, '--key', defaultKey, '--insecure'])
    expect(verified.stdout + verified.stderr).toContain('PASS  49 of 49')
    await call(openSession(Number(port)), '/v1/pets', { authorization })
    expect((await run(['scorecard', mock.url])).stdout).toMatch(
      /^main \(default key\) {2}100 of 100\n1 request,/,
    )
  })

  test('uses renewed files without a restart as soon as they match', async () => {
    const [cert = '', key = ''] = files()
    const mock = await startMockCommand('--tls-cert', cert, '--tls-key', key)
    const presented = async (): Promise<string> => {
      const socket = connectTls({
        host: '127.0.0.1',
        port: Number(new URL(mock.url).port),
        rejectUnauthorized: false,
      })
      await once(socket, 'secureConnect')
      const { subject } = socket.getPeerCertificate()
      socket.destroy()
      return String(subject.CN)
    }
    expect(await presented()).toBe('petstore.test')
    const renewed = createCertificate({ name: 'renewed.test', hosts: ['127.0.0.1'] })
    writeFileSync(cert, renewed.cert)
    await mock.says(
      /cannot be used with its key: .*; the previous certificate stays in use/,
      'stderr',
    )
    expect(await presented()).toBe('petstore.test')
    writeFileSync(key, renewed.key)
    await mock.says(/New connections use the new certificate/, 'stderr')
    expect(await presented()).toBe('renewed.test')
  })

  const other = createCertificate({ name: 'other', hosts: ['127.0.0.1'] })
  test.each([
    ['', tls.cert, other.key],
    ['there is no private key in PEM', tls.cert, other.key.replaceAll('-', '')],
    ['there is no certificate in PEM', other.key, other.key],
  ])(
    'a certificate without its key gives one clear line without its contents: %s',
    async (reason, cert, key) => {
      const paths = files()
      for (const [index, text] of [cert, key].entries()) writeFileSync(paths[index] ?? '', text)
      const { code, stderr } = await run([
        'mock',
        '--port',
        '0',
        '--tls-cert',
        paths[0] ?? '',
        '--tls-key',
        paths[1] ?? '',
      ])
      expect([code, stderr.trimEnd().split('\n').length]).toEqual([2, 1])
      expect(stderr).toMatch(
        new RegExp(`^petstore: --tls-cert cannot be used with its key: ${reason}`),
      )
      expect(stderr).not.toContain(other.key.split('\n')[1])
    },
  )
})
