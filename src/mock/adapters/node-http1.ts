import type { IncomingMessage, ServerResponse } from 'node:http'

import type { MockReply, MockRequest } from '../message.ts'
import {
  type Connection,
  type HttpExchange,
  hold,
  startStallTimer,
  type NodeExchange,
  onConnectionClose,
} from './node-connection.ts'
import { bytesOf } from './node-reply.ts'
import { closeGently, toRequest } from './node-request.ts'

/** A longer body is written and counted at once: characters. */
const maxCorkedLength = 65_536

/**
 * All that a turn of the event loop responds to leaves at its end: a client with several connections is woken once, not
 * for each response, which makes a third more of them. Head and body leave as one piece: `end(body)` would write another,
 * empty one behind it.
 */
let corked: [exchange: Http1Exchange, reply: MockReply][] = []

function uncorkAll(): void {
  const all = corked
  corked = []
  for (const [exchange, reply] of all) {
    exchange.response.socket?.uncork()
    exchange.response.end()
    exchange.hold(reply)
  }
}

/** A request of HTTP/1.1, and its response. */
export class Http1Exchange implements HttpExchange, NodeExchange {
  readonly message: IncomingMessage
  readonly response: ServerResponse
  readonly connection: Connection
  readonly request: MockRequest

  constructor(message: IncomingMessage, response: ServerResponse, connection: Connection) {
    this.message = message
    this.response = response
    this.connection = connection
    this.request = toRequest(message, connection)
  }

  get isClosed(): boolean {
    return this.connection.socket.destroyed
  }

  set abandonBody(stop: () => void) {
    this.connection.abandonBody = stop
  }

  onClose(end: () => void): () => void {
    return onConnectionClose(this.connection, end)
  }

  closeAfterResponse(): void {
    closeAfterResponse(this.response)
  }

  writeHead(status: number, fields: readonly string[]): void {
    this.response.writeHead(status, fields as string[])
    this.response.flushHeaders()
  }

  end(rest?: Uint8Array, isCut = false): void {
    this.response.end(rest, () => {
      // Close so that the client sees the truncation.
      if (isCut) this.connection.socket.destroySoon()
    })
  }

  writeWhole(reply: MockReply, fields: readonly string[], bytes: number): void {
    const { response } = this
    const { socket } = response
    const { status, body } = reply
    const encoding = bytes === body.length ? 'latin1' : 'utf8'
    response.writeHead(status, fields as string[])
    if (socket === null || body === '' || body.length > maxCorkedLength) {
      response.end(body, encoding)
      this.hold(reply)
    } else {
      socket.cork()
      response.write(body, encoding)
      if (corked.push([this, reply]) === 1) setImmediate(uncorkAll)
    }
  }

  reset(): void {
    // When the replies before this one are written.
    if (this.response.socket === null) this.response.once('socket', this.connection.reset)
    else this.connection.reset()
  }

  hold(reply: MockReply): void {
    const { response, connection } = this
    const { socket } = response
    if (socket !== null && !(socket.writableLength > 0) && reply.wire?.bodyMs === undefined) return
    response.once('finish', hold(connection, bytesOf(reply)))
    if (socket !== null) startStallTimer(connection)
    else response.once('socket', () => startStallTimer(connection))
  }

  startStallTimer(): void {
    if (this.connection.socket.writableLength > 0) startStallTimer(this.connection)
  }
}

/** Closes the connection behind a reply without cutting off a client that still sends. */
export function closeAfterResponse(response: ServerResponse): void {
  response.shouldKeepAlive = false
  const { socket } = response
  if (socket) socket.destroySoon = () => closeGently(socket)
}
