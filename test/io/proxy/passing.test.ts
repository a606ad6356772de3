/** A proxy forwards bytes unchanged in both directions, except for connection headers. */
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { exchange, get, logOf, proxyOf, respondWith, startUpstream, through } from './proxy.ts'

const ok = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]'

/** The head that a proxied client receives, without the connection headers of the proxy. */
const head = (text: string): string[] =>
  (text.split('\r\n\r\n')[0] ?? '')
    .split('\r\n')
    .filter((line) => !/^(connection|keep-alive):/i.test(line))
const bodyOf = (text: string): string => text.slice(text.indexOf('\r\n\r\n') + 4)

describe('a response', () => {
  test('keeps its reason phrase, its headers with order, letter case and number, and its body', async () => {
    const lines = [
      'HTTP/1.1 200 Yes, indeed',
      'X-Two: 2',
      'x-ONE: 1',
      'Set-Cookie: a=1',
      'Set-Cookie: b=2; Path=/',
      'X-Latin: caf\xe9',
      'Content-Type: application/json',
      'content-length: 4',
    ]
    const { received } = await exchange(`${lines.join('\r\n')}\r\n\r\n[1 ]`)
    expect(head(received)).toEqual(lines)
    expect(bodyOf(received)).toBe('[1 ]')
  })

  test.each([...'\0\x01\x1b\x7f'])(
    'whose reason phrase has %j, which HTTP cannot carry, is 502, and the proxy goes on',
    async (character) => {
      const upstream = await respondWith(ok.replace('OK', `O${character}K`))
      const proxy = await proxyOf(upstream.url)
      for (const _ of '12') {
        const { status } = await fetch(`${proxy.url}/pets`)
        // A character that the parser itself rejects has the same end.
        expect(status).toBe(502)
      }
    },
  )

  test('loses connection headers, and headers that Connection names', async () => {
    const { received } = await exchange(
      'HTTP/1.1 200 OK\r\nConnection: keep-alive, X-Hop\r\nKeep-Alive: timeout=5\r\nX-Hop: 1\r\nProxy-Connection: x\r\n' +
        'Trailer: X-T\r\nUpgrade: h2c\r\nProxy-Authenticate: Basic\r\nX-Stays: 1\r\nContent-Length: 2\r\n\r\n[]',
    )
    expect(head(received)).toEqual(['HTTP/1.1 200 OK', 'X-Stays: 1', 'Content-Length: 2'])
  })

  test('stays compressed', async () => {
    const bytes = gzipSync('[{"id":1,"name":"Rex","categoryId":1}]').toString('latin1')
    const upstream = await respondWith(
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: ${bytes.length}\r\n\r\n${bytes}`,
    )
    const proxy = await proxyOf(upstream.url)
    expect(bodyOf(await through(proxy, get()).closed())).toBe(bytes)
    await proxy.close()
    expect(proxy.shown().listed).toEqual([{ id: 1, name: 'Rex', categoryId: 1 }])
  })

  test.each([
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n', '2\r\n[]\r\n0\r\n\r\n'],
    ['with an empty body', 'Content-Length: 0\r\n\r\n', ''],
  ])('%s', async (_, rest, body) => {
    const { received } = await exchange(`HTTP/1.1 200 OK\r\n${rest}`)
    expect(bodyOf(received)).toBe(body)
    expect(received.match(/content-length|transfer-encoding/gi)).toHaveLength(1)
  })

  test('that ends with its connection gets chunks', async () => {
    const upstream = await startUpstream((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n[]'))
    const received = await through(await proxyOf(upstream.url), get()).closed()
    expect(bodyOf(received)).toBe('2\r\n[]\r\n0\r\n\r\n')
  })

  test.each([
    ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 12345\r\nETag: "x"\r\n\r\n'],
    ['GET', 'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\nContent-Length: 12345\r\n\r\n'],
    [
      'GET',
      'HTTP/1.1 302 Found\r\nLocation: https://elsewhere.example/login\r\nContent-Length: 0\r\n\r\n',
    ],
  ])('to %s without a body: %j', async (method, response) => {
    const { received, upstream } = await exchange(response, get().replace('GET', method))
    expect(head(received)).toEqual(response.trimEnd().split('\r\n'))
    expect(upstream.received).toHaveLength(1)
  })

  test('204 has no length', async () => {
    const upstream = await respondWith('HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n')
    expect(head(await through(await proxyOf(upstream.url), get()).closed())).toEqual([
      'HTTP/1.1 204 No Content',
    ])
  })

  test('is streamed', async () => {
    const upstream = await startUpstream((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n')
    })
    const client = through(await proxyOf(upstream.url), get())
    await client.until(/Content-Length: 2/)
    upstream.sockets[0]?.write('[')
    await client.until(/\r\n\r\n\[/)
    upstream.sockets[0]?.write(']')
    expect(bodyOf(await client.closed())).toBe('[]')
  })

  test('that is truncated is truncated for the client, and is not a violation', async () => {
    const upstream = await startUpstream((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[]'),
    )
    const log = logOf()
    const proxy = await proxyOf(upstream.url, log)
    expect(bodyOf(await through(proxy, get()).closed())).toBe('[]')
    const [entry] = await log.nth(1)
    expect(entry?.judged).toEqual({ verdict: 'not-judged', reason: 'the response was truncated' })
  })

  test.each([
    ['in a coding that the proxy does not read', '', '200 OK', 'Content-Encoding: zstd\r\n'],
    ['in part', 'Range: bytes=0-1\r\n', '206 Partial Content', 'Content-Range: bytes 0-1/20\r\n'],
  ])('%s is not a violation', async (_, range, status, headers) => {
    const upstream = await respondWith(
      `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n${headers}Content-Length: 2\r\n\r\n[{`,
    )
    const log = logOf()
    await through(
      await proxyOf(upstream.url, log),
      get('/v1/pets', `Authorization: Bearer k\r\n${range}`),
    ).closed()
    expect((await log.nth(1))[0]?.judged?.verdict).toBe('not-judged')
  })
})

describe('a request', () => {
  test('keeps its target, headers and body, except for Host and connection headers', async () => {
    const upstream = await respondWith(ok)
    const lines = [
      'X-B: 2',
      'x-a: 1',
      'X-B: 3',
      'Authorization: Bearer k',
      'Cookie: c=1',
      'Accept-Encoding: gzip, zstd',
    ]
    const sent = `POST /v1/pets?x=%2F+%C3%A4 HTTP/1.1\r\nHost: localhost:1\r\n${lines.join('\r\n')}\r\nContent-Length: 3\r\nTE: trailers\r\nConnection: close, x-a\r\n\r\n{ }`
    await through(await proxyOf(upstream.url), sent).closed()
    const [received = ''] = upstream.received
    expect(head(received)).toEqual([
      'POST /v1/pets?x=%2F+%C3%A4 HTTP/1.1',
      `Host: ${new URL(upstream.url).host}`,
      ...lines.filter((line) => !line.startsWith('x-a')),
      'Content-Length: 3',
    ])
    expect(bodyOf(received)).toBe('{ }')
  })

  test('in chunks stays in chunks', async () => {
    const upstream = await startUpstream((socket, text) => {
      if (text.endsWith('0\r\n\r\n')) socket.write(ok)
    })
    const sent =
      'POST /v1/pets HTTP/1.1\r\nHost: a.localhost\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n'
    await through(await proxyOf(upstream.url), `${sent}2\r\n{}\r\n0\r\n\r\n`).closed()
    expect(bodyOf(upstream.received[0] ?? '')).toBe('2\r\n{}\r\n0\r\n\r\n')
    expect(upstream.received[0]).not.toMatch(/content-length/i)
  })

  test('gets 100 Continue from the deployment, not from the proxy', async () => {
    const upstream = await startUpstream((socket, text) => {
      if (text.endsWith('\r\n\r\n')) socket.write('HTTP/1.1 100 Continue\r\n\r\n')
      if (text.endsWith('{}')) socket.write(ok)
    })
    const sent =
      'POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n'
    const client = through(await proxyOf(upstream.url), sent)
    await client.until(/100 Continue/)
    client.send('{}')
    expect(await client.closed()).toMatch(/100 Continue\r\n\r\nHTTP\/1\.1 200 OK/)
    expect(upstream.received[0]).toMatch(/Expect: 100-continue/)
  })

  test('that is rejected before its body arrives gets its response, and the connection ends', async () => {
    const sent =
      'POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n'
    const { received } = await exchange(
      'HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n',
      sent,
    )
    expect(received).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/)
    expect(received).not.toContain('100 Continue')
  })

  test('that its client aborts is aborted', async () => {
    const log = logOf()
    const upstream = await startUpstream(() => {})
    const client = through(await proxyOf(upstream.url, log), get())
    await upstream.until(/\r\n\r\n/)
    client.socket.destroy()
    await upstream.closed
    expect((await log.nth(1))[0]).toMatchObject({
      abandoned: true,
      judged: { verdict: 'not-judged' },
    })
  })

  test('that fails on a reused connection is sent again if it only reads', async () => {
    let closing = false
    const upstream = await startUpstream((socket) => {
      if (closing) {
        closing = false
        socket.resetAndDestroy()
      } else socket.write(ok)
    })
    const proxy = await proxyOf(upstream.url)
    await through(proxy, get()).closed()
    closing = true
    expect(await through(proxy, get()).closed()).toMatch(/^HTTP\/1\.1 200 OK/)
    await through(proxy, get()).closed()
    closing = true
    const post =
      'POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}'
    expect(await through(proxy, post).closed()).toMatch(/^HTTP\/1\.1 502 /)
  })

  test('of HTTP/1.0 gets a body without chunks, and no interim response', async () => {
    const { received } = await exchange(
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n',
      'GET /v1/pets HTTP/1.0\r\nHost: localhost\r\n\r\n',
    )
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(bodyOf(received)).toBe('[]')
  })
})

describe('the proxy itself responds', () => {
  const own = (status: number, code: string, message: RegExp | string) => ({
    status,
    code,
    message: message as string,
  })
  const parse = (text: string): unknown => JSON.parse(bodyOf(text))

  test('502 when the deployment cannot be reached, with a header of the proxy', async () => {
    const proxy = await proxyOf('http://127.0.0.1:1/v1')
    const received = await through(proxy, get()).closed()
    expect(received).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/)
    expect(received).toMatch(/petstore-proxy: bad_gateway/)
    const message = expect.stringContaining('nothing listens there (connection refused)') as string
    expect(parse(received)).toEqual(own(502, 'bad_gateway', message))
    await proxy.close()
    expect(proxy.report('none').notes.join(' ')).toContain(
      'The proxy itself responded to 1 request',
    )
  })

  test('204 to a preflight, so that the page can read the 502 to its request', async () => {
    const proxy = await proxyOf('http://127.0.0.1:1/v1')
    const preflight =
      'OPTIONS /v1/pets HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://localhost:3000\r\nAccess-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: authorization\r\nConnection: close\r\n\r\n'
    const received = await through(proxy, preflight).closed()
    expect(received).toMatch(/^HTTP\/1\.1 204 No Content\r\n/)
    expect(received).toMatch(/access-control-allow-origin: \*\r\n/)
    expect(received).toMatch(/access-control-allow-headers: Authorization,/)
    expect(received).toMatch(/access-control-max-age: 0\r\n/)
    const foreign = preflight.replace('Host: 127.0.0.1', 'Host: evil.example')
    expect(await through(proxy, foreign).closed()).toMatch(/^HTTP\/1\.1 403 /)
  })

  test('504 when no response starts in time', async () => {
    const upstream = await startUpstream(() => {})
    const received = await through(await proxyOf(upstream.url, { timeoutMs: 50 }), get()).closed()
    const message = expect.stringContaining('sent no response within 0.05 s (--timeout)') as string
    expect(parse(received)).toEqual(own(504, 'gateway_timeout', message))
    await upstream.closed
  })

  test('and ends a response that stalls', async () => {
    const upstream = await respondWith('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[')
    const received = await through(
      await proxyOf(upstream.url, { timeoutMs: 1_000 }),
      get(),
    ).closed()
    expect(bodyOf(received)).toBe('[')
  })

  test.each([
    ['a WebSocket', get('/v1/pets', 'Upgrade: websocket\r\n'), 501, 'not_implemented'],
    [
      'CONNECT',
      'CONNECT example.com:443 HTTP/1.1\r\nHost: localhost\r\n\r\n',
      501,
      'not_implemented',
    ],
    ['a target of its own', get('http://example.com/v1/pets'), 421, 'misdirected_request'],
    ['another host', get().replace('127.0.0.1', 'evil.example'), 403, 'forbidden'],
    ['no host', 'GET /v1/pets HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'bad_request'],
    ['no host, in HTTP/1.0', 'GET /v1/pets HTTP/1.0\r\n\r\n', 403, 'forbidden'],
    ['a host and more', get().replace('127.0.0.1', 'evil.example 127.0.0.1'), 403, 'forbidden'],
    ['a path outside', get('/admin'), 404, 'not_found'],
    ['a path that leads outside', get('/v1/../admin'), 404, 'not_found'],
    ['a path that leads outside, encoded', get('/v1/%2e%2E/admin'), 404, 'not_found'],
    ['a fragment behind a path that leads outside', get('/v1/..#x'), 400, 'bad_request'],
    ['a fragment', get('/v1/%2e%2e#'), 400, 'bad_request'],
    ['a fragment in the query', get('/v1/pets?limit=1#'), 400, 'bad_request'],
    ['a path that leads outside, encoded twice', get('/v1/x%252F%252e./admin'), 404, 'not_found'],
    ['a path that leads outside by backslashes', get('/v1/x%5C..\\admin'), 404, 'not_found'],
    ['a path that leads outside before a parameter', get('/v1/..;x=1/admin'), 404, 'not_found'],
    ['a path that begins alike', get('/v10/pets'), 404, 'not_found'],
  ])('to %s', async (_, request, status, code) => {
    const { received, upstream } = await exchange(ok, request)
    expect(parse(received)).toMatchObject({ status, code })
    expect(received).toMatch(/petstore-proxy: /)
    expect(upstream.received).toEqual([])
  })

  test('not to an upgrade to HTTP/2, which it ignores', async () => {
    const headers = 'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n'
    const request = get('/v1/pets', headers).replace(
      'Connection: close',
      'Connection: Upgrade, HTTP2-Settings',
    )
    const { received, upstream } = await exchange(ok, request)
    expect(received).toMatch(/^HTTP\/1\.1 200 OK/)
    expect(upstream.received[0]).not.toMatch(/h2c|http2-settings/i)
  })

  test('with the response of the deployment to an allowed host', async () => {
    const upstream = await respondWith(ok)
    const proxy = await proxyOf(upstream.url, { controlHosts: ['box.example'] })
    expect(await through(proxy, get().replace('127.0.0.1', 'box.example:4011')).closed()).toMatch(
      /^HTTP\/1\.1 200/,
    )
  })
})
