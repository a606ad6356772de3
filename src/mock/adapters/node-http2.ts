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
import { createSecureContext, type TLSSocket } from 'node:tls'

import { UsageError } from '../../errors.ts'
import type { MockReply, MockRequest } from '../message.ts'
import { type Channel, countConnection, type HttpExchange, hold, type HttpRefusal } from './node-connection.ts'
import { bytesOf, type RequestHandler, isBodiless } from './node-reply.ts'
import { isDeclaredLarger, toHeaders } from './node-request.ts'

/** A certificate with its chain, and its private key, in PEM. */
export interface Tls {
  cert: string
  key: string
}

/** Streams of a connection at a time; more are refused by HTTP/2 itself. */
const maxStreams = 100
/** Bytes of headers that are read, and headers. Node resets a stream with more. */
const maxReadBytes = 65_536
const maxHeaders = 2_000

/** @throws {UsageError} when certificate and key are none, or are not of each other */
function checkTls(tls: Tls): void {
  try {
    createSecureContext({ ...tls })
  } catch (error) {
    const message = `cannot be used with its key: ${(error as Error).message}`
    throw new UsageError([{ path: 'tls', message }], { cause: error })
  }
}

/**
 * Serves new connections with another certificate.
 *
 * @throws {UsageError} when it cannot be used; the one before stays.
 */
export function renewTls(server: Http2SecureServer, tls: Tls): void {
  checkTls(tls)
  server.setSecureContext({ ...tls })
}

/** @throws {UsageError} when certificate and key are none, or are not of each other */
export function createTlsServer(tls: Tls, handshakeTimeout: number): Http2SecureServer {
  checkTls(tls)
  return createSecureServer({
    ...tls,
    allowHTTP1: true,
    handshakeTimeout,
    maxHeaderListPairs: maxHeaders,
    settings: { maxConcurrentStreams: maxStreams, maxHeaderListSize: maxReadBytes, enablePush: false },
  })
}

/**
 * Calls back with each connection of HTTP/1.1, and the socket below its TLS.
 *
 * @returns the sockets of the others: of HTTP/2, and of those that have not agreed on a protocol yet.
 */
export function onTlsConnection(server: Server, open: (socket: Socket, raw?: Socket) => void): Set<Socket> {
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
  return others
}

/** Bytes of the headers, as over HTTP/1.1. */
const maxHeaderBytes = 16_384
const { HTTP2_HEADER_STATUS, NGHTTP2_CANCEL, NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR } = constants

/** What is kept of a connection. */
interface Session extends Channel {
  readonly id: number
  readonly address: string
  readonly session: ServerHttp2Session
  readonly open: Set<ServerHttp2Stream>
}

/**
 * Serves the requests that come by HTTP/2; those of HTTP/1.1 on the same port come as with any server.
 *
 * @returns what ends all connections.
 */
export function serveHttp2(
  server: Http2SecureServer,
  handler: RequestHandler,
  options: Pick<Channel, 'unsentOfAll' | 'stallMs'> & {
    /** How long a body may take, a connection may be idle, and a last reply may take to be read (ms). */
    requestTimeoutMs: number
    idleMs: number
    closeGraceMs: number
    /** Those that its sessions stand on. */
    sockets: ReadonlySet<Socket>
  },
): () => void {
  const { requestTimeoutMs, stallMs, idleMs, closeGraceMs, unsentOfAll, sockets } = options
  const sessions = new Map<ServerHttp2Session, Session>()

  server.on('session', (session: ServerHttp2Session) => {
    sessions.set(session, {
      session,
      socket: session,
      id: countConnection(),
      address: session.socket?.remoteAddress ?? '',
      unsent: { responses: 0, bytes: 0 },
      unsentOfAll,
      stallMs,
      streams: new Set(),
      open: new Set(),
    })
    session.once('close', () => sessions.delete(session))
    const look = (): void => {
      if (sessions.get(session)?.open.size === 0) session.close()
      else session.setTimeout(idleMs, look)
    }
    session.setTimeout(idleMs, look)
  })
  // A listener of requests, which HTTP/1.1 needs, makes Node listen here with classes that hide streams.
  server.removeAllListeners('stream')
  server.on(
    'stream',
    (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, rawHeaders: string[]) => {
      // What the client does to its stream shows in what becomes of it.
      stream.on('error', () => {})
      const session = stream.session === undefined ? undefined : sessions.get(stream.session as ServerHttp2Session)
      if (session === undefined || stream.destroyed) return
      session.open.add(stream)
      stream.once('close', () => session.open.delete(stream))
      const request = toRequest(rawHeaders, session)
      if (headers['expect'] === '100-continue' && !isDeclaredLarger(request, handler.limitFor(request.target))) {
        stream.additionalHeaders({ [HTTP2_HEADER_STATUS]: 100 })
      }
      const exchange = new Http2Exchange(request, stream, session)
      const refusal = refusalOf(request, rawHeaders)
      if (refusal !== undefined) handler.refuse(exchange, refusal)
      else handler.handle(exchange)
      const { abandonBody } = exchange
      if (abandonBody === undefined) return
      const late = (): void => {
        abandonBody()
        handler.refuse(exchange, [408, 'The request did not arrive in time.'])
      }
      const timer = setTimeout(late, requestTimeoutMs)
      for (const event of ['end', 'close']) stream.once(event, () => clearTimeout(timer))
    },
  )

  return () => {
    let isWriting = false
    for (const { session, open, streams } of sessions.values()) {
      isWriting ||= [...open].some((stream) => stream.writableLength > 0)
      for (const end of streams) end()
      for (const stream of open) stream.end()
      session.goaway(NGHTTP2_NO_ERROR)
      session.close()
    }
    // A session that has ended waits for its client to close the connection.
    setTimeout(() => sockets.forEach((socket) => socket.destroy()), isWriting ? closeGraceMs : 0)
  }
}

/** A request of HTTP/2, and its response. */
class Http2Exchange implements HttpExchange {
  readonly request: MockRequest
  readonly connection: Session
  readonly message: ServerHttp2Stream
  readonly response: ServerHttp2Stream
  abandonBody?: () => void

  constructor(request: MockRequest, stream: ServerHttp2Stream, session: Session) {
    this.request = request
    this.connection = session
    this.message = stream
    this.response = stream
    // A client that reads nothing; one that waits for the mock goes on.
    stream.on('timeout', () => void (stream.writableLength > 0 && stream.close(NGHTTP2_CANCEL)))
  }

  get isClosed(): boolean {
    return this.response.closed
  }

  onClose(end: () => void): () => void {
    this.response.once('close', end)
    return () => void this.response.off('close', end)
  }

  /** The end of a response ends what the client may still send, and not the connection. */
  closeAfterResponse(): void {}

  writeHead(status: number, fields: readonly string[]): void {
    // What is not read of the request is no more needed.
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
    this.hold(reply)
  }

  reset(): void {
    this.response.close(NGHTTP2_INTERNAL_ERROR)
  }

  hold(reply: MockReply): void {
    if (this.response.writableFinished) return
    this.response.once('close', hold(this.connection, bytesOf(reply)))
    this.startStallTimer()
  }

  startStallTimer(): void {
    this.response.setTimeout(this.connection.stallMs)
  }
}

/** The plain data of a request whose body is not read yet. */
function toRequest(rawHeaders: readonly string[], { id, address }: Session): MockRequest {
  const headers = toHeaders(rawHeaders)
  const { ':method': method, ':path': path = '', ':authority': authority, host = authority, ...fields } = headers
  for (const name of [':scheme', ':protocol']) delete fields[name]
  if (host !== undefined) fields['host'] = host
  // Bytes of a target that should have been escaped.
  const target = /[^\0-\x7f]/.test(String(path)) ? Buffer.from(String(path), 'latin1').toString() : String(path)
  return { method: String(method), target, headers: fields, body: '', connection: id, address, scheme: 'https' }
}

/** The refusal of a request that no operation is to see. */
function refusalOf({ method, headers, target }: MockRequest, rawHeaders: readonly string[]): HttpRefusal | undefined {
  if (method === 'CONNECT') return [501, 'Method CONNECT is not supported.']
  if (target.length > maxHeaderBytes) return [414, 'The request target is too long.']
  if (rawHeaders.reduce((sum, part) => sum + part.length, 0) > maxHeaderBytes) {
    return [431, 'The headers are too large.']
  }
  return typeof headers['host'] === 'string' ? undefined : [400, 'The request must have one Host header.']
}

/** The fields of a response, from names and values in turn, without those that HTTP/2 has frames for. */
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
