import { Buffer } from 'node:buffer'
import { validateHeaderValue } from 'node:http'
import {
  constants,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import { Readable, pipeline } from 'node:stream'
import type { Socket } from 'node:net'

import type { Control } from '../control/control.ts'
import type { MockReply, MockRequest } from '../message.ts'
import { type Channel, hold, isBeyond } from './node-connection.ts'
import type { ListenOptions, Responder } from './node.ts'
import { bytesOf, drip, longestDelayMs, withoutFraming } from './node-reply.ts'
import { isDeclaredLarger, readBody, toHeaders } from './node-request.ts'

/** Bytes of the headers, as over HTTP/1.1. */
const mostHeaderBytes = 16_384
const { HTTP2_HEADER_STATUS, NGHTTP2_CANCEL, NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR } = constants

/** What is kept of a connection. */
interface Session extends Channel {
  readonly id: number
  readonly address: string
  readonly session: ServerHttp2Session
  /** Its open streams, and what ends each. */
  readonly open: Map<ServerHttp2Stream, () => void>
}

/** A request under way. */
interface Exchange {
  stream: ServerHttp2Stream
  session: Session
  isHead: boolean
  /** All of the response is written, or the mock ended the stream on purpose. */
  isDone?: true
}

/**
 * Serves the requests that come by HTTP/2; those of HTTP/1.1 on the same port come as with any server.
 *
 * @returns what ends all connections.
 */
export function serveStreams(
  server: Http2SecureServer,
  { respond, respondLater, refuse, control, bodyLimit }: Responder,
  options: Required<Pick<ListenOptions, 'requestTimeoutMs' | 'stallMs'>> & {
    idleMs: number
    goodbyeMs: number
    /** Bytes of the bodies that are under way, those of HTTP/1.1 among them. */
    underWay: { bytes: number }
    /** The number of the next connection. */
    count: () => number
    unsentOfAll: Channel['unsentOfAll']
    /** Those that its sessions stand on. */
    sockets: ReadonlySet<Socket>
  },
): () => void {
  const { requestTimeoutMs, stallMs, idleMs, goodbyeMs, underWay, count, unsentOfAll, sockets } = options
  const sessions = new Map<ServerHttp2Session, Session>()
  const controlFailed = (): MockReply => refuse(500, 'The control API failed at this request.')

  server.on('session', (session: ServerHttp2Session) => {
    const address = session.socket?.remoteAddress ?? ''
    const unsent = { responses: 0, bytes: 0 }
    sessions.set(session, {
      session,
      socket: session,
      id: count(),
      address,
      unsent,
      unsentOfAll,
      stallMs,
      open: new Map(),
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
      session.open.set(stream, () => stream.end())
      stream.once('close', () => session.open.delete(stream))
      const request = toRequest(rawHeaders, session)
      if (headers['expect'] === '100-continue' && !isDeclaredLarger(request, limitFor(request.target))) {
        stream.additionalHeaders({ [HTTP2_HEADER_STATUS]: 100 })
      }
      const exchange: Exchange = { stream, session, isHead: request.method === 'HEAD' }
      const refusal = refusalOf(request, rawHeaders)
      if (refusal !== undefined) send(exchange, refuse(...refusal))
      else if (control?.matches(request.target)) handleControl(control, request, exchange)
      else if (request.method !== 'POST') handleService(request, exchange)
      else withBody(request, bodyLimit, exchange, () => handleService(request, exchange))
    },
  )

  const limitFor = (target: string): number => (control?.matches(target) ? control.bodyLimit : bodyLimit)

  function handleService(request: MockRequest, exchange: Exchange): void {
    if (respondLater === undefined) send(exchange, respond(request))
    else void respondLater(request).then((reply) => send(exchange, reply))
  }

  function handleControl(own: Control, request: MockRequest, exchange: Exchange): void {
    const refusal = own.refuse?.(request)
    if (refusal !== undefined) send(exchange, refusal)
    else withBody(request, own.bodyLimit, exchange, () => void waitForControl(own, request, exchange))
  }

  async function waitForControl(own: Control, request: MockRequest, exchange: Exchange): Promise<void> {
    const { stream, session } = exchange
    const reply = await own.respond(request).catch(controlFailed)
    if (!('stream' in reply)) {
      send(exchange, reply)
      return
    }
    if (stream.closed || exchange.isHead) {
      await reply.stream.cancel()
      send(exchange, { ...reply, body: '' })
      return
    }
    stream.respond(toFields(reply.status, withoutFraming(reply.headers)))
    closeStalled(stream, stallMs)
    const source = Readable.fromWeb(reply.stream as Parameters<typeof Readable.fromWeb>[0])
    session.open.set(stream, () => source.destroy())
    pipeline(source, stream, () => stream.end())
  }

  /** Reads the body into the request, and goes on, unless the client gives its stream up. */
  function withBody(request: MockRequest, limit: number, exchange: Exchange, goOn: () => void): void {
    const { stream } = exchange
    const late = (): void => {
      giveUp()
      send(exchange, refuse(408, 'The request did not arrive in time.'))
    }
    const timer = setTimeout(late, requestTimeoutMs)
    stream.once('close', () => clearTimeout(timer))
    const giveUp = readBody(stream, { headers: request.headers, limit, underWay }, ({ body, bodyFault }) => {
      clearTimeout(timer)
      if (stream.closed) return
      if (bodyFault === 'no-capacity') {
        send(exchange, refuse(503, 'Too many bodies are under way. Try again.'))
        return
      }
      request.body = body
      if (bodyFault !== undefined) request.bodyFault = bodyFault
      goOn()
    })
  }

  /** Sends a reply, after its delay. */
  function send(exchange: Exchange, reply: MockReply): void {
    const { stream, session } = exchange
    const { delayMs, wire, onAbandoned } = reply
    if (stream.closed) {
      onAbandoned?.()
      return
    }
    if (onAbandoned !== undefined) stream.once('close', () => void (exchange.isDone || onAbandoned()))
    // What is not read of the request is no more needed.
    stream.resume()
    if (wire?.silent) return
    if (stream.closed || delayMs === undefined || delayMs <= 0) {
      sendNow(exchange, reply)
      return
    }
    const release = hold(session, bytesOf(reply))
    const timer = setTimeout(
      () => {
        release()
        sendNow(exchange, reply)
      },
      Math.min(delayMs, longestDelayMs),
    )
    stream.once('close', () => {
      clearTimeout(timer)
      release()
    })
  }

  function sendNow(exchange: Exchange, reply: MockReply): void {
    const { stream, session } = exchange
    if (stream.closed) return
    if (isBeyond(session, reply.wire?.bytes?.length ?? reply.body.length)) session.session.destroy()
    else if (reply.wire?.reset) {
      exchange.isDone = true
      stream.close(NGHTTP2_INTERNAL_ERROR)
    } else if (!write(exchange, reply)) write(exchange, refuse(500, 'The reply has a header that HTTP cannot carry.'))
    if (stream.writableFinished || reply.wire?.reset) return
    stream.once('close', hold(session, bytesOf(reply)))
    closeStalled(stream, stallMs)
  }

  return () => {
    let isWriting = false
    for (const { session, open } of sessions.values()) {
      isWriting ||= [...open.keys()].some((stream) => stream.writableLength > 0)
      for (const end of open.values()) end()
      session.goaway(NGHTTP2_NO_ERROR)
      session.close()
    }
    // A session that has ended waits for its client to close the connection.
    setTimeout(() => sockets.forEach((socket) => socket.destroy()), isWriting ? goodbyeMs : 0)
  }
}

/** Gives up a stream whose client reads nothing; one that waits for the mock goes on. */
function closeStalled(stream: ServerHttp2Stream, stallMs: number): void {
  stream.setTimeout(stallMs, () => void (stream.writableLength > 0 && stream.close(NGHTTP2_CANCEL)))
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

/** The status and message for a request that no operation is to see. */
function refusalOf(
  { method, headers, target }: MockRequest,
  rawHeaders: readonly string[],
): [number, string] | undefined {
  if (method === 'CONNECT') return [501, 'Method CONNECT is not supported.']
  if (target.length > mostHeaderBytes) return [414, 'The request target is too long.']
  if (rawHeaders.reduce((sum, part) => sum + part.length, 0) > mostHeaderBytes) {
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

/** Writes a reply; returns false when Node rejects its headers, before anything was written. */
function write(exchange: Exchange, { status, headers, body, wire }: MockReply): boolean {
  const { stream, isHead } = exchange
  const bytes = wire?.bytes ?? Buffer.from(body)
  const hasNone = status === 204 || status === 304
  // A type without a body describes one that is not sent, as in a response to HEAD: its length is unknown.
  const isKnown = wire !== undefined || bytes.length > 0 || (status !== 204 && headers['content-type'] === undefined)
  try {
    const fields = toFields(status, withoutFraming(headers))
    if (isKnown && !hasNone) fields['content-length'] = wire?.contentLength ?? bytes.length
    stream.respond(fields)
  } catch {
    return false
  }
  const finish = (rest?: Uint8Array): void => {
    // The end of a response ends what the client may still send.
    stream.end(rest, (error?: Error | null) => {
      if (error === undefined || error === null) exchange.isDone = true
      if (!stream.endAfterHeaders && !stream.readableEnded) stream.close(NGHTTP2_NO_ERROR)
    })
  }
  if (hasNone || isHead || bytes.length === 0) finish()
  else if (wire?.bodyMs === undefined) finish(bytes)
  else stream.once('close', drip({ bytes, bodyMs: wire.bodyMs, write: (piece) => stream.write(piece) }, finish))
  return true
}
