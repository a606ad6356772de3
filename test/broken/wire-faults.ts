import { deflateRawSync, gzipSync } from 'node:zlib'
import type { ClauseId } from '../../src/spec/clauses.ts'
import type { TwinOptions } from '../twins/settings.ts'
import type { Call } from './call.ts'
import type { Page, Row, Seams } from './fault.ts'

type Bytes = (body: Buffer) => Buffer

const isSuccess = ({ status }: Page): boolean => status === 200 || status === 201
const isList = (page: Page, { operation }: Call): boolean => operation === 'listPets' && isSuccess(page)
const isLong = ({ body }: Page): boolean => body.length > 3000

/** Changes the bytes of some bodies. */
const bytes = (edit: Bytes, when: (page: Page, call: Call) => boolean = isSuccess, shop?: TwinOptions): Seams => ({
  ...(shop && { shop }),
  write: (page, call) => (page.body.length > 0 && when(page, call) ? { ...page, body: edit(page.body) } : page),
})
const text = (edit: (body: string) => string, when?: (page: Page, call: Call) => boolean, shop?: TwinOptions): Seams =>
  bytes((body) => Buffer.from(edit(body.toString())), when, shop)
const header = (value: string | undefined, when: (page: Page, call: Call) => boolean = isSuccess): Seams => ({
  write(page, call) {
    if (!when(page, call)) return page
    const headers = Object.fromEntries(Object.entries(page.headers).filter(([name]) => name !== 'content-type'))
    return { ...page, headers: value === undefined ? headers : { ...headers, 'content-type': value } }
  },
})

/** Announces more bytes than follow, and closes the connection. */
const cutShort = (when: (page: Page, call: Call) => boolean): Seams => ({
  write(page, call, response) {
    if (!when(page, call) || page.body.length < 2) return page
    response.writeHead(page.status, { ...page.headers, 'content-length': String(page.body.length) })
    response.write(page.body.subarray(0, page.body.length >> 1), () => setTimeout(() => call.socket.destroy(), 5))
    return undefined
  },
})

const json: ClauseId[] = ['http.json-body', 'http.media-type']
const utf8: ClauseId[] = ['http.json-body']
const media: ClauseId[] = ['http.media-type']
const newest: TwinOptions = { pets: 40, ids: 'random', order: 'newest' }

/** Bodies that are no JSON, or do not say that they are. */
export const wireFaults: Row[] = [
  ['m112-no-media-type', media, 'Answers have no Content-Type', () => header(undefined)],
  ['m112-text-html', media, 'JSON is declared as text/html', () => header('text/html; charset=utf-8')],
  ['text-json', media, 'JSON is declared as text/json', () => header('text/json')],
  ['json-api', media, 'JSON is declared as application/vnd.api+json', () => header('application/vnd.api+json')],
  ['text-plain-for-list', media, 'A list is declared as text/plain', () => header('text/plain', isList)],
  [
    'octets-for-201',
    media,
    'The answer of createPet is declared as application/octet-stream',
    () => header('application/octet-stream', ({ status }) => status === 201),
  ],
  [
    'json-lines-for-sold',
    media,
    'The list of sold pets is declared as application/x-ndjson',
    () => header('application/x-ndjson', (page, call) => isList(page, call) && call.status === 'sold'),
  ],
  [
    'html-declared-for-get',
    media,
    'getPet declares its JSON as text/html',
    () => header('text/html', (page, { operation }) => operation === 'getPet' && isSuccess(page)),
  ],
  [
    'm113-guard-prefix',
    utf8,
    'A guard against script inclusion stands before the JSON',
    () => text((body) => `)]}',\n${body}`),
  ],
  ['m113-byte-order-mark', utf8, 'A byte order mark stands before the JSON', () => text((body) => `\uFEFF${body}`)],
  [
    'byte-order-mark-in-errors',
    [...utf8, 'error.body'],
    'A byte order mark stands before the JSON of errors',
    () =>
      text(
        (body) => `\uFEFF${body}`,
        ({ status }) => status >= 400,
      ),
  ],
  [
    'm113-nan',
    utf8,
    'A category of 1 is written as NaN in lists',
    () =>
      text((body) => body.replace(/"categoryId":\s*1(?:\.0)?(?=[,\s}])/g, '"categoryId":NaN'), isList, {
        pets: 40,
        ids: 'gaps',
      }),
  ],
  [
    'm113-trailing-comma',
    utf8,
    'A comma stands behind the last pet of a list',
    () =>
      text(
        (body) => body.replace(/\]\s*$/, ',]'),
        (page, call) => isList(page, call) && page.body.length > 2,
      ),
  ],
  [
    'm114-repeated-member',
    utf8,
    'A Pet has its id twice',
    () =>
      text(
        (body) => body.replace('{', '{"id": 1,'),
        (page, { operation }) => operation === 'getPet' && isSuccess(page),
      ),
  ],
  [
    'repeated-status-in-list',
    utf8,
    'The last pet of a list has its status twice',
    () => text((body) => body.replace(/\}(\s*\])\s*$/, ',"status":"sold"}$1'), isList, { pets: 50, ids: 'random' }),
  ],
  ['m115-body-cut-short', utf8, 'Bodies are shorter than their Content-Length', () => cutShort(isSuccess)],
  [
    'long-body-cut-short',
    utf8,
    'Bodies of more than 3000 bytes are shorter than their Content-Length',
    () => ({ shop: { pets: 120, ids: 'random' }, ...cutShort(isLong) }),
  ],
  [
    'each-3rd-body-cut-short',
    utf8,
    'Each 3rd body is shorter than its Content-Length',
    () => cutShort((_, { nth }) => nth % 3 === 0),
  ],
  [
    'content-length-one-less',
    utf8,
    'The Content-Length counts one byte less than the body has',
    () => ({
      write(page, call) {
        if (!isSuccess(page)) return page
        call.socket.end(
          `HTTP/1.1 ${page.status} OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${page.body.length - 1}\r\n\r\n${page.body.subarray(0, -1).toString('latin1')}`,
          'latin1',
        )
        return undefined
      },
    }),
  ],
  [
    'content-length-in-characters',
    utf8,
    'The Content-Length counts characters in place of bytes',
    () => ({
      shop: newest,
      write(page) {
        const { length } = page.body.toString()
        return {
          ...page,
          headers: { ...page.headers, 'content-length': String(length) },
          body: page.body.subarray(0, length),
        }
      },
    }),
  ],
  [
    'chunks-without-end',
    utf8,
    'A chunked list ends without its last chunk',
    () => ({
      write(page, call) {
        if (!isList(page, call)) return page
        call.socket.end(
          `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${page.body.length.toString(16)}\r\n${page.body.toString('latin1')}\r\n`,
          'latin1',
        )
        return undefined
      },
    }),
  ],
  ['m115-gzip-unannounced', utf8, 'Bodies are compressed and do not say so', () => bytes((body) => gzipSync(body))],
  [
    'long-body-gzip-unannounced',
    utf8,
    'Bodies of more than 3000 bytes are compressed and do not say so',
    () => bytes((body) => gzipSync(body), isLong, { pets: 90, ids: 'gaps' }),
  ],
  [
    'gzip-unannounced-where-asked',
    utf8,
    'Bodies are compressed for those who accept it, and do not say so',
    () =>
      bytes(
        (body) => gzipSync(body),
        (page, { request }) => isSuccess(page) && String(request.headers['accept-encoding']).includes('gzip'),
      ),
  ],
  [
    'plain-called-gzip',
    utf8,
    'Bodies are said to be compressed and are not',
    () => ({
      write: (page) => (isSuccess(page) ? { ...page, headers: { ...page.headers, 'content-encoding': 'gzip' } } : page),
    }),
  ],
  [
    'raw-deflate',
    utf8,
    'Bodies are compressed in a way that their header does not name',
    () => ({
      write: (page) =>
        isSuccess(page)
          ? { ...page, headers: { ...page.headers, 'content-encoding': 'br' }, body: deflateRawSync(page.body) }
          : page,
    }),
  ],
  [
    'gzip-cut-short',
    utf8,
    'Compressed lists lack their last bytes',
    () => ({
      write: (page, call) =>
        isList(page, call)
          ? {
              ...page,
              headers: { ...page.headers, 'content-encoding': 'gzip' },
              body: gzipSync(page.body).subarray(0, -9),
            }
          : page,
    }),
  ],
  [
    'm56-latin-1',
    utf8,
    'Bodies are encoded in Latin-1',
    () => bytes((body) => Buffer.from(body.toString(), 'latin1'), isSuccess, newest),
  ],
  [
    'latin-1-in-list',
    utf8,
    'Lists are encoded in Latin-1',
    () => bytes((body) => Buffer.from(body.toString(), 'latin1'), isList, newest),
  ],
  [
    'latin-1-declared',
    utf8,
    'getPet is encoded in Latin-1 and says so',
    () => ({
      shop: newest,
      write: (page, { operation }) =>
        operation === 'getPet'
          ? {
              ...page,
              headers: { 'content-type': 'application/json; charset=iso-8859-1' },
              body: Buffer.from(page.body.toString(), 'latin1'),
            }
          : page,
    }),
  ],
  ['utf-16', utf8, 'Bodies are encoded in UTF-16', () => bytes((body) => Buffer.from(body.toString(), 'utf16le'))],
  [
    'utf-8-surrogates',
    utf8,
    'Characters beyond the first plane are written as two surrogates of three bytes each',
    () =>
      bytes(
        (body) => {
          const surrogate = (unit: number): number[] => [
            0xe0 | (unit >> 12),
            0x80 | ((unit >> 6) & 63),
            0x80 | (unit & 63),
          ]
          return Buffer.concat(
            [...body.toString()].map((char) =>
              char.length === 2
                ? Buffer.from([...surrogate(char.charCodeAt(0)), ...surrogate(char.charCodeAt(1))])
                : Buffer.from(char),
            ),
          )
        },
        isSuccess,
        newest,
      ),
  ],
  [
    'text-behind',
    utf8,
    'A comment with the duration stands behind the JSON',
    () => text((body) => `${body}<!-- 12 ms -->`),
  ],
  [
    'text-behind-long-list',
    utf8,
    'Three bytes stand behind lists of more than 3000 bytes',
    () => text((body) => `${body}\n0;`, isLong, { pets: 75, ids: 'random' }),
  ],
  ['nul-behind', utf8, 'A NUL stands behind the JSON', () => text((body) => `${body}\0`)],
  [
    'two-texts',
    utf8,
    'The body of createPet has its JSON twice',
    () =>
      text(
        (body) => `${body}\n${body}`,
        ({ status }) => status === 201,
      ),
  ],
  [
    'one-pet-per-line',
    [...utf8, 'list.success'],
    'A list is one pet per line',
    () =>
      text(
        (body) =>
          body
            .replace(/^\s*\[/, '')
            .replace(/\]\s*$/, '')
            .replace(/\},\s*\{/g, '}\n{'),
        isList,
      ),
  ],
  ['callback', utf8, 'A list is the argument of a callback', () => text((body) => `callback(${body})`, isList)],
  ['single-quotes-in-answers', utf8, 'Strings stand in single quotes', () => text((body) => body.replaceAll('"', "'"))],
  [
    'raw-control-characters',
    utf8,
    'Line breaks within strings are not escaped',
    () =>
      text((body) => body.replaceAll('\\n', '\n'), isSuccess, {
        pets: 40,
        oddPets: true,
        order: 'oldest',
        ids: 'random',
      }),
  ],
  [
    'quotes-not-escaped',
    utf8,
    'Quotation marks within names are not escaped',
    () => text((body) => body.replace(/\\"/g, '"'), isSuccess, newest),
  ],
  [
    'ids-with-plus',
    utf8,
    'Ids have a plus sign in getPet',
    () =>
      text(
        (body) => body.replace(/"id":\s*(?=\d)/, '"id":+'),
        (page, { operation }) => operation === 'getPet' && isSuccess(page),
        { pets: 30 },
      ),
  ],
  [
    'xml-unless-json-is-asked',
    json,
    'Whoever accepts anything gets XML',
    () => ({
      write: (page, { request }) =>
        isSuccess(page) && !String(request.headers['accept'] ?? '*/*').includes('application/json')
          ? { ...page, headers: { 'content-type': 'application/xml' }, body: Buffer.from('<pets/>') }
          : page,
    }),
  ],
]
