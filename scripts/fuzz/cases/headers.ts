import { answeredOrEnded, isError, latin1, petsPath, showsPets, toCreation, toRequest } from '../requests.ts'
import type { Context, Expected, FuzzCase } from '../scenario.ts'

/** A head of these lines, with a key. */
const withLines = (context: Context, lines: string): Buffer =>
  latin1(`GET ${petsPath}?limit=3 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${context.key}\r\n${lines}\r\n\r\n`)

/** A page of three, or a refusal. */
const pageOr = (context: Context, ...statuses: number[]): Expected => ({
  ...showsPets(context, 3),
  statuses: [200, ...statuses],
})

/** Lines that are no header fields: to take them would let one side see a header that the other does not. */
const malformed: Record<string, string> = {
  'no-colon': 'X-Odd',
  'empty-name': ': value',
  'space-in-name': 'X Odd: 1',
  'space-before-colon': 'X-Odd : 1',
  'tab-before-colon': 'X-Odd\t: 1',
  'nul-in-name': 'X-\0Odd: 1',
  'control-in-name': 'X-\x01Odd: 1',
  'byte-in-name': 'X-\xe9: 1',
  'brackets-in-name': 'X[Odd]: 1',
  'nul-in-value': 'X-Odd: a\0b',
  'bare-cr-in-value': 'X-Odd: a\rX-Injected: 1',
  'control-in-value': 'X-Odd: a\x01b',
  'escape-in-value': 'X-Odd: \x1b[2J',
  'delete-in-value': 'X-Odd: \x7f',
}

/** Lines that are header fields and change nothing. */
const harmless: Record<string, string> = {
  'no-value': 'X-Empty:',
  'bytes-in-value': 'X-Bytes: \xff\xfe\x80',
  'spaces-around-value': 'X-Spaces:  \t a \t ',
  proto: '__proto__: 1\r\n__proto__: 2',
  constructor: 'constructor: 1\r\nprototype: 2\r\nhasOwnProperty: 3\r\ntoString: 4',
  'long-name': `${'X'.repeat(4_000)}: 1`,
  'method-override': 'X-HTTP-Method-Override: DELETE\r\nX-Method-Override: PUT\r\nX-HTTP-Method: POST',
  'original-url': 'X-Original-URL: /v1/pets/1\r\nX-Rewrite-URL: /v1/pets/2',
  forwarded: 'X-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Host: evil\r\nForwarded: for=::1;host=evil;proto=https',
  cookies: `Cookie: ${'a=b; '.repeat(500)}`,
  upgrade: 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13',
  'upgrade-h2c': 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA',
  trailer: 'Trailer: Content-Length\r\nTE: trailers',
  'keep-alive': 'Connection: keep-alive\r\nKeep-Alive: timeout=1000000000, max=1000000000',
  'many-accepts': `Accept: ${'application/json;q=0.1, '.repeat(200)}*/*`,
  shell: 'User-Agent: () { :; }; echo vulnerable',
  lookup: 'User-Agent: ${jndi:ldap://127.0.0.1:1/a}',
}

/** Lines that a server may weigh. */
const weighed: Record<string, (context: Context) => readonly [lines: string, reply: Expected]> = {
  range: (context) => ['Range: bytes=0-0, -1, 5-1', pageOr(context, 206, 416)],
  conditional: (context) => [
    'If-None-Match: *\r\nIf-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT',
    pageOr(context, 304, 412),
  ],
  'accept-none': (context) => ['Accept: text/html;q=0, application/json;q=0', pageOr(context, 406)],
  'expect-unknown': (context) => ['Expect: a-miracle', pageOr(context, 417)],
  folded: (context) => ['X-Folded: a\r\n b\r\n\tc', pageOr(context, 400)],
  'folded-first': (context) => [' X-Folded: a', pageOr(context, 400)],
  'connection-many': (context) => ['Connection: close, keep-alive, upgrade', pageOr(context)],
  '2500-headers': (context) => [
    Array.from({ length: 2_500 }, (_, n) => `a${n % 10}:b`).join('\r\n'),
    pageOr(context, 400, 431),
  ],
}

/** Headers that are too much. */
const large: Record<string, string> = {
  '64-kib-value': `X-Large: ${'a'.repeat(65_536)}`,
  '64-kib-name': `${'X'.repeat(65_536)}: 1`,
  '20000-headers': Array.from({ length: 20_000 }, (_, n) => `x-${n}: 1`).join('\r\n'),
  'endless-folding': `X-Folded: a${'\r\n b'.repeat(20_000)}`,
  'one-mebibyte': `X-Large: ${'a'.repeat(1_048_576)}`,
}

const hosts: Record<string, readonly [lines: string, statuses: readonly number[]]> = {
  none: ['', [400]],
  twice: ['Host: x\r\nHost: x\r\n', [400]],
  'two-different': ['Host: x\r\nHost: y\r\n', [400]],
  thrice: ['Host: x\r\nhost: x\r\nHOST: x\r\n', [400]],
  empty: ['Host:\r\n', [200, 400]],
  'of-two': ['Host: x, y\r\n', [200, 400]],
  'with-path': ['Host: x/v1\r\n', [200, 400]],
  'with-user': ['Host: a:b@x\r\n', [200, 400]],
  'of-bytes': ['Host: \xff\r\n', [200, 400]],
  'with-port-far': ['Host: x:99999999\r\n', [200, 400]],
  markup: ['Host: "><script>alert(1)</script>\r\n', [200, 400]],
  long: [`Host: ${'x'.repeat(8_000)}\r\n`, [200, 400]],
}

const contentTypes: Record<string, readonly [headers: (readonly [string, string])[], statuses: readonly number[]]> = {
  json: [[['Content-Type', 'application/json']], [201]],
  'upper-case': [[['CONTENT-TYPE', 'APPLICATION/JSON']], [201]],
  'utf-8': [[['Content-Type', 'application/json; charset=utf-8']], [201]],
  'other-charset': [[['Content-Type', 'application/json; charset=utf-16']], [201, 400, 415]],
  none: [[], [201]],
  empty: [[['Content-Type', '']], [201, 400, 415]],
  text: [[['Content-Type', 'text/plain']], [415]],
  longer: [[['Content-Type', 'application/jsonx']], [415]],
  suffix: [[['Content-Type', 'application/vnd.pets+json']], [201, 415]],
  form: [[['Content-Type', 'application/x-www-form-urlencoded']], [415]],
  multipart: [[['Content-Type', 'multipart/form-data; boundary=x']], [415]],
  xml: [[['Content-Type', 'application/xml']], [415]],
  two: [
    [
      ['Content-Type', 'application/json'],
      ['Content-Type', 'text/plain'],
    ],
    [201, 400, 415],
  ],
  list: [[['Content-Type', 'application/json, text/plain']], [201, 400, 415]],
  long: [[['Content-Type', `application/json; x=${'y'.repeat(8_000)}`]], [201]],
  gzip: [
    [
      ['Content-Type', 'application/json'],
      ['Content-Encoding', 'gzip'],
    ],
    [201, 400, 415],
  ],
}

const accepted = (statuses: readonly number[]): Expected => ({ method: 'POST', statuses })

export const headers: FuzzCase[] = [
  ...Object.entries(malformed).map(([name, line]): FuzzCase => ({
    id: `header/${name}`,
    make: (context) => answeredOrEnded(context, withLines(context, line), isError(400)),
  })),
  ...Object.entries(harmless).map(([name, lines]): FuzzCase => ({
    id: `header/${name}`,
    make: (context) => answeredOrEnded(context, withLines(context, lines), pageOr(context)),
  })),
  ...Object.entries(weighed).map(([name, make]): FuzzCase => ({
    id: `header/${name}`,
    make(context) {
      const [lines, reply] = make(context)
      return answeredOrEnded(context, withLines(context, lines), reply)
    },
  })),
  ...Object.entries(large).map(([name, lines]): FuzzCase => ({
    id: `header/${name}`,
    make: (context) => answeredOrEnded(context, withLines(context, lines), isError(400, 431)),
  })),
  ...Object.entries(hosts).map(([name, [lines, statuses]]): FuzzCase => ({
    id: `host/${name}`,
    make: (context) =>
      answeredOrEnded(
        context,
        latin1(`GET ${petsPath}?limit=3 HTTP/1.1\r\n${lines}Authorization: Bearer ${context.key}\r\n\r\n`),
        { ...showsPets(context, 3), statuses },
      ),
  })),
  {
    id: 'host/none-in-1.0',
    make: (context) => {
      const bytes = toRequest(context, { target: `${petsPath}?limit=3`, version: 'HTTP/1.0', host: undefined })
      return { steps: [{ send: bytes }], replies: [pageOr(context)] }
    },
  },
  ...Object.entries(contentTypes).map(([name, [headers, statuses]]): FuzzCase => ({
    id: `content-type/${name}`,
    make: (context) =>
      answeredOrEnded(
        context,
        toRequest(context, { body: JSON.stringify({ name: context.petName(), categoryId: 3 }), headers }),
        { ...accepted(statuses), mayBeAccepted: true },
      ),
  })),
  {
    id: 'header/expect-100-continue',
    make: (context) =>
      answeredOrEnded(
        context,
        toCreation(context, JSON.stringify({ name: context.petName(), categoryId: 3 }), {
          headers: [['Expect', '100-continue']],
        }),
        accepted([201]),
      ),
  },
  {
    id: 'header/expect-100-continue-too-large',
    make: (context) => ({
      steps: [
        { send: toRequest(context, { method: 'POST', length: '99999999', headers: [['Expect', '100-continue']] }) },
      ],
      replies: [accepted([413])],
    }),
  },
]
