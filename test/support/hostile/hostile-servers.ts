import { brotliCompressSync, gzipSync } from 'node:zlib'
import {
  drip,
  hostile,
  hostileJson,
  hostileSocket,
  hostileWithin,
  pour,
  type HostileServer,
} from './hostile-server.ts'

const json = { 'content-type': 'application/json' }
const megabyte = 1024 * 1024
const pet = (id: number | string, name = 'Rex'): string =>
  `{"id":${id},"name":${JSON.stringify(name)},"categoryId":1}`
const list = (pets: readonly string[]): string => `[${pets.join()}]`
const ok = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'

/** Caches a compressed body, so that its expanded form is not kept in memory. */
const lazily = <Value>(make: () => Value): (() => Value) => {
  let value: { made: Value } | undefined
  return () => (value ??= { made: make() }).made
}
const bomb = lazily(() => gzipSync(Buffer.alloc(256 * megabyte, ' ')))
const bombWithin = lazily(() => gzipSync(bomb()))
const deep = lazily(() => gzipSync('['.repeat(2_000_000) + ']'.repeat(2_000_000)))
const brotliBomb = lazily(() => brotliCompressSync(Buffer.alloc(64 * megabyte, '[')))

let newId = 0

/** Bodies that exhaust memory, time or the stack of a careless reader. */
export const hostileBodies: HostileServer[] = [
  hostile('endless-body', (_, response) => {
    response.writeHead(200, json).write('[')
    pour(response, `${pet(1)},`.repeat(2000))
  }),
  hostile('endless-white-space', (_, response) => {
    response.writeHead(200, json)
    pour(response, ' '.repeat(65_536))
  }),
  hostile('dripping-body', (_, response) => {
    response.writeHead(200, json).write('[')
    drip(response, ' ', 50)
  }),
  hostile('body-that-stops', (_, response) => {
    response.writeHead(200, json).write(`[${pet(1)},`)
  }),
  hostileJson('100-megabytes', () =>
    list(Array.from({ length: 100 }, (_, id) => pet(id, 'x'.repeat(megabyte)))),
  ),
  hostile('gzip-bomb', (_, response) => {
    response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(bomb())
  }),
  hostile('gzip-bomb-in-gzip', (_, response) => {
    response.writeHead(200, { ...json, 'content-encoding': 'gzip, gzip' }).end(bombWithin())
  }),
  hostile('brotli-bomb', (_, response) => {
    response.writeHead(200, { ...json, 'content-encoding': 'br' }).end(brotliBomb())
  }),
  hostileJson('100000-nulls', () => list(Array.from({ length: 100_000 }, () => 'null'))),
  hostileJson(
    '100000-members',
    () => `{${Array.from({ length: 100_000 }, (_, name) => `"m${name}":1`).join()}}`,
  ),
  hostileJson('deep-arrays', () => `${'['.repeat(100_000)}${']'.repeat(100_000)}`),
  hostileJson('deepest-arrays', () => '['.repeat(2_000_000) + ']'.repeat(2_000_000)),
  hostile('gzipped-deepest-arrays', (_, response) => {
    response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(deep())
  }),
  hostileJson('empty-arrays', () => list(Array.from({ length: 5_000_000 }, () => '[]'))),
  hostileJson('empty-objects', () => list(Array.from({ length: 5_000_000 }, () => '{}'))),
  hostileJson(
    'empty-objects-in-pets',
    () =>
      `[{"id":1,"name":"Rex","categoryId":1,"more":${list(Array.from({ length: 300_000 }, () => '{}'))}}]`,
  ),
  hostileJson(
    'almost-too-many-values',
    () =>
      `[{"id":1,"name":"Rex","categoryId":1,"more":${list(Array.from({ length: 240_000 }, () => '{}'))}}]`,
  ),
  hostile('ever-new-large-pets', (request, response) => {
    const at = (newId += 100)
    const name = '\u0416'.repeat(15_000)
    const count = Math.min(100, Number(/limit=(\d+)/.exec(request.url ?? '')?.[1] ?? 20) || 20)
    response
      .writeHead(200, json)
      .end(list(Array.from({ length: count }, (__, n) => pet(at + n, name + String(at + n)))))
  }),
  hostileJson('deep-objects', () => `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`),
  hostileJson(
    'deep-member',
    () =>
      `[{"id":1,"name":"Rex","categoryId":1,"more":${'['.repeat(100_000)}${']'.repeat(100_000)}}]`,
  ),
  hostileJson(
    'deep-name',
    () => `[{"id":1,"categoryId":1,"name":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}]`,
  ),
  hostileJson(
    'deep-large-numbers',
    () => `${'['.repeat(50_000)}9007199254740993${']'.repeat(50_000)}`,
  ),
  hostileJson('long-number', () => list([pet('9'.repeat(1_000_000))])),
  hostileJson('huge-exponent', () => list([pet('1e999999999')])),
  hostileJson('tiny-exponent', () => list([pet('1e-999999999')])),
  hostileJson('long-name', () => list([pet(1, 'x'.repeat(10 * megabyte))])),
  hostileJson('escapes-only', () =>
    list([`{"id":1,"categoryId":1,"name":"${'\\u0041\\"\\\\'.repeat(1_000_000)}"}`]),
  ),
  hostileJson('backslashes', () => `[{"id":1,"name":"${'\\\\'.repeat(1_000_000)}`),
  hostileJson('lone-surrogates', () =>
    list([
      `{"id":1,"categoryId":1,"name":"\\ud83d"}`,
      `{"id":2,"categoryId":1,"name":"\\udc3e x"}`,
    ]),
  ),
  hostileJson(
    'member-names',
    () => '[{"__proto__":{"id":1},"constructor":null,"toString":1,"hasOwnProperty":0,"valueOf":2}]',
  ),
  hostileJson(
    'error-of-member-names',
    () => '{"__proto__":null,"constructor":1,"code":{"__proto__":1},"message":[[]],"status":1e999}',
    400,
  ),
  hostileJson('null-errors', () => 'null', 400),
  hostileJson('100000-pets', () => list(Array.from({ length: 100_000 }, (_, id) => pet(id)))),
  hostileJson('100000-times-one-pet', () => list(Array.from({ length: 100_000 }, () => pet(1)))),
]

/** Invalid or excessive HTTP. */
export const hostileConversations: HostileServer[] = [
  hostile('redirects-for-ever', (request, response) => {
    response.writeHead(302, { location: `${request.url}/x` }).end()
  }),
  hostile('many-headers', (_, response) => {
    response
      .writeHead(200, {
        ...json,
        ...Object.fromEntries(
          Array.from({ length: 1000 }, (__, n) => [`x-${n}`, 'y'.repeat(1000)]),
        ),
      })
      .end('[]')
  }),
  hostileSocket('megabyte-header', (socket) =>
    socket.end(`${ok}X-Big: ${'y'.repeat(megabyte)}\r\nContent-Length: 2\r\n\r\n[]`),
  ),
  hostileSocket('endless-header', (socket) => {
    socket.write(`${ok}X-Big: `)
    pour(socket, 'y'.repeat(65_536))
  }),
  hostileSocket('dripping-header', (socket) => {
    socket.write(`${ok}X-Slow: `)
    drip(socket, 'y', 50)
  }),
  hostileSocket('flood-of-100', (socket) =>
    pour(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(500)),
  ),
  hostileSocket('flood-of-103', (socket) =>
    pour(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n'.repeat(300)),
  ),
  hostileSocket('dripping-102', (socket) => drip(socket, 'HTTP/1.1 102 Processing\r\n\r\n', 50)),
  hostileSocket('switching-protocols', (socket) =>
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: pets\r\nConnection: Upgrade\r\n\r\nwoof',
    ),
  ),
  hostileSocket('not-http', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')),
  hostileSocket('endless-garbage', (socket) => pour(socket, Buffer.alloc(65_536, 7))),
  hostileSocket('closes-early', (socket) => socket.end('HTTP/1.1 200 OK\r\n')),
  hostileSocket('status-999', (socket) =>
    socket.end('HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n'),
  ),
  hostileSocket('status-000', (socket) =>
    socket.end('HTTP/1.1 000 Odd\r\nContent-Length: 0\r\n\r\n'),
  ),
  hostileSocket('length-negative', (socket) => socket.end(`${ok}Content-Length: -5\r\n\r\n[]`)),
  hostileSocket('length-huge', (socket) =>
    socket.write(`${ok}Content-Length: 1000000000000000000\r\n\r\n[]`),
  ),
  hostileSocket('length-twice', (socket) =>
    socket.end(`${ok}Content-Length: 2\r\nContent-Length: 3\r\n\r\n[]`),
  ),
  hostileSocket('length-and-chunks', (socket) =>
    socket.end(`${ok}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n`),
  ),
  hostileSocket('huge-chunk', (socket) =>
    socket.write(`${ok}Transfer-Encoding: chunked\r\n\r\nfffffffffffff\r\n[]`),
  ),
  hostileSocket('two-answers', (socket) => {
    const one = `${ok}Content-Length: 2\r\n\r\n[]`
    socket.write(one + one)
  }),
  hostileSocket('resets', (socket) => socket.resetAndDestroy()),
  hostile('304', (_, response) => void response.writeHead(304).end()),
  hostile(
    'retry-never',
    (_, response) => void response.writeHead(503, { 'retry-after': '1000000000' }).end(),
  ),
  hostile(
    'retry-at-once',
    (_, response) => void response.writeHead(429, { 'retry-after': '0' }).end(),
  ),
  hostile(
    'retry-infinite',
    (_, response) => void response.writeHead(429, { 'retry-after': '9'.repeat(400) }).end(),
  ),
  hostile(
    'unknown-coding',
    (_, response) =>
      void response.writeHead(200, { ...json, 'content-encoding': 'pets' }).end('[]'),
  ),
]

let count = 0

/** Responses of a conforming server with one hostile part, or that mislead a run. */
export const hostileTraps: HostileServer[] = [
  hostileWithin('deep-errors', (page) =>
    page.status >= 400
      ? {
          ...page,
          body: Buffer.from(
            `{"code":${'['.repeat(100_000)}${']'.repeat(100_000)},"message":"","status":${page.status}}`,
          ),
        }
      : page,
  ),
  hostileWithin('deep-pets', (page, { operation }) =>
    operation === 'getPet' && page.status === 200
      ? {
          ...page,
          body: Buffer.from(
            `{"id":1,"name":"","categoryId":1,"status":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
          ),
        }
      : page,
  ),
  // Nearly as many bytes as clients accept.
  hostileWithin('60000-small-headers', (page) => {
    const names = Array.from({ length: 60_000 }, (_, n) => [`${n.toString(36)}q`, ''])
    return { ...page, headers: { ...page.headers, ...Object.fromEntries(names) } }
  }),
  hostileWithin('endless-errors', (page, _, response) => {
    if (page.status < 400) return page
    response.writeHead(page.status, page.headers)
    pour(response, ' '.repeat(65_536))
    return undefined
  }),
  hostileWithin('endless-pet', (page, { operation }, response) => {
    if (operation !== 'getPet') return page
    response.writeHead(200, json).write('{"id":')
    drip(response, '1', 20)
    return undefined
  }),
  hostileWithin('new-pets-each-time', (page, { operation }) => {
    if (operation !== 'listPets' || page.status !== 200) return page
    count += 1
    return {
      ...page,
      body: Buffer.from(list(Array.from({ length: 100 }, (_, n) => pet(count * 1000 + n)))),
    }
  }),
  hostileWithin('creates-whatever-comes', (page, { request }) => {
    if (request.method !== 'POST') return page
    count += 1
    return { status: 201, headers: json, body: Buffer.from(pet(count + 7_000_000)) }
  }),
  hostileWithin('503-for-invalid-bodies', (page) =>
    page.status === 400 ? { status: 503, headers: {}, body: Buffer.from('down') } : page,
  ),
  hostileWithin('429-for-creations', (page, { operation }) =>
    operation === 'createPet'
      ? { status: 429, headers: { 'retry-after': '1' }, body: Buffer.alloc(0) }
      : page,
  ),
  hostileWithin('silent-posts', (page, { operation }) =>
    operation === 'createPet' ? undefined : page,
  ),
  hostileWithin('silent-gets', (page, { operation }) =>
    operation === 'getPet' ? undefined : page,
  ),
]
