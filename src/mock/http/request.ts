import { Buffer, isUtf8 } from 'node:buffer'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { clearTimeout, setTimeout } from 'node:timers'

import { detach } from '../../errors.ts'
import type { HttpRejection, MockReply, MockRequest } from '../service/message.ts'
import { unescapedIn } from '../service/route.ts'
import type { Connection } from './connection.ts'

type Headers = Record<string, string | string[]>

/** Has no inherited properties, since a header may be named `constructor`, but is as fast as a plain object. */
const HeaderRecord = function () {} as unknown as new () => Headers
HeaderRecord.prototype = Object.create(null) as Headers

/** Whether headers were received by a server, and therefore never change. */
export const isReceived = (headers: object): boolean => headers instanceof HeaderRecord

const lowerCased = new Map<string, string>()
const maxCached = 500
const maxCachedLength = 50

/** The plain data of a request whose body is not read yet. */
export function toRequest(message: IncomingMessage, connection: Connection): MockRequest {
  const { rawHeaders, method = '', url: target = '' } = message
  // Clients usually repeat the same headers.
  if (!isSame(rawHeaders, connection.rawHeaders)) {
    connection.rawHeaders = rawHeaders
    connection.headers = toHeaders(rawHeaders)
  }
  return {
    method,
    target,
    headers: connection.headers,
    body: '',
    connection: connection.id,
    address: connection.address,
    scheme: connection.scheme,
  }
}

/** Why a request is no valid HTTP/1.1; undefined if it is. */
export function rejectFraming(
  { httpVersion, httpVersionMajor }: IncomingMessage,
  { headers }: MockRequest,
): HttpRejection | undefined {
  if (httpVersionMajor !== 1) return [505, 'The request must be HTTP/1.1.']
  const { host, 'transfer-encoding': coding } = headers
  // RFC 9112 section 3.2: an HTTP/1.1 request has exactly one Host header.
  if (host === undefined ? httpVersion !== '1.0' : typeof host !== 'string') {
    return [400, 'The request must have one Host header.']
  }
  // RFC 9112 section 6.1: a server rejects a transfer coding that it does not know.
  if (
    coding !== undefined &&
    !(typeof coding === 'string' && /^[\s,]*chunked[\s,]*$/i.test(coding))
  ) {
    return [501, 'The only supported transfer coding is chunked.']
  }
  return undefined
}

/** Whether two lists of raw headers are equal. */
function isSame(some: readonly string[], others: readonly string[]): boolean {
  if (some.length !== others.length) return false
  for (let index = 0; index < some.length; index += 1)
    if (some[index] !== others[index]) return false
  return true
}

export function toHeaders(rawHeaders: readonly string[]): Headers {
  const headers = new HeaderRecord()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = lowerCase(rawHeaders[index] as string)
    const value = rawHeaders[index + 1] as string
    const earlier = headers[name]
    if (earlier === undefined) headers[name] = value
    else if (typeof earlier === 'string') headers[name] = [earlier, value]
    else earlier.push(value)
  }
  return headers
}

function lowerCase(name: string): string {
  const known = lowerCased.get(name)
  if (known !== undefined) return known
  const lower = name.toLowerCase()
  if (lowerCased.size < maxCached && name.length <= maxCachedLength) lowerCased.set(name, lower)
  return lower
}

interface ReadBody {
  body: string
  /** `no-capacity`: too many bodies are being read. */
  bodyFault?: MockRequest['bodyFault'] | 'no-capacity'
}

const maxInFlightBytes = 128 * 2 ** 20

/**
 * Reads a body, discards bytes beyond the limits, and calls `done` once. `bodiesInFlight` counts the bytes of all bodies of
 * the server that are being read. Returns a function that stops reading.
 */
export function readBody(
  message: Readable & Pick<Partial<IncomingMessage>, 'complete'>,
  {
    headers,
    limit,
    bodiesInFlight,
  }: Pick<MockRequest, 'headers'> & { limit: number; bodiesInFlight: { bytes: number } },
  done: (read: ReadBody) => void,
): () => void {
  let bytes: Buffer | undefined
  let size = 0
  let held = 0

  const hold = (length: number): void => {
    bodiesInFlight.bytes += length - held
    held = length
  }
  const release = (): void => {
    bytes = undefined
    hold(0)
  }
  /** Nothing of the body stays with a connection that is idle or waits for its response. */
  const end = (): void => {
    message.off('data', take).off('end', finish).off('close', release)
    release()
  }
  const stop = (): void => {
    end()
    message.resume()
  }
  const reject = (bodyFault: 'too-large' | 'no-capacity'): void => {
    stop()
    done({ body: '', bodyFault })
  }
  const take = (chunk: Buffer): void => {
    if (size + chunk.length > limit) reject('too-large')
    else if (bytes === undefined && message.complete) {
      // The body came in one chunk: no buffer is needed.
      bytes = chunk
      size = chunk.length
    } else if (bodiesInFlight.bytes + chunk.length > maxInFlightBytes) reject('no-capacity')
    else {
      // There is no `end` event when the client disconnects.
      if (held === 0) message.on('close', release)
      bytes = bytes === undefined ? chunk : append(bytes, size, chunk, limit)
      size += chunk.length
      hold(bytes.length)
    }
  }
  const finish = (): void => {
    const read = bytes === undefined ? { body: '' } : decode(bytes, size)
    end()
    done(read)
  }

  if (isDeclaredLarger({ headers }, limit)) reject('too-large')
  else message.on('data', take).on('end', finish)
  return stop
}

/** Whether a body has more bytes than the limit, by its header. */
export function isDeclaredLarger(
  { headers }: Pick<MockRequest, 'headers'>,
  limit: number,
): boolean {
  return Number(headers['content-length'] ?? 0) > limit
}

/** Appends a chunk to a growing buffer. A list of chunks would take much memory when a client sends single bytes. */
export function append(bytes: Buffer, size: number, chunk: Buffer, limit: number): Buffer {
  const needed = size + chunk.length
  const buffer =
    bytes.length >= needed
      ? bytes
      : Buffer.allocUnsafe(Math.max(needed, Math.min(limit, Math.max(4_096, needed * 2))))
  if (buffer !== bytes) bytes.copy(buffer, 0, 0, size)
  chunk.copy(buffer, size)
  return buffer
}

function decode(bytes: Buffer, size: number): ReadBody {
  const body = bytes.toString('utf8', 0, size)
  // Invalid UTF-8 decodes to U+FFFD, which is also a valid character.
  return !body.includes('\uFFFD') || isUtf8(bytes.subarray(0, size))
    ? { body }
    : { body, bodyFault: 'not-utf8' }
}

/** How long a client may keep sending after the last response. */
const lingerMs = 2_000

/** Node's error for bytes that are not a request. */
export interface ClientError extends Error {
  code?: string
  reason?: string
  rawPacket?: Buffer
  bytesParsed?: number
}

/** The response to bytes that are not a request; undefined when the client has disconnected. */
export function rejectionOf(error: ClientError): HttpRejection | undefined {
  const { code = '' } = error
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'The request did not arrive in time.']
  if (code === 'HPE_HEADER_OVERFLOW') {
    return isRequestLine(error.rawPacket)
      ? [414, 'The request target is too long.']
      : [431, 'The headers are too large.']
  }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return [413, 'The chunk extensions are too large.']
  if (!code.startsWith('HPE_')) return undefined
  if (error.rawPacket?.[0] === tlsHandshake) {
    return [400, 'The client speaks TLS, but this port serves http:// only.']
  }
  if (code === 'HPE_PAUSED_H2_UPGRADE') {
    return [505, 'This port speaks HTTP/1.1. HTTP/2 needs TLS and ALPN.']
  }
  if (code === 'HPE_INVALID_METHOD') {
    return [400, 'The request does not begin with a method in upper case, such as GET.']
  }
  // The rest of the request line may not be there yet: the response must not depend on how the bytes are divided.
  const unescaped =
    code === 'HPE_INVALID_URL' &&
    unescapedIn(error.rawPacket?.toString('latin1').charAt(error.bytesParsed ?? 0) ?? '')
  if (unescaped) return [400, unescaped]
  return [400, `The request is not HTTP/1.1${error.reason ? `: ${error.reason}` : ''}.`]
}

/** The first byte of a TLS connection. */
const tlsHandshake = 0x16

/** Stands for a method or a target that could not be read. */
const unknown = '-'
const maxTargetLength = 2_048
/** Without `HTTP/1.1`, only a known method shows that a text is a request line, and not the rest of a header. */
const requestLine =
  /^(?:([A-Za-z]{1,20}) +(\S.*) HTTP\/\d\.\d|(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\/.*))$/i

/**
 * What can be read of a request that the parser rejected, of its first line and headers. Its target is complete if
 * `isUnescaped`: the mock can respond to it.
 */
export function readRejected({ code, rawPacket, bytesParsed = 0 }: ClientError): {
  request: MockRequest
  isUnescaped: boolean
} {
  const text = rawPacket?.toString('latin1') ?? ''
  // Other requests may come before it in the same packet. Headers overflow at their end, and the preface is complete.
  const end = code === 'HPE_HEADER_OVERFLOW' ? bytesParsed - 5 : bytesParsed
  const before = code === 'HPE_PAUSED_H2_UPGRADE' ? -1 : text.lastIndexOf('\r\n\r\n', end)
  const [first = '', ...lines] = (
    text.slice(before === -1 ? 0 : before + 4).split('\r\n\r\n')[0] ?? ''
  ).split('\r\n')
  const [, method, versioned, known = unknown, alone = unknown] = requestLine.exec(first) ?? []
  const target = Buffer.from(versioned ?? alone, 'latin1').toString()
  const fields = lines.flatMap((line) => {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/.exec(line) ?? []
    return name === undefined || value === undefined
      ? []
      : [[name.toLowerCase(), value.trim()] as const]
  })
  const isUnescaped = /^[A-Z]+ \/.* HTTP\/1\.[01]$/.test(first) && unescapedIn(target) !== undefined
  return {
    request: detach({
      method: method ?? known,
      target: isUnescaped ? target : target.slice(0, maxTargetLength),
      headers: Object.fromEntries(fields),
      body: '',
    }),
    isUnescaped,
  }
}

/** Whether the headers overflowed within the request line. */
function isRequestLine(bytes: Buffer | undefined): boolean {
  return (
    bytes !== undefined &&
    /^[A-Z]+ /.test(bytes.toString('latin1', 0, 20)) &&
    !bytes.subarray(0, 16_384).includes(10)
  )
}

/** Writes a reply to a socket without a ServerResponse, at once if it can: Node closes some of them; then closes it. */
export function writeRejection(
  socket: Socket,
  request: MockRequest,
  reply: MockReply | Promise<MockReply>,
): void {
  if ('then' in reply) return void reply.then((one) => writeRejection(socket, request, one))
  const { status, headers, body } = reply
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}date: ${new Date().toUTCString()}\r\n`
  socket.write(
    `${head}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${request.method === 'HEAD' ? '' : body}`,
  )
  closeGently(socket)
}

/** Half-closes and drains the socket: closing it with unread bytes would reset it, and the response might be lost. */
export function closeGently(socket: Socket): void {
  if (socket.destroyed) return
  socket.removeAllListeners('data')
  socket.on('data', () => {})
  socket.resume()
  socket.end()
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  timer.unref()
  socket.once('end', () => socket.destroy()).once('close', () => clearTimeout(timer))
}
