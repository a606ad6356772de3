import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers'

import type { MockReply, MockRequest } from '../service/message.ts'
import { type Connection, type HttpExchange, startStallTimer, trackUnsent } from './connection.ts'
import { closeGently, toRequest } from './request.ts'

/** Characters of a body that is corked; a longer one is written at once. */
const maxCorkedLength = 65_536

/**
 * Responses that are flushed together at the end of this turn of the event loop: clients wake up once, which allows a
 * third more requests per second. Head and body are one write, whereas `end(body)` adds an empty one. Fake timers replace
 * the global `setImmediate`, and jsdom has none.
 */
let corked: [exchange: Http1Exchange, reply: MockReply][] = []

/** Flushes the responses of this turn. */
function uncorkAll(): void {
  const all = corked
  corked = []
  for (const [exchange, reply] of all) {
    exchange.response.socket?.uncork()
    exchange.response.end()
    exchange.trackUnsent(reply)
  }
}

export class Http1Exchange implements HttpExchange {
  readonly message: IncomingMessage
  readonly response: ServerResponse
  readonly connection: Connection
  readonly request: MockRequest

  /** Puts a request of Node and its connection together. */
  constructor(message: IncomingMessage, response: ServerResponse, connection: Connection) {
    this.message = message
    this.response = response
    this.connection = connection
    this.request = toRequest(message, connection)
  }

  /** Whether the client has disconnected. */
  get isClosed(): boolean {
    return this.connection.socket.destroyed
  }

  get abandonBody(): (() => void) | undefined {
    return this.connection.abandonBody
  }

  set abandonBody(stop: (() => void) | undefined) {
    this.connection.abandonBody = stop
  }

  onClose(listener: () => void): () => void {
    const { closeListeners } = this.connection
    closeListeners.add(listener)
    return () => void closeListeners.delete(listener)
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
      // Without this, the client would wait for the missing bytes.
      if (isCut) this.connection.socket.destroySoon()
    })
  }

  /** Writes head and body at once, at the end of this turn. */
  writeWhole(reply: MockReply, fields: readonly string[], bytes: number): void {
    const { response } = this
    const { socket } = response
    const { status, body } = reply
    const encoding = bytes === body.length ? 'latin1' : 'utf8'
    response.writeHead(status, fields as string[])
    if (socket === null || body === '' || body.length > maxCorkedLength) {
      response.end(body, encoding)
      this.trackUnsent(reply)
    } else {
      socket.cork()
      response.write(body, encoding)
      if (corked.push([this, reply]) === 1) setImmediate(uncorkAll)
    }
  }

  reset(): void {
    this.#onTurn(this.connection.reset)
  }

  closeWithoutResponse(): void {
    this.#onTurn(() => this.connection.socket.destroySoon())
  }

  /** A pipelined response has no socket until those before it are written. */
  #onTurn(action: () => void): void {
    if (this.response.socket === null) this.response.once('socket', action)
    else action()
  }

  endWithBrokenChunk(part: Uint8Array): void {
    const breakOff = (): void => {
      const { socket } = this.connection
      socket.write('this is no size of a chunk\r\n')
      socket.destroySoon()
    }
    this.response.write(part, breakOff)
  }

  /** Counts what the client has not read yet. */
  trackUnsent(reply: MockReply): void {
    const { response, connection, request } = this
    const { socket } = response
    if (socket !== null && !(socket.writableLength > 0) && reply.wire?.bodyMs === undefined) return
    response.once('finish', trackUnsent(connection, request, reply))
    this.#onTurn(() => startStallTimer(connection))
  }

  startStallTimer(): void {
    if (this.connection.socket.writableLength > 0) startStallTimer(this.connection)
  }
}

export function closeAfterResponse(response: ServerResponse): void {
  response.shouldKeepAlive = false
  const { socket } = response
  if (socket) socket.destroySoon = () => closeGently(socket)
}
