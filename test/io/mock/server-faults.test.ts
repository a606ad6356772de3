import { Socket } from 'node:net'
import { describe, expect, test, vi } from 'vitest'

import type { MockReply } from '../../../src/mock/service/message.ts'
import { lastBodyOf, statusesOf } from '../../unit/mock/raw-socket.ts'
import { open, serve, server, until } from './serving.ts'

const body = '{"id":1}'
const ordinary: MockReply = { status: 200, headers: { 'content-type': 'application/json' }, body }

const get = (target = '/', method = 'GET'): string =>
  `${method} ${target} HTTP/1.1\r\nHost: x\r\n\r\n`

describe('faults of the connection', () => {
  test('a reset waits for its turn', async () => {
    await serve(({ target }) =>
      target === '/' ? { ...ordinary, delayMs: 20 } : { ...ordinary, wire: { reset: true } },
    )
    const client = open()
    client.send(get() + get('/reset') + get())
    expect(statusesOf(await client.closed())).toEqual([200])
  })

  test('an empty response closes the connection without a byte, in its turn', async () => {
    await serve(({ target }) =>
      target === '/'
        ? { ...ordinary, delayMs: 20 }
        : { ...ordinary, wire: { reset: true, empty: true } },
    )
    const client = open()
    client.send(get() + get('/empty') + get())
    expect(statusesOf(await client.closed())).toEqual([200])
    const other = open()
    const errors: Error[] = []
    other.socket.on('error', (error) => errors.push(error))
    other.send(get('/empty'))
    expect(await other.closed()).toBe('')
    expect(errors).toEqual([])
  })

  test('a broken chunk follows a whole one, and ends the connection', async () => {
    const bytes = Buffer.from(body.slice(0, 4))
    await serve(() => ({
      ...ordinary,
      wire: { bytes, contentLength: body.length, brokenChunk: true },
    }))
    const client = open()
    client.send(get())
    const [head = '', sent] = (await client.closed()).split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1.1 200 OK\r\n/)
    expect(head).toContain('transfer-encoding: chunked')
    expect(head).not.toContain('content-length')
    expect(sent).toBe('4\r\n{"id\r\nthis is no size of a chunk\r\n')
    const another = open()
    another.send(get('/', 'HEAD'))
    expect(await another.until(/\r\n\r\n/)).toContain('content-length: 8\r\n')
  })

  test('the connection stays open after a slow body', async () => {
    await serve(() => ({ ...ordinary, wire: { bodyMs: 20 } }))
    const client = open()
    client.send(get())
    await client.until(/"id":1\}$/)
    client.send(get())
    expect(statusesOf(await client.until(/"id":1\}HTTP.*"id":1\}$/s))).toEqual([200, 200])
  })

  test('a slow body may also be too short', async () => {
    await serve(() => ({
      ...ordinary,
      wire: { bytes: Buffer.from(body), contentLength: 100, bodyMs: 30 },
    }))
    const client = open()
    client.send(get())
    const received = await client.closed()
    expect(received).toContain('content-length: 100\r\n')
    expect(lastBodyOf(received)).toBe(body)
  })

  test('after silence the connection stays open, and later requests wait', async () => {
    let calls = 0
    await serve(() => ({ ...ordinary, ...((calls += 1) === 1 && { wire: { silent: true } }) }))
    const [silent, other] = [open(), open()]
    silent.send(get() + get())
    await until(() => calls === 2)
    other.send(get())
    await other.until(/"id":1/)
    expect(silent.socket.readyState).toBe('open')
    expect(silent.socket.bytesRead).toBe(0)
  })
})

describe('a pending response ends with its connection', () => {
  test.each<[string, MockReply, number]>([
    ['a delay', { ...ordinary, delayMs: 3_600_000 }, 3_600_000],
    ['a slow body', { ...ordinary, wire: { bodyMs: 3_600_000 } }, 3_600_000 / body.length],
  ])('%s', async (_, reply, ms) => {
    await serve(() => reply)
    const started = vi.spyOn(globalThis, 'setTimeout')
    const cleared = vi.spyOn(globalThis, 'clearTimeout')
    const isIt = (delay = 0): boolean => Math.abs(delay - ms) < 1_000
    const timer = (): unknown =>
      started.mock.results[started.mock.calls.findIndex(([, delay]) => isIt(delay))]?.value
    const client = open()
    client.send(get())
    await until(() => timer() !== undefined)
    client.socket.destroy()
    await until(() => cleared.mock.calls.some(([one]) => one === timer()))
    vi.restoreAllMocks()
  })

  test('and close does not wait for it', async () => {
    let isCalled = false
    await serve(() => {
      isCalled = true
      return { ...ordinary, delayMs: 3_600_000 }
    })
    const client = open()
    client.send(get())
    await until(() => isCalled)
    await server.close()
    expect(await client.closed()).toBe('')
  })
})

describe('replies to HEAD', () => {
  test('have the declared length, and no body', async () => {
    await serve(({ method }) =>
      method === 'HEAD'
        ? { ...ordinary, body: '', wire: { contentLength: body.length } }
        : ordinary,
    )
    const client = open()
    client.send(get('/', 'HEAD') + get())
    const received = await client.until(/"id":1/)
    expect(statusesOf(received)).toEqual([200, 200])
    expect(received.match(/content-length: 8\r\n/g)).toHaveLength(2)
    expect(received.match(/"id":1/g)).toHaveLength(1)
  })

  test('have no body even if the mock returns one', async () => {
    await serve(() => ordinary)
    const client = open()
    client.send(get('/', 'HEAD').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
    const received = await client.closed()
    expect(received).toContain('content-length: 8\r\n')
    expect(lastBodyOf(received)).toBe('')
  })
})

test('writes head and body of an ordinary reply in one chunk', async () => {
  await serve(() => ordinary)
  const written: unknown[] = []
  const write = vi.spyOn(Socket.prototype, 'write')
  const client = open()
  client.send(get())
  await client.until(/"id":1/)
  for (const [index, [text]] of write.mock.calls.entries()) {
    if ((write.mock.contexts[index] as Socket).localPort === server.port) written.push(text)
  }
  write.mockRestore()
  expect(written).toEqual([expect.stringMatching(/^HTTP.*\r\n\r\n\{"id":1\}$/s)])
})

describe('headers of a reply', () => {
  test.each<[string, Record<string, string>]>([
    ['a line break', { 'x-note': 'a\r\nb: c' }],
    ['an invalid name', { 'x note': 'a' }],
    ['a character beyond one byte', { 'x-note': '\u20AC' }],
  ])('%s gives 500', async (_, headers) => {
    await serve(() => ({ ...ordinary, headers }))
    const client = open()
    client.send(get() + get())
    const received = await client.until(/(HTTP.*){2}carry\./s)
    expect(statusesOf(received)).toEqual([500, 500])
    expect(received).not.toContain('b: c')
  })

  test('connection: close ends the connection', async () => {
    await serve(() => ({ ...ordinary, headers: { connection: 'close' } }))
    const client = open()
    client.send(get() + get())
    const received = await client.closed()
    expect(statusesOf(received)).toEqual([200])
    expect(received).not.toContain('keep-alive')
  })

  test('a wrong length is not sent', async () => {
    await serve(() => ({
      ...ordinary,
      headers: { 'content-length': '3', 'transfer-encoding': 'chunked' },
    }))
    const client = open()
    client.send(get().replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
    const received = await client.closed()
    expect(received.toLowerCase().match(/content-length: 8|transfer-encoding/g)).toEqual([
      'content-length: 8',
    ])
    expect(lastBodyOf(received)).toBe(body)
  })

  test('the length of non-ASCII text is its bytes', async () => {
    const name = '{"name":"Zo\u00EB \u{1F436}"}'
    await serve(() => Object.freeze({ ...ordinary, body: name }))
    const client = open()
    client.send(get() + get())
    const bytes = Buffer.from(name)
    const received = await client.until(/(HTTP.*"\}){2}$/s)
    expect(Buffer.from(lastBodyOf(received), 'latin1')).toEqual(bytes)
    expect(received.match(new RegExp(`content-length: ${bytes.length}\r\n`, 'g'))).toHaveLength(2)
  })
})
