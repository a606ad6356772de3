import { describe, expect, test } from 'vitest'

import type { ControlApi } from '../../../src/mock/control/control-api.ts'
import type { StreamReply } from '../../../src/mock/control/routes/route.ts'
import type { MockReply, MockRequest } from '../../../src/mock/service/message.ts'
import { lastBodyOf, statusesOf } from '../../unit/mock/raw-socket.ts'
import { open, serve as serveBeside, server } from './serving.ts'

const text = (status: number, body: string): MockReply => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body,
})

/** Serves a control API below /own, and a service that responds `service`. */
function serve(respond: ControlApi['respond'], others: Partial<ControlApi> = {}): Promise<void> {
  const control: ControlApi = {
    matches: (target) => target.startsWith('/own'),
    bodyLimit: 1_000,
    reject: () => undefined,
    close() {},
    respond,
    ...others,
  }
  return serveBeside(() => text(200, 'service'), { reject: text, bodyLimit: 10, control })
}

const http = (target: string, method = 'GET', body = ''): string =>
  `${method} ${target} HTTP/1.1\r\nHost: x\r\n${body && `Content-Length: ${body.length}\r\n`}\r\n${body}`

describe('requests', () => {
  test('gets its targets, with bodies for any method, and replies stay in order', async () => {
    const seen: MockRequest[] = []
    await serve(async (request) => {
      seen.push(request)
      await new Promise((resolve) => setImmediate(resolve))
      return text(202, `own ${request.body}`)
    })
    const client = open()
    client.send(http('/own', 'PUT', 'x'.repeat(100)) + http('/pets') + http('/own/2', 'DELETE'))
    const received = await client.until(/service.*own $/s)
    expect(statusesOf(received)).toEqual([202, 200, 202])
    expect(seen.map(({ method, target }) => `${method} ${target}`)).toEqual([
      'PUT /own',
      'DELETE /own/2',
    ])
    expect(seen[0]?.body).toHaveLength(100)
  })

  test('does not keep the body of a read, which may wait', async () => {
    const seen: string[] = []
    await serve(async ({ body }) => {
      seen.push(body)
      return text(200, 'own')
    })
    const client = open()
    client.send(http('/own', 'GET', 'x'.repeat(900)) + http('/own', 'HEAD', 'x'.repeat(900)))
    client.send(http('/pets'))
    expect(statusesOf(await client.until(/service$/))).toEqual([200, 200, 200])
    expect(seen).toEqual(['', ''])
  })

  test('a body beyond its limit is passed as a fault, and the connection ends', async () => {
    await serve(async ({ body, bodyFault = 'none' }) => text(413, `${body.length} ${bodyFault}`))
    const client = open()
    client.send(http('/own', 'PUT', 'x'.repeat(1_001)))
    expect(lastBodyOf(await client.closed())).toBe('0 too-large')
  })

  test('sends 100 Continue according to its own limit', async () => {
    await serve(async ({ body }) => text(200, `own ${body.length}`))
    const client = open()
    client.send(
      'PUT /own HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n',
    )
    await client.until(/100 Continue/)
    client.send('x'.repeat(1_000))
    await client.until(/own 1000$/)
  })

  test('does not read the body of a request that is rejected by its head', async () => {
    let calls = 0
    await serve(
      async () => {
        calls += 1
        return text(200, 'own')
      },
      {
        reject: ({ headers }) =>
          headers['x-token'] === undefined ? text(403, 'rejected') : undefined,
      },
    )
    const client = open()
    client.send('PUT /own HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n')
    expect(statusesOf(await client.until(/rejected$/))).toEqual([403])
    expect(calls).toBe(0)
  })

  test('a failure gives 500', async () => {
    await serve(() => Promise.reject(new Error('failed')))
    const client = open()
    client.send(http('/own'))
    expect(statusesOf(await client.until(/failed to handle this request\.$/))).toEqual([500])
  })

  test('ignores a client that disconnects before the response', async () => {
    let respond: (reply: MockReply) => void = () => {}
    let notify = (): void => {}
    const called = new Promise<void>((resolve) => (notify = resolve))
    await serve(
      () =>
        new Promise((resolve) => {
          respond = resolve
          notify()
        }),
    )
    const client = open()
    client.send(http('/own'))
    await called
    client.socket.destroy()
    await server.close()
    respond(text(200, 'late'))
  })
})

describe('streams', () => {
  const encoder = new TextEncoder()

  function withResolvers(): { promise: Promise<void>; resolve: () => void } {
    let resolve = (): void => {}
    const promise = new Promise<void>((done) => (resolve = done))
    return { promise, resolve }
  }

  /** Serves a stream: `write` adds to it, `left` resolves when it is canceled. */
  async function serveStream() {
    const { promise: left, resolve } = withResolvers()
    let controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>
    let cancels = 0
    const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (own) => void (controller = own),
      cancel() {
        cancels += 1
        resolve()
      },
    })
    const reply: StreamReply = {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      stream,
    }
    await serve(async () => reply)
    const write = (text: string): void => controller.enqueue(encoder.encode(text))
    return {
      left,
      write,
      finish: () => controller.close(),
      fail: () => controller.error(new Error('The source failed.')),
      cancels: () => cancels,
      /** Number of chunks that were not read. */
      waiting: () => 1 - (controller.desiredSize ?? 0),
    }
  }

  async function openStream() {
    const stream = await serveStream()
    const client = open()
    client.send(http('/own'))
    return { client, ...stream }
  }

  test('sends headers at once and events when written, and keeps the connection after the end', async () => {
    const { client, write, finish } = await openStream()
    const head = await client.until(/\r\n\r\n/)
    expect(head).toContain('content-type: text/event-stream')
    expect(head.toLowerCase()).not.toContain('content-length')
    write('data: 1\n\n')
    await client.until(/data: 1\n\n/)
    finish()
    client.send(http('/pets'))
    await client.until(/service$/)
  })

  test('a client that disconnects cancels it', async () => {
    const { client, left, cancels } = await openStream()
    await client.until(/\r\n\r\n/)
    client.socket.destroy()
    await left
    expect(cancels()).toBe(1)
  })

  test('a client that does not read applies backpressure', async () => {
    const { client, write, waiting, left } = await openStream()
    await client.until(/\r\n\r\n/)
    client.socket.pause()
    for (let written = 0; written < 200; written += 1) {
      write('x'.repeat(100_000))
      await new Promise((resolve) => setImmediate(resolve))
    }
    // A few megabytes fit into the buffers of both sockets.
    expect(waiting()).toBeGreaterThan(100)
    client.socket.destroy()
    await left
  })

  test('the server ends it when it closes', async () => {
    const { client, write, left } = await openStream()
    write('data: 1\n\n')
    await client.until(/data: 1\n\n/)
    await server.close()
    await left
    expect(await client.closed()).toMatch(/data: 1\n\n\r\n0\r\n\r\n$/)
  })

  test('a failing source cuts the connection', async () => {
    const { client, fail } = await openStream()
    await client.until(/\r\n\r\n/)
    fail()
    expect(await client.closed()).not.toMatch(/0\r\n\r\n$/)
  })

  test('HEAD gets only its headers', async () => {
    await serveStream()
    const client = open()
    client.send(http('/own', 'HEAD') + http('/pets'))
    expect(statusesOf(await client.until(/service$/))).toEqual([200, 200])
  })
})
