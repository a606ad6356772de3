import { Buffer } from 'node:buffer'
import { validateHeaderValue } from 'node:http'
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Server, Socket } from 'node:net'
import { clearInterval, clearTimeout, setInterval, setTimeout } from 'node:timers'
import { createSecureContext, type TLSSocket } from 'node:tls'

import { UsageError } from '../../errors.ts'
import type { HttpRejection, MockReply, MockRequest } from '../service/message.ts'
import { type Channel, nextConnectionId, type HttpExchange, trackUnsent } from './connection.ts'
import type { Load } from './metrics.ts'
import type { RequestHandler } from './reply.ts'
import { isDeclaredLarger, toHeaders } from './request.ts'
import { isBodiless } from './payload.ts'

/** A certificate with its chain, and its private key, in PEM. */
export interface Tls {
  cert: string
  key: string
}

const maxStreams = 100
const maxStreamId = 2 ** 31 - 1
/** Node resets a stream with more bytes of headers, or more headers. */
const maxReadBytes = 65_536
const maxHeaders = 2_000

function checkTls(tls: Tls): void {
  try {
    createSecureContext({ ...tls })
  } catch (error) {
    const lacks = (kind: string, text: string): string | undefined =>
      new RegExp(`-----BEGIN [A-Z0-9 ]*${kind}-----`).test(text)
        ? undefined
        : `there is no ${kind.toLowerCase()} in PEM`
    const reason =
      lacks('CERTIFICATE', tls.cert) ?? lacks('PRIVATE KEY', tls.key) ?? (error as Error).message
    const message = `cannot be used with its key: ${reason}`
    throw new UsageError([{ path: 'tls', message }], { cause: error })
  }
}

/** @throws {UsageError} when the certificate cannot be used; the current one stays. */
export function renewTls(server: Http2SecureServer, tls: Tls): void {
  checkTls(tls)
  server.setSecureContext({ ...tls })
}

/** @throws {UsageError} when the certificate or the key is invalid, or they do not match. */
export function createTlsServer(tls: Tls, handshakeTimeout: number): Http2SecureServer {
  checkTls(tls)
  return createSecureServer({
    ...tls,
    allowHTTP1: true,
    handshakeTimeout,
    maxHeaderListPairs: maxHeaders,
    settings: {
      maxConcurrentStreams: maxStreams,
      maxHeaderListSize: maxReadBytes,
      enablePush: false,
    },
  })
}

/** Opens each HTTP/1.1 connection and the socket below its TLS. Returns all others: HTTP/2, and incomplete handshakes. */
export function onTlsConnection(
  server: Server,
  open: (socket: Socket, raw?: Socket) => void,
  onPlainHttp: (raw: Socket) => void,
): Set<Socket> {
  const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
  const sockets = new Map<string, Socket>()
  const others = new Set<Socket>()
  server.on('connection', (raw: Socket) => {
    const peer = peerOf(raw)
    sockets.set(peer, raw)
    others.add(raw)
    raw.once('close', () => {
      sockets.delete(peer)
      others.delete(raw)
    })
  })
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') return
    const raw = sockets.get(peerOf(socket))
    if (raw !== undefined) others.delete(raw)
    open(socket, raw)
  })
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
    const raw = sockets.get(peerOf(socket))
    if (error.code === 'ERR_SSL_HTTP_REQUEST' && raw?.writable) onPlainHttp(raw)
  })
  return others
}

/** The limit of node:http for the bytes of headers. */
const maxHeaderBytes = 16_384
const { HTTP2_HEADER_STATUS, NGHTTP2_CANCEL, NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR } = constants

interface Session extends Channel {
  readonly id: number
  readonly address: string
  readonly session: ServerHttp2Session
  readonly open: Set<ServerHttp2Stream>
  isLeaving?: true
}

/** Serves HTTP/2, and emits `request` for HTTP/1.1 on the same port. `drain` announces the end to clients, `end` ends all connections. */
export function serveHttp2(
  server: Http2SecureServer,
  handler: RequestHandler,
  options: Pick<Channel, 'unsentOfAll' | 'stallMs'> & {
    headersTimeoutMs: number
    requestTimeoutMs: number
    idleMs: number
    /** How long clients may take to read the last responses when the server closes. */
    closeGraceMs: number
    sockets: ReadonlySet<Socket>
  },
) {
  const { stallMs, idleMs, closeGraceMs, unsentOfAll, sockets } = options
  const { headersTimeoutMs, requestTimeoutMs } = options
  const sessions = new Map<ServerHttp2Session, Session>()
  let isDraining = false
  /** What open streams hold, also before the body is there. */
  const opened = { responses: 0, bytes: 0 }

  server.on('session', (session: ServerHttp2Session) => {
    const open = new Set<ServerHttp2Stream>()
    const streams = new Set<() => void>()
    sessions.set(session, {
      session,
      socket: session,
      id: nextConnectionId(),
      address: session.socket?.remoteAddress ?? '',
      unsent: { responses: 0, bytes: 0 },
      unsentOfAll,
      stallMs,
      streams,
      open,
    })
    const endProbing = probeSilence(session, () => open.size > streams.size, headersTimeoutMs / 2)
    session.once('close', () => {
      endProbing()
      sessions.delete(session)
    })
    let isPinged = false
    const closeIfIdle = (): void => {
      if (open.size === 0) session.close()
      else if (isPinged) session.destroy()
      else {
        // After an error of the protocol, Node neither reads nor closes: only the missing response shows it.
        isPinged = session.ping(() => (isPinged = false))
        session.setTimeout(idleMs, closeIfIdle)
      }
    }
    session.setTimeout(idleMs, closeIfIdle)
  })
  // The listener of `request`, which HTTP/1.1 needs, makes Node add its compatibility API here.
  server.removeAllListeners('stream')
  server.on(
    'stream',
    (
      stream: ServerHttp2Stream,
      headers: IncomingHttpHeaders,
      _flags: number,
      rawHeaders: string[],
    ) => {
      // Errors of the client; `close` follows.
      stream.on('error', () => {})
      const session =
        stream.session === undefined
          ? undefined
          : sessions.get(stream.session as ServerHttp2Session)
      if (session === undefined || stream.destroyed) return
      const request = toRequest(rawHeaders, session)
      const own = { ...session, unsent: { responses: 0, bytes: 0 }, unsentOfAll: opened }
      stream.once('close', trackUnsent(own, request))
      session.open.add(stream)
      // A new session gets it with its first request: a client that got it before would only connect again.
      if (isDraining) announceEnd(session)
      stream.once('close', () => session.open.delete(stream))
      if (
        headers['expect'] === '100-continue' &&
        !isDeclaredLarger(request, handler.limitFor(request.target))
      ) {
        stream.additionalHeaders({ [HTTP2_HEADER_STATUS]: 100 })
      }
      const exchange = new Http2Exchange(request, stream, session)
      const rejection = rejectionOf(request, rawHeaders)
      if (rejection !== undefined) handler.reject(exchange, rejection)
      else handler.handle(exchange)
      if (exchange.abandonBody === undefined) return
      const late = (): void => {
        // The response may be there before the body.
        if (exchange.abandonBody === undefined) return
        exchange.abandonBody()
        handler.reject(exchange, [408, 'The request did not arrive in time.'])
      }
      const timer = setTimeout(late, requestTimeoutMs)
      for (const event of ['end', 'close']) stream.once(event, () => clearTimeout(timer))
    },
  )

  return {
    load(): Load {
      let streams = 0
      let open = 0
      for (const session of sessions.values()) {
        streams += session.streams.size
        open += session.open.size
      }
      return { connections: sockets.size, streams, inFlight: open - streams }
    },
    drain(): void {
      isDraining = true
      for (const session of sessions.values()) announceEnd(session)
    },
    end(): void {
      let isWriting = false
      for (const { session, open, streams } of sessions.values()) {
        // The event `close` comes later.
        if (session.destroyed) continue
        isWriting ||= [...open].some((stream) => stream.writableLength > 0)
        for (const end of streams) end()
        for (const stream of open) stream.end()
        session.goaway(NGHTTP2_NO_ERROR)
        session.close()
      }
      // A closed session still waits for its client to close the connection.
      setTimeout(() => sockets.forEach((socket) => socket.destroy()), isWriting ? closeGraceMs : 0)
    },
  }
}

/** Sends the client to another connection, but still responds to requests that are on their way: RFC 9113 section 6.8. */
function announceEnd(session: Session): void {
  if (session.isLeaving || session.session.destroyed) return
  session.isLeaving = true
  session.session.goaway(NGHTTP2_NO_ERROR, maxStreamId)
}

/**
 * Ends a session whose client stops before its first request, or within a frame or the headers of a request, also while it
 * reads event streams: such a client cannot respond to a ping. Node reports neither, and `close` waits for the rest of the
 * frame. Returns a function that stops it.
 */
function probeSilence(
  session: ServerHttp2Session,
  isBusy: () => boolean,
  everyMs: number,
): () => void {
  const bytesRead = (): number => session.socket?.bytesRead ?? 0
  let isPinged = false
  let seen = -1
  const timer = setInterval(() => {
    if (session.closed || isPinged) session.destroy()
    else if (!session.destroyed && !isBusy() && bytesRead() !== seen) {
      seen = bytesRead()
      isPinged = session.ping(() => {
        isPinged = false
        seen = bytesRead()
      })
    }
  }, everyMs)
  return () => clearInterval(timer)
}

class Http2Exchange implements HttpExchange {
  readonly request: MockRequest
  readonly connection: Session
  readonly message: ServerHttp2Stream
  readonly response: ServerHttp2Stream
  abandonBody?: (() => void) | undefined

  constructor(request: MockRequest, stream: ServerHttp2Stream, session: Session) {
    this.request = request
    this.connection = session
    this.message = stream
    this.response = stream
    // Closes the stream of a client that does not read, but not one whose response is delayed.
    stream.on('timeout', () => void (stream.writableLength > 0 && stream.close(NGHTTP2_CANCEL)))
  }

  get isClosed(): boolean {
    return this.response.closed
  }

  onClose(listener: () => void): () => void {
    this.response.once('close', listener)
    return () => void this.response.off('close', listener)
  }

  /** `end` closes the stream; the connection serves others. */
  closeAfterResponse(): void {}

  writeHead(status: number, fields: readonly string[]): void {
    // Discards the rest of the request body.
    this.message.resume()
    this.response.respond(toFields(status, fields))
  }

  end(rest?: Uint8Array): void {
    const { response } = this
    response.end(rest, () => {
      if (!response.endAfterHeaders && !response.readableEnded) response.close(NGHTTP2_NO_ERROR)
    })
  }

  writeWhole(reply: MockReply, fields: readonly string[]): void {
    const { status, body } = reply
    this.writeHead(status, fields)
    this.end(this.request.method === 'HEAD' || isBodiless(status) ? undefined : Buffer.from(body))
    this.trackUnsent(reply)
  }

  reset(): void {
    this.response.close(NGHTTP2_INTERNAL_ERROR)
  }

  closeWithoutResponse(): void {
    this.response.close(NGHTTP2_NO_ERROR)
  }

  trackUnsent(reply: MockReply): void {
    if (this.response.writableFinished) return
    this.response.once('close', trackUnsent(this.connection, this.request, reply))
    this.startStallTimer()
  }

  startStallTimer(): void {
    this.response.setTimeout(this.connection.stallMs)
  }
}

function toRequest(rawHeaders: readonly string[], { id, address }: Session): MockRequest {
  const headers = toHeaders(rawHeaders)
  const {
    ':method': method,
    ':path': path = '',
    ':authority': authority,
    host = authority,
    ...fields
  } = headers
  for (const name of [':scheme', ':protocol']) delete fields[name]
  if (host !== undefined) fields['host'] = host
  // UTF-8 that should have been percent-encoded.
  const target = /[^\0-\x7f]/.test(String(path))
    ? Buffer.from(String(path), 'latin1').toString()
    : String(path)
  return {
    method: String(method),
    target,
    headers: fields,
    body: '',
    connection: id,
    address,
    scheme: 'https',
  }
}

function rejectionOf(
  { method, headers, target }: MockRequest,
  rawHeaders: readonly string[],
): HttpRejection | undefined {
  if (method === 'CONNECT') return [501, 'Method CONNECT is not supported.']
  if (target.length > maxHeaderBytes) return [414, 'The request target is too long.']
  if (rawHeaders.reduce((sum, part) => sum + part.length, 0) > maxHeaderBytes) {
    return [431, 'The headers are too large.']
  }
  if (typeof headers['host'] !== 'string') return [400, 'The request must have one Host header.']
  // RFC 9113 section 8.3.1: both name the same host.
  const at = rawHeaders.indexOf(':authority') + 1
  return at === 0 || rawHeaders[at]?.toLowerCase() === headers['host'].toLowerCase()
    ? undefined
    : [400, 'The request names one host in :authority and another one in its Host header.']
}

/** The fields of a response, from alternating names and values, without those that HTTP/2 forbids. */
function toFields(status: number, flat: readonly string[]): OutgoingHttpHeaders {
  const fields: OutgoingHttpHeaders = { [HTTP2_HEADER_STATUS]: status }
  for (let at = 0; at < flat.length; at += 2) {
    const name = (flat[at] as string).toLowerCase()
    validateHeaderValue(name, flat[at + 1] as string)
    if (!/^(?:connection|keep-alive|proxy-connection|upgrade|http2-settings|te)$/.test(name))
      fields[name] = flat[at + 1]
  }
  return fields
}
