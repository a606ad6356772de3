import { Buffer } from 'node:buffer'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

import type { MockReply } from '../message.ts'
import { type Connection, hold, isBeyond, keepMoving, waitOn } from './node-connection.ts'

/** No timer waits longer: about 25 days. */
const longestDelayMs = 2 ** 31 - 1

/** Sends a reply, after its delay. */
export type Send = (response: ServerResponse, reply: MockReply, connection: Connection) => void

/**
 * Sends replies.
 *
 * @param unsendable what is sent in place of a reply that HTTP cannot carry.
 */
export function createSend(unsendable: () => MockReply): Send {
  const sendNow: Send = (response, reply, connection) => {
    if (isBeyond(connection, reply.wire?.bytes?.length ?? reply.body.length)) {
      connection.socket.destroy()
      return
    }
    try {
      write(response, reply, connection)
    } catch {
      // Node refused a header, before anything was written.
      write(response, unsendable(), connection)
    }
    holdUnsent(response, reply, connection)
  }
  return (response, reply, connection) => {
    const { delayMs } = reply
    if (delayMs === undefined || delayMs <= 0) sendNow(response, reply, connection)
    else afterDelay(delayMs, reply, connection, () => sendNow(response, reply, connection))
  }
}

function write(response: ServerResponse, reply: MockReply, connection: Connection): void {
  if (reply.wire !== undefined) sendWire(response, reply, connection)
  else {
    const { head, body } = toReady(reply)
    response.sendDate = false
    response.writeHead(reply.status, head)
    endWith(response, body)
  }
}

/** Head and body leave as one piece: `end(body)` writes another, empty one behind it, which costs a tenth of all. */
function endWith(response: ServerResponse, body: string): void {
  const { socket } = response
  if (socket === null || body === '') response.end(body, 'latin1')
  else {
    socket.cork()
    response.write(body, 'latin1')
    socket.uncork()
    response.end()
  }
}

/** Counts the bytes of a reply that its client has not taken at once, until it has. */
function holdUnsent(response: ServerResponse, reply: MockReply, connection: Connection): void {
  const { socket } = response
  if (socket !== null && !(socket.writableLength > 0) && reply.wire?.bodyMs === undefined) return
  const release = hold(connection, bytesOf(reply))
  response.once('finish', release)
  if (socket !== null) keepMoving(connection)
  else response.once('socket', () => keepMoving(connection))
}

/** Calls back after a delay, unless the connection closes before. */
function afterDelay(delayMs: number, reply: MockReply, connection: Connection, send: () => void): void {
  const release = hold(connection, bytesOf(reply))
  const timer = setTimeout(
    () => {
      forget()
      release()
      send()
    },
    Math.min(delayMs, longestDelayMs),
  )
  const forget = waitOn(connection, () => {
    clearTimeout(timer)
    reply.onAbandoned?.()
  })
}

function bytesOf({ body, wire }: MockReply): number {
  return wire?.silent ? 0 : (wire?.bytes?.length ?? Buffer.byteLength(body))
}

/** Names and values in turn, and the body, one byte a character. */
interface Ready {
  readonly head: string[]
  readonly body: string
  /** Whether the date of the server comes last in the head: most responses have none of their own. */
  readonly isDated: boolean
}

/** Replies that stay the same are frozen, and made ready once; so are headers. */
const keptReplies = new WeakMap<MockReply, Ready>()
const keptHeaders = new WeakMap<MockReply['headers'], string[]>()

/** A reply as `writeHead` and `end` take it. Node checks each header again, and writes head and body as one piece. */
function toReady(reply: MockReply): Ready {
  const kept = keptReplies.get(reply)
  if (kept !== undefined) {
    if (kept.isDated) kept.head[kept.head.length - 1] = date()
    return kept
  }
  const { status, headers, body } = reply
  const length = Buffer.byteLength(body)
  const fields = keptHeaders.get(headers) ?? keepHeaders(headers)
  // A type without a body describes one that is not sent, as in a response to HEAD: its length is unknown.
  const isBodiless = length === 0 && (status === 204 || headers['content-type'] !== undefined)
  const isDated = headers['date'] === undefined
  const head = fields.slice()
  if (!isBodiless) head.push('content-length', String(length))
  if (isDated) head.push('Date', date())
  const ready = { head, body: length === body.length ? body : Buffer.from(body).toString('latin1'), isDated }
  if (Object.isFrozen(reply)) keptReplies.set(reply, ready)
  return ready
}

function keepHeaders(headers: MockReply['headers']): string[] {
  const fields = withoutFraming(headers)
  if (Object.isFrozen(headers)) keptHeaders.set(headers, fields)
  return fields
}

let second = 0
let text = ''

/** The value of `Date`, made once a second. */
function date(): string {
  const now = Math.floor(Date.now() / 1_000)
  if (now !== second) {
    second = now
    text = new Date(now * 1_000).toUTCString()
  }
  return text
}

/** Names and values in turn, without those that say where the body ends: that is the server's affair. */
export function withoutFraming(headers: MockReply['headers']): string[] {
  const fields: string[] = []
  for (const name in headers) if (!isFraming(name)) fields.push(name, headers[name] as string)
  return fields
}

/** Most names differ from both in their length. */
function isFraming(name: string): boolean {
  return (name.length === 14 || name.length === 17) && /^(content-length|transfer-encoding)$/i.test(name)
}

/** How often a piece of a slow body is written: milliseconds. */
const pieceMs = 20

/** Sends a reply that is a fault: bytes that are no text, a length that is not true, a slow body, silence, a reset. */
function sendWire(response: ServerResponse, reply: MockReply, on: Connection): void {
  const { status, headers, body, wire, onAbandoned } = reply
  if (wire?.silent) waitOn(on, () => onAbandoned?.())
  else if (wire?.reset) whenItsTurn(response, (socket) => socket.resetAndDestroy())
  else {
    const bytes = wire?.bytes ?? Buffer.from(body)
    const length = wire?.contentLength ?? bytes.length
    const hasBody = response.req.method !== 'HEAD' && status !== 204 && status !== 304
    const head = withoutFraming(headers)
    response.writeHead(status, status === 204 || status === 304 ? head : [...head, 'content-length', String(length)])
    const finish = (rest?: Uint8Array): void => {
      response.end(rest, () => {
        // Close so that the client sees the truncation.
        if (hasBody && length > bytes.length) on.socket.destroySoon()
      })
    }
    if (!hasBody) finish()
    else if (wire?.bodyMs !== undefined && bytes.length > 0)
      drip({ response, bytes, bodyMs: wire.bodyMs, onAbandoned }, on, finish)
    else finish(bytes)
  }
}

/** Calls back when the replies before this one are written. */
function whenItsTurn(response: ServerResponse, act: (socket: Socket) => void): void {
  if (response.socket === null) response.once('socket', act)
  else act(response.socket)
}

/** Writes bytes evenly over a time, the last of them at its end. A late timer writes more at once. */
function drip(
  slow: { response: ServerResponse; bytes: Uint8Array; bodyMs: number; onAbandoned: MockReply['onAbandoned'] },
  connection: Connection,
  finish: (rest: Uint8Array) => void,
): void {
  const { response, bytes, bodyMs, onAbandoned } = slow
  const startedAt = performance.now()
  let written = 0
  response.flushHeaders()
  const timer = setInterval(
    () => {
      const elapsed = (performance.now() - startedAt) / bodyMs
      if (elapsed >= 1) {
        clearInterval(timer)
        forget()
        finish(bytes.subarray(written))
        return
      }
      const due = Math.floor(bytes.length * elapsed)
      if (due > written) response.write(bytes.subarray(written, due))
      if (connection.socket.writableLength > 0) keepMoving(connection)
      written = Math.max(written, due)
    },
    Math.min(pieceMs, bodyMs / 2),
  )
  const forget = waitOn(connection, () => {
    clearInterval(timer)
    onAbandoned?.()
  })
}
