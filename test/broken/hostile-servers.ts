import { brotliCompressSync, gzipSync } from 'node:zlib'
import { drip, hostile, hostileJson, hostileSocket, hostileWithin, pour, type HostileServer } from './hostile-server.ts'

const json = { 'content-type': 'application/json' }
const megabyte = 1024 * 1024
const pet = (id: number | string, name = 'Rex'): string => `{"id":${id},"name":${JSON.stringify(name)},"categoryId":1}`
const list = (pets: readonly string[]): string => `[${pets.join()}]`
const ok = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'

/** Compressed once for all; what it expands to is never held. */
const lazily = <Value>(make: () => Value): (() => Value) => {
  let value: { made: Value } | undefined
  return () => (value ??= { made: make() }).made
}
const bomb = lazily(() => gzipSync(Buffer.alloc(256 * megabyte, ' ')))
const bombWithin = lazily(() => gzipSync(bomb()))
const deep = lazily(() => gzipSync('['.repeat(2_000_000) + ']'.repeat(2_000_000)))
const brotliBomb = lazily(() => brotliCompressSync(Buffer.alloc(64 * megabyte, '[')))

let newId = 0

/** Bodies that are too much. */
export const hostileBodies: HostileServer[] = [
  hostile('endless-body', 'A list that never ends, as fast as it is read', (_, response) => {
    response.writeHead(200, json).write('[')
    pour(response, `${pet(1)},`.repeat(2000))
  }),
  hostile('endless-white-space', 'White space without end before the list', (_, response) => {
    response.writeHead(200, json)
    pour(response, ' '.repeat(65_536))
  }),
  hostile('dripping-body', 'A list of one byte each 50 ms, for ever', (_, response) => {
    response.writeHead(200, json).write('[')
    drip(response, ' ', 50)
  }),
  hostile('body-that-stops', 'A list that begins and never goes on', (_, response) => {
    response.writeHead(200, json).write(`[${pet(1)},`)
  }),
  hostileJson('100-megabytes', 'A list of 100 MB', () =>
    list(Array.from({ length: 100 }, (_, id) => pet(id, 'x'.repeat(megabyte)))),
  ),
  hostile('gzip-bomb', 'A quarter of a megabyte that expands to 256', (_, response) => {
    response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(bomb())
  }),
  hostile('gzip-bomb-in-gzip', 'A bomb that is compressed twice', (_, response) => {
    response.writeHead(200, { ...json, 'content-encoding': 'gzip, gzip' }).end(bombWithin())
  }),
  hostile('brotli-bomb', 'A few bytes that expand to 64 MB of brackets', (_, response) => {
    response.writeHead(200, { ...json, 'content-encoding': 'br' }).end(brotliBomb())
  }),
  hostileJson('100000-nulls', 'A list of 100,000 nulls', () => list(Array.from({ length: 100_000 }, () => 'null'))),
  hostileJson(
    '100000-members',
    'An object of 100,000 members',
    () => `{${Array.from({ length: 100_000 }, (_, name) => `"m${name}":1`).join()}}`,
  ),
  hostileJson('deep-arrays', 'Arrays in arrays, 100,000 deep', () => `${'['.repeat(100_000)}${']'.repeat(100_000)}`),
  hostileJson(
    'deepest-arrays',
    'Arrays in arrays, 2,000,000 deep',
    () => '['.repeat(2_000_000) + ']'.repeat(2_000_000),
  ),
  hostile('gzipped-deepest-arrays', 'Four kilobytes that expand to arrays 2,000,000 deep', (_, response) => {
    response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(deep())
  }),
  hostileJson('empty-arrays', '5,000,000 empty arrays', () => list(Array.from({ length: 5_000_000 }, () => '[]'))),
  hostileJson('empty-objects', '5,000,000 empty objects', () => list(Array.from({ length: 5_000_000 }, () => '{}'))),
  hostileJson(
    'empty-objects-in-pets',
    'Pets of which each has 300,000 empty objects in a member',
    () => `[{"id":1,"name":"Rex","categoryId":1,"more":${list(Array.from({ length: 300_000 }, () => '{}'))}}]`,
  ),
  hostileJson(
    'almost-too-many-values',
    'A pet with 240,000 empty objects in a member',
    () => `[{"id":1,"name":"Rex","categoryId":1,"more":${list(Array.from({ length: 240_000 }, () => '{}'))}}]`,
  ),
  hostile(
    'ever-new-large-pets',
    'Each list has a hundred other pets with names of 30,000 letters',
    (request, response) => {
      const at = (newId += 100)
      const name = '\u0416'.repeat(15_000)
      const count = Math.min(100, Number(/limit=(\d+)/.exec(request.url ?? '')?.[1] ?? 20) || 20)
      response
        .writeHead(200, json)
        .end(list(Array.from({ length: count }, (__, n) => pet(at + n, name + String(at + n)))))
    },
  ),
  hostileJson(
    'deep-objects',
    'Objects in objects, 100,000 deep',
    () => `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
  ),
  hostileJson(
    'deep-member',
    'A pet with a member that is 100,000 deep',
    () => `[{"id":1,"name":"Rex","categoryId":1,"more":${'['.repeat(100_000)}${']'.repeat(100_000)}}]`,
  ),
  hostileJson(
    'deep-name',
    'A pet whose name is 100,000 deep',
    () => `[{"id":1,"categoryId":1,"name":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}]`,
  ),
  hostileJson(
    'deep-large-numbers',
    'Arrays, 50,000 deep, around an integer beyond 2^53',
    () => `${'['.repeat(50_000)}9007199254740993${']'.repeat(50_000)}`,
  ),
  hostileJson('long-number', 'An id of a million digits', () => list([pet('9'.repeat(1_000_000))])),
  hostileJson('huge-exponent', 'An id of 1e999999999', () => list([pet('1e999999999')])),
  hostileJson('tiny-exponent', 'An id of 1e-999999999', () => list([pet('1e-999999999')])),
  hostileJson('long-name', 'A name of 10 MB', () => list([pet(1, 'x'.repeat(10 * megabyte))])),
  hostileJson('escapes-only', 'A name of a million escapes', () =>
    list([`{"id":1,"categoryId":1,"name":"${'\\u0041\\"\\\\'.repeat(1_000_000)}"}`]),
  ),
  hostileJson(
    'backslashes',
    'A name of two million backslashes and an unfinished string',
    () => `[{"id":1,"name":"${'\\\\'.repeat(1_000_000)}`,
  ),
  hostileJson('lone-surrogates', 'Names with half a character', () =>
    list([`{"id":1,"categoryId":1,"name":"\\ud83d"}`, `{"id":2,"categoryId":1,"name":"\\udc3e x"}`]),
  ),
  hostileJson(
    'member-names',
    'Members that every object has in JavaScript',
    () => '[{"__proto__":{"id":1},"constructor":null,"toString":1,"hasOwnProperty":0,"valueOf":2}]',
  ),
  hostileJson(
    'error-of-member-names',
    'An Error whose members are those that every object has',
    () => '{"__proto__":null,"constructor":1,"code":{"__proto__":1},"message":[[]],"status":1e999}',
    400,
  ),
  hostileJson('null-errors', 'Errors that are null', () => 'null', 400),
  hostileJson('100000-pets', 'A list of 100,000 pets', () => list(Array.from({ length: 100_000 }, (_, id) => pet(id)))),
  hostileJson('100000-times-one-pet', 'A list of 100,000 times one pet', () =>
    list(Array.from({ length: 100_000 }, () => pet(1))),
  ),
]

/** Conversations that are no HTTP, or too much of it. */
export const hostileConversations: HostileServer[] = [
  hostile('redirects-for-ever', 'Each address redirects to a longer one', (request, response) => {
    response.writeHead(302, { location: `${request.url}/x` }).end()
  }),
  hostile('many-headers', 'A thousand headers of a kilobyte', (_, response) => {
    response
      .writeHead(200, {
        ...json,
        ...Object.fromEntries(Array.from({ length: 1000 }, (__, n) => [`x-${n}`, 'y'.repeat(1000)])),
      })
      .end('[]')
  }),
  hostileSocket('megabyte-header', 'One header of a megabyte', (socket) =>
    socket.end(`${ok}X-Big: ${'y'.repeat(megabyte)}\r\nContent-Length: 2\r\n\r\n[]`),
  ),
  hostileSocket('endless-header', 'A header that never ends', (socket) => {
    socket.write(`${ok}X-Big: `)
    pour(socket, 'y'.repeat(65_536))
  }),
  hostileSocket('dripping-header', 'Headers of one byte each 50 ms', (socket) => {
    socket.write(`${ok}X-Slow: `)
    drip(socket, 'y', 50)
  }),
  hostileSocket('flood-of-100', '100 Continue without end', (socket) =>
    pour(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(500)),
  ),
  hostileSocket('flood-of-103', '103 Early Hints without end', (socket) =>
    pour(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n'.repeat(300)),
  ),
  hostileSocket('dripping-102', '102 Processing each 50 ms', (socket) =>
    drip(socket, 'HTTP/1.1 102 Processing\r\n\r\n', 50),
  ),
  hostileSocket('switching-protocols', '101 Switching Protocols, which nobody asked for', (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: pets\r\nConnection: Upgrade\r\n\r\nwoof'),
  ),
  hostileSocket('not-http', 'Another protocol', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')),
  hostileSocket('endless-garbage', 'Bytes without end', (socket) => pour(socket, Buffer.alloc(65_536, 7))),
  hostileSocket('closes-early', 'A connection that closes behind the status line', (socket) =>
    socket.end('HTTP/1.1 200 OK\r\n'),
  ),
  hostileSocket('status-999', 'The status 999', (socket) =>
    socket.end('HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n'),
  ),
  hostileSocket('status-000', 'The status 000', (socket) =>
    socket.end('HTTP/1.1 000 Odd\r\nContent-Length: 0\r\n\r\n'),
  ),
  hostileSocket('length-negative', 'A Content-Length below 0', (socket) =>
    socket.end(`${ok}Content-Length: -5\r\n\r\n[]`),
  ),
  hostileSocket('length-huge', 'A Content-Length of 10^18', (socket) =>
    socket.write(`${ok}Content-Length: 1000000000000000000\r\n\r\n[]`),
  ),
  hostileSocket('length-twice', 'Two Content-Lengths', (socket) =>
    socket.end(`${ok}Content-Length: 2\r\nContent-Length: 3\r\n\r\n[]`),
  ),
  hostileSocket('length-and-chunks', 'A Content-Length and chunks', (socket) =>
    socket.end(`${ok}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n`),
  ),
  hostileSocket('huge-chunk', 'A chunk of 10^15 bytes', (socket) =>
    socket.write(`${ok}Transfer-Encoding: chunked\r\n\r\nfffffffffffff\r\n[]`),
  ),
  hostileSocket('two-answers', 'Two answers to each request', (socket) => {
    const one = `${ok}Content-Length: 2\r\n\r\n[]`
    socket.write(one + one)
  }),
  hostileSocket('resets', 'Each connection is reset', (socket) => socket.resetAndDestroy()),
  hostile('304', 'Nothing has changed', (_, response) => void response.writeHead(304).end()),
  hostile(
    'retry-never',
    '503 with a Retry-After of a billion seconds',
    (_, response) => void response.writeHead(503, { 'retry-after': '1000000000' }).end(),
  ),
  hostile(
    'retry-at-once',
    '429 with a Retry-After of 0 seconds',
    (_, response) => void response.writeHead(429, { 'retry-after': '0' }).end(),
  ),
  hostile(
    'retry-infinite',
    '429 with a Retry-After that no number holds',
    (_, response) => void response.writeHead(429, { 'retry-after': '9'.repeat(400) }).end(),
  ),
  hostile(
    'unknown-coding',
    'A content coding that does not exist',
    (_, response) => void response.writeHead(200, { ...json, 'content-encoding': 'pets' }).end('[]'),
  ),
]

let answers = 0

/** Answers that turn hostile in one place, or lead a run astray. */
export const hostileTraps: HostileServer[] = [
  hostileWithin(
    'terminal-escapes',
    'Names that clear a terminal, set its title and end a comment',
    (page, { operation }) =>
      operation === 'listPets'
        ? {
            ...page,
            body: Buffer.from(
              list([
                pet(1, '\u001B[2J\u001B]0;owned\u0007'),
                `{"id":1,"name":7,"categoryId":"\\u001b[31m\\u009b2J ::error::x %0A ]]> --> </script><script>alert(1)</script> | \`x\` \\n\\n# x"}`,
              ]),
            ),
          }
        : page,
  ),
  hostileWithin('headers-of-escapes', 'A header with a byte that commands a terminal', (page, call, response) => {
    if (call.operation !== 'listPets') return page
    call.socket.end(
      `HTTP/1.1 200 \x1b[31mOK\r\nContent-Type: text/\x1b[2Jjson\r\nX-A: \x9b2J\r\nContent-Length: 2\r\n\r\n[]`,
      'latin1',
    )
    return void response
  }),
  hostileWithin(
    'key-echoed',
    'Each answer has the key in its body and its headers',
    (page, { credential, operation }) => ({
      ...page,
      headers: {
        ...page.headers,
        'x-key': credential,
        'content-type': `text/x-${Buffer.from(credential).toString('hex')}`,
      },
      body: operation === undefined ? page.body : Buffer.from(`{"key":${JSON.stringify(credential)}}`),
    }),
  ),
  hostileWithin('deep-errors', 'Errors that are 100,000 deep', (page) =>
    page.status >= 400
      ? {
          ...page,
          body: Buffer.from(
            `{"code":${'['.repeat(100_000)}${']'.repeat(100_000)},"message":"","status":${page.status}}`,
          ),
        }
      : page,
  ),
  hostileWithin('deep-pets', 'getPet shows a pet with a status that is 100,000 deep', (page, { operation }) =>
    operation === 'getPet' && page.status === 200
      ? {
          ...page,
          body: Buffer.from(`{"id":1,"name":"","categoryId":1,"status":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
        }
      : page,
  ),
  hostileWithin('endless-errors', 'Errors that never end', (page, _, response) => {
    if (page.status < 400) return page
    response.writeHead(page.status, page.headers)
    pour(response, ' '.repeat(65_536))
    return undefined
  }),
  hostileWithin('endless-pet', 'getPet never ends', (page, { operation }, response) => {
    if (operation !== 'getPet') return page
    response.writeHead(200, json).write('{"id":')
    drip(response, '1', 20)
    return undefined
  }),
  hostileWithin('new-pets-each-time', 'Each list shows 100 pets that nobody has seen before', (page, { operation }) => {
    if (operation !== 'listPets' || page.status !== 200) return page
    answers += 1
    return { ...page, body: Buffer.from(list(Array.from({ length: 100 }, (_, n) => pet(answers * 1000 + n)))) }
  }),
  hostileWithin('creates-whatever-comes', 'Each POST is answered 201 with a new pet', (page, { request }) => {
    if (request.method !== 'POST') return page
    answers += 1
    return { status: 201, headers: json, body: Buffer.from(pet(answers + 7_000_000)) }
  }),
  hostileWithin('503-for-invalid-bodies', 'Each invalid body is answered by a gateway with 503', (page) =>
    page.status === 400 ? { status: 503, headers: {}, body: Buffer.from('down') } : page,
  ),
  hostileWithin(
    '429-for-creations',
    'Each creation is answered 429 with a Retry-After of 1 second',
    (page, { operation }) =>
      operation === 'createPet' ? { status: 429, headers: { 'retry-after': '1' }, body: Buffer.alloc(0) } : page,
  ),
  hostileWithin('silent-posts', 'No creation is ever answered', (page, { operation }) =>
    operation === 'createPet' ? undefined : page,
  ),
  hostileWithin('silent-gets', 'getPet is never answered', (page, { operation }) =>
    operation === 'getPet' ? undefined : page,
  ),
]
