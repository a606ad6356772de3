import { Buffer } from 'node:buffer'
import type { ServerResponse } from 'node:http'

import type { MockReply } from '../message.ts'
import { type Connection, waitOn } from './node-connection.ts'
import { wholeReply, withoutFraming } from './node-head.ts'
import { sendWire } from './node-wire.ts'

/** The head of a response as Node keeps it until it is sent: null before it is there. */
interface Headed {
  _header?: string | null
}

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
    try {
      write(response, reply, connection)
    } catch {
      // Node refused a header, before anything was written.
      write(response, unsendable(), connection)
    }
  }
  return (response, reply, connection) => {
    const { delayMs } = reply
    if (delayMs === undefined || delayMs <= 0) sendNow(response, reply, connection)
    else afterDelay(delayMs, connection, () => sendNow(response, reply, connection))
  }
}

function write(response: ServerResponse, reply: MockReply, connection: Connection): void {
  if (reply.wire !== undefined) sendWire(response, reply, connection)
  else {
    const whole = isOrdinary(response, reply.status) ? wholeReply(reply) : undefined
    if (whole === undefined) sendByNode(response, reply)
    else sendWhole(response, reply.status, whole)
  }
}

/** Calls back after a delay, unless the connection closes before. */
function afterDelay(delayMs: number, connection: Connection, send: () => void): void {
  const timer = setTimeout(
    () => {
      forget()
      send()
    },
    Math.min(delayMs, longestDelayMs),
  )
  const forget = waitOn(connection, () => clearTimeout(timer))
}

/** Whether the head can be written without asking what kind of client this is. */
function isOrdinary(response: ServerResponse, status: number): boolean {
  const { req, shouldKeepAlive } = response
  return (
    shouldKeepAlive &&
    status >= 200 &&
    status !== 204 &&
    status !== 304 &&
    req.method !== 'HEAD' &&
    req.httpVersionMinor === 1 &&
    req.headers.expect === undefined &&
    (response as Headed)._header === null
  )
}

/**
 * Sends head and body as one piece. `writeHead` and `end` would look at each header again, and write two pieces, which
 * costs a fifth of all the time that a short reply takes. A Node that kept its head elsewhere would not come here.
 */
function sendWhole(response: ServerResponse, status: number, whole: string): void {
  response.statusCode = status
  ;(response as Headed)._header = whole
  response.end()
}

function sendByNode(response: ServerResponse, { status, headers, body }: MockReply): void {
  const head = withoutFraming(headers)
  // Without a body, a type tells of one that is not there, as in a reply to HEAD: its length is not known.
  const isBodiless = body === '' && (status === 204 || headers['content-type'] !== undefined)
  if (!isBodiless) head.push('content-length', String(Buffer.byteLength(body)))
  response.writeHead(status, head)
  response.end(body)
}
