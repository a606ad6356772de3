import { once } from 'node:events'
import { createServer } from 'node:http'
import { createConnection, createServer as createTcpServer } from 'node:net'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { noHeader, otherCaseKey } from '../../../src/contract/http/credentials.ts'
import { NoResponse } from '../../../src/contract/http/exchange.ts'
import { verify } from '../../../src/contract/index.ts'
import { Keys } from '../../../src/contract/http/keys.ts'
import { Transport, type TransportOptions } from '../../../src/contract/http/transport.ts'
import { systemClock } from '../../../src/contract/http/waiting.ts'
import { createMock, defaultKey } from '../../../src/mock/index.ts'
import { listen } from '../../support/listen.ts'
import { key } from '../../support/store.ts'
import { type Answer, sendJson, startServer } from '../../support/http-server.ts'
import { serveMock } from '../../support/serve-mock.ts'
import { sample } from '../../support/level.ts'

const pets = [{ id: 1, name: 'Bella', categoryId: 1 }]
const list = { method: 'GET', path: '/pets' }

/** Creates a transport to a server with this listener. */
async function connect(respond: Answer, options: Partial<TransportOptions> = {}) {
  const server = await startServer(respond)
  return { ...server, transport: open({ baseUrl: server.url, ...options }) }
}

function open(options: Partial<TransportOptions>): Transport {
  const transport = new Transport(
    {
      baseUrl: 'http://127.0.0.1:1/v1',
      headers: {},
      timeoutMs: 5_000,
      concurrency: 4,
      retryBudgetMs: 10_000,
      maxRequests: 1_000,
      maxDurationMs: 600_000,
      ...options,
    },
    systemClock,
    new Keys(key),
  )
  onTestFinished(() => transport.close())
  return transport
}

/** The error of a request without a response. */
async function failure(sending: Promise<unknown>): Promise<NoResponse> {
  const error = await sending.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof NoResponse))
    throw new Error('the request got a response', { cause: error })
  return error
}

const bodyOf = async (sending: ReturnType<Transport['send']>) => (await sending).content

test('a request carries the key, and only what its plan adds', async () => {
  const { transport, requests } = await connect((_, response) => sendJson(response, 201, pets[0]))
  await transport.send({ method: 'POST', path: '/pets', body: '{"name":"Zoë"}' })
  await transport.send({ ...list, credential: noHeader, headers: { origin: 'https://a.example' } })
  expect(requests).toMatchObject([
    {
      method: 'POST',
      target: '/v1/pets',
      body: '{"name":"Zoë"}',
      headers: { authorization: `Bearer ${key}` },
    },
    { method: 'GET', target: '/v1/pets', body: '', headers: { origin: 'https://a.example' } },
  ])
  expect(requests[0]?.headers['content-type']).toBe('application/json')
  expect(requests[1]?.headers).not.toHaveProperty('authorization')
  expect(requests[1]?.headers).not.toHaveProperty('content-type')
})

describe('a rate limit or outage is not a response of the service', () => {
  test.each<[what: string, status: number, headers: () => Record<string, string>]>([
    ['429 with seconds', 429, () => ({ 'retry-after': '0' })],
    ['429 with a date', 429, () => ({ 'retry-after': new Date().toUTCString() })],
    [
      '429 with a date by a clock that is an hour ahead',
      429,
      () => {
        const now = new Date(Date.now() + 3_600_000).toUTCString()
        return { 'retry-after': now, date: now }
      },
    ],
    ['429 with nonsense', 429, () => ({ 'retry-after': 'soon' })],
    ['403 with a time to wait', 403, () => ({ 'retry-after': '0' })],
    ['420 with a time to wait', 420, () => ({ 'retry-after': '0' })],
    ['503', 503, () => ({})],
    ['502', 502, () => ({})],
    ['504', 504, () => ({})],
  ])('%s is retried', async (_, status, headers) => {
    const { transport, requests } = await connect(({ index }, response) =>
      index < 1 ? sendJson(response, status, {}, headers()) : sendJson(response, 200, pets),
    )
    expect(await transport.send(list)).toMatchObject({ status: 200 })
    expect(requests).toHaveLength(2)
    expect(transport.requests).toBe(2)
  })

  test('waits for Retry-After: 1', async () => {
    const { transport, requests } = await connect(({ index }, response) =>
      index === 0
        ? sendJson(response, 429, {}, { 'retry-after': '1' })
        : sendJson(response, 200, pets),
    )
    await transport.send(list)
    expect(transport.elapsed()).toBeGreaterThanOrEqual(990)
    expect(requests).toHaveLength(2)
  })

  test('does not wait longer than the retry budget', async () => {
    const { transport, requests } = await connect(
      (_, response) => sendJson(response, 429, {}, { 'retry-after': '3600' }),
      { retryBudgetMs: 500 },
    )
    const { kind, message } = await failure(transport.send(list))
    expect(kind).toBe('rate-limit')
    expect(message).toMatch(/responded 429 and requires a wait of 3600 s.*--retry-budget/)
    expect(requests).toHaveLength(1)
  })

  test('has one budget for the whole run', async () => {
    const { transport, requests } = await connect((_, response) => sendJson(response, 503, {}), {
      retryBudgetMs: 90,
    })
    await failure(transport.send(list))
    const before = requests.length
    await failure(transport.send(list))
    expect(before).toBe(2)
    expect(requests.length - before).toBe(1)
  })

  test.each([400, 401, 404])('%i is a response, even with Retry-After', async (status) => {
    const { transport } = await connect((_, response) =>
      sendJson(response, status, {}, { 'retry-after': '1' }),
    )
    expect(await transport.send(list)).toMatchObject({ status })
    expect(transport.requests).toBe(1)
  })

  test('500 is a response', async () => {
    const { transport, requests } = await connect((_, response) => sendJson(response, 500, {}))
    expect(await transport.send(list)).toMatchObject({ status: 500 })
    expect(requests).toHaveLength(1)
  })
})

describe('the network', () => {
  test('a reset is retried with a new plan', async () => {
    const { transport, requests } = await connect(({ index }, response) => {
      if (index < 2) response.socket?.resetAndDestroy()
      else sendJson(response, 201, pets[0])
    })
    const names = ['first', 'second', 'third']
    const left = [...names]
    const again = () => ({
      method: 'POST',
      path: '/pets',
      body: JSON.stringify({ name: left.shift() }),
    })
    await transport.send({ ...again(), again })
    expect(requests.map(({ body }) => (JSON.parse(body) as { name: string }).name)).toEqual(names)
    expect(transport.unsurePosts).toBe(2)
  })

  test.each([undefined, '', '{"name":', 'null', '[{"name":"Rex"}]'])(
    'no pet comes from the body %s',
    async (body) => {
      const { transport } = await connect(({ index }, response) => {
        if (index < 2) response.socket?.resetAndDestroy()
        else sendJson(response, 400, {})
      })
      await transport.send({ method: 'POST', path: '/pets', ...(body !== undefined && { body }) })
      expect(transport.unsurePosts).toBe(0)
    },
  )

  test('repeated resets are a connection failure', async () => {
    const { transport, requests } = await connect((_, response) =>
      response.socket?.resetAndDestroy(),
    )
    const { kind, message } = await failure(transport.send(list))
    expect(kind).toBe('network')
    expect(message).toMatch(/^the connection failed \(/)
    expect(requests).toHaveLength(6)
  })

  test('reports a closed port in words, also without a retry budget', async () => {
    const transport = open({ retryBudgetMs: 0 })
    const { kind, message } = await failure(transport.send({ ...list, method: 'POST' }))
    expect({ kind, message }).toEqual({
      kind: 'network',
      message: 'nothing listens there (connection refused)',
    })
    expect(transport.unsurePosts).toBe(0)
  })

  test('reports an unknown host in words, without a retry', async () => {
    const transport = open({ baseUrl: 'http://petstore-kit.invalid/v1' })
    expect((await failure(transport.send(list))).message).toMatch(
      /^its host name cannot be resolved/,
    )
  })

  test('reports bytes that are not HTTP', async () => {
    const server = createTcpServer((socket) =>
      socket.on('error', () => {}).end('SSH-2.0-OpenSSH_9.2\r\n'),
    )
    const transport = open({
      baseUrl: `http://127.0.0.1:${await listen(server)}/v1`,
      retryBudgetMs: 0,
    })
    expect((await failure(transport.send(list))).message).toMatch(
      /^the target responds, but not in valid HTTP\/1\.1 \(.*HTTP/,
    )
  })

  test('sends no more requests after six without a response', async () => {
    const { transport, requests } = await connect(() => {}, { timeoutMs: 20 })
    for (let index = 0; index < 6; index += 1) await failure(transport.send(list))
    const before = requests.length
    const { kind, message } = await failure(transport.send(list))
    expect({ kind, message }).toMatchObject({ kind: 'aborted', message: transport.endReason })
    expect(message).toMatch(/6 requests in a row/)
    expect(requests).toHaveLength(before)
  })
})

describe('time', () => {
  test('reports a missing response after two tries, with the time', async () => {
    const { transport, requests } = await connect(() => {}, { timeoutMs: 50 })
    const { kind, message } = await failure(transport.send(list))
    expect({ kind, message }).toEqual({ kind: 'timeout', message: 'no response within 0.05 s' })
    expect(requests).toHaveLength(2)
  })

  test('a slow body beyond the timeout is not a broken body', async () => {
    const { transport } = await connect(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('[')
        const timer = setInterval(() => response.write(' '), 10)
        response.once('close', () => clearInterval(timer))
      },
      { timeoutMs: 100 },
    )
    expect(await failure(transport.send(list))).toMatchObject({ kind: 'timeout' })
  })

  test('a body that stops at every try is broken', async () => {
    const { transport, requests } = await connect(
      (_, response) => {
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-length': 100 })
          .write('[{"id":1')
      },
      { timeoutMs: 1_000 },
    )
    const content = await bodyOf(transport.send(list))
    expect(content).toMatchObject({
      kind: 'broken',
      text: '[{"id":1',
      problem: expect.stringMatching(/stopped after 8 bytes/),
    })
    expect(requests).toHaveLength(3)
  })

  test('a body with a pause is complete at the third try, and afterwards at the first', async () => {
    const { transport, requests } = await connect(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('[')
        setTimeout(() => response.end(']'), 600)
      },
      { timeoutMs: 1_500 },
    )
    const contents = [await bodyOf(transport.send(list)), await bodyOf(transport.send(list))]
    expect(contents).toMatchObject([{ value: [] }, { value: [] }])
    expect(requests).toHaveLength(4)
  })
})

describe('a reused connection', () => {
  /** Responds to the first request of each connection. */
  const serveOnce = (next: Answer): Answer => {
    const used = new Set<number>()
    return (request, response) => {
      if (used.has(request.connection)) return next(request, response)
      used.add(request.connection)
      return sendJson(response, request.method === 'POST' ? 201 : 200, pets[0])
    }
  }

  test.each([10_000, 0])(
    'retries 408 with a budget of %i ms; on a new connection it is the response',
    async (retryBudgetMs) => {
      const late: Answer = (_, response) => sendJson(response, 408, {})
      const [server, other] = [
        await connect(serveOnce(late), { retryBudgetMs }),
        await connect(late, { retryBudgetMs }),
      ]
      const statuses: number[] = []
      for (const { transport } of [server, server, other])
        statuses.push((await transport.send(list)).status)
      expect(statuses).toEqual([200, 200, 408])
    },
  )

  test('never carries the key in another letter case, which some servers confuse with the previous header', async () => {
    const { transport } = await connect(serveOnce((_, response) => sendJson(response, 500, {})))
    const plans = [list, { ...list, credential: otherCaseKey }]
    for (const plan of plans) expect((await transport.send(plan)).status).toBe(200)
  })

  test('that ends silently loses one creation', async () => {
    const { transport } = await connect(serveOnce((_, { socket }) => socket?.destroy()))
    for (let pet = 0; pet < 4; pet += 1)
      await transport.send({ method: 'POST', path: '/pets', body: '{}' })
    expect(transport.unsurePosts).toBe(1)
  })
})

test('reads headers of 100 kB', async () => {
  const { transport } = await connect((_, response) => {
    sendJson(response.setHeader('x-long', 'x'.repeat(100_000)), 200, pets)
  })
  expect((await transport.send(list)).status).toBe(200)
})

describe('a truncated body', () => {
  const cut: Answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 })
    response.write('[{"id":1', () => response.socket?.end())
  }

  describe.each([10_000, 0])('with a budget of %i ms', (retryBudgetMs) => {
    test('is retried', async () => {
      const { transport } = await connect(
        (request, response) =>
          request.index === 0 ? cut(request, response) : sendJson(response, 200, pets),
        { retryBudgetMs },
      )
      expect(await bodyOf(transport.send(list))).toMatchObject({ kind: 'json', value: pets })
    })

    test('three times is the response of the service', async () => {
      const { transport, requests } = await connect(cut, { retryBudgetMs })
      expect(await bodyOf(transport.send(list))).toEqual({
        kind: 'broken',
        text: '[{"id":1',
        size: 8,
        problem: 'the connection closed after 8 bytes of the body, before its end',
      })
      expect(requests).toHaveLength(3)
    })
  })
})

describe('content codings', () => {
  const plain = Buffer.from(JSON.stringify(pets))
  const zeros = Buffer.alloc(64 * 1024 * 1024)
  const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

  test.each<[coding: string, bytes: Buffer]>([
    ['gzip', gzipSync(plain)],
    ['GZIP', gzipSync(plain)],
    ['x-gzip', gzipSync(plain)],
    ['br', brotliCompressSync(plain)],
    ['deflate', deflateSync(plain)],
    ['deflate', deflateRawSync(plain)],
    ['identity', plain],
    ['gzip, br', brotliCompressSync(gzipSync(plain))],
  ])('%s is decoded', async (coding, bytes) => {
    const { transport, requests } = await connect((_, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': coding })
        .end(bytes),
    )
    expect(await bodyOf(transport.send(list))).toMatchObject({ kind: 'json', value: pets })
    expect(requests[0]?.headers['accept-encoding']).toBe('gzip, deflate, br')
  })

  test.each<[what: string, coding: string, bytes: Buffer, problem: RegExp]>([
    ['one that was not requested', 'zstd', plain, /content coding that was not requested \(zstd\)/],
    ['an unknown one', 'constructor', plain, /content coding that was not requested/],
    ['a wrong one', 'gzip', plain, /cannot be decompressed as gzip/],
    [
      'one that ends early',
      'gzip',
      gzipSync(plain).subarray(0, 20),
      /cannot be decompressed as gzip/,
    ],
    ['five nested ones', 'gzip,gzip,gzip,gzip,gzip', plain, /has 5 nested content codings/],
    [
      '64 MiB of zeros in gzip',
      'gzip',
      gzipSync(zeros),
      /longer than 16 MiB when it is decompressed/,
    ],
    [
      '64 MiB of zeros in br',
      'br',
      brotliCompressSync(zeros, fast),
      /longer than 16 MiB when it is decompressed/,
    ],
  ])('%s is reported in words', async (_, coding, bytes, problem) => {
    const { transport } = await connect((request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': coding })
        .end(bytes),
    )
    expect(await bodyOf(transport.send(list))).toMatchObject({
      kind: problem.source.includes('longer') ? 'unjudged' : 'broken',
      problem: expect.stringMatching(problem),
    })
  })

  test('an empty body has no coding', async () => {
    const { transport } = await connect((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(),
    )
    expect(await bodyOf(transport.send(list))).toEqual({ kind: 'empty' })
  })
})

test('reads an endless body up to 16 MiB', async () => {
  const chunk = Buffer.alloc(1024 * 1024, ' ')
  let written = 0
  const { transport, requests } = await connect((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = (): void => {
      written += chunk.length
      // In Node 26, the end of a connection would otherwise never be processed.
      if (!response.destroyed) response.write(chunk, () => setImmediate(more))
    }
    more()
  })
  const content = await bodyOf(transport.send(list))
  expect(content).toMatchObject({ kind: 'unjudged', problem: 'the body is longer than 16 MiB' })
  expect(content).toHaveProperty('text.length', 64_000)
  expect(written).toBeLessThan(64 * 1024 * 1024)
  expect(requests).toHaveLength(1)
})

test.each([301, 302, 307, 308])('%i is a response, and not followed', async (status) => {
  const { transport, requests } = await connect((_, response) =>
    response.writeHead(status, { location: '/v1/elsewhere' }).end(),
  )
  expect(await transport.send(list)).toMatchObject({
    status,
    headers: { location: '/v1/elsewhere' },
  })
  expect(requests).toHaveLength(1)
})

test('joins repeated headers, with names in lower case', async () => {
  const { transport } = await connect((_, response) =>
    response
      .writeHead(
        200,
        [
          ['X-One', 'a'],
          ['x-one', 'b'],
          ['Content-Type', 'text/plain'],
        ].flat(),
      )
      .end('x'),
  )
  expect((await transport.send(list)).headers).toMatchObject({
    'x-one': 'a, b',
    'content-type': 'text/plain',
  })
})

test('keeps all of many headers', async () => {
  const many = Array.from({ length: 1_200 }, (_, index) => [`X-${index}`, 'a']).flat()
  const { transport } = await connect((_, response) =>
    response.writeHead(200, [...many, 'Content-Type', 'text/plain']).end('x'),
  )
  expect((await transport.send(list)).headers).toMatchObject({
    'x-0': 'a',
    'content-type': 'text/plain',
  })
})

describe('connections', () => {
  test('are reused with and without the key', async () => {
    const { transport, requests } = await connect((_, response) => sendJson(response, 200, pets), {
      concurrency: 1,
    })
    for (const plan of [list, { ...list, credential: noHeader }, list]) await transport.send(plan)
    expect(requests.map(({ connection }) => connection)).toEqual([0, 0, 0])
  })

  test('a request that a reused connection loses is sent again over a new one', async () => {
    const seen = new Set<number>()
    const { transport, requests } = await connect(({ connection }, response) => {
      if (seen.has(connection)) response.socket?.resetAndDestroy()
      // Leaves time for the next requests to open connections.
      else setTimeout(() => sendJson(response, 200, pets), 20)
      seen.add(connection)
    })
    await Promise.all([1, 2, 3, 4].map(() => transport.send(list)))
    await transport.send(list, { tries: 2 })
    await transport.send({ ...list, opensConnection: true }, { tries: 1 })
    expect(requests.map(({ connection }) => connection).slice(5)).toEqual([4, 5])
  })

  test('a run over connections that close silently after each response reports no finding', async () => {
    const mock = createMock()
    const { url } = await startServer(async ({ method, target, headers, body }, response) => {
      const reply = await mock.handle({ method, target, headers, body })
      response.writeHead(reply.status, { ...reply.headers }).end(reply.body)
      response.socket?.end()
    })
    const report = await verify({ baseUrl: url, apiKey: defaultKey, allowWrites: true })
    expect(report).toMatchObject({ verdict: 'conforms', findings: [] })
  })

  test.each(sample([429, 503], { usual: 2, slow: 1, all: 1 }))(
    'a run against a target that handles one request at a time, others get %i',
    async (status) => {
      const mock = createMock({ pets: 130 })
      let underWay = 0
      const { url } = await startServer(async ({ method, target, headers, body }, response) => {
        if (underWay > 0) return sendJson(response, status, {})
        underWay += 1
        const reply = await mock.handle({ method, target, headers, body })
        await new Promise((resolve) => setImmediate(resolve))
        underWay -= 1
        response.writeHead(reply.status, { ...reply.headers }).end(reply.body)
      })
      const report = await verify({ baseUrl: url, apiKey: defaultKey })
      expect(report).toMatchObject({
        verdict: 'conforms',
        findings: [],
        counts: { notVerified: 0 },
      })
      expect(report.counts.requests).toBeLessThan(250)
    },
  )

  test('a run against a target that resets all connections except one reports no finding', async () => {
    const mock = await serveMock({ pets: 130 })
    let isBusy = false
    const server = createTcpServer((socket) => {
      socket.on('error', () => {})
      if (isBusy) return void socket.resetAndDestroy()
      isBusy = true
      const through = createConnection(Number(new URL(mock.url).port), '127.0.0.1')
      through.on('error', () => {})
      socket.pipe(through).pipe(socket)
      return void socket.on('close', () => {
        isBusy = false
        through.destroy()
      })
    })
    const input = { baseUrl: `http://127.0.0.1:${await listen(server)}/v1`, apiKey: defaultKey }
    const report = await verify(input)
    expect(report).toMatchObject({ verdict: 'conforms', findings: [] })
    expect(report.counts.verified).toBeGreaterThan(40)
    expect(await verify({ ...input, depth: 'smoke' })).toMatchObject({
      verdict: 'conforms',
      exitCode: 0,
    })
  })

  test('all requests soon reach a target that serves connections one after the other', async () => {
    const server = createServer((_, response) => sendJson(response, 200, pets))
    let last: Promise<unknown> = Promise.resolve()
    const oneByOne = createTcpServer({ pauseOnConnect: true }, (socket) => {
      const closed = once(socket, 'close')
      void last.then(() => server.emit('connection', socket.resume()))
      last = last.then(() => closed)
    })
    // Idle connections would end by themselves after 4 s.
    const transport = open({
      baseUrl: `http://127.0.0.1:${await listen(oneByOne)}/v1`,
      timeoutMs: 3_000,
    })
    const sending = Array.from({ length: 12 }, () => transport.send(list, { tries: 1 }))
    expect((await Promise.all(sending)).map(({ status }) => status)).toEqual(Array(12).fill(200))
  })

  test.each([1, 3])('no more than %i requests are sent at once', async (concurrency) => {
    let underWay = 0
    let most = 0
    const { transport, requests } = await connect(
      async (_, response) => {
        underWay += 1
        most = Math.max(most, underWay)
        // Leaves time for the next requests to arrive before this response.
        for (let turn = 0; turn < 20; turn += 1)
          await new Promise((resolve) => setImmediate(resolve))
        underWay -= 1
        sendJson(response, 200, pets)
      },
      { concurrency },
    )
    await Promise.all(Array.from({ length: 12 }, () => transport.send(list)))
    expect(most).toBe(concurrency)
    expect(new Set(requests.map(({ connection }) => connection)).size).toBe(concurrency)
  })
})

test('the timeout of a request does not include the wait for its turn', async () => {
  const { transport, requests } = await connect(
    (_, response) => setTimeout(() => sendJson(response, 200, pets), 200),
    {
      concurrency: 1,
      timeoutMs: 1_000,
    },
  )
  await Promise.all(Array.from({ length: 8 }, () => transport.send(list)))
  expect(requests).toHaveLength(8)
})

describe('a stopped run', () => {
  test.each<[during: string, respond: Answer]>([
    ['a missing response', () => {}],
    [
      'an incomplete body',
      (_, response) => response.writeHead(200, { 'content-length': 10 }).write('['),
    ],
    ['a long wait', (_, response) => sendJson(response, 429, {}, { 'retry-after': '30' })],
  ])('during %s ends at once', async (_, respond) => {
    const stop = new AbortController()
    const { transport } = await connect(
      (request, response) => {
        respond(request, response)
        setImmediate(() => stop.abort())
      },
      { signal: stop.signal, retryBudgetMs: 60_000, timeoutMs: 60_000 },
    )
    const { kind, message } = await failure(transport.send(list))
    expect({ kind, message }).toEqual({
      kind: 'aborted',
      message: 'the run was stopped before its end',
    })
    // Each of them would last for 30 s or a minute.
    expect(transport.elapsed()).toBeLessThan(25_000)
  })

  test('sends no more requests', async () => {
    const { transport, requests } = await connect((_, response) => sendJson(response, 200, pets), {
      signal: AbortSignal.abort(),
    })
    expect(await failure(transport.send(list))).toMatchObject({ kind: 'aborted' })
    await transport.waitUntilReady(60_000)
    expect(requests).toEqual([])
  })
})

describe('a target that is not ready yet', () => {
  test('gets requests until it responds with a list; they are not those of the run', async () => {
    const { transport, requests } = await connect(
      ({ index }, response) => {
        if (index === 0) response.socket?.resetAndDestroy()
        else if (index === 1) sendJson(response, 401, {})
        else sendJson(response, 200, pets)
      },
      { maxRequests: 1 },
    )
    await transport.waitUntilReady(10_000)
    expect(requests).toHaveLength(3)
    await transport.send(list)
    expect(transport.requests).toBe(1)
  })
})
