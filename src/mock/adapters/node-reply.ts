import { Buffer } from 'node:buffer'
import type { ServerResponse } from 'node:http'

import type { MockReply } from '../message.ts'
import { type Connection, hold, isBeyond, keepMoving, waitOn } from './node-connection.ts'
import { toReady } from './node-head.ts'
import { sendWire } from './node-wire.ts'

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
