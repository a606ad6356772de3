import { deflateRawSync, gzipSync } from 'node:zlib'
import type { ClauseId } from '../../src/spec/clauses.ts'
import type { Time } from '../twins/running-twin.ts'
import type { TwinOptions } from '../twins/settings.ts'
import type { Call } from './call.ts'
import type { Page, Row, Seams } from './fault.ts'
import { isSuccess, isList, isLong, bytes } from './pages.ts'

/** Announces more bytes than follow, and closes the connection. */
const cutShort = ({ sleep }: Time, when: (page: Page, call: Call) => boolean): Seams => ({
  write(page, call, response) {
    if (!when(page, call) || page.body.length < 2) return page
    response.writeHead(page.status, { ...page.headers, 'content-length': String(page.body.length) })
    response.write(page.body.subarray(0, page.body.length >> 1), () => void sleep(5).then(() => call.socket.destroy()))
    return undefined
  },
})

const utf8: ClauseId[] = ['http.json-body']
const newest: TwinOptions = { pets: 40, ids: 'random', order: 'newest' }

/** Bodies that are cut short or compressed in a way that nobody can know. */
export const framingFaults: Row[] = [
  ['m115-body-cut-short', utf8, 'Bodies are shorter than their Content-Length', (time) => cutShort(time, isSuccess)],
  [
    'long-body-cut-short',
    utf8,
    'Bodies of more than 3000 bytes are shorter than their Content-Length',
    (time) => ({ shop: { pets: 120, ids: 'random' }, ...cutShort(time, isLong) }),
  ],
  [
    'each-3rd-body-cut-short',
    utf8,
    'Each 3rd body is shorter than its Content-Length',
    (time) => cutShort(time, (_, { nth }) => nth % 3 === 0),
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
]
