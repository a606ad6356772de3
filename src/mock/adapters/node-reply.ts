import { Buffer } from 'node:buffer'
import type { ServerResponse } from 'node:http'

import type { MockReply } from '../message.ts'
import { type Connection, hold, isBeyond, keepMoving, waitOn } from './node-connection.ts'

/** No timer waits longer: about 25 days. */
export const longestDelayMs = 2 ** 31 - 1

/** Sends a reply, after its delay. */
export type Send = (response: ServerResponse, reply: MockReply, connection: Connection) => void

/**
 * Sends replies.
 *
 * @param unsendable what is sent in place of a reply that HTTP cannot carry.
 */
export function createSend(unsendable: () => MockReply): Send {
  let corked: Parameters<Send>[] = []
  const uncorkAll = (): void => {
    const all = corked
    corked = []
    for (const [response, reply, connection] of all) {
      response.socket?.uncork()
      response.end()
      holdUnsent(response, reply, connection)
    }
  }
  const sendNow: Send = (response, reply, connection) => {
    if (isBeyond(connection, reply.wire?.bytes?.length ?? reply.body.length)) {
      connection.socket.destroy()
      return
    }
    let isCorked: boolean
    try {
      isCorked = write(response, reply, connection)
    } catch {
      // Node refused a header, before anything was written.
      isCorked = write(response, unsendable(), connection)
    }
    if (!isCorked) holdUnsent(response, reply, connection)
    else if (corked.push([response, reply, connection]) === 1) setImmediate(uncorkAll)
  }
  return (response, reply, connection) => {
    const { delayMs } = reply
    if (delayMs === undefined || delayMs <= 0) sendNow(response, reply, connection)
    else afterDelay(delayMs, reply, connection, () => sendNow(response, reply, connection))
  }
}

/** A longer body is written and counted at once: characters. */
const longestCorked = 65_536

/**
 * Writes a reply; returns whether its bytes are corked and its end is still to come. All that a turn of the event loop
 * responds to leaves at its end: a client with several connections is woken once, not for each response, which makes a
 * third more of them. Head and body leave as one piece: `end(body)` would write another, empty one behind it.
 */
function write(response: ServerResponse, reply: MockReply, connection: Connection): boolean {
  if (reply.wire !== undefined) {
    sendWire(response, reply, connection)
    return false
  }
  const { status, body } = reply
  const length = Buffer.byteLength(body)
  const encoding = length === body.length ? 'latin1' : 'utf8'
  const { socket } = response
  response.writeHead(status, headOf(reply, length))
  if (socket === null || body === '' || body.length > longestCorked) {
    response.end(body, encoding)
    return false
  }
  socket.cork()
  response.write(body, encoding)
  return true
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

export function bytesOf({ body, wire }: MockReply): number {
  return wire?.silent ? 0 : (wire?.bytes?.length ?? Buffer.byteLength(body))
}

/** Names and values in turn, with a place for the length at the end. `writeHead` keeps no hold of it. */
const keptHeads = new WeakMap<MockReply['headers'], string[]>()

/** The head of a reply as `writeHead` takes it, valid until the next call. Headers that stay the same are frozen. */
function headOf({ status, headers }: MockReply, length: number): string[] {
  // A type without a body describes one that is not sent, as in a response to HEAD: its length is unknown.
  if (length === 0 && (status === 204 || headers['content-type'] !== undefined)) return withoutFraming(headers)
  let head = keptHeads.get(headers)
  if (head === undefined) {
    head = [...withoutFraming(headers), 'content-length', '']
    if (Object.isFrozen(headers)) keptHeads.set(headers, head)
  }
  head[head.length - 1] = String(length)
  return head
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
  else if (wire?.reset) whenItsTurn(response, on.reset)
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
    else if (wire?.bodyMs === undefined || bytes.length === 0) finish(bytes)
    else {
      response.flushHeaders()
      const write = (piece: Uint8Array): void => {
        response.write(piece)
        if (on.socket.writableLength > 0) keepMoving(on)
      }
      const stop = drip({ bytes, bodyMs: wire.bodyMs, write }, (rest) => {
        forget()
        finish(rest)
      })
      const forget = waitOn(on, () => {
        stop()
        onAbandoned?.()
      })
    }
  }
}

/** Calls back when the replies before this one are written. */
function whenItsTurn(response: ServerResponse, act: () => void): void {
  if (response.socket === null) response.once('socket', act)
  else act()
}

/**
 * Writes bytes evenly over a time, the last of them at its end. A late timer writes more at once.
 *
 * @returns what stops it.
 */
export function drip(
  { bytes, bodyMs, write }: { bytes: Uint8Array; bodyMs: number; write: (piece: Uint8Array) => void },
  finish: (rest: Uint8Array) => void,
): () => void {
  const startedAt = performance.now()
  let written = 0
  const timer = setInterval(
    () => {
      const elapsed = (performance.now() - startedAt) / bodyMs
      if (elapsed >= 1) {
        clearInterval(timer)
        finish(bytes.subarray(written))
        return
      }
      const due = Math.floor(bytes.length * elapsed)
      if (due > written) write(bytes.subarray(written, due))
      written = Math.max(written, due)
    },
    Math.min(pieceMs, bodyMs / 2),
  )
  return () => clearInterval(timer)
}
