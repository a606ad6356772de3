import { faultOfCreated } from '../json-texts.ts'
import { answeredOrEnded, isError, latin1, ordinaryBody, petsPath, refused, showsPets } from '../requests.ts'
import type { Context, Expected, FuzzCase } from '../scenario.ts'

/** What a smuggler hides: it must never be answered, and its pet must never be. */
function hidden(context: Context): string {
  const body = ordinaryBody(`smuggled ${context.petName()}`)
  return `POST ${petsPath} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${context.key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

const head = (context: Context, lines: readonly string[], method = 'POST'): string =>
  [`${method} ${petsPath} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${context.key}`, ...lines, '', ''].join('\r\n')

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

/** Headers that leave open where the body ends. What follows must not be taken for a request. */
const ambiguous: Record<string, (length: number) => string[]> = {
  'length-and-chunked': (length) => [`Content-Length: ${length}`, 'Transfer-Encoding: chunked'],
  'chunked-and-length': (length) => ['Transfer-Encoding: chunked', `Content-Length: ${length}`],
  'length-and-chunked-upper-case': (length) => [`Content-Length: ${length}`, 'TRANSFER-ENCODING: CHUNKED'],
  'length-and-space-chunked': (length) => [`Content-Length: ${length}`, 'Transfer-Encoding:  chunked '],
  'length-and-tab-chunked': (length) => [`Content-Length: ${length}`, 'Transfer-Encoding:\tchunked'],
  'length-and-folded-chunked': (length) => [`Content-Length: ${length}`, 'Transfer-Encoding:\r\n chunked'],
  'length-and-space-before-colon': (length) => [`Content-Length: ${length}`, 'Transfer-Encoding : chunked'],
  'length-and-hidden-by-cr': (length) => [`Content-Length: ${length}`, 'X: y\rTransfer-Encoding: chunked'],
  'length-and-xchunked': (length) => [`Content-Length: ${length}`, 'Transfer-Encoding: xchunked'],
  'length-and-identity': (length) => [`Content-Length: ${length}`, 'Transfer-Encoding: identity'],
  'length-and-nul-chunked': (length) => [`Content-Length: ${length}`, 'Transfer-Encoding: \0chunked'],
  'length-and-vertical-tab': (length) => [`Content-Length: ${length}`, 'Transfer-Encoding: \x0bchunked'],
  'length-and-empty-coding': (length) => [`Content-Length: ${length}`, 'Transfer-Encoding: '],
  'two-lengths': (length) => [`Content-Length: ${length}`, 'Content-Length: 0'],
  'two-lengths-zero-first': (length) => ['Content-Length: 0', `Content-Length: ${length}`],
  'three-equal-lengths': (length) => Array.from({ length: 3 }, () => `Content-Length: ${length}`),
  'list-of-lengths': (length) => [`Content-Length: ${length}, 0`],
  'list-of-equal-lengths': (length) => [`Content-Length: ${length}, ${length}`],
  'length-plus': (length) => [`Content-Length: +${length}`],
  'length-minus': () => ['Content-Length: -1'],
  'length-hex': (length) => [`Content-Length: 0x${length.toString(16)}`],
  'length-exponent': () => ['Content-Length: 1e2'],
  'length-decimal': (length) => [`Content-Length: ${length}.0`],
  'length-two-words': (length) => [`Content-Length: ${length} 0`],
  'length-word': () => ['Content-Length: many'],
  'length-empty': () => ['Content-Length: '],
  'length-quoted': (length) => [`Content-Length: "${length}"`],
  'length-beyond-int64': () => ['Content-Length: 18446744073709551616'],
  'length-space-before-colon': (length) => [`Content-Length : ${length}`],
  'length-hidden-by-cr': (length) => [`X: y\rContent-Length: ${length}`],
  'length-full-width': () => ['Content-Length: \xef\xbc\x95'],
  identity: () => ['Transfer-Encoding: identity'],
  xchunked: () => ['Transfer-Encoding: xchunked'],
  'chunked-twice': () => ['Transfer-Encoding: chunked, chunked'],
  'chunked-two-lines': () => ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'],
  'chunked-not-last': () => ['Transfer-Encoding: chunked, identity'],
  'chunked-then-gzip': () => ['Transfer-Encoding: chunked', 'Transfer-Encoding: gzip'],
  'chunked-quoted': () => ['Transfer-Encoding: "chunked"'],
  'chunked-parameter': () => ['Transfer-Encoding: chunked;x=y'],
}

/** Statuses for a body whose end is in doubt; 411 and 501 are what the RFCs allow besides. */
const doubtful = [400, 411, 415, 501] as const

/** Bodies in chunks that are not, or not quite. */
const badChunks: Record<string, (body: string) => string> = {
  'size-not-hex': (body) => `xyz\r\n${body}\r\n0\r\n\r\n`,
  'size-empty': (body) => `\r\n${body}\r\n0\r\n\r\n`,
  'size-minus': (body) => `-${chunk(body)}0\r\n\r\n`,
  'size-plus': (body) => `+${chunk(body)}0\r\n\r\n`,
  'size-0x': (body) => `0x${chunk(body)}0\r\n\r\n`,
  'size-underscore': (body) => `0_${chunk(body)}0\r\n\r\n`,
  'size-space-before': (body) => ` ${chunk(body)}0\r\n\r\n`,
  'size-beyond-int64': (body) => `fffffffffffffffff\r\n${body}\r\n0\r\n\r\n`,
  'size-wraps': (body) => `1000000000000000${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  'size-too-small': (body) => `${(body.length - 2).toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  'no-line-end-behind-data': (body) => `${body.length.toString(16)}\r\n${body}0\r\n\r\n`,
  'nul-behind-size': (body) => `${body.length.toString(16)}\0\r\n${body}\r\n0\r\n\r\n`,
  'bare-cr-behind-size': (body) => `${body.length.toString(16)}\r${body}\r\n0\r\n\r\n`,
  'control-in-extension': (body) => `${body.length.toString(16)};\x01\r\n${body}\r\n0\r\n\r\n`,
  'bare-cr-in-extension': (body) => `${body.length.toString(16)};a\rb\r\n${body}\r\n0\r\n\r\n`,
  'trailer-without-colon': (body) => `${chunk(body)}0\r\nX-Odd\r\n\r\n`,
  'trailer-with-nul': (body) => `${chunk(body)}0\r\nX-Odd: \0\r\n\r\n`,
  'trailer-of-64-kib': (body) => `${chunk(body)}0\r\nX-Odd: ${'x'.repeat(65_536)}\r\n\r\n`,
  'extension-of-64-kib': (body) => `${body.length.toString(16)};${'x'.repeat(65_536)}\r\n${body}\r\n0\r\n\r\n`,
}

/** Chunks that are lawful, however odd. */
const goodChunks: Record<string, (body: string) => string> = {
  one: (body) => `${chunk(body)}0\r\n\r\n`,
  'single-bytes': (body) => `${[...body].map(chunk).join('')}0\r\n\r\n`,
  'leading-zeros': (body) => `0000000${chunk(body)}0\r\n\r\n`,
  'upper-case-size': (body) => `${body.length.toString(16).toUpperCase()}\r\n${body}\r\n0\r\n\r\n`,
  extension: (body) => `${body.length.toString(16)};a=b;c="d e"\r\n${body}\r\n0;x\r\n\r\n`,
  'many-zeros-at-end': (body) => `${chunk(body)}00000000\r\n\r\n`,
  trailers: (body) => `${chunk(body)}0\r\nX-A: 1\r\nX-B: 2\r\n\r\n`,
}

function creates(name: string): Expected {
  return {
    method: 'POST',
    statuses: [201],
    body: (text) => faultOfCreated(text, { name, categoryId: 1n, status: undefined }),
  }
}

export const framing: FuzzCase[] = [
  ...Object.entries(ambiguous).map(([name, lines]): FuzzCase => ({
    id: `smuggling/${name}`,
    make(context) {
      // Read as chunks, this is an empty body and a request; read by its length, all of it is the body.
      const tail = `0\r\n\r\n${hidden(context)}`
      const bytes = latin1(head(context, lines(tail.length)) + tail)
      return refused(bytes, doubtful)
    },
  })),
  ...Object.entries(ambiguous).map(([name, lines]): FuzzCase => ({
    id: `smuggling-behind-5/${name}`,
    make: (context) => refused(latin1(`${head(context, lines(5))}0\r\n\r\n${hidden(context)}`), doubtful),
  })),
  ...Object.entries(badChunks).map(([name, make]): FuzzCase => ({
    id: `chunks/${name}`,
    make: (context) =>
      refused(
        latin1(head(context, ['Transfer-Encoding: chunked']) + make(ordinaryBody(context.petName())) + hidden(context)),
        [400, 413, 431],
      ),
  })),
  ...Object.entries(goodChunks).map(([name, make]): FuzzCase => ({
    id: `chunks/${name}`,
    make(context) {
      const pet = context.petName()
      const bytes = latin1(head(context, ['Transfer-Encoding: chunked']) + make(ordinaryBody(pet)))
      return answeredOrEnded(context, bytes, creates(pet))
    },
  })),
  {
    id: 'chunks/1-mebibyte-and-a-byte',
    make: (context) => {
      const chunks = Array.from({ length: 17 }, (_, n) => chunk(n < 16 ? ' '.repeat(65_536) : ' ')).join('')
      const bytes = latin1(`${head(context, ['Transfer-Encoding: chunked'])}${chunks}0\r\n\r\n`)
      return answeredOrEnded(context, bytes, isError(413))
    },
  },
  {
    id: 'chunks/forbidden-trailers',
    // RFC 9110 section 6.5.1: they are not to be taken for headers. A server may refuse them.
    make(context) {
      const pet = context.petName()
      const trailers = 'Content-Length: 9999\r\nTransfer-Encoding: identity\r\nAuthorization: Bearer x\r\nHost: y\r\n'
      const bytes = latin1(
        `${head(context, ['Transfer-Encoding: chunked'])}${chunk(ordinaryBody(pet))}0\r\n${trailers}\r\n`,
      )
      return answeredOrEnded(context, bytes, { ...creates(pet), statuses: [201, 400] })
    },
  },
  ...['gzip, chunked', 'deflate, chunked', 'x, chunked', 'chunked, chunked'].map((coding, index): FuzzCase => ({
    id: `chunks/unknown-coding-${index + 1}`,
    // RFC 9112 section 6.1: what is coded in another way, too, is not read as if it were not.
    make: (context) =>
      answeredOrEnded(
        context,
        latin1(`${head(context, [`Transfer-Encoding: ${coding}`])}${chunk(ordinaryBody(context.petName()))}0\r\n\r\n`),
        isError(400, 415, 501),
      ),
  })),
  {
    id: 'chunks/endless-extensions',
    make: (context) => {
      const chunks = Array.from({ length: 40 }, () => `1;${'x'.repeat(1_000)}\r\n \r\n`).join('')
      const bytes = latin1(`${head(context, ['Transfer-Encoding: chunked'])}${chunks}0\r\n\r\n`)
      return answeredOrEnded(context, bytes, isError(400, 413))
    },
  },
  {
    id: 'chunks/in-1.0',
    make: (context) =>
      refused(
        latin1(
          `${head(context, ['Transfer-Encoding: chunked']).replace('HTTP/1.1', 'HTTP/1.0')}${chunk(ordinaryBody(context.petName()))}0\r\n\r\n${hidden(context)}`,
        ),
        // RFC 9112 section 6.1: the framing is faulty, even if the body is read, and the connection ends behind it.
        [201, 400, 411, 501],
      ),
  },
  {
    id: 'framing/no-length',
    // RFC 9112 section 6.3: without either header there is no body, and what follows is another request.
    make: (context) => answeredOrEnded(context, latin1(head(context, [])), isError(400, 411)),
  },
  {
    id: 'framing/body-without-length',
    make: (context) => ({
      steps: [{ send: latin1(head(context, []) + ordinaryBody(context.petName())) }, { finish: true }],
      replies: [isError(400, 411), { ...isError(400), optional: true }],
    }),
  },
  {
    id: 'framing/length-too-small',
    make(context) {
      const body = ordinaryBody(context.petName())
      const bytes = latin1(`${head(context, [`Content-Length: ${body.length - 1}`])}${body}`)
      return { steps: [{ send: bytes }], replies: [isError(400), { ...isError(400), optional: true }] }
    },
  },
  {
    id: 'framing/get-with-length-and-chunked',
    make: (context) =>
      refused(
        latin1(
          `${head(context, ['Content-Length: 5', 'Transfer-Encoding: chunked'], 'GET')}0\r\n\r\n${hidden(context)}`,
        ),
        doubtful,
      ),
  },
  {
    id: 'framing/head-with-body',
    make(context) {
      const bytes = latin1(`${head(context, ['Content-Length: 5'], 'HEAD')}xxxxx`)
      return answeredOrEnded(context, bytes, { ...isError(200, 405), method: 'HEAD' })
    },
  },
  {
    id: 'framing/get-with-chunks',
    make: (context) =>
      answeredOrEnded(
        context,
        latin1(`${head(context, ['Transfer-Encoding: chunked'], 'GET')}${chunk('hello')}0\r\n\r\n`),
        {
          ...showsPets(context, 20),
          statuses: [200, 400],
        },
      ),
  },
]
