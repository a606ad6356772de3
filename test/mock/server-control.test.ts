import { afterEach, describe, expect, test } from 'vitest'

import { type Listening, listen } from '../../src/mock/adapters/node.ts'
import type { Control, ControlSink, ControlStream } from '../../src/mock/control/control.ts'
import type { MockReply, MockRequest } from '../../src/mock/message.ts'
import { lastBodyOf, openSocket, type RawSocket, statusesOf } from './raw-socket.ts'

let server: Listening
const sockets: RawSocket[] = []
afterEach(async () => {
  for (const { socket } of sockets.splice(0)) socket.destroy()
  await server.close()
})

const text = (status: number, body: string): MockReply => ({ status, headers: { 'content-type': 'text/plain' }, body })

/** Serves a control API below /own beside a service that answers `service`. */
async function serve(respond: Control['respond'], others: Partial<Control> = {}): Promise<void> {
  const control: Control = { matches: (target) => target.startsWith('/own'), bodyLimit: 1_000, respond, ...others }
  const answering = { respond: () => text(200, 'service'), refuse: text, bodyLimit: 10, control }
  server = await listen(answering, { port: 0, host: '127.0.0.1' })
}

function open(): RawSocket {
  const socket = openSocket(server.port)
  sockets.push(socket)
  return socket
}

const ask = (target: string, method = 'GET', body = ''): string =>
  `${method} ${target} HTTP/1.1\r\nHost: x\r\n${body && `Content-Length: ${body.length}\r\n`}\r\n${body}`

describe('requests', () => {
  test('its targets come to it, with bodies whatever the method, and replies stay in order', async () => {
    const seen: MockRequest[] = []
    await serve(async (request) => {
      seen.push(request)
      await new Promise((resolve) => setImmediate(resolve))
      return text(202, `own ${request.body}`)
    })
    const client = open()
    client.send(ask('/own', 'PUT', 'x'.repeat(100)) + ask('/pets') + ask('/own/2', 'DELETE'))
    const received = await client.until(/service.*own $/s)
    expect(statusesOf(received)).toEqual([202, 200, 202])
    expect(seen.map(({ method, target }) => `${method} ${target}`)).toEqual(['PUT /own', 'DELETE /own/2'])
    expect(seen[0]?.body).toHaveLength(100)
  })

  test('a body beyond its limit comes as a fault, and the connection ends', async () => {
    await serve(async ({ body, bodyFault = 'none' }) => text(413, `${body.length} ${bodyFault}`))
    const client = open()
    client.send(ask('/own', 'PUT', 'x'.repeat(1_001)))
    expect(lastBodyOf(await client.closed())).toBe('0 too-large')
  })

  test('its own limit decides whether a client is asked for its body', async () => {
    await serve(async ({ body }) => text(200, `own ${body.length}`))
    const client = open()
    client.send('PUT /own HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n')
    await client.until(/100 Continue/)
    client.send('x'.repeat(1_000))
    await client.until(/own 1000$/)
  })

  test('what its head refuses is not read', async () => {
    let asked = 0
    await serve(
      async () => {
        asked += 1
        return text(200, 'own')
      },
      { refuse: ({ headers }) => (headers['x-token'] === undefined ? text(403, 'refused') : undefined) },
    )
    const client = open()
    client.send('PUT /own HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n')
    expect(statusesOf(await client.until(/refused$/))).toEqual([403])
    expect(asked).toBe(0)
  })

  test('a failure of it is a 500', async () => {
    await serve(() => Promise.reject(new Error('failed')))
    const client = open()
    client.send(ask('/own'))
    expect(statusesOf(await client.until(/failed at this request\.$/))).toEqual([500])
  })

  test('a client that is gone before the answer comes does no harm', async () => {
    let answer: (reply: MockReply) => void = () => {}
    let asked = (): void => {}
    const isAsked = new Promise<void>((resolve) => (asked = resolve))
    await serve(
      () =>
        new Promise((resolve) => {
          answer = resolve
          asked()
        }),
    )
    const client = open()
    client.send(ask('/own'))
    await isAsked
    client.socket.destroy()
    await server.close()
    answer(text(200, 'late'))
  })
})

describe('streams', () => {
  /** A stream, and what becomes of it. */
  function createStream(): ControlStream & { opened: Promise<ControlSink>; left: Promise<void>; times: () => number } {
    let opened: (sink: ControlSink) => void = () => {}
    let left = (): void => {}
    let times = 0
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      open(sink) {
        opened(sink)
        return () => {
          times += 1
          left()
        }
      },
      opened: new Promise((resolve) => (opened = resolve)),
      left: new Promise((resolve) => (left = resolve)),
      times: () => times,
    }
  }

  async function openStream(): Promise<{
    client: RawSocket
    stream: ReturnType<typeof createStream>
    sink: ControlSink
  }> {
    const stream = createStream()
    await serve(async () => stream)
    const client = open()
    client.send(ask('/own'))
    return { client, stream, sink: await stream.opened }
  }

  test('headers come at once, events when they are written, and the connection serves on after the end', async () => {
    const { client, stream, sink } = await openStream()
    const head = await client.until(/\r\n\r\n/)
    expect(head).toContain('content-type: text/event-stream')
    expect(head.toLowerCase()).not.toContain('content-length')
    expect(sink.write('data: 1\n\n')).toBe(true)
    await client.until(/data: 1\n\n/)
    sink.end()
    await stream.left
    expect(sink.write('data: 2\n\n')).toBe(false)
    client.send(ask('/pets'))
    const received = await client.until(/service$/)
    expect(received).not.toContain('data: 2')
    expect(stream.times()).toBe(1)
  })

  test('a client that goes away ends it', async () => {
    const { client, stream, sink } = await openStream()
    client.socket.destroy()
    await stream.left
    expect(sink.write('data: 1\n\n')).toBe(false)
    sink.end()
    expect(stream.times()).toBe(1)
  })

  test('a client that does not read is cut off before much waits for it', async () => {
    const { client, stream, sink } = await openStream()
    client.socket.pause()
    let written = 0
    while (sink.write('x'.repeat(100_000)) && written < 2_000) {
      written += 1
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(written).toBeLessThan(2_000)
    await stream.left
  })

  test('the server ends it when it closes', async () => {
    const { client, stream, sink } = await openStream()
    sink.write('data: 1\n\n')
    await server.close()
    await stream.left
    expect(await client.closed()).toMatch(/data: 1\n\n\r\n0\r\n\r\n$/)
  })

  test('one that ends while it opens is left once', async () => {
    let left = 0
    await serve(async () => ({
      status: 200,
      headers: {},
      open(sink) {
        sink.end()
        return () => {
          left += 1
        }
      },
    }))
    const client = open()
    client.send(ask('/own') + ask('/pets'))
    expect(statusesOf(await client.until(/service$/))).toEqual([200, 200])
    expect(left).toBe(1)
  })

  test('HEAD is answered with its headers alone', async () => {
    const stream = createStream()
    await serve(async () => stream)
    const client = open()
    client.send(ask('/own', 'HEAD') + ask('/pets'))
    expect(statusesOf(await client.until(/service$/))).toEqual([200, 200])
    expect(stream.times()).toBe(0)
  })
})
