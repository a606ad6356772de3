import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'

import { UsageError } from '../../../src/errors.ts'
import { listen } from '../../../src/mock/http/listen.ts'
import type { Responder } from '../../../src/mock/http/reply.ts'
import { defaultKey, type RunningMock, startMock } from '../../../src/mock/index.ts'
import { lastBodyOf, openSocket, statusesOf } from '../../unit/mock/raw-socket.ts'

const key = `Authorization: Bearer ${defaultKey}\r\n`
const head = `Host: localhost\r\n${key}`
const get = `GET /v1/pets/1 HTTP/1.1\r\n${head}\r\n`
const rex = '{"name":"Rex","categoryId":1}'

let mock: RunningMock
beforeEach(async () => {
  mock = await startMock({ pets: 30 })
  return () => mock.close()
})

/** Sends bytes, and returns everything received until the connection ends. */
async function exchange(text: string): Promise<string> {
  const socket = openSocket(mock.port)
  socket.send(text)
  return socket.closed()
}

function expectError(received: string, status: number): void {
  expect(statusesOf(received).at(-1)).toBe(status)
  expect(received.toLowerCase()).toContain('content-type: application/json')
  const body = JSON.parse(lastBodyOf(received))
  expect(body).toEqual({ code: expect.any(String), message: expect.any(String), status })
}

describe('connections', () => {
  test('pipelined replies arrive in order, an invalid request last', async () => {
    const post = `POST /v1/pets HTTP/1.1\r\n${head}Content-Length: ${rex.length}\r\n\r\n${rex}`
    const received = await exchange(`${post}${get}NONSENSE\r\n\r\n`)
    expect(statusesOf(received)).toEqual([201, 200, 400])
    expectError(received, 400)
  })

  test.each([
    ['/v1/pets?name=a b', 'A space in the request target must be %20.', ''],
    [
      '/v1/pets?name=Zoë',
      'A non-ASCII character in the request target must be percent-encoded, as UTF-8.',
      '',
    ],
    ['/v1/pets/a b c', 'A space in the request target must be %20.', get],
  ])('%s is rejected, and recorded like any other request', async (target, message, before) => {
    // Takes hours with a pattern that backtracks over the spaces.
    const long = `X-Long:${' '.repeat(15_000)}x\ny\r\n`
    const bytes = Buffer.from(
      `${before}GET ${target} HTTP/1.1\r\n${head}${long}X-Team: a\r\n\r\n`,
    ).toString('latin1')
    const received = await exchange(bytes)
    expectError(received, 400)
    expect(JSON.parse(lastBodyOf(received)).message).toBe(message)
    const entry = mock.journal.last()
    expect(entry?.request).toMatchObject({ method: 'GET', target, headers: { 'x-team': 'a' } })
    expect(entry?.response.status).toBe(400)
    expect(JSON.stringify(entry)).not.toContain(defaultKey)
    const [card] = await mock.scorecards()
    expect(card?.issues.map(({ id }) => id)).toContain('target.unescaped')
  })

  test.each(['/v1/pets?name=Zoë', '/v1/pets/ö?limit=1', '/_petstore/pé', '/\x01'])(
    'the response to %j does not depend on how its bytes are divided',
    async (target) => {
      const bytes = Buffer.from(`GET ${target} HTTP/1.1\r\n${head}\r\n`).toString('latin1')
      const answers = new Set<string>()
      for (let at = 1; at < bytes.indexOf(' HTTP'); at += 3) {
        const socket = openSocket(mock.port)
        socket.send(bytes.slice(0, at))
        await new Promise((resolve) => setTimeout(resolve, 20))
        socket.send(bytes.slice(at))
        answers.add(lastBodyOf(await socket.closed()))
      }
      answers.add(lastBodyOf(await exchange(bytes)))
      expect([...answers]).toEqual([expect.stringContaining('must be percent-encoded')])
    },
  )

  test.each(['/v1/pets', '/_petstore/reset'])(
    'a body of an unknown length ends the connection to %s, and the response says so',
    async (target) => {
      const sent = `POST ${target} HTTP/1.1\r\n${head}Transfer-Encoding: identity\r\n\r\n`
      const received = await exchange(sent + get)
      expectError(received, 501)
      expect(received.toLowerCase()).toContain('connection: close')
      expect(mock.journal.list({ operation: 'getPet' })).toEqual([])
    },
  )

  test('OPTIONS * asks about the server, without a key', async () => {
    const socket = openSocket(mock.port)
    socket.send('OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(await socket.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 204 .*allow: GET, POST, OPTIONS/s)
    expect(mock.journal.list()).toEqual([])
    socket.socket.destroy()
  })

  test('CONNECT is rejected after the responses before it', async () => {
    const received = await exchange(`${get.repeat(20)}CONNECT x:1 HTTP/1.1\r\n${head}\r\n`)
    expect(statusesOf(received)).toEqual([...Array.from({ length: 20 }, () => 200), 501])
  })

  test.each([
    ['', ''],
    ['with a body of no bytes', 'Content-Length: 0\r\n\r\n'],
    ['with a body', 'Content-Length: 2\r\n\r\n{}'],
  ])('a pipelined request %s sees what the one before it has created', async (_, rest) => {
    const post = `POST /v1/pets HTTP/1.1\r\n${head}Content-Length: ${rex.length}\r\n\r\n${rex}`
    const list = `GET /v1/pets?limit=1 HTTP/1.1\r\n${head}${rest || '\r\n'}`
    const socket = openSocket(mock.port)
    socket.send(`${post}${list}${post}${list}`)
    const received = await socket.until(/(?:HTTP[^]*){4}\]$/)
    expect(statusesOf(received)).toEqual([201, 200, 201, 200])
    const ids = [...received.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id))
    expect(ids).toEqual([ids[0], ids[0], ids[2], ids[2]])
    expect(ids[2]).toBe((ids[0] ?? 0) + 1)
    socket.socket.destroy()
  })

  test('a GET does not wait for its body', async () => {
    const socket = openSocket(mock.port)
    socket.send(`GET /v1/pets/1 HTTP/1.1\r\n${head}Content-Length: 10\r\n\r\n`)
    expect(statusesOf(await socket.until(/"id":1/))).toEqual([200])
    socket.socket.destroy()
  })

  test('close sends pending replies and ends at once, also with idle and half-open connections', async () => {
    const [idle, half] = [openSocket(mock.port), openSocket(mock.port)]
    idle.send(get)
    half.send('POST /v1/pets HTTP/1.1\r\n')
    await idle.until(/"id":1/)
    await Promise.all([mock.close(), mock.close()])
    expect(statusesOf(await idle.closed())).toEqual([200])
    expect(await half.closed()).toBe('')
  })

  test('fake timers block neither a response nor the end of the server', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const idle = openSocket(mock.port)
    idle.send(get)
    expect(await idle.until(/"id":1/)).toContain('"id":1')
    await mock.close()
  })

  test('the memory of a deliberate defect is per connection', async () => {
    mock.configure({ defects: ['auth.once-per-connection'] })
    const [known, other] = [openSocket(mock.port), openSocket(mock.port)]
    known.send(get)
    await known.until(/"id":1/)
    for (const { send } of [known, other])
      send('GET /v1/pets/2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(await known.closed()).toContain('"id":2')
    expect(await other.closed()).toContain('401')
  })

  test('ignores an upgrade, and rejects CONNECT', async () => {
    const upgrade = get.replace(
      '\r\n\r\n',
      '\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
    )
    expect(statusesOf(await exchange(upgrade))).toEqual([200])
    expectError(await exchange(`CONNECT example.com:443 HTTP/1.1\r\n${head}\r\n`), 501)
  })
})

describe('bodies', () => {
  test('are read in chunks', async () => {
    const chunks = `5\r\n${rex.slice(0, 5)}\r\n${(rex.length - 5).toString(16)}\r\n${rex.slice(5)}\r\n0\r\n\r\n`
    const received = await exchange(
      `POST /v1/pets HTTP/1.1\r\n${head}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
    )
    expect(statusesOf(received)).toEqual([201])
  })

  test('get 100 Continue before they are sent', async () => {
    const socket = openSocket(mock.port)
    socket.send(
      `POST /v1/pets HTTP/1.1\r\n${head}Expect: 100-continue\r\nContent-Length: ${rex.length}\r\n\r\n`,
    )
    await socket.until(/100 Continue/)
    socket.send(rex)
    expect(statusesOf(await socket.until(/"id":31/))).toEqual([100, 201])
    socket.socket.destroy()
  })

  test('that are declared too large with Expect: 100-continue are rejected without it', async () => {
    const received = await exchange(
      `POST /v1/pets HTTP/1.1\r\n${head}Expect: 100-continue\r\nContent-Length: 2000000\r\n\r\n`,
    )
    expectError(received, 413)
    expect(statusesOf(received)).toEqual([413])
  })

  test('beyond 1 MiB in chunks get 413, which a client that still sends can read', async () => {
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
    const received = await exchange(
      `POST /v1/pets HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(40)}`,
    )
    expectError(received, 413)
  })

  test('of any size get 401 without a key', async () => {
    const received = await exchange(
      'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\n',
    )
    expectError(received, 401)
  })
})

describe('an invalid request gets an Error body and a clean close', () => {
  test.each([
    ['a request line', 'NONSENSE\r\n\r\n', 400],
    ['a version', `GET /v1/pets HTTP/3.9\r\n${head}\r\n`, 400],
    ['a method in lower case', `get /v1/pets HTTP/1.1\r\n${head}\r\n`, 400],
    ['a header without a colon', `GET /v1/pets HTTP/1.1\r\n${head}Nonsense\r\n\r\n`, 400],
    ['a header with NUL', `GET /v1/pets HTTP/1.1\r\n${head}X: \0\r\n\r\n`, 400],
    [
      'a length and chunks',
      `POST /v1/pets HTTP/1.1\r\n${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      'two lengths',
      `POST /v1/pets HTTP/1.1\r\n${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\n`,
      400,
    ],
    ['an invalid length', `POST /v1/pets HTTP/1.1\r\n${head}Content-Length: x\r\n\r\n`, 400],
    [
      'a chunk size',
      `POST /v1/pets HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
      400,
    ],
    ['no Host', `GET /v1/pets HTTP/1.1\r\n${key}Connection: close\r\n\r\n`, 400],
    ['two Hosts', `GET /v1/pets HTTP/1.1\r\n${head}Host: b\r\nConnection: close\r\n\r\n`, 400],
    ['a long target', `GET /v1/pets?${'x'.repeat(70_000)} HTTP/1.1\r\n${head}\r\n`, 414],
    ['large headers', `GET /v1/pets HTTP/1.1\r\n${head}X: ${'x'.repeat(70_000)}\r\n\r\n`, 431],
  ])('%s', async (_, bytes, status) => {
    expectError(await exchange(bytes), status)
  })

  test('a request that does not arrive in time gets 408', async () => {
    const reject = (status: number, message: string) => ({
      status,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: 'x', message, status }),
    })
    const responder: Responder = {
      respond: ({ rejection = [500, 'no rejection'] }) => reject(...rejection),
      reject,
      bodyLimit: 100,
    }
    const timeouts = { headersTimeoutMs: 60, requestTimeoutMs: 60, timeoutCheckMs: 20 }
    const server = await listen(responder, { port: 0, host: '127.0.0.1', ...timeouts })
    for (const part of [
      'GET /v1',
      'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{',
    ]) {
      const socket = openSocket(server.port)
      socket.send(part)
      expectError(await socket.closed(), 408)
    }
    await server.close()
  })

  test('a connection that sends no byte is closed without a response, and is no request', async () => {
    let requests = 0
    const unexpected = () => {
      requests += 1
      return { status: 500, headers: {}, body: '' }
    }
    const responder: Responder = { respond: unexpected, reject: unexpected, bodyLimit: 100 }
    const timeouts = { headersTimeoutMs: 60, requestTimeoutMs: 60, timeoutCheckMs: 20 }
    const server = await listen(responder, { port: 0, host: '127.0.0.1', ...timeouts })
    expect(await openSocket(server.port).closed()).toBe('')
    expect(requests).toBe(0)
    await server.close()
  })
})

test('two Authorization headers get 401', async () => {
  expectError(
    await exchange(`GET /v1/pets HTTP/1.1\r\n${head}${key}Connection: close\r\n\r\n`),
    401,
  )
})

test('accepts headers with names of Object.prototype properties', async () => {
  const odd = '__proto__: a\r\n__proto__: b\r\nconstructor: c\r\ntoString: d\r\ntoString: e\r\n'
  expect(
    statusesOf(await exchange(`GET /v1/pets HTTP/1.1\r\n${head}${odd}Connection: close\r\n\r\n`)),
  ).toEqual([200])
})

test.each([
  ['text/html,application/xhtml+xml,*/*;q=0.8', 303],
  ['*/*', 404],
])('GET / with Accept: %s, which redirects browsers to the console: %i', async (accept, status) => {
  const response = await fetch(new URL('/', mock.url), { headers: { accept }, redirect: 'manual' })
  const location = status === 303 ? '_petstore/console/' : null
  expect([response.status, response.headers.get('location')]).toEqual([status, location])
})

test('reports a port in use and an unknown host in one line', async () => {
  await expect(startMock({ port: mock.port })).rejects.toThrow(UsageError)
  await expect(startMock({ port: mock.port })).rejects.toThrow(
    `port: ${mock.port} on 127.0.0.1 is taken. Use another port, such as ${mock.port + 1}, or 0 for any free port.`,
  )
  await expect(startMock({ host: 'no.such.host.invalid' })).rejects.toThrow('host: no.such')
})
