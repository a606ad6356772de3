import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

import { UsageError } from '../../errors.ts'
import type { MockReply, Respond } from '../message.ts'
import { isDeclaredLarger, readBody } from './node-body.ts'
import { type ClientError, closeGently, refusalOf, writeRefusal } from './node-refusals.ts'
import { sendReply } from './node-reply.ts'
import { hasOneHost, toRequest } from './node-request.ts'

/** What a server asks. */
export interface Answering {
  respond: Respond
  /** An Error reply to what is no request. */
  refuse: (status: number, message: string) => MockReply
  /** Bytes of a body that are read. */
  bodyLimit: number
}

/** Where to listen, and how long to wait for a request. */
export interface ListenOptions {
  port: number
  host: string
  headersTimeoutMs?: number
  requestTimeoutMs?: number
  /** How often the two are looked at. */
  timeoutCheckMs?: number
}

/** A server that listens. */
export interface Listening {
  port: number
  /** Lets replies that are written out, ends every connection, and stops listening. */
  close: () => Promise<void>
}

/** What is known of a connection. */
interface Connection {
  /** The latest request, and its response. */
  message?: IncomingMessage
  response?: ServerResponse
  /** Gives up the body of the latest request, if it has one that is read. */
  giveUpBody?: (() => void) | undefined
  /** Its bytes are no HTTP any more. */
  broken?: true
}

/** How long a client may take to read a last reply when the server closes: milliseconds. */
const goodbyeMs = 500

/**
 * Serves a mock over HTTP/1.1.
 *
 * @throws {UsageError} when it cannot listen there.
 */
export async function listen(answering: Answering, options: ListenOptions): Promise<Listening> {
  const { respond, refuse, bodyLimit } = answering
  const connections = new Map<Socket, Connection>()

  function answer(message: IncomingMessage, response: ServerResponse): void {
    const connection = connections.get(message.socket) ?? {}
    connection.message = message
    connection.response = response
    connection.giveUpBody = undefined
    const request = toRequest(message, connection)
    if (!hasOneHost(message, request)) sendReply(response, refuse(400, 'The request must have one Host header.'))
    else if (message.method !== 'POST') sendReply(response, respond(request))
    else {
      connection.giveUpBody = readBody(message, bodyLimit, (read) => {
        if (read.bodyFault === 'too-large') closeAfter(response)
        sendReply(response, respond(Object.assign(request, read)))
      })
    }
  }

  const server = createServer(
    {
      // A request without Host gets an Error body like any other.
      requireHostHeader: false,
      // Longer than clients keep their sockets: they close first, and no request is lost in between.
      keepAliveTimeout: 72_000,
      headersTimeout: options.headersTimeoutMs ?? 15_000,
      requestTimeout: options.requestTimeoutMs ?? 30_000,
      connectionsCheckingInterval: options.timeoutCheckMs ?? 2_000,
    },
    answer,
  )
  server.on('connection', (socket: Socket) => {
    connections.set(socket, {})
    socket.once('close', () => connections.delete(socket))
  })
  server.on('checkContinue', (message: IncomingMessage, response: ServerResponse) => {
    if (!isDeclaredLarger(message, bodyLimit)) response.writeContinue()
    answer(message, response)
  })
  server.on('checkExpectation', answer)
  server.on('connect', (_message, socket: Socket) => writeRefusal(socket, refuse(405, 'CONNECT is no operation here.')))
  server.on('clientError', (error: ClientError, socket: Socket) => {
    const connection = connections.get(socket) ?? {}
    if (connection.broken) return
    connection.broken = true
    const refusal = refusalOf(error)
    const { message, response, giveUpBody } = connection
    if (refusal === undefined || !socket.writable) socket.destroy()
    else if (message?.complete === false && giveUpBody && response?.headersSent === false) {
      giveUpBody()
      closeAfter(response)
      sendReply(response, refuse(refusal.status, refusal.message))
    } else {
      // What follows an answered request is the rest of its body, or else a request that is none.
      const end = (): void =>
        message === undefined || message.complete
          ? writeRefusal(socket, refuse(refusal.status, refusal.message))
          : closeGently(socket)
      if (response === undefined || response.writableFinished) end()
      else response.once('finish', end)
    }
  })

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
        for (const socket of connections.keys()) sayGoodbye(socket)
      }),
  }
}

/** Closes the connection behind a reply without cutting off a client that still sends. */
function closeAfter(response: ServerResponse): void {
  response.shouldKeepAlive = false
  const { socket } = response
  if (socket) socket.destroySoon = () => closeGently(socket)
}

function sayGoodbye(socket: Socket): void {
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
