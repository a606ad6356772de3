import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Http2SecureServer } from 'node:http2'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { clearTimeout, setTimeout } from 'node:timers'

import { type Issue, UsageError } from '../../errors.ts'
import type { HttpRejection, MockRequest } from '../service/message.ts'
import { type Connection, createConnection, onTimeout } from './connection.ts'
import { closeAfterResponse, Http1Exchange } from './http1.ts'
import type { Tls } from './http2.ts'
import type { Load } from './metrics.ts'
import { createRequestHandler, type Responder } from './reply.ts'
import {
  type ClientError,
  closeGently,
  isDeclaredLarger,
  readRejected,
  rejectionOf,
  rejectFraming,
  toRequest,
  writeRejection,
} from './request.ts'

export interface ListenOptions {
  port: number
  host: string
  headersTimeoutMs?: number
  requestTimeoutMs?: number
  /** How often these two timeouts are checked. */
  timeoutCheckMs?: number
  /** How long a client may leave a response unread. Default: 30 s. */
  stallMs?: number
  /** How long a connection may be idle. Default: 72 s. */
  idleMs?: number
  /** Serves HTTP/2 and HTTP/1.1 over TLS. Default: HTTP/1.1 without TLS. */
  tls?: Tls | undefined
}

export type Listening = Awaited<ReturnType<typeof listen>>

/** Longer than most clients keep an idle connection, so that they close first. */
const keepAliveMs = 72_000

/** How long clients may take to read the last responses when the server closes. */
const closeGraceMs = 500

/** Simultaneous connections; more are closed at once. */
const maxConnections = 10_000

/** Names and values that an idle connection keeps of its latest request: more than clients send. */
const maxKeptHeaders = 200

/** Serves HTTP/1.1, and HTTP/2 beside it with a certificate. Throws a UsageError when it cannot listen there. */
export async function listen(responder: Responder, options: ListenOptions) {
  const { control, respond, forward } = responder
  const connections = new Map<Socket, Connection>()
  let isDraining = false
  let closed: Promise<void> | undefined
  const { stallMs = 30_000, idleMs = keepAliveMs } = options
  const limits = { unsentOfAll: { responses: 0, bytes: 0 }, bodiesInFlight: { bytes: 0 }, stallMs }
  const handler = createRequestHandler(responder, limits.bodiesInFlight)
  /** What is known of a connection. */
  const connectionOf = (socket: Socket): Connection =>
    connections.get(socket) ?? createConnection(socket, limits)
  /** Whether a proxy forwards what is sent to a target. */
  const isForwarded = (target = ''): boolean =>
    forward !== undefined && control?.matches(target) !== true
  /** Takes a request from Node, and rejects what is no valid HTTP. */
  const onRequest = (message: IncomingMessage, response: ServerResponse): void => {
    const connection = connectionOf(message.socket)
    // A pipelined request behind one that closed the connection.
    if (connection.socket.destroyed) return
    const { reading, response: earlier } = connection
    connection.message = message
    connection.response = response
    if (message.rawHeaders.length > maxKeptHeaders)
      response.once('close', () => {
        // Many short ones take twenty times their bytes.
        for (const one of [connection, message]) Object.assign(one, { rawHeaders: [], headers: {} })
      })
    connection.abandonBody = undefined
    const exchange = new Http1Exchange(message, response, connection)
    const { request } = exchange
    // Node's parser drops what follows an upgrade in the same packet: the connection cannot be reused.
    if (isDraining || request.headers['upgrade'] !== undefined) closeAfterResponse(response)
    const rejection = rejectFraming(message, request)
    if (rejection !== undefined) {
      // Where the body ends is unknown: Node's parser closes the connection.
      if (rejection[0] === 501) closeAfterResponse(response)
      handler.reject(exchange, rejection)
      return
    }
    if (forward !== undefined && isForwarded(request.target)) {
      forward(exchange, earlier)
      return
    }
    // A body ends in a later turn: what is pipelined behind it, and reads none, would overtake it.
    if (reading?.readableEnded === false && !handler.readsBody(request)) {
      reading.setMaxListeners(0).once('end', () => {
        if (!connection.socket.destroyed) handler.handle(exchange)
      })
      return
    }
    handler.handle(exchange)
    if (connection.abandonBody !== undefined) connection.reading = message
  }
  const { headersTimeoutMs = 15_000, requestTimeoutMs = 30_000, tls } = options
  const http1 = {
    // A request without Host gets an Error body like any other.
    requireHostHeader: false,
    keepAliveTimeout: idleMs,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: options.timeoutCheckMs ?? 2_000,
  }
  const http2 = tls && (await import('./http2.ts'))
  // An HTTP/2 server takes the settings of HTTP/1.1 as properties.
  const server =
    http2 === undefined
      ? createServer(http1)
      : (Object.assign(
          http2.createTlsServer(tls as Tls, headersTimeoutMs),
          http1,
        ) as unknown as Server)
  server.on('request', onRequest)
  server.maxConnections = maxConnections
  // Node would silently drop headers beyond a count. Their bytes are limited.
  server.maxHeadersCount = 0
  // Node would reset a request that is on its way. `close` below closes all connections.
  server.closeIdleConnections = () => {}
  const open = (socket: Socket, raw?: Socket): void => {
    connections.set(socket, createConnection(socket, limits, raw))
    socket.once('close', () => connections.delete(socket))
  }
  if (http2 === undefined) server.on('connection', open)
  const sessions = http2?.serveHttp2(server as unknown as Http2SecureServer, handler, {
    ...limits,
    headersTimeoutMs,
    requestTimeoutMs,
    idleMs,
    closeGraceMs,
    sockets: http2.onTlsConnection(server, open, (raw) => {
      // TLS no longer listens to errors of the socket.
      raw.on('error', () => {})
      const request = {
        method: '',
        target: '',
        headers: {},
        body: '',
        address: raw.remoteAddress ?? '',
      }
      rejectOn(raw, request, [
        400,
        'This port speaks HTTPS, and the request came without TLS: use https://.',
      ])
    }),
  })
  server.on('timeout', (socket: Socket) => onTimeout(connectionOf(socket)))
  server.on('checkContinue', (message: IncomingMessage, response: ServerResponse) => {
    const { url = '' } = message
    // A deployment behind a proxy decides for itself whether the body may come.
    if (!isForwarded(url) && !isDeclaredLarger(message, handler.limitFor(url)))
      response.writeContinue()
    onRequest(message, response)
  })
  server.on('checkExpectation', onRequest)
  server.on('connect', (message: IncomingMessage, socket: Socket) => {
    const connection = connectionOf(socket)
    const request = toRequest(message, connection)
    afterResponses(connection, () =>
      rejectOn(socket, request, [501, 'Method CONNECT is not supported.']),
    )
  })
  server.on('clientError', onClientError)

  function onClientError(error: ClientError, socket: Socket): void {
    const connection = connectionOf(socket)
    if (connection.broken) return
    connection.broken = true
    const rejection = rejectionOf(error)
    const { message, response, abandonBody } = connection
    // A connection without a byte, such as a browser's spare one, is no request.
    if (rejection === undefined || socket.bytesRead === 0 || !socket.writable) {
      socket.destroy()
      return
    }
    const isBodyInvalid = message?.complete === false
    if (isBodyInvalid && abandonBody && response?.headersSent === false) {
      abandonBody()
      closeAfterResponse(response)
      handler.reject(new Http1Exchange(message, response, connection), rejection)
      return
    }
    afterResponses(connection, () =>
      isBodyInvalid || (message !== undefined && error.code === 'HPE_CLOSED_CONNECTION')
        ? closeGently(socket)
        : rejectUnparsed(socket, error, rejection),
    )
  }

  /** The mock itself responds to an unescaped target. */
  function rejectUnparsed(socket: Socket, error: ClientError, rejection: HttpRejection): void {
    const { request, isUnescaped } = readRejected(error)
    const { id, address, scheme } = connectionOf(socket)
    Object.assign(request, { connection: id, address, scheme })
    if (isUnescaped && rejection[0] === 400 && !control?.matches(request.target))
      writeRejection(socket, request, respond(request))
    else rejectOn(socket, request, rejection)
  }

  /** Rejects a request that has no ServerResponse. */
  function rejectOn(socket: Socket, request: MockRequest, rejection: HttpRejection): void {
    const reply = control?.matches(request.target)
      ? responder.reject(...rejection)
      : respond({ ...request, rejection })
    writeRejection(socket, request, reply)
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(error, options)))
    const host = options.host === 'localhost' ? '127.0.0.1' : options.host
    server.listen({ port: options.port, host }, resolve)
  })
  const { port } = server.address() as AddressInfo
  const loopback6 = options.host === 'localhost' ? await listenOnIPv6(server, port) : undefined

  // Failed connections do not concern the server.
  server.on('error', () => {})

  /** Resolves when all connections are closed, too. */
  const stopListening = (): Promise<void> =>
    (closed ??= new Promise((resolve) => {
      loopback6?.close()
      server.close(() => resolve())
    }))

  return {
    port,
    /** Serves new connections with another certificate. Throws a UsageError when it cannot be used. */
    renewTls: (renewed: Tls) => http2?.renewTls(server as unknown as Http2SecureServer, renewed),
    /** Computed when it is read, so that requests need not count. */
    load(): Load {
      const all = sessions?.load() ?? { connections: 0, streams: 0, inFlight: 0 }
      for (const { response, streams } of connections.values()) {
        all.connections += 1
        all.streams += streams.size
        if (response?.writableFinished === false && streams.size === 0) all.inFlight += 1
      }
      return all
    },
    /** Announces the end to clients: with `Connection: close` on each further response, and GOAWAY over HTTP/2. */
    drain(): void {
      isDraining = true
      for (const { response } of connections.values())
        if (response?.headersSent === false) closeAfterResponse(response)
      sessions?.drain()
    },
    /** Stops listening. For a moment, clients of the open connections still get responses. */
    rejectConnections: () =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, closeGraceMs)
        void stopListening().finally(() => {
          clearTimeout(timer)
          resolve()
        })
      }),
    /** Stops listening, flushes the responses that are written, and closes all connections. */
    close(): Promise<void> {
      const end = stopListening()
      for (const connection of connections.values()) closeConnection(connection)
      sessions?.end()
      return end
    },
  }
}

/** Ends a connection after the responses to the requests that came before. */
function afterResponses({ response }: Connection, end: () => void): void {
  if (response === undefined || response.writableFinished) end()
  else response.once('finish', end)
}

/**
 * `localhost` is 127.0.0.1 for some clients, and ::1 for others. Connections to ::1 join those of the server; undefined on a
 * machine without IPv6, or where another program has this port there.
 */
async function listenOnIPv6(server: Server, port: number) {
  const other = createTcpServer((socket) => server.emit('connection', socket))
  other.maxConnections = maxConnections
  const isListening = await new Promise<boolean>((resolve) => {
    other.once('error', () => resolve(false))
    other.listen({ port, host: '::1' }, () => resolve(true))
  })
  if (!isListening) return undefined
  // Failed connections do not concern the server.
  return other.on('error', () => {})
}

function closeConnection({ socket, streams }: Connection): void {
  for (const end of streams) end()
  if (socket.writableLength === 0) {
    socket.destroy()
    return
  }
  const timer = setTimeout(() => socket.destroy(), closeGraceMs)
  socket.once('finish', () => socket.destroy()).once('close', () => clearTimeout(timer))
  socket.end()
}

function cannotListen(error: NodeJS.ErrnoException, { port, host }: ListenOptions): UsageError {
  const atPort = (message: string): Issue => ({ path: 'port', message })
  const noAddress = {
    path: 'host',
    message: `${host} is not an address of this machine. Use 127.0.0.1 or 0.0.0.0.`,
  }
  const taken = `${port} on ${host} is taken. Use another port, such as ${port + 1}, or 0 for any free port.`
  const issues: Record<string, Issue> = {
    EADDRINUSE: atPort(taken),
    EACCES: atPort(
      `${port} on ${host} may not be used by this account. Choose another one above 1023.`,
    ),
    EADDRNOTAVAIL: noAddress,
    ENOTFOUND: noAddress,
  }
  const issue =
    issues[error.code ?? ''] ?? atPort(`${port} on ${host} cannot be used: ${error.message}`)
  return new UsageError([issue], { cause: error })
}
