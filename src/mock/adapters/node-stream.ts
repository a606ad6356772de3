import type { ServerResponse } from 'node:http'

import type { ControlStream } from '../control/control.ts'
import { type Connection, keepMoving, waitOn } from './node-connection.ts'
import { withoutFraming } from './node-reply.ts'

/** Bytes that may wait for a client that reads slowly: 1 MiB. */
const mostWaiting = 1_048_576

/**
 * Sends an answer without an end. It ends with the connection, when its source ends it, or when the server closes.
 *
 * @returns false when Node refuses its headers; then nothing is sent.
 */
export function sendStream(response: ServerResponse, stream: ControlStream, connection: Connection): boolean {
  const { socket, streams } = connection
  let isOpen = true
  let leave = (): void => {}

  const stop = (): void => {
    if (!isOpen) return
    isOpen = false
    forget()
    streams.delete(end)
    leave()
  }
  const end = (): void => {
    if (!isOpen) return
    stop()
    response.end()
  }
  const write = (text: string): boolean => {
    if (!isOpen) return false
    if (response.writableLength + text.length > mostWaiting) {
      stop()
      socket.destroy()
      return false
    }
    response.write(text)
    if (socket.writableLength > 0) keepMoving(connection)
    return true
  }

  try {
    response.writeHead(stream.status, withoutFraming(stream.headers))
  } catch {
    return false
  }
  if (response.req.method === 'HEAD') {
    isOpen = false
    response.end()
    return true
  }
  response.flushHeaders()
  const forget = waitOn(connection, stop)
  streams.add(end)
  leave = stream.open({ write, end })
  // It may have ended while it was opened.
  if (!isOpen) leave()
  return true
}
