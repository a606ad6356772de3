import { Buffer } from 'node:buffer'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

import type { MockReply } from '../message.ts'
import { type Connection, keepMoving, waitOn } from './node-connection.ts'
import { withoutFraming } from './node-head.ts'

/** How often a piece of a slow body is written: milliseconds. */
const pieceMs = 20

/** Sends a reply that is a fault: bytes that are no text, a length that is not true, a slow body, silence, a reset. */
export function sendWire(response: ServerResponse, reply: MockReply, on: Connection): void {
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
        // Whoever waits for the rest of a body that is too short learns that there is none.
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
