import { Buffer } from 'node:buffer'
import type { ServerResponse } from 'node:http'

import type { MockReply } from '../message.ts'

/** A reply as the server takes it. */
interface Ready {
  head: string[]
  body: string | Buffer
  encoding: 'latin1' | 'utf8'
}

/** From this length on, bytes that are kept are sent faster than a text. */
const worthBytes = 1_000

/** Replies that stay the same are frozen, and made ready once. */
const kept = new WeakMap<MockReply, Ready>()
const heads = new WeakMap<MockReply['headers'], readonly string[]>()

/** Sends a reply. */
export function sendReply(response: ServerResponse, reply: MockReply): void {
  if (reply.delayMs !== undefined && reply.delayMs > 0) {
    setTimeout(() => sendReply(response, { ...reply, delayMs: 0 }), reply.delayMs)
  } else if (reply.wire === undefined) {
    const { head, body, encoding } = kept.get(reply) ?? toReady(reply)
    response.writeHead(reply.status, head)
    response.end(body, encoding)
  } else sendBytes(response, reply)
}

function toReady(reply: MockReply): Ready {
  const { status, headers, body } = reply
  // One byte a character is the faster encoding, and the same as UTF-8 for ASCII.
  // oxlint-disable-next-line no-control-regex
  const isAscii = /^[\x00-\x7f]*$/.test(body)
  const head = [...flat(headers)]
  // A reply to HEAD has the type of a body that it does not have: its length is not known here.
  const isBodiless = body === '' && (status === 204 || headers['content-type'] !== undefined)
  if (!isBodiless) head.push('content-length', String(isAscii ? body.length : Buffer.byteLength(body)))
  const ready: Ready = { head, body, encoding: isAscii ? 'latin1' : 'utf8' }
  if (Object.isFrozen(reply)) {
    if (body.length >= worthBytes) ready.body = Buffer.from(body)
    kept.set(reply, ready)
  }
  return ready
}

/** What only a deviation does: bytes that are no text, a length that is not true, silence. */
function sendBytes(response: ServerResponse, { status, headers, body, wire }: MockReply): void {
  if (wire?.silent) return
  const bytes = wire?.bytes ?? Buffer.from(body)
  const { socket } = response
  response.writeHead(status, [...flat(headers), 'content-length', String(wire?.contentLength ?? bytes.length)])
  response.end(bytes, () => {
    // Whoever waits for the rest of a body that is too short learns that there is none.
    if (wire?.contentLength !== undefined && wire.contentLength > bytes.length) socket?.destroySoon()
  })
}

/** Names and values in turn. */
function flat(headers: MockReply['headers']): readonly string[] {
  const known = heads.get(headers)
  if (known !== undefined) return known
  const head: string[] = []
  for (const name in headers) head.push(name, headers[name] as string)
  if (Object.isFrozen(headers)) heads.set(headers, head)
  return head
}
