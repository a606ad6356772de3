import type { MockReply } from '../service/message.ts'
import type { Apply, Defects } from './defect.ts'
import { mediaType, onError, onSuccess, text } from './replies.ts'

const ofText = (change: (body: string) => string): Apply => onSuccess(text(change))
const ofBytes = (encode: (body: string) => MockReply['wire'] & object): Apply =>
  onSuccess((reply) => ({ ...reply, wire: encode(reply.body) }))
const utf8 = (body: string): Uint8Array => new TextEncoder().encode(body)

export const wire = {
  'service.base-path': {
    'service.without-version': [
      'The operations respond at /pets; below /v1 a valid key finds nothing.',
      (respond, { settings: { basePath } }) =>
        (request) => {
          const { target } = request
          if (!target.startsWith(`${basePath}/`))
            return respond({ ...request, target: basePath + target })
          // A missing pet: 401 without the key, as from middleware before the router, and 404 with it.
          return respond({
            ...request,
            method: 'GET',
            target: `${basePath}/pets/-9223372036854775808`,
            body: '',
          })
        },
    ],
  },
  'http.media-type': {
    'http.no-media-type': ['Responses have no Content-Type.', onSuccess(mediaType(undefined))],
    'http.html-media-type': [
      'Responses are declared as text/html.',
      onSuccess(mediaType('text/html; charset=utf-8')),
    ],
    'http.text-media-type': [
      'Responses are declared as text/plain.',
      onSuccess(mediaType('text/plain')),
    ],
    'http.error-media-type': [
      'Errors are declared as application/problem+json.',
      onError(mediaType('application/problem+json')),
    ],
  },
  'http.json-body': {
    'http.byte-order-mark': [
      'Responses begin with a byte order mark.',
      ofText((body) => `\uFEFF${body}`),
    ],
    'http.xssi-prefix': [
      "Responses begin with a guard against script inclusion: )]}',",
      ofText((body) => `)]}',\n${body}`),
    ],
    'http.jsonp': ['Responses are wrapped in a callback.', ofText((body) => `callback(${body});`)],
    'http.text-after': [
      'Debug output follows the JSON.',
      ofText((body) => `${body}\n<!-- 12 ms -->`),
    ],
    'http.nul-after': ['A NUL follows the JSON, as in a C string.', ofText((body) => `${body}\0`)],
    'http.twice': ['The JSON is written twice.', ofText((body) => body + body)],
    'http.empty': ['Responses have an empty body.', ofText(() => '')],
    'http.trailing-comma': [
      'There is a comma after the last field.',
      ofText((body) => body.replaceAll('}', ',}')),
    ],
    'http.single-quotes': [
      'Strings have single quotes.',
      ofText((body) => body.replaceAll('"', "'")),
    ],
    'http.nan': [
      'A number is NaN.',
      ofText((body) => body.replace(/"categoryId":-?\d+/, '"categoryId":NaN')),
    ],
    'http.leading-zero': [
      'Numbers have leading zeros.',
      ofText((body) => body.replaceAll(/"id":(\d)/g, '"id":0$1')),
    ],
    'http.raw-tab': [
      'Names hold a tab that is not escaped.',
      ofText((body) => body.replaceAll('"name":"', '"name":"\t')),
    ],
    'http.cut': ['The last ten characters are missing.', ofText((body) => body.slice(0, -10))],
    'http.shorter-than-declared': [
      'The body is shorter than its Content-Length, and the connection ends.',
      ofBytes((body) => {
        const all = utf8(body)
        return { bytes: all.subarray(0, Math.max(0, all.length - 10)), contentLength: all.length }
      }),
    ],
    'http.latin-1': [
      'Responses are in Latin-1, not in UTF-8.',
      ofBytes((body) => ({
        bytes: Uint8Array.from(body, (char) => (char > '\u00FF' ? 0x3f : char.charCodeAt(0))),
      })),
    ],
    'http.utf-16': [
      'Responses are in UTF-16.',
      ofBytes((body) => ({
        bytes: new Uint8Array(Uint16Array.from(body, (char) => char.charCodeAt(0)).buffer),
      })),
    ],
    'http.gzip-undeclared': [
      'Responses are compressed, and do not say so.',
      ofBytes((body) => ({ bytes: storedGzip(utf8(body)) })),
    ],
  },
} as const satisfies Defects

/** A valid gzip file with uncompressed blocks, which needs no library and runs in browsers. */
function storedGzip(content: Uint8Array): Uint8Array {
  const blocks: number[] = []
  for (let at = 0; at === 0 || at < content.length; at += 0xffff) {
    const block = content.subarray(at, at + 0xffff)
    const isLast = at + 0xffff >= content.length
    blocks.push(
      isLast ? 1 : 0,
      ...littleEndian(block.length, 2),
      ...littleEndian(~block.length, 2),
      ...block,
    )
  }
  const head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]
  return Uint8Array.from([
    ...head,
    ...blocks,
    ...littleEndian(crc32(content), 4),
    ...littleEndian(content.length, 4),
  ])
}

function littleEndian(value: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, index) => (value >>> (8 * index)) & 0xff)
}

function crc32(bytes: Uint8Array): number {
  let crc = -1
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc
}
