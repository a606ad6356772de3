import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { versions } from 'node:process'
import { getHeapStatistics } from 'node:v8'

import { UsageError } from '../../errors.ts'
import type { MockReply } from '../message.ts'
import { type Answering, closeAfter, createAnswer } from './node-answer.ts'
import { isDeclaredLarger } from './node-body.ts'
import { type Connection, createConnection, onTimeout } from './node-connection.ts'
import { type ClientError, closeGently, refusalOf, unescapedRequest, writeRefusal } from './node-refusals.ts'

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

/** Connections at the same time. Those beyond are closed at once. */
const mostConnections = 10_000

/**
 * Serves a mock over HTTP/1.1.
 *
 * @throws {UsageError} when it cannot listen there.
 */
export async function listen(answering: Answering, options: ListenOptions): Promise<Listening> {
  const { control, refuse, respond } = answering
  const { answer, send, limitFor } = createAnswer(answering)
  const connections = new Map<Socket, Connection>()
  const limits = { unsentOfAll: { responses: 0, bytes: 0 }, stallMs: options.stallMs ?? 30_000 }
  const connectionOf = (socket: Socket): Connection => connections.get(socket) ?? createConnection(socket, limits)
  const onRequest = (message: IncomingMessage, response: ServerResponse): void =>
    answer({ message, response, connection: connectionOf(message.socket) })

  const server = createServer(
    {
      // A request without Host gets an Error body like any other.
      requireHostHeader: false,
      keepAliveTimeout: keepAliveMs,
      headersTimeout: options.headersTimeoutMs ?? 15_000,
      requestTimeout: options.requestTimeoutMs ?? 30_000,
      connectionsCheckingInterval: options.timeoutCheckMs ?? 2_000,
    },
    onRequest,
  )
  server.maxConnections = mostConnections
  // The bytes of all headers are limited; a header that is left out silently could be the one that matters.
  server.maxHeadersCount = 0
  server.on('connection', (socket: Socket) => {
    connections.set(socket, createConnection(socket, limits))
    socket.once('close', () => connections.delete(socket))
  })
  server.on('timeout', (socket: Socket) => onTimeout(connectionOf(socket)))
  server.on('checkContinue', (message: IncomingMessage, response: ServerResponse) => {
    if (!isDeclaredLarger(message, limitFor(message.url ?? ''))) response.writeContinue()
    onRequest(message, response)
  })
  server.on('checkExpectation', onRequest)
  server.on('connect', (_message, socket: Socket) => writeRefusal(socket, refuse(501, 'CONNECT is no operation here.')))
  server.on('clientError', (error: ClientError, socket: Socket) => {
    const connection = connectionOf(socket)
    if (connection.broken) return
    connection.broken = true
    const refusal = refusalOf(error)
    const { message, response, giveUpBody } = connection
    if (refusal === undefined || !socket.writable) socket.destroy()
    else if (message?.complete === false && giveUpBody && response?.headersSent === false) {
      giveUpBody()
      closeAfter(response)
      send(response, refuse(refusal.status, refusal.message), connection)
    } else {
      // What follows an answered request is the rest of its body, or else a request that is none.
      const end = (): void =>
        message === undefined || (message.complete && error.code !== 'HPE_CLOSED_CONNECTION')
          ? writeRefusal(socket, replyTo(error, refusal))
          : closeGently(socket)
      if (response === undefined || response.writableFinished) end()
      else response.once('finish', end)
    }
  })

  /** What can be read of a request is noted as any other. */
  function replyTo(error: ClientError, { status, message }: { status: number; message: string }): MockReply {
    const request = status === 400 ? unescapedRequest(error) : undefined
    return request === undefined || control?.matches(request.target) ? refuse(status, message) : respond(request)
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(error, options)))
    server.listen({ port: options.port, host: options.host }, resolve)
  })

  // A connection that could not be accepted is its client's affair.
  server.on('error', () => {})

  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const connection of connections.values()) sayGoodbye(connection)
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
    EADDRINUSE: `Port ${port} on ${host} is taken. Choose another one, or 0 for any that is free.`,
    EACCES: `Port ${port} on ${host} may not be used by this account. Choose one above 1023.`,
    EADDRNOTAVAIL: `This machine has no address ${host}.`,
    ENOTFOUND: `The host ${host} is not known.`,
  }
  const reason = reasons[error.code ?? ''] ?? `Cannot listen on port ${port} of ${host}: ${error.message}`
  return new UsageError(reason, { cause: error })
}

/** What the heap of this process may grow to. Bun says what it is now. */
export function heapBytes(): number {
  return versions['bun'] === undefined ? getHeapStatistics().heap_size_limit : Infinity
}
