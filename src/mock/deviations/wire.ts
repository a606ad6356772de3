import type { MockReply } from '../message.ts'
import type { Apply, Deviation } from './deviation.ts'
import { storedGzip } from './gzip.ts'
import { onError, withText } from './replies.ts'
import { operationOf } from './requests.ts'

/** Changes the replies of operations that are no errors. */
function onSuccess(change: (reply: MockReply) => MockReply): Apply {
  return (respond, context) => (request) => {
    const reply = respond(request)
    return operationOf(request, context) !== undefined && reply.status < 300 ? change(reply) : reply
  }
}

const text = (change: (body: string) => string): Apply => onSuccess((reply) => ({ ...reply, body: change(reply.body) }))
const bytes = (encode: (body: string) => Uint8Array): Apply =>
  onSuccess((reply) => ({ ...reply, wire: { bytes: encode(reply.body) } }))
const utf8 = (body: string): Uint8Array => new TextEncoder().encode(body)

export const wire = [
  {
    id: 'http.no-media-type',
    clause: 'http.media-type',
    description: 'Responses have no Content-Type.',
    apply: onSuccess((reply) => withText(reply, reply.body, undefined)),
  },
  {
    id: 'http.html-media-type',
    clause: 'http.media-type',
    description: 'Responses are declared as text/html.',
    apply: onSuccess((reply) => withText(reply, reply.body, 'text/html; charset=utf-8')),
  },
  {
    id: 'http.text-media-type',
    clause: 'http.media-type',
    description: 'Responses are declared as text/plain.',
    apply: onSuccess((reply) => withText(reply, reply.body, 'text/plain')),
  },
  {
    id: 'http.error-media-type',
    clause: 'http.media-type',
    description: 'Errors are declared as application/problem+json.',
    apply: onError((reply) => withText(reply, reply.body, 'application/problem+json')),
  },
  {
    id: 'http.byte-order-mark',
    clause: 'http.json-body',
    description: 'Responses begin with a byte order mark.',
    apply: text((body) => `\uFEFF${body}`),
  },
  {
    id: 'http.xssi-prefix',
    clause: 'http.json-body',
    description: "Responses begin with a guard against script inclusion: )]}',",
    apply: text((body) => `)]}',\n${body}`),
  },
  {
    id: 'http.jsonp',
    clause: 'http.json-body',
    description: 'Responses are wrapped in a callback.',
    apply: text((body) => `callback(${body});`),
  },
  {
    id: 'http.text-after',
    clause: 'http.json-body',
    description: 'A line of a debugger follows the JSON.',
    apply: text((body) => `${body}\n<!-- 12 ms -->`),
  },
  {
    id: 'http.nul-after',
    clause: 'http.json-body',
    description: 'A NUL follows the JSON, as in a C string.',
    apply: text((body) => `${body}\0`),
  },
  {
    id: 'http.twice',
    clause: 'http.json-body',
    description: 'The JSON is written twice.',
    apply: text((body) => body + body),
  },
  {
    id: 'http.empty',
    clause: 'http.json-body',
    description: 'Responses have an empty body.',
    apply: text(() => ''),
  },
  {
    id: 'http.trailing-comma',
    clause: 'http.json-body',
    description: 'A comma stands behind the last field.',
    apply: text((body) => body.replaceAll('}', ',}')),
  },
  {
    id: 'http.single-quotes',
    clause: 'http.json-body',
    description: 'Strings stand in single quotes.',
    apply: text((body) => body.replaceAll('"', "'")),
  },
  {
    id: 'http.nan',
    clause: 'http.json-body',
    description: 'A number is NaN.',
    apply: text((body) => body.replace(/"categoryId":-?\d+/, '"categoryId":NaN')),
  },
  {
    id: 'http.leading-zero',
    clause: 'http.json-body',
    description: 'Numbers have leading zeros.',
    apply: text((body) => body.replaceAll(/"id":(\d)/g, '"id":0$1')),
  },
  {
    id: 'http.raw-tab',
    clause: 'http.json-body',
    description: 'Names hold a tab that is not escaped.',
    apply: text((body) => body.replaceAll('"name":"', '"name":"\t')),
  },
  {
    id: 'http.cut',
    clause: 'http.json-body',
    description: 'The last ten characters are missing.',
    apply: text((body) => body.slice(0, -10)),
  },
  {
    id: 'http.shorter-than-declared',
    clause: 'http.json-body',
    description: 'The body is shorter than its Content-Length, and the connection ends.',
    apply: onSuccess((reply) => {
      const all = utf8(reply.body)
      return { ...reply, wire: { bytes: all.subarray(0, Math.max(0, all.length - 10)), contentLength: all.length } }
    }),
  },
  {
    id: 'http.latin-1',
    clause: 'http.json-body',
    description: 'Responses are in Latin-1, not in UTF-8.',
    apply: bytes((body) => Uint8Array.from(body, (char) => (char > '\u00FF' ? 0x3f : char.charCodeAt(0)))),
  },
  {
    id: 'http.utf-16',
    clause: 'http.json-body',
    description: 'Responses are in UTF-16.',
    apply: bytes((body) => new Uint8Array(Uint16Array.from(body, (char) => char.charCodeAt(0)).buffer)),
  },
  {
    id: 'http.gzip-undeclared',
    clause: 'http.json-body',
    description: 'Responses are compressed, and do not say so.',
    apply: bytes((body) => storedGzip(utf8(body))),
  },
] as const satisfies readonly Deviation[]
