/** Random conversations, which fast-check shrinks to a minimal failing one. */
import fc from 'fast-check'

import {
  type Case,
  cases,
  control,
  controlWrites,
  create,
  createsRex,
  follow,
  forBody,
  json,
  lastExpected,
  lastRequest,
  latin1,
  request,
  rex,
  status,
} from './cases.ts'
import { doubtfulName, type Expected } from './oracle.ts'
import type { Step } from './wire.ts'

const numbers =
  '0 -0 -1 7.0 1e999 -1e999 1e-400 1.5 9007199254740993 9223372036854775808 18446744073709551617'.split(
    ' ',
  )
const properties =
  'name categoryId status id __proto__ constructor prototype toJSON length 0 é when reply ms now'.split(
    ' ',
  )

/** Arbitrary JSON in UTF-8. */
const anyJson = fc
  .letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, depthSize: 'small' },
      fc.constantFrom('null', 'true', '""', '[]', '{}', ...numbers),
      fc.string().map((text) => JSON.stringify(text)),
      fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join()}]`),
      fc
        .array(fc.tuple(fc.oneof(fc.constantFrom(...properties), fc.string()), tie('value')), {
          maxLength: 4,
        })
        .map(
          (entries) =>
            `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`,
        ),
    ),
  }))
  .value.map((text) => Buffer.from(text).toString('latin1'))
const toPost = (body: string): Case =>
  follow('any/body', create(body), [forBody(latin1(body), 400)])

/** Changes some bytes: at a relative position, removes a number of them, and inserts others. */
const changed = (...texts: Buffer[]): fc.Arbitrary<Buffer> =>
  fc
    .tuple(
      fc.constantFrom(...texts),
      fc.array(
        fc.record({
          at: fc.nat({ max: 1_000 }),
          remove: fc.nat({ max: 4 }),
          insert: fc.oneof(
            fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
            fc.constantFrom(...'\0\r\n\t "{}[],:\\09eE.-+').map(latin1),
          ),
        }),
        { minLength: 1, maxLength: 4 },
      ),
    )
    .map(([text, changes]) =>
      changes.reduce((now, { at, remove, insert }) => {
        const start = Math.floor((at * now.length) / 1_000)
        return Buffer.concat([now.subarray(0, start), insert, now.subarray(start + remove)])
      }, text),
    )

/** Acceptable responses to arbitrary bytes: any well-formed response except an internal error. */
const anything: Expected = {
  statuses: [
    200, 201, 204, 308, 400, 401, 403, 404, 405, 408, 411, 413, 414, 415, 417, 431, 501, 505,
  ],
  optional: true,
}
/** `methods` define which responses have no body. Default: GET. */
const lax = (name: string, send: Buffer, methods: readonly string[] = []): Case => ({
  name,
  steps: [{ send }, { finish: true }],
  expected: Array.from({ length: 20 }, (_, index) => ({
    ...anything,
    method: methods[index] ?? 'GET',
  })),
})
const tokens = (
  'GET |POST |/v1/pets|/v1/pets/1| HTTP/1.1|\r\n|\r\n\r\n|\n|\r| |\t|:|{}|\0|\xff|0\r\n\r\n|5\r\nhello\r\n|Host: x\r\n|' +
  'Authorization: Bearer fuzz-key-0123456789\r\n|Content-Length: 5\r\n|Transfer-Encoding: chunked\r\n|' +
  'Expect: 100-continue\r\n|Connection: close\r\n'
).split('|')

/** A request with its response. */
const exchange = fc.oneof(
  fc.constantFrom(1, 20, 100).map((limit): [Buffer, Expected] => {
    return [request(`/v1/pets?limit=${limit}`), { statuses: [200], page: { limit } }]
  }),
  fc.integer({ min: 1, max: 100 }).map((pet): [Buffer, Expected] => {
    return [request(`/v1/pets/${pet}`), { statuses: [200], pet }]
  }),
  fc.constantFrom<[Buffer, Expected][]>(
    [request('/v1/pets/0'), status(404)],
    [request('/elsewhere'), status(404)],
    [request('/v1/pets', { authorization: null }), status(401)],
    [request('/v1/pets?limit=0'), status(400)],
    [request('/v1/pets', { method: 'PUT', body: latin1('ignored') }), status(405)],
    [request('/v1/pets', { method: 'HEAD' }), { ...status(200, 405), method: 'HEAD' }],
    [create(rex), createsRex],
    [create(rex, { lines: 'Expect: 100-continue\r\n' }), createsRex],
    [create('{'), status(400)],
    [create(''), status(400)],
    [
      request('/v1/pets', { body: latin1('<pet/>'), lines: 'Content-Type: text/xml\r\n' }),
      status(415),
    ],
  ),
)
const inPieces = (bytes: Buffer, size: number): Step[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index): Step[] => [
    { send: bytes.subarray(index * size, (index + 1) * size) },
    { pauseMs: 0 },
  ]).flat()

const plain = cases.filter(
  (one) => one.times === undefined && one.hold === undefined && one.slow !== true,
)
/** Requests that may be truncated: they create no pet except Rex. */
const cuttable = plain
  .filter(({ name }) => !/^(control|prefer|name)/.test(name))
  .map(({ steps, expected }) => ({
    bytes: Buffer.concat(steps.flatMap((step) => ('send' in step ? [step.send] : []))),
    methods: expected.map(({ method = 'GET' }) => method),
  }))
  .filter(
    ({ bytes }) => !bytes.includes('POST') || (bytes.includes('"Rex"') && !bytes.includes('"Bo"')),
  )

export const anyCase: fc.Arbitrary<Case> = fc.oneof(
  // Several requests at once, in pieces, or in sequence.
  fc
    .tuple(
      fc.array(exchange, { minLength: 1, maxLength: 40 }),
      fc.constantFrom(0, 1, 5, 50, 500, 1e9),
    )
    .map(([sent, size]): Case => {
      const all = [...sent, [lastRequest, lastExpected] as const]
      const waiting = all.flatMap(([send], index): Step[] => [{ awaitResponses: index }, { send }])
      const bytes = Buffer.concat(all.map(([send]) => send))
      return {
        name: 'any/pipeline',
        // Byte by byte takes long.
        steps: size === 0 ? waiting : inPieces(bytes, size === 1 && sent.length > 8 ? 5 : size),
        expected: all.map(([, expected]) => expected),
      }
    }),
  anyJson.map((body) => toPost(body)),
  anyJson.map((value) => toPost(`{"name":"Rex","categoryId":2,"x":${value}}`)),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => toPost(Buffer.from(bytes).toString('latin1'))),
  changed(latin1('{"name":"Rex","categoryId":9007199254740993,"status":"sold"}')).map((body) =>
    toPost(body.toString('latin1')),
  ),
  changed(create(rex), request('/v1/pets?limit=5&status=sold'), lastRequest).map((bytes) =>
    lax('any/changed-request', bytes),
  ),
  fc
    .uint8Array({ minLength: 1, maxLength: 400 })
    .map((bytes) => lax('any/bytes', Buffer.from(bytes))),
  fc
    .array(fc.constantFrom(...tokens), { minLength: 1, maxLength: 40 })
    .map((words) => lax('any/tokens', latin1(`${words.join('')}\r\n\r\n`))),
  fc.integer({ min: 7_000, max: 20_000 }).map((length) => {
    const expected: Expected = { ...status(200, 414, 431), page: { limit: 20 } }
    return follow('any/length', request(`/v1/pets?x=${'x'.repeat(length)}`), [expected], true)
  }),
  fc
    .string({
      unit: fc.constantFrom(...'%./?#&=+0159abefpetsv1;:@!$\'()*,~-_[]|\\^`{}"<>'),
      maxLength: 40,
    })
    .map((tail) =>
      follow('any/target', request(`/v1/pets${tail}`), [status(200, 308, 400, 404)], true),
    ),
  fc
    .string({ minLength: 1, maxLength: 60 })
    .map((key) =>
      follow(
        'any/key',
        request('/v1/pets', { authorization: `Bearer ${key}` }),
        [status(401)],
        true,
      ),
    ),
  // A request that is cut anywhere. Its pet may exist if the client closes the connection.
  fc
    .tuple(
      fc.constantFrom(...cuttable),
      fc.nat({ max: 1_000 }),
      fc.constantFrom('finish', 'close', 'reset'),
    )
    .map(([{ bytes, methods }, at, how]): Case => {
      const cut = bytes.subarray(0, Math.floor((Math.min(bytes.length, 4_000) * at) / 1_000))
      // A HEAD request counts as such only with a complete head.
      if (how === 'finish') return lax('any/cut', cut, cut.includes('\r\n\r\n') ? methods : [])
      const send = latin1(cut.toString('latin1').replaceAll('"Rex"', JSON.stringify(doubtfulName)))
      return {
        name: `any/cut, ${how}`,
        steps: [{ send }, { pauseMs: 0 }, { abandon: how }],
        expected: [],
      }
    }),
  fc
    .tuple(
      fc.constantFrom(...controlWrites),
      anyJson,
      fc.constantFrom('', 'now', 'ms', 'pets', 'rules', 'name'),
    )
    .map(([[path, method], value, property]) => {
      const body = latin1(property === '' ? value : `{${JSON.stringify(property)}:${value}}`)
      const expected = { statuses: [200, 201, 204, 400, 404, 409, 413], never: 'access-control-' }
      return follow('any/control', control(path, { method, first: json, body }), [expected], true)
    }),
)
