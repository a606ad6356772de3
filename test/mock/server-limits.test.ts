import { afterEach, expect, test } from 'vitest'

import { type Listening, listen } from '../../src/mock/adapters/node-server.ts'
import type { MockReply, MockRequest } from '../../src/mock/message.ts'
import { openSocket, type RawSocket, statusesOf } from './raw-socket.ts'

let server: Listening
const sockets: RawSocket[] = []
afterEach(async () => {
  for (const { socket } of sockets.splice(0)) socket.destroy()
  await server.close()
})

async function serve(respond: (request: MockRequest) => MockReply, bodyLimit = 100): Promise<void> {
  const refuse = (status: number, message: string): MockReply => ({ status, headers: {}, body: message })
  server = await listen({ respond, refuse, bodyLimit }, { port: 0, host: '127.0.0.1' })
}

function open(): RawSocket {
  const socket = openSocket(server.port)
  sockets.push(socket)
  return socket
}

const get = (headers = ''): string => `GET / HTTP/1.1\r\nHost: x\r\n${headers}\r\n`

test('a client that asks and never reads is no longer heard', async () => {
  let asked = 0
  const large = Object.freeze({ status: 200, headers: {}, body: 'x'.repeat(10_000) })
  await serve(({ target }) => {
    if (target !== '/') return { status: 200, headers: {}, body: target }
    asked += 1
    return large
  })
  const client = open()
  client.socket.pause()
  client.send(get().repeat(100_000))
  const other = open()
  // Each of these gives the server a turn in which it could read on.
  for (let turn = 1; turn <= 500; turn += 1) {
    other.send(`GET /turn-${turn} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await other.until(new RegExp(`turn-${turn}$`))
  }
  expect(asked).toBeGreaterThan(100)
  expect(asked).toBeLessThan(20_000)
})

test('a client that lets thousands of replies wait is cut off, and others are served', async () => {
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

test('a body in pieces of one byte is read', async () => {
  let seen = ''
  await serve(({ body }) => {
    seen = body
    return { status: 201, headers: {}, body: 'made' }
  }, 20_000)
  const client = open()
  const text = Array.from({ length: 10_000 }, (_, index) => String(index % 10)).join('')
  const chunks = text.replaceAll(/./g, (character) => `1\r\n${character}\r\n`)
  client.send(`POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`)
  await client.until(/made$/)
  expect(seen).toBe(text)
})

test('thousands of headers are seen, and those of the next request are not theirs', async () => {
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
  expect(seen.slice(1).map((headers) => headers['a'])).toEqual(['1', '1', '1', '2', undefined, ['1', '1']])
})

test.each([
  ['HTTP/1.0 is answered, and the connection ends', 'GET / HTTP/1.0\r\n\r\n', 'Connection: close'],
  [
    'HTTP/1.0 that is kept alive ends when it is asked to',
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
