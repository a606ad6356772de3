import { Buffer } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import type { TLSSocket } from 'node:tls'

import type { HttpRequest } from '../../spec/http.ts'
import { bytesOfHeaders, type MockReply, type MockRequest } from '../service/message.ts'

/** What an exchange needs of its connection, whichever version of HTTP it speaks. */
export interface Channel {
  readonly socket: { destroy: () => unknown; readonly destroyed: boolean }
  /** Responses that are not sent yet, and their requests: on this connection, and on all connections of the server. */
  readonly unsent: Unsent
  readonly unsentOfAll: Unsent
  /** How long the client may leave a response unread. */
  readonly stallMs: number
  /** Functions that end the open event streams when the server closes. */
  readonly streams: Set<() => void>
}

export interface Connection extends Channel {
  readonly socket: Socket
  readonly scheme: 'http' | 'https'
  /** Sends a TCP reset. With TLS, this concerns the socket below it. */
  reset: () => void
  readonly id: number
  readonly address: string
  message?: IncomingMessage
  response?: ServerResponse
  /** Stops reading the body of the latest request; undefined when none is being read. */
  abandonBody?: (() => void) | undefined
  /** The latest request whose body was read. */
  reading?: IncomingMessage
  /** The parser failed: later bytes are no HTTP. */
  broken?: true
  /** The headers of the latest request, as received and parsed. */
  rawHeaders: readonly string[]
  headers: HttpRequest['headers']
  /** Called when the connection closes: they cancel replies that are not written yet. */
  readonly closeListeners: Set<() => void>
}

/** A request and its response, over HTTP/1.1 or HTTP/2. */
export interface HttpExchange {
  readonly request: MockRequest
  readonly connection: Channel
  readonly message: Readable & { readonly complete?: boolean }
  readonly response: Writable
  readonly isClosed: boolean
  abandonBody?: (() => void) | undefined
  /** Calls `listener` if the client disconnects before the response is sent; returns a function that removes it. */
  onClose: (listener: () => void) => () => void
  /** Closes the connection after the response, without cutting off a client that is still sending. */
  closeAfterResponse: () => void
  /** Fields are names and values, alternating. Throws, and writes nothing, when a field is not valid in HTTP. */
  writeHead: (status: number, fields: readonly string[]) => void
  /** Ends the response. With `isCut`, the connection closes too, so that the client notices the missing bytes. */
  end: (rest?: Uint8Array, isCut?: boolean) => void
  /** `writeHead`, `end` and `trackUnsent` in one call, for a body of `bytes` bytes: the hot path. */
  writeWhole: (reply: MockReply, fields: readonly string[], bytes: number) => void
  reset: () => void
  /** Closes the connection, or the stream of HTTP/2, without a byte of a response. */
  closeWithoutResponse: () => void
  /** Sends a part of a body, an invalid chunk, and the end of the connection. HTTP/1.1 only: others have no chunks. */
  endWithBrokenChunk?: (part: Uint8Array) => void
  /** Counts a response as unsent until the client has received it. */
  trackUnsent: (reply: MockReply) => void
  /** Disconnects a client that does not read what is written. */
  startStallTimer: () => void
}

/** Responses that are delayed, withheld, pipelined behind others, or not read by their client yet, with their requests. */
interface Unsent {
  responses: number
  bytes: number
}

/** What Node holds of a request and its response besides their bytes. */
const exchangeBytes = 8_192
/** Unsent bytes, not counting a single larger response: 16 MiB on a connection, 128 MiB in a server. */
const maxUnsent = 16 * 2 ** 20
const maxUnsentOfAll = 128 * 2 ** 20
/** Smaller responses usually fit into socket buffers: 1 MiB. */
const large = 2 ** 20

let connections = 0

export const nextConnectionId = (): number => (connections += 1)

/** @param raw the socket below TLS */
export function createConnection(
  socket: Socket,
  { unsentOfAll, stallMs }: Pick<Connection, 'unsentOfAll' | 'stallMs'>,
  raw = socket,
): Connection {
  const connection: Connection = {
    socket,
    id: nextConnectionId(),
    address: socket.remoteAddress ?? '',
    // In Bun, every socket has this property.
    scheme: (socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http',
    reset: () => void raw.resetAndDestroy(),
    rawHeaders: [],
    headers: {},
    closeListeners: new Set(),
    streams: new Set(),
    unsent: { responses: 0, bytes: 0 },
    unsentOfAll,
    stallMs,
  }
  // Node removes its own listener before it hands a socket over, such as after CONNECT.
  socket.on('error', () => {})
  socket.once('close', () => {
    for (const listener of connection.closeListeners) listener()
    connection.closeListeners.clear()
    const { responses, bytes } = connection.unsent
    for (const one of [unsentOfAll, connection.unsent]) add(one, -responses, -bytes)
  })
  return connection
}

/**
 * Counts a response and what is held of its request as unsent until the returned function is called. Too many unsent bytes
 * destroy the connection.
 */
export function trackUnsent(
  { socket, unsent, unsentOfAll }: Channel,
  { target, headers, body }: MockRequest,
  reply?: MockReply,
): () => void {
  // The close event has reset the counters.
  if (socket.destroyed) return () => {}
  const sent = reply?.wire?.bytes?.length ?? Buffer.byteLength(reply?.body ?? '')
  const bytes = exchangeBytes + sent + target.length + bytesOfHeaders(headers) + body.length
  let isHeld = true
  const count = (change: 1 | -1): void => {
    for (const one of [unsent, unsentOfAll]) add(one, change, change * bytes)
  }
  count(1)
  if (isTooMuch(unsent, maxUnsent) || isTooMuch(unsentOfAll, maxUnsentOfAll)) socket.destroy()
  return () => {
    if (isHeld && unsent.responses > 0) count(-1)
    isHeld = false
  }
}

/** Whether a large response must not be written, since too many others are unsent. */
export function exceedsUnsentLimit({ unsentOfAll }: Channel, bytes: number): boolean {
  return bytes > large && unsentOfAll.responses > 0 && unsentOfAll.bytes + bytes > maxUnsentOfAll
}

/** After `stallMs` without traffic, `onTimeout` ends the connection. */
export function startStallTimer({ socket, stallMs }: Connection): void {
  socket.setTimeout(stallMs)
}

/** Ends a connection that is idle or whose client does not read, but not one whose response is delayed. */
export function onTimeout({ socket, response }: Connection): void {
  if (socket.writableLength > 0 || response === undefined || response.writableFinished)
    socket.destroy()
  else socket.setTimeout(0)
}

const isTooMuch = ({ responses, bytes }: Unsent, most: number): boolean =>
  bytes > most && responses > 1

function add(unsent: Unsent, responses: number, bytes: number): void {
  unsent.responses += responses
  unsent.bytes += bytes
}
