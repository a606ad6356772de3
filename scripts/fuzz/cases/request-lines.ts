import { answeredOrEnded, isError, latin1, petsPath, refused, showsPets } from '../requests.ts'
import type { Context, Expected, FuzzCase } from '../scenario.ts'

const noHttp = [400, 405, 501] as const

/** Lines that no server need take for a request, and the statuses that say so. */
const malformed: Record<string, readonly [line: string, statuses: readonly number[]]> = {
  'lower-case-method': [`get ${petsPath} HTTP/1.1`, noHttp],
  'mixed-case-method': [`Get ${petsPath} HTTP/1.1`, noHttp],
  'unknown-method': [`FROB ${petsPath} HTTP/1.1`, noHttp],
  'method-with-colon': [`GET: ${petsPath} HTTP/1.1`, noHttp],
  'method-with-nul': [`GE\0T ${petsPath} HTTP/1.1`, noHttp],
  'method-of-bytes': [`\xff\xfe ${petsPath} HTTP/1.1`, noHttp],
  'no-method': [` ${petsPath} HTTP/1.1`, noHttp],
  'no-target': ['GET HTTP/1.1', [400, 404]],
  'no-target-two-spaces': ['GET  HTTP/1.1', [400, 404]],
  'no-version': [`GET ${petsPath}`, [400, 505]],
  'tab-for-space': [`GET\t${petsPath}\tHTTP/1.1`, [400, 405, 501]],
  'word-behind-version': [`GET ${petsPath} HTTP/1.1 HTTP/1.1`, [400]],
  'space-in-target': [`GET ${petsPath}?status=sold status HTTP/1.1`, [400]],
  'bare-cr-in-target': [`GET ${petsPath}?a=\rb HTTP/1.1`, [400]],
  'nul-in-target': [`GET ${petsPath}?a=\0 HTTP/1.1`, [400]],
  'lower-case-version': [`GET ${petsPath} http/1.1`, [400, 505]],
  'version-1.2': [`GET ${petsPath} HTTP/1.2`, [400, 505]],
  'version-1.10': [`GET ${petsPath} HTTP/1.10`, [400, 505]],
  'version-01.1': [`GET ${petsPath} HTTP/01.1`, [400, 505]],
  'version-2.0': [`GET ${petsPath} HTTP/2.0`, [400, 505]],
  'version-9.9': [`GET ${petsPath} HTTP/9.9`, [400, 505]],
  'version-minus': [`GET ${petsPath} HTTP/-1.1`, [400, 505]],
  'version-word': [`GET ${petsPath} HTTP/one`, [400, 505]],
  'http-2-preface': ['PRI * HTTP/2.0', [400, 405, 501, 505]],
  'authority-form': ['GET example.com:80 HTTP/1.1', [400, 404]],
  'relative-target': ['GET v1/pets HTTP/1.1', [400, 404]],
  backslashes: [String.raw`GET \v1\pets HTTP/1.1`, [400, 404]],
  asterisk: ['GET * HTTP/1.1', [400, 404]],
  'other-scheme': ['GET ftp://x/v1/pets HTTP/1.1', [400, 404]],
  'script-scheme': ['GET javascript:alert(1) HTTP/1.1', [400, 404]],
  'long-method': [`${'A'.repeat(65_536)} ${petsPath} HTTP/1.1`, [...noHttp, 414, 431]],
  'long-version': [`GET ${petsPath} HTTP/1.${'1'.repeat(65_536)}`, [400, 414, 431, 505]],
}

/** A page of three, or a refusal. */
const pageOr = (context: Context, ...statuses: number[]): Expected => ({
  ...showsPets(context, 3),
  statuses: [200, ...statuses],
})

/** Methods that HTTP has, or once had, and the interface has not. */
const otherMethods =
  'PUT PATCH DELETE TRACE PROPFIND MKCOL COPY LOCK SEARCH LINK PURGE QUERY REPORT M-SEARCH BIND'.split(' ')

/** Lines that a server may take. */
const odd: Record<string, (context: Context) => readonly [line: string, reply: Expected]> = {
  'absolute-form': (context) => [`GET http://x${petsPath}?limit=3 HTTP/1.1`, showsPets(context, 3)],
  'absolute-form-elsewhere': (context) => [
    `GET http://elsewhere.example${petsPath}?limit=3 HTTP/1.1`,
    pageOr(context, 400, 404, 421),
  ],
  'absolute-form-https': (context) => [`GET https://x${petsPath}?limit=3 HTTP/1.1`, pageOr(context, 400, 404, 421)],
  'absolute-form-with-user': (context) => [`GET http://a:b@x${petsPath}?limit=3 HTTP/1.1`, pageOr(context, 400, 404)],
  fragment: (context) => [`GET ${petsPath}?limit=3#4 HTTP/1.1`, pageOr(context, 400)],
  'fragment-of-path': () => [`GET ${petsPath}#1 HTTP/1.1`, isError(200, 400, 404)],
  'raw-utf-8': () => [`GET ${petsPath}/\xc3\xa9 HTTP/1.1`, isError(400, 404)],
  'tab-in-target': () => [`GET ${petsPath}/\t HTTP/1.1`, isError(400, 404)],
  'form-feed-in-target': () => [`GET ${petsPath}/?\f HTTP/1.1`, isError(308, 400, 404)],
  'escape-in-target': () => [`GET ${petsPath}/\x1b[2J HTTP/1.1`, isError(400, 404)],
  'delete-in-target': () => [`GET ${petsPath}/\x7f HTTP/1.1`, isError(400, 404)],
  'markup-in-target': () => [`GET ${petsPath}/<script>alert(1)</script> HTTP/1.1`, isError(400, 404)],
  'quotes-in-target': () => [`GET ${petsPath}/"\\"{}|^\` HTTP/1.1`, isError(400, 404)],
  // Node's parser takes them for HTTP/1.0; the connection ends behind the reply.
  'other-protocol': (context) => [`GET ${petsPath}?limit=3 RTSP/1.0`, pageOr(context, 400, 505)],
  'ice-protocol': (context) => [`GET ${petsPath}?limit=3 ICE/1.0`, pageOr(context, 400, 505)],
  // RFC 9112 section 3: a recipient may take any white space for a single space.
  'two-spaces': (context) => [`GET  ${petsPath}?limit=3 HTTP/1.1`, pageOr(context, 400)],
  'endless-spaces': (context) => [
    `GET ${' '.repeat(65_536)}${petsPath}?limit=3 HTTP/1.1`,
    pageOr(context, 400, 414, 431),
  ],
  'many-empty-lines-before': (context) => [
    `${'\r\n'.repeat(20_000)}GET ${petsPath}?limit=3 HTTP/1.1`,
    pageOr(context, 400, 408, 431),
  ],
  'empty-lines-before': (context) => [`\r\n\r\nGET ${petsPath}?limit=3 HTTP/1.1`, pageOr(context, 400)],
  'bare-line-feeds-before': (context) => [`\n\n\nGET ${petsPath}?limit=3 HTTP/1.1`, pageOr(context, 400)],
}

const head = ({ key }: Context): string => `\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`

export const requestLines: FuzzCase[] = [
  ...Object.entries(malformed).map(([name, [line, statuses]]): FuzzCase => ({
    id: `request-line/${name}`,
    make: (context) => answeredOrEnded(context, latin1(line + head(context)), isError(...statuses)),
  })),
  ...Object.entries(odd).map(([name, make]): FuzzCase => ({
    id: `request-line/${name}`,
    make(context) {
      const [line, reply] = make(context)
      return answeredOrEnded(context, latin1(line + head(context)), reply)
    },
  })),
  ...otherMethods.map((method): FuzzCase => ({
    id: `request-line/method-${method.toLowerCase()}`,
    make: (context) =>
      answeredOrEnded(context, latin1(`${method} ${petsPath} HTTP/1.1${head(context)}`), isError(400, 405, 501)),
  })),
  {
    id: 'request-line/connect',
    make: (context) => refused(latin1(`CONNECT x:80 HTTP/1.1${head(context)}`), [400, 404, 405, 501]),
  },
  {
    id: 'request-line/asterisk-options',
    make: (context) =>
      answeredOrEnded(context, latin1(`OPTIONS * HTTP/1.1${head(context)}`), isError(200, 204, 400, 404, 405)),
  },
  {
    id: 'request-line/tls-client-hello',
    make: ({ chance }) =>
      refused(Buffer.concat([Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]), chance.bytes(200)]), [400]),
  },
  {
    id: 'request-line/line-feeds-only',
    make: (context) =>
      answeredOrEnded(context, latin1(`GET ${petsPath}?limit=2 HTTP/1.1${head(context)}`.replaceAll('\r\n', '\n')), {
        ...showsPets(context, 2),
        statuses: [200, 400],
      }),
  },
  {
    id: 'request-line/carriage-returns-only',
    make: (context) => refused(latin1(`GET ${petsPath} HTTP/1.1${head(context)}`.replaceAll('\r\n', '\r')), [400]),
  },
]
