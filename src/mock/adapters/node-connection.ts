import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import type { TLSSocket } from 'node:tls'

import type { HttpRequest } from '../../spec/http.ts'
import type { MockReply, MockRequest } from '../message.ts'

/** Why a request is refused whose operation is not looked for. */
export type HttpRefusal = readonly [status: number, message: string]

/** A connection, as what waits on it sees it. */
export interface Channel {
  readonly socket: { destroy: () => unknown; readonly destroyed: boolean }
  /** Responses that are not sent yet, and their bytes: on this connection, and on all of the server. */
  readonly unsent: Unsent
  readonly unsentOfAll: Unsent
  /** How long its client may read nothing (ms). */
  readonly stallMs: number
  /** Ends the streams that are open, in good order. */
  readonly streams: Set<() => void>
}

/** The server's state of a connection. */
export interface Connection extends Channel {
  readonly socket: Socket
  readonly scheme: 'http' | 'https'
  /** Resets it, also below TLS, which itself has no resets. */
  reset: () => void
  /** 1, 2, 3 and so on. */
  readonly id: number
  /** The address of the client. */
  readonly address: string
  /** The latest request, and its response. */
  message?: IncomingMessage
  response?: ServerResponse
  /** Gives up the body of the latest request, if it has one that is read. */
  abandonBody?: ((refusal: HttpRefusal) => void) | undefined
  /** Its bytes are no HTTP any more. */
  broken?: true
  /** The headers of the latest request, as they came and as a record. */
  rawHeaders: readonly string[]
  headers: HttpRequest['headers']
  /** What ends each reply that is not written yet, such as one that is delayed. */
  readonly waiting: Set<() => void>
}

/** A request under way and its response, by HTTP/1.1 or by HTTP/2. */
export interface HttpExchange {
  readonly request: MockRequest
  readonly connection: Channel
  /** Gives the body of the request. */
  readonly message: Readable & { readonly complete?: boolean }
  /** Takes the body of the response. */
  readonly response: Writable
  /** Whether its client is gone. */
  readonly isClosed: boolean
  /** Gives up the body of the request while it is read. */
  abandonBody?: (() => void) | undefined
  /** Calls `end` if the client goes before the response is sent; returns a function that cancels this. */
  onClose: (end: () => void) => () => void
  /** Closes the connection behind the response without cutting off a client that still sends. */
  closeAfterResponse: () => void
  /**
   * Begins the response.
   *
   * @param fields names and values in turn.
   * @throws {Error} when HTTP cannot carry one of them, before anything is written.
   */
  writeHead: (status: number, fields: readonly string[]) => void
  /** Ends the response. One that is cut is shorter than declared, which its client shall see. */
  end: (rest?: Uint8Array, isCut?: boolean) => void
  /** As `writeHead`, `end` and `hold` of a reply whose body has so many bytes, at less cost. */
  writeWhole: (reply: MockReply, fields: readonly string[], bytes: number) => void
  /** Ends the exchange without a response. */
  reset: () => void
  /** Counts a response that its client has not taken at once, until it has. */
  hold: (reply: MockReply) => void
  /** Gives up a client that reads nothing of what is written. */
  startStallTimer: () => void
}

/** A request under way, as Node has it. */
export interface NodeExchange {
  readonly message: IncomingMessage
  readonly response: ServerResponse
  readonly connection: Connection
  readonly request: MockRequest
}

/** Responses that wait for their delay, for their turn, or for a client that does not read. */
export interface Unsent {
  responses: number
  bytes: number
}

/** Replies that one connection may wait for. No client pipelines more. */
const maxWaiting = 1_000
/** Bytes of responses that are not sent, beside one that may be larger: 16 MiB on a connection, 128 MiB in a server. */
const maxUnsent = 16 * 2 ** 20
const maxUnsentOfAll = 128 * 2 ** 20
/** What the system may not take at once: 1 MiB. */
const large = 2 ** 20

let connections = 0

/** The number of the next connection. */
export const countConnection = (): number => (connections += 1)

/**
 * The connection of a socket. Whatever waits on it ends with it.
 *
 * @param raw the socket below TLS
 */
export function createConnection(
  socket: Socket,
  { unsentOfAll, stallMs }: Pick<Connection, 'unsentOfAll' | 'stallMs'>,
  raw = socket,
): Connection {
  const connection: Connection = {
    socket,
    id: countConnection(),
    address: socket.remoteAddress ?? '',
    // Bun gives each socket the field.
    scheme: (socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http',
    reset: () => void raw.resetAndDestroy(),
    rawHeaders: [],
    headers: {},
    waiting: new Set(),
    streams: new Set(),
    unsent: { responses: 0, bytes: 0 },
    unsentOfAll,
    stallMs,
  }
  socket.once('close', () => {
    for (const end of connection.waiting) end()
    connection.waiting.clear()
    add(unsentOfAll, -connection.unsent.responses, -connection.unsent.bytes)
    add(connection.unsent, -connection.unsent.responses, -connection.unsent.bytes)
  })
  return connection
}

/** Calls `end` if the connection closes first; returns a function that cancels this. */
export function onConnectionClose({ socket, waiting }: Connection, end: () => void): () => void {
  waiting.add(end)
  if (waiting.size > maxWaiting) socket.destroy()
  return () => void waiting.delete(end)
}

/**
 * Counts the bytes of a response that is not sent yet, and destroys the connection when there are too many.
 *
 * @returns a function that releases them, once.
 */
export function hold({ socket, unsent, unsentOfAll }: Channel, bytes: number): () => void {
  // What ends with the connection was taken back then.
  if (socket.destroyed) return () => {}
  let isHeld = true
  const count = (change: 1 | -1): void => {
    add(unsent, change, change * bytes)
    add(unsentOfAll, change, change * bytes)
  }
  count(1)
  if (isTooMuch(unsent, maxUnsent) || isTooMuch(unsentOfAll, maxUnsentOfAll)) socket.destroy()
  return () => {
    if (isHeld && unsent.responses > 0) count(-1)
    isHeld = false
  }
}

/** Whether a response is too large while others wait: then it is not written at all. */
export function exceedsUnsentLimit({ unsentOfAll }: Channel, bytes: number): boolean {
  return bytes > large && unsentOfAll.responses > 0 && unsentOfAll.bytes + bytes > maxUnsentOfAll
}

/** Starts the stall timer: `onTimeout` ends a connection whose client reads nothing for `stallMs`. */
export function startStallTimer({ socket, stallMs }: Connection): void {
  socket.setTimeout(stallMs)
}

/** Ends a connection that is idle, or whose client does not read; not one that waits for a response. */
export function onTimeout({ socket, response }: Connection): void {
  if (socket.writableLength > 0 || response === undefined || response.writableFinished) socket.destroy()
  else socket.setTimeout(0)
}

function isTooMuch({ responses, bytes }: Unsent, most: number): boolean {
  return bytes > most && responses > 1
}

function add(unsent: Unsent, responses: number, bytes: number): void {
  unsent.responses += responses
  unsent.bytes += bytes
}
