import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

import type { HttpRequest } from '../../spec/http.ts'

/** What the server knows of a connection. */
export interface Connection {
  readonly socket: Socket
  /** The address of the client. */
  readonly address: string
  /** The latest request, and its response. */
  message?: IncomingMessage
  response?: ServerResponse
  /** Gives up the body of the latest request, if it has one that is read. */
  giveUpBody?: (() => void) | undefined
  /** Its bytes are no HTTP any more. */
  broken?: true
  /** The headers of the latest request, as they came and as a record. */
  rawHeaders: readonly string[]
  headers: HttpRequest['headers']
  /** What ends each reply that is not written yet, such as one that is delayed. */
  readonly waiting: Set<() => void>
  /** Ends the streams that are open, in good order. */
  readonly streams: Set<() => void>
}

/** Replies that one connection may wait for. A client that sends more requests before it reads is none. */
const mostWaiting = 1_000

/** The connection of a socket. Whatever waits on it ends with it. */
export function createConnection(socket: Socket): Connection {
  const connection: Connection = {
    socket,
    address: socket.remoteAddress ?? '',
    rawHeaders: [],
    headers: {},
    waiting: new Set(),
    streams: new Set(),
  }
  socket.once('close', () => {
    for (const end of connection.waiting) end()
    connection.waiting.clear()
  })
  return connection
}

/** Notes what shall happen when the connection closes first, and returns what takes that back. */
export function waitOn({ socket, waiting }: Connection, end: () => void): () => void {
  waiting.add(end)
  if (waiting.size > mostWaiting) socket.destroy()
  return () => void waiting.delete(end)
}
