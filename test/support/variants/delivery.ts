import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import type { VariantResponse } from './responses.ts'
import { writeJson } from './exact-json.ts'
import type { Settings } from './settings.ts'

/** Sends a response with the HTTP settings of the variant. */
export function deliver(
  reply: VariantResponse,
  request: IncomingMessage,
  response: ServerResponse,
  settings: Settings,
): void {
  response.statusCode = reply.status
  if (settings.reasonPhrase === 'own') response.statusMessage = 'So be it (really)'
  if (settings.chatter === 'early-hints')
    response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' })
  const setHeader = (name: string, value: string | string[]): void => {
    response.setHeader(settings.headerCase === 'upper' ? name.toUpperCase() : name, value)
  }
  // Without the usual timeout hint, a client learns of a short keep-alive timeout only by a reset.
  if (settings.keepAliveMs < 1000 && response.shouldKeepAlive) setHeader('connection', 'keep-alive')
  for (const [name, value] of Object.entries({
    ...headersOf(settings, reply, request),
    ...reply.headers,
  }))
    setHeader(name, value)

  const text =
    reply.page?.text ?? (reply.json === undefined ? undefined : writeJson(reply.json, settings))
  if (text === undefined) {
    response.end()
    return
  }
  setHeader('content-type', reply.page?.contentType ?? settings.contentType)
  const plain = Buffer.from(text)
  // A gateway does not send its own responses through the compression of the service.
  const encoding = reply.page === undefined ? chooseEncoding(request, settings) : 'identity'
  const bytes = compress[encoding](plain)
  if (encoding !== 'identity') setHeader('content-encoding', encoding)
  if (settings.caching === 'etag')
    setHeader('etag', `W/"${createHash('sha256').update(plain).digest('hex').slice(0, 12)}"`)
  send(bytes, request.method === 'HEAD', response, settings.framing)
}

function chooseEncoding(
  { headers }: IncomingMessage,
  { encoding, encodingWhen }: Settings,
): Settings['encoding'] {
  if (encodingWhen === 'always') return encoding
  const codings = (headers['accept-encoding'] ?? '').split(',')
  const wanted = codings.some((coding) => coding.trim().toLowerCase() === encoding)
  return wanted ? encoding : 'identity'
}

// With the default quality, brotli takes longer than the rest of a response.
const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }

const compress: Record<Settings['encoding'], (bytes: Buffer) => Buffer> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => gzipSync(bytes),
  br: (bytes) => brotliCompressSync(bytes, quick),
  deflate: (bytes) => deflateSync(bytes),
}

function headersOf(
  settings: Settings,
  { status }: VariantResponse,
  request: IncomingMessage,
): Record<string, string | string[]> {
  const caching = {
    none: {},
    etag: {
      'cache-control': 'private, max-age=0, must-revalidate',
      vary: 'Authorization, Accept-Encoding',
    },
    'no-store': { 'cache-control': 'no-store', pragma: 'no-cache', expires: '0' },
  }
  const cors = {
    none: {},
    full: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, OPTIONS',
      'access-control-allow-headers': 'Authorization, Content-Type',
      'access-control-expose-headers': 'Location, Link',
      ...(status === 204 && { 'access-control-max-age': '600' }),
    },
  }
  const chatter = {
    none: {},
    'early-hints': {},
    echo: { 'x-debug': `authorization: ${request.headers.authorization ?? ''}` },
    headers: {
      server: 'Twin/1.0 (+https://pets.example)',
      'set-cookie': ['lb=a; Path=/; HttpOnly', 'seen=1; Max-Age=60'],
      'strict-transport-security': 'max-age=63072000',
      'content-language': 'en',
      'x-request-id': 'f'.repeat(2000),
    },
  }
  return { ...caching[settings.caching], ...cors[settings.cors], ...chatter[settings.chatter] }
}

function send(
  bytes: Buffer,
  isHead: boolean,
  response: ServerResponse,
  framing: Settings['framing'],
): void {
  if (framing === 'close' || framing === 'close-delimited')
    response.setHeader('connection', 'close')
  if (framing === 'content-length' || framing === 'close')
    response.setHeader('content-length', bytes.length)
  if (framing === 'close-delimited') {
    // Without both headers, the end of the connection ends the body, as in HTTP/1.0.
    response.removeHeader('content-length')
    response.removeHeader('transfer-encoding')
  }
  // Pieces of 61 bytes also split multi-byte characters, numbers and escapes.
  const step =
    framing === 'dribbled' ? 61 : framing === 'chunked' ? Math.ceil(bytes.length / 2) : bytes.length
  if (isHead || step === bytes.length) {
    response.end(isHead ? undefined : bytes)
    return
  }
  for (let start = 0; start < bytes.length; start += step)
    response.write(bytes.subarray(start, start + step))
  response.end()
}
