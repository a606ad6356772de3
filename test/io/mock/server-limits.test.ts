import { Socket } from 'node:net'
import { describe, expect, test, vi } from 'vitest'

import type { MockReply, MockRequest } from '../../../src/mock/service/message.ts'
import { collectGarbage } from '../../support/heap.ts'
import { statusesOf } from '../../unit/mock/raw-socket.ts'
import { open, serve, server, until } from './serving.ts'

const get = (headers = ''): string => `GET / HTTP/1.1\r\nHost: x\r\n${headers}\r\n`

test('stops reading from a client that never reads its responses', async () => {
  let calls = 0
  const large = Object.freeze({ status: 200, headers: {}, body: 'x'.repeat(10_000) })
  await serve(({ target }) => {
    if (target !== '/') return { status: 200, headers: {}, body: target }
    calls += 1
    return large
  })
  const client = open()
  client.socket.pause()
  client.send(get().repeat(100_000))
  const other = open()
  // Each of these gives the server a turn to read more.
  for (let turn = 1; turn <= 500; turn += 1) {
    other.send(`GET /turn-${turn} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await other.until(new RegExp(`turn-${turn}$`))
  }
  expect(calls).toBeGreaterThan(100)
  expect(calls).toBeLessThan(20_000)
})

test('disconnects a client with thousands of pending replies, and serves others', async () => {
  await serve(({ headers }) => ({
    status: 200,
    headers: {},
    body: 'ok',
    ...(headers['x-late'] !== undefined && { delayMs: 3_600_000 }),
  }))
  const [client, other] = [open(), open()]
  client.send(get('X-Late: 1\r\n').repeat(5_000))
  expect(await client.closed()).toBe('')
  other.send(get())
  expect(statusesOf(await other.until(/ok$/))).toEqual([200])
})

test('a body that breaks off while the response to it is delayed gets no second response', async () => {
  let asked = false
  await serve(() => {
    asked = true
    return { status: 413, headers: {}, body: '', delayMs: 100 }
  })
  const client = open()
  client.send(
    `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n80\r\n${'x'.repeat(128)}\r\n`,
  )
  await until(() => asked)
  client.send('no chunk\r\n')
  expect(statusesOf(await client.closed())).toEqual([413])
})

describe('responses that a client does not read', () => {
  const mebibyte = 2 ** 20
  const text = 'x'.repeat(mebibyte)
  const forms: Record<string, (size: number) => Partial<MockReply>> = {
    'that are delayed': (size) => ({ body: text.repeat(size), delayMs: 3_600_000 }),
    'that are not Latin': (size) => ({
      body: '名'.repeat((size * mebibyte) / 3),
      delayMs: 3_600_000,
    }),
    'that are cut': (size) => ({
      wire: { bytes: new Uint8Array(size * mebibyte), contentLength: 2 * size * mebibyte },
    }),
    'that are slow': (size) => ({ body: text.repeat(size), wire: { bodyMs: 3_600_000 } }),
    'that are whole': (size) => ({ body: text.repeat(size) }),
  }

  test.each(Object.keys(forms))(
    '%s: a connection is cut when more than 16 MiB are pending',
    async (form) => {
      let calls = 0
      await serve(() => {
        calls += 1
        return { status: 200, headers: {}, body: '', ...forms[form]?.(4) }
      })
      const destroyed = destroyedByServer()
      const client = open()
      client.socket.pause()
      client.send(get().repeat(100))
      await destroyed(1)
      expect(calls).toBeGreaterThan(3)
      expect(calls).toBeLessThan(10)
    },
  )

  test('a single response may be larger', async () => {
    await serve(() => ({ status: 200, headers: {}, body: text.repeat(20), delayMs: 1 }))
    const client = open()
    client.send(get('Connection: close\r\n'))
    expect((await client.closed()).length).toBeGreaterThan(20 * mebibyte)
  })

  test('all connections share 128 MiB, which closed connections free', async () => {
    await serve(({ target }) => ({
      status: 200,
      headers: {},
      body: text.repeat(8),
      delayMs: target === '/' ? 3_600_000 : 1,
    }))
    const clients = Array.from({ length: 30 }, open)
    let closed = 0
    for (const client of clients) {
      void client.closed().then(() => (closed += 1))
      client.send(get())
    }
    await until(() => closed >= 14)
    const late = open()
    late.send('GET /late HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(await late.closed()).toBe('')
    for (const { socket } of clients) socket.destroy()
    const served = async (): Promise<boolean> => {
      const client = open()
      client.send('GET /late HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
      return (await client.closed()).length > 8 * mebibyte
    }
    while (!(await served()));
  })

  test('a response beyond the limit is not written at all', async () => {
    await serve(() => ({ status: 200, headers: {}, body: text.repeat(50) }))
    const written = vi.spyOn(Socket.prototype, 'write')
    const destroyed = destroyedByServer()
    for (const { socket, send } of Array.from({ length: 8 }, open)) {
      socket.pause()
      send(get())
    }
    await destroyed(6)
    expect(written.mock.calls.filter(([bytes]) => bytes.length > mebibyte)).toHaveLength(2)
  })

  test('a stalled client is disconnected', async () => {
    await serve(() => ({ status: 200, headers: {}, body: text.repeat(8) }), { stallMs: 50 })
    const destroyed = destroyedByServer()
    const client = open()
    client.socket.pause()
    client.send(get())
    await destroyed(1)
  })

  test('a client that waits for a delayed response is not disconnected', async () => {
    const large = text.repeat(8)
    await serve(
      ({ target }) =>
        target === '/'
          ? { status: 200, headers: {}, body: large }
          : { status: 200, headers: {}, body: 'late', delayMs: 3_000 },
      { stallMs: 1_000 },
    )
    const { socket, send } = open()
    send(`${get()}GET /late HTTP/1.1\r\nHost: x\r\n\r\n`)
    let end = ''
    for await (const piece of socket as AsyncIterable<string>) {
      end = (end + piece).slice(-4)
      if (end === 'late') break
    }
    expect(end).toBe('late')
  })
})

describe('requests whose responses are pending', () => {
  const size = 2 ** 20
  const post = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(size)}`
  const short = { status: 503, headers: {}, body: '' }
  const never = new Promise<MockReply>(() => {})
  const many = get(Array.from({ length: 2_500 }, (_, index) => `${index}:\r\n`).join(''))

  test.each<[string, () => MockReply | Promise<MockReply>, string]>([
    ['bodies, while they are delayed', () => ({ ...short, delayMs: 3_600_000 }), post],
    ['bodies, while nothing is sent', () => ({ ...short, wire: { silent: true } }), post],
    ['bodies, while the mock waits for its engine', () => never, post],
    ['headers, while they are delayed', () => ({ ...short, delayMs: 3_600_000 }), many],
  ])('a connection is cut when more than 16 MiB of %s are held', async (_, respond, request) => {
    let calls = 0
    await serve(
      () => {
        calls += 1
        return respond() as MockReply
      },
      { bodyLimit: size },
    )
    const client = open()
    const destroyed = destroyedByServer()
    for (let part = 0; part < 40; part += 1) client.send(request.repeat(request === post ? 1 : 10))
    await destroyed(1)
    expect(calls).toBeGreaterThan(10)
    expect(calls).toBeLessThan(200)
  })

  test('all connections share 16,384 small ones, which closed connections free', async () => {
    let calls = 0
    await serve(() => ({ ...short, body: String((calls += 1)), delayMs: 3_600_000 }))
    const destroyed = destroyedByServer()
    const clients = Array.from({ length: 20 }, open)
    for (const { send } of clients) send(get().repeat(900))
    await destroyed(2)
    expect(calls).toBeGreaterThan(15_000)
    for (const { socket } of clients) socket.destroy()
    await until(() => clients.every(({ socket }) => socket.closed))
    const late = open()
    late.send(get())
    const before = calls
    await until(() => calls > before)
    expect(late.socket.destroyed).toBe(false)
  })

  test('those that have their responses no longer count', async () => {
    let calls = 0
    const counted = (): MockReply => ({ ...short, body: `response ${(calls += 1)}.`, delayMs: 1 })
    await serve(counted, { bodyLimit: size })
    const client = open()
    for (let count = 1; count <= 40; count += 1) {
      client.send(post)
      await client.until(new RegExp(`response ${count}\\.$`))
    }
  })
})

describe('an idle connection keeps nothing of its latest request', () => {
  const size = 2 ** 20
  test.each([
    ['body', `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(size)}`],
    ['many headers', get(Array.from({ length: 2_600 }, (_, index) => `${index}:\r\n`).join(''))],
  ])('%s', async (_, request) => {
    await serve(() => ({ status: 200, headers: {}, body: 'ok' }), { bodyLimit: size })
    const send = async (): Promise<void> => {
      const client = open()
      client.send(request)
      await client.until(/ok$/)
    }
    await send()
    const before = usedHeap()
    for (let count = 1; count <= 60; count += 1) await send()
    expect(usedHeap() - before).toBeLessThan(5 * 2 ** 20)
  })

  function usedHeap(): number {
    collectGarbage()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
})

/** Waits until the server has destroyed a number of connections. */
function destroyedByServer(): (count: number) => Promise<void> {
  const { port } = server
  const { destroy } = Socket.prototype
  let ended = 0
  vi.spyOn(Socket.prototype, 'destroy').mockImplementation(function (this: Socket, error) {
    // After this call it has no port.
    if (this.localPort === port) ended += 1
    return destroy.call(this, error)
  })
  return async (count) => {
    await until(() => ended >= count)
    vi.restoreAllMocks()
  }
}

test('reads a body in pieces of one byte', async () => {
  let seen = ''
  await serve(
    ({ body }) => {
      seen = body
      return { status: 201, headers: {}, body: 'made' }
    },
    { bodyLimit: 20_000 },
  )
  const client = open()
  const text = Array.from({ length: 10_000 }, (_, index) => String(index % 10)).join('')
  const chunks = text.replaceAll(/./g, (character) => `1\r\n${character}\r\n`)
  client.send(`POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`)
  await client.until(/made$/)
  expect(seen).toBe(text)
})

test('reads thousands of headers, and does not mix them with the next request', async () => {
  const seen: MockRequest['headers'][] = []
  await serve(({ headers }) => {
    seen.push(headers)
    return { status: 200, headers: {}, body: 'ok' }
  })
  const client = open()
  client.send(get('a:\r\n'.repeat(3_000)))
  await client.until(/ok$/)
  for (const headers of ['A: 1\r\n', 'A: 1\r\n', 'a: 1\r\n', 'A: 2\r\n', '', 'a: 1\r\nA: 1\r\n'])
    client.send(get(headers))
  await client.until(/(HTTP.*){7}ok$/s)
  expect(seen[0]?.['a']).toHaveLength(3_000)
  expect(seen.slice(1).map((headers) => headers['a'])).toEqual([
    '1',
    '1',
    '1',
    '2',
    undefined,
    ['1', '1'],
  ])
})

test.each([
  [
    'HTTP/1.0 gets a response, and the connection ends',
    'GET / HTTP/1.0\r\n\r\n',
    'Connection: close',
  ],
  [
    'HTTP/1.0 with keep-alive ends after a request without it',
    'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.0\r\n\r\n',
    'Connection: close',
  ],
  ['the last request of HTTP/1.1', get('Connection: close\r\n'), 'Connection: close'],
])('%s', async (_, requests, expected) => {
  await serve(() => ({ status: 200, headers: {}, body: 'ok' }))
  const client = open()
  client.send(requests)
  const received = await client.closed()
  expect(received).toContain(expected)
  expect(received.match(/content-length: 2\r\n/g)).toHaveLength(statusesOf(received).length)
})
