import type { ServerResponse } from 'node:http'

import type { StreamReply } from '../control/reply.ts'
import { type Connection, keepMoving, waitOn } from './node-connection.ts'
import { withoutFraming } from './node-reply.ts'

/** Bytes that may wait for a client that reads slowly: 1 MiB. */
const mostWaiting = 1_048_576

/**
 * Sends a stream until its source ends it, its connection closes, or the server closes.
 *
 * @returns false when Node rejects its headers; then nothing is sent.
 */
export function sendStream(response: ServerResponse, reply: StreamReply, connection: Connection): boolean {
  const { socket, streams } = connection
  try {
    response.writeHead(reply.status, withoutFraming(reply.headers))
  } catch {
    return false
  }
  if (response.req.method === 'HEAD') {
    response.end()
    return true
  }
  response.flushHeaders()
  const reader = reply.stream.getReader()
  const end = (): void => {
    response.end()
    reader.cancel().catch(() => {})
  }
  const forget = waitOn(connection, end)
  streams.add(end)

  async function forward(): Promise<void> {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || response.writableEnded) return
      if (response.writableLength + value.length > mostWaiting) {
        socket.destroy()
        return
      }
      const isTaken = response.write(value)
      if (socket.writableLength > 0) keepMoving(connection)
      // A client that reads slowly slows the source down.
      if (!isTaken) await drained(response)
    }
  }
  void forward()
    .catch(() => socket.destroy())
    .finally(() => {
      forget()
      streams.delete(end)
      end()
    })
  return true
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go)
      resolve()
    }
    response.on('drain', go).on('close', go)
  })
}
