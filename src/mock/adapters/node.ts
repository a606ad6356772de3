import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Http2SecureServer } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'

import { UsageError } from '../../errors.ts'
import type { Control } from '../control/control.ts'
import type { MockReply, MockRequest, Respond } from '../message.ts'
import { type Connection, countConnection, createConnection, onTimeout } from './node-connection.ts'
import type { Tls } from './node-tls.ts'
import { createSend, type Send } from './node-reply.ts'
import {
  type ClientError,
  closeGently,
  isDeclaredLarger,
  readBody,
  refusalOf,
  refuseFraming,
  toRequest,
  unescapedRequest,
  writeRefusal,
} from './node-request.ts'
import { sendStream } from './node-stream.ts'

/** Where to listen, and how long to wait for a request. */
export interface ListenOptions {
  port: number
  host: string
  headersTimeoutMs?: number
  requestTimeoutMs?: number
  /** How often the two are looked at. */
  timeoutCheckMs?: number
  /** How long a client may take no byte of a response: 30 s. */
  stallMs?: number
  /** Serves HTTP/2 and HTTP/1.1 over TLS. By default HTTP/1.1 without it. */
  tls?: Tls | undefined
}

/** A server that listens. */
export interface Listening {
  port: number
  /** Lets replies that are written out, ends every connection, and stops listening. */
  close: () => Promise<void>
}

/** How long a connection may be idle: milliseconds. Longer than clients keep theirs, so that they close first. */
const keepAliveMs = 72_000

/** How long a client may take to read a last reply when the server closes: milliseconds. */
const goodbyeMs = 500

/** Simultaneous connections; more are closed at once. */
const mostConnections = 10_000

/**
 * Serves a mock over HTTP/1.1, and with a certificate over HTTP/2 beside it.
 *
 * @throws {UsageError} when it cannot listen there.
 */
export async function listen(responder: Responder, options: ListenOptions): Promise<Listening> {
  const { control, refuse, respond, respondLater } = responder
  const connections = new Map<Socket, Connection>()
  const { stallMs = 30_000 } = options
  const limits = { unsentOfAll: { responses: 0, bytes: 0 }, underWay: { bytes: 0 }, stallMs }
  const { handle, send, limitFor } = createResponder(responder, limits.underWay)
  const connectionOf = (socket: Socket): Connection => connections.get(socket) ?? createConnection(socket, limits)
  const onRequest = (message: IncomingMessage, response: ServerResponse): void =>
    handle({ message, response, connection: connectionOf(message.socket) })
  const { headersTimeoutMs = 15_000, requestTimeoutMs = 30_000, tls } = options
  const http1 = {
    // A request without Host gets an Error body like any other.
    requireHostHeader: false,
    keepAliveTimeout: keepAliveMs,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: options.timeoutCheckMs ?? 2_000,
  }
  const http2 = tls && { ...(await import('./node-tls.ts')), ...(await import('./node-http2.ts')) }
  // A server of HTTP/2 takes the same settings for HTTP/1.1 as properties.
  const server =
    http2 === undefined
      ? createServer(http1)
      : (Object.assign(http2.createTlsServer(tls as Tls, headersTimeoutMs), http1) as unknown as Server)
  server.on('request', onRequest)
  server.maxConnections = mostConnections
  // The bytes of all headers are limited; a header that is left out silently could be the one that matters.
  server.maxHeadersCount = 0
  const open = (socket: Socket, raw?: Socket): void => {
    connections.set(socket, createConnection(socket, limits, raw))
    socket.once('close', () => connections.delete(socket))
  }
  if (http2 === undefined) server.on('connection', open)
  const endSessions = http2?.serveStreams(server as unknown as Http2SecureServer, responder, {
    ...limits,
    requestTimeoutMs,
    idleMs: keepAliveMs,
    goodbyeMs,
    count: countConnection,
    sockets: http2.onTlsConnection(server, open),
  })
  server.on('timeout', (socket: Socket) => onTimeout(connectionOf(socket)))
  server.on('checkContinue', (message: IncomingMessage, response: ServerResponse) => {
    const { url = '' } = message
    const isForwarded = responder.forward !== undefined && control?.matches(url) !== true
    // Whether the body may come is for the deployment to say.
    if (!isForwarded && !isDeclaredLarger(message, limitFor(url))) response.writeContinue()
    onRequest(message, response)
  })
  server.on('checkExpectation', onRequest)
  server.on('connect', (_message, socket: Socket) =>
    writeRefusal(socket, refuse(501, 'Method CONNECT is not supported.')),
  )
  server.on('clientError', (error: ClientError, socket: Socket) => {
    const connection = connectionOf(socket)
    if (connection.broken) return
    connection.broken = true
    const refusal = refusalOf(error)
    const { message, response, giveUpBody } = connection
    if (refusal === undefined || !socket.writable) socket.destroy()
    else if (message?.complete === false && giveUpBody && response?.headersSent === false) {
      giveUpBody(refusal)
      closeAfter(response)
      send(response, refuse(refusal.status, refusal.message), connection)
    } else {
      // After a response come the rest of the request's body, or bytes that are not a request.
      const end = (): void =>
        message === undefined || (message.complete && error.code !== 'HPE_CLOSED_CONNECTION')
          ? refuseWith(socket, error, refusal)
          : closeGently(socket)
      if (response === undefined || response.writableFinished) end()
      else response.once('finish', end)
    }
  })

  /** A request that can be read in part enters the journal like any other. */
  function refuseWith(
    socket: Socket,
    error: ClientError,
    { status, message }: { status: number; message: string },
  ): void {
    const request = status === 400 ? unescapedRequest(error) : undefined
    if (request === undefined || control?.matches(request.target)) writeRefusal(socket, refuse(status, message))
    else if (respondLater === undefined) writeRefusal(socket, respond(request))
    else void respondLater(request).then((reply) => writeRefusal(socket, reply))
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(error, options)))
    server.listen({ port: options.port, host: options.host }, resolve)
  })

  // A connection that cannot be accepted concerns its client alone.
  server.on('error', () => {})

  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const connection of connections.values()) sayGoodbye(connection)
        endSessions?.()
      }),
  }
}

function sayGoodbye({ socket, streams }: Connection): void {
  for (const end of streams) end()
  if (socket.writableLength === 0) {
    socket.destroy()
    return
  }
  const timer = setTimeout(() => socket.destroy(), goodbyeMs)
  socket.once('finish', () => socket.destroy()).once('close', () => clearTimeout(timer))
  socket.end()
}

function cannotListen(error: NodeJS.ErrnoException, { port, host }: ListenOptions): UsageError {
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is taken. Choose another one, such as --port ${port + 1}, or --port 0 for any that is free.`,
    EACCES: `Port ${port} on ${host} may not be used by this account. Choose one above 1023.`,
    EADDRNOTAVAIL: `This machine has no address ${host}.`,
    ENOTFOUND: `The host ${host} is no address of this machine. Use 127.0.0.1 or 0.0.0.0.`,
  }
  const reason = reasons[error.code ?? ''] ?? `Cannot listen on port ${port} of ${host}: ${error.message}`
  return new UsageError(reason, { cause: error })
}

/** What the server calls. */
export interface Responder {
  respond: Respond
  /** In place of `respond`, where other mocks share the sandboxes. Never rejects. */
  respondLater?: ((request: MockRequest) => Promise<MockReply>) | undefined
  /** An Error reply to what is no request. */
  refuse: (status: number, message: string) => MockReply
  /** Bytes of a body that are read. */
  bodyLimit: number
  /** Handles the targets of the control API in place of `respond`. */
  control?: Control
  /** Passes a request on, in place of `respond`: its body is not read. */
  forward?: (exchange: UnderWay & { request: MockRequest }) => void
}

/** A request under way. */
export interface UnderWay {
  message: IncomingMessage
  response: ServerResponse
  connection: Connection
}

/** Handles the requests of a server. */
function createResponder(
  { respond, respondLater, refuse, bodyLimit, control, forward }: Responder,
  underWay: { bytes: number },
): {
  handle: (exchange: UnderWay) => void
  send: Send
  /** Bytes of a body that are read, of a request for a target. */
  limitFor: (target: string) => number
} {
  const send = createSend(() => refuse(500, 'The reply has a header that HTTP cannot carry.'))
  const controlFailed = (): MockReply => refuse(500, 'The control API failed at this request.')

  function handle(exchange: UnderWay): void {
    const { message, response, connection } = exchange
    // Requests that came in the same packet as what cut their connection off.
    if (connection.socket.destroyed) return
    connection.message = message
    connection.response = response
    connection.giveUpBody = undefined
    const request = toRequest(message, connection)
    // Node's parser loses what follows such a request in the same packet: the connection cannot be reused.
    if (request.headers['upgrade'] !== undefined) closeAfter(response)
    const refusal = refuseFraming(message, request)
    if (refusal !== undefined) send(response, refuse(refusal.status, refusal.message), connection)
    else if (control?.matches(request.target)) handleControl(control, request, exchange)
    else if (forward !== undefined) forward({ ...exchange, request })
    else if (message.method !== 'POST') {
      // Node drains an unread body; do not wait for one that is too large.
      if (isDeclaredLarger(request, bodyLimit)) closeAfter(response)
      handleService(request, exchange)
    } else withBody(request, bodyLimit, exchange, () => handleService(request, exchange))
  }

  function handleService(request: MockRequest, exchange: UnderWay): void {
    if (respondLater === undefined) return send(exchange.response, respond(request), exchange.connection)
    void waitForService(respondLater, request, exchange)
  }

  async function waitForService(
    later: NonNullable<typeof respondLater>,
    request: MockRequest,
    { response, connection }: UnderWay,
  ): Promise<void> {
    const reply = await later(request)
    if (connection.socket.destroyed) reply.onAbandoned?.()
    else send(response, reply, connection)
  }

  function handleControl(own: Control, request: MockRequest, exchange: UnderWay): void {
    const refusal = own.refuse?.(request)
    if (refusal !== undefined) send(exchange.response, refusal, exchange.connection)
    else withBody(request, own.bodyLimit, exchange, () => void waitForControl(own, request, exchange))
  }

  async function waitForControl(own: Control, request: MockRequest, { response, connection }: UnderWay): Promise<void> {
    const reply = await own.respond(request).catch(controlFailed)
    if (connection.socket.destroyed) return
    if (!('stream' in reply)) send(response, reply, connection)
    else if (!sendStream(response, reply, connection)) send(response, controlFailed(), connection)
  }

  /** Reads the body into the request, and goes on. */
  function withBody(request: MockRequest, limit: number, exchange: UnderWay, goOn: () => void): void {
    const { message, response, connection } = exchange
    connection.giveUpBody = readBody(message, { headers: request.headers, limit, underWay }, ({ body, bodyFault }) => {
      if (bodyFault === 'too-large' || bodyFault === 'no-capacity') closeAfter(response)
      if (bodyFault === 'no-capacity')
        send(response, refuse(503, 'Too many bodies are under way. Try again.'), connection)
      else {
        request.body = body
        if (bodyFault !== undefined) request.bodyFault = bodyFault
        goOn()
      }
    })
  }

  const limitFor = (target: string): number => (control?.matches(target) ? control.bodyLimit : bodyLimit)

  return { handle, send, limitFor }
}

/** Closes the connection behind a reply without cutting off a client that still sends. */
export function closeAfter(response: ServerResponse): void {
  response.shouldKeepAlive = false
  const { socket } = response
  if (socket) socket.destroySoon = () => closeGently(socket)
}
