import { anyJson, names, numbers } from '../json-texts.ts'
import { answeredOrEnded, toRequest } from '../requests.ts'
import type { Context, Expected, FuzzCase } from '../scenario.ts'

const prefix = '/_petstore'
/** A sandbox, so that nothing happens to the pets that other cases rely on. */
const sandbox = `${prefix}/sandboxes/fuzz`

/** What the control API may answer to a request that it takes, or not. No page of elsewhere may read it. */
const anyAnswer: Expected = {
  method: 'GET',
  statuses: [200, 201, 204, 400, 404, 405, 409, 413, 415],
  never: 'access-control-',
}

const forbidden: Expected = { ...anyAnswer, statuses: [400, 403] }

/** Hosts that are not this machine, or only look like it. */
const foreignHosts: Record<string, string> = {
  elsewhere: 'evil.example',
  'begins-like-localhost': 'localhost.evil.example',
  'begins-like-loopback': '127.0.0.1.evil.example',
  'ends-like-localhost': 'evillocalhost',
  'of-all': '0.0.0.0',
  private: '192.168.0.1',
  decimal: '2130706433',
  hexadecimal: '0x7f000001',
  octal: '0177.0.0.1',
  mapped: '[::ffff:8.8.8.8]',
  'other-ipv6': '[::2]',
  unclosed: '[::1',
  'with-user': 'localhost@evil.example',
  'with-path': 'localhost/evil.example',
  'two-ports': 'localhost:80:80',
  list: 'localhost, evil.example',
  space: 'localhost evil.example',
  nul: 'localhost%00.evil.example',
  'full-width-dot': 'localhost\xef\xbc\x8eevil.example',
  empty: '',
}

const ownHosts = ['localhost', 'LOCALHOST:4010', '127.0.0.1', '127.0.0.1:1', '[::1]', '[::1]:65535', 'pets.localhost']

/** Headers of pages of elsewhere. */
const foreignPages: Record<string, readonly (readonly [string, string])[]> = {
  origin: [['Origin', 'https://evil.example']],
  'origin-null': [['Origin', 'null']],
  'origin-file': [['Origin', 'file://']],
  'origin-other-port': [['Origin', 'http://127.0.0.1:1']],
  'origin-https': [['Origin', 'https://127.0.0.1']],
  'origin-longer': [['Origin', 'http://127.0.0.1.evil.example']],
  'origin-twice': [
    ['Origin', 'http://127.0.0.1'],
    ['Origin', 'http://evil.example'],
  ],
  'cross-site': [['Sec-Fetch-Site', 'cross-site']],
  'same-site': [['Sec-Fetch-Site', 'same-site']],
  'own-origin-cross-site': [
    ['Origin', 'http://127.0.0.1'],
    ['Sec-Fetch-Site', 'cross-site'],
  ],
}

/** Paths that lead nowhere, or to something harmless. */
const paths: Record<string, string> = {
  slash: '/',
  'double-slash': '//pets',
  dots: '/../v1/pets',
  'encoded-dots': '/%2e%2e/v1/pets',
  percent: '/pets/%',
  overlong: '/pets/%C0%AF',
  nul: '/pets/%00',
  'id-huge': `/pets/${'9'.repeat(10_000)}`,
  'id-exponent': '/pets/1e999',
  proto: '/__proto__',
  constructor: '/sandboxes/constructor',
  'sandbox-proto': '/sandboxes/__proto__/pets',
  'sandbox-missing': '/sandboxes/nobody/pets',
  'sandbox-dots': '/sandboxes/%2e%2e/pets',
  'explain-proto': '/explain/__proto__',
  'explain-markup': '/explain/%3Cscript%3Ealert(1)%3C%2Fscript%3E',
  'explain-long': `/explain/${'x'.repeat(10_000)}`,
  'snapshot-proto': '/snapshots/__proto__',
  'rule-proto': '/rules/__proto__',
  passwd: '/..%2f..%2f..%2fetc%2fpasswd',
  'journal-bad-query': '/journal?limit=1e999&status=NaN&operation=__proto__',
  'journal-percent': '/journal?limit=%',
  'journal-twice': '/journal?limit=1&limit=2',
  'scorecard-unknown': '/scorecard?reporter=__proto__',
  'upper-case': '/PETS',
}

/** What changes something, and takes a body. */
const takers: Record<string, readonly [method: string, path: string]> = {
  import: ['PUT', `${sandbox}/pets`],
  'change-pet': ['PATCH', `${sandbox}/pets/1`],
  settings: ['PATCH', `${sandbox}/settings`],
  rules: ['POST', `${sandbox}/rules`],
  clock: ['PUT', `${sandbox}/clock`],
  advance: ['POST', `${sandbox}/clock/advance`],
  sandboxes: ['POST', `${prefix}/sandboxes`],
  reset: ['POST', `${sandbox}/reset`],
  snapshot: ['PUT', `${sandbox}/snapshots/a`],
}

const bodies: Record<string, (context: Context) => string | Buffer> = {
  empty: () => '',
  unfinished: () => '{',
  null: () => 'null',
  number: () => '1e999',
  string: () => '"x"',
  'array-of-nulls': () => '[null,null]',
  proto: () => '{"__proto__":{"name":"x"},"constructor":1}',
  'deep-arrays': () => '['.repeat(200_000) + ']'.repeat(200_000),
  'deep-objects': () => `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
  wide: () => `[${'{},'.repeat(100_000)}{}]`,
  zeros: () => `{"ms":1${'0'.repeat(500_000)}1}`,
  'invalid-utf-8': () => Buffer.from([0x7b, 0xff, 0x7d]),
  'any-json': ({ chance }) => anyJson(chance, 80),
  'odd-pet': ({ chance }) =>
    `[{"id":${chance.pick(Object.values(numbers))[0].slice(0, 1_000)},"name":"${chance.pick(Object.values(names)).slice(0, 1_000)}","categoryId":1,"status":"sold"}]`,
  'odd-rule': ({ chance }) =>
    `{"when":{"operation":"getPet","petId":"0","body":${anyJson(chance, 10)}},"reply":{"status":${chance.between(0, 700)},"body":${anyJson(chance, 10)},"headers":{"x-a\\r\\nb":"c\\r\\nd"}},"times":1}`,
  'odd-delay': ({ chance }) =>
    `{"when":{"petId":"0"},"delayMs":{"median":${chance.pick(Object.values(numbers))[0].slice(0, 500)},"p99":1},"times":0}`,
  'odd-clock': ({ chance }) =>
    `{"now":"${chance.pick(['', 'x', '+275760-09-13', '-271821-04-20', '2030-13-45'])}","ms":1e308}`,
  'odd-settings': ({ chance }) =>
    `{"profile":{"list.order":${anyJson(chance, 3)}},"deviations":["__proto__"],"explain":${anyJson(chance, 3)}}`,
  'odd-settings-without-text': () => '{"profile":{"list.order":{"toString":1,"valueOf":1}},"explain":{"toString":1}}',
  'odd-name': ({ chance }) =>
    `{"name":"${chance.pick(['', '..', '../x', '__proto__', 'A', 'x'.repeat(41), '-', '\\u0000', 'constructor!'])}"}`,
}

const to = (context: Context, target: string, parts: Parameters<typeof toRequest>[1] = {}): Buffer =>
  toRequest(context, { target, host: '127.0.0.1', authorization: undefined, ...parts })

export const control: FuzzCase[] = [
  ...Object.entries(foreignHosts).map(([name, host]): FuzzCase => ({
    id: `control-host/${name}`,
    make: (context) => answeredOrEnded(context, to(context, `${prefix}/pets`, { host }), forbidden),
  })),
  ...ownHosts.map((host, index): FuzzCase => ({
    id: `control-host/own-${index + 1}`,
    make: (context) =>
      answeredOrEnded(context, to(context, `${prefix}/health`, { host }), { ...anyAnswer, statuses: [200] }),
  })),
  {
    id: 'control-host/absolute-form',
    make: (context) => answeredOrEnded(context, to(context, `http://evil.example${prefix}/pets`), forbidden),
  },
  ...Object.entries(foreignPages).flatMap(([name, headers]): FuzzCase[] => [
    {
      id: `control-page/${name}`,
      make: (context) => answeredOrEnded(context, to(context, `${prefix}/pets`, { headers }), forbidden),
    },
    {
      // A page need not read an answer to do harm.
      id: `control-page/${name}-reset`,
      make: (context) =>
        answeredOrEnded(context, to(context, `${prefix}/reset`, { headers, method: 'POST', length: '0' }), forbidden),
    },
  ]),
  {
    id: 'control-page/preflight',
    make: (context) =>
      answeredOrEnded(
        context,
        to(context, `${prefix}/reset`, {
          method: 'OPTIONS',
          headers: [
            ['Origin', 'https://evil.example'],
            ['Access-Control-Request-Method', 'POST'],
          ],
        }),
        forbidden,
      ),
  },
  ...Object.entries(paths).map(([name, path]): FuzzCase => ({
    id: `control-path/${name}`,
    make: (context) => answeredOrEnded(context, to(context, prefix + path), anyAnswer),
  })),
  ...Object.entries(takers).flatMap(([name, [method, target]]) =>
    Object.entries(bodies).map(([kind, body]): FuzzCase => ({
      id: `control-${name}/${kind}`,
      make: (context) =>
        answeredOrEnded(
          context,
          to(context, target, { method, body: body(context), headers: [['Content-Type', 'application/json']] }),
          anyAnswer,
        ),
    })),
  ),
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'].map(
    (type, index): FuzzCase => ({
      // What a form of a page can send.
      id: `control-page/form-${index + 1}`,
      make: (context) =>
        answeredOrEnded(
          context,
          to(context, `${prefix}/reset`, { method: 'POST', body: '{}', headers: [['Content-Type', type]] }),
          { ...anyAnswer, statuses: [403, 415] },
        ),
    }),
  ),
]
