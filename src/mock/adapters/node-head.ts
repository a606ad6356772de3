import { Buffer } from 'node:buffer'

import type { MockReply } from '../message.ts'

/** Names and values in turn, and the body, one byte a character. */
export interface Ready {
  readonly head: string[]
  readonly body: string
  /** Whether the date of the server comes last in the head: most responses have none of their own. */
  readonly isDated: boolean
}

/** Replies that stay the same are frozen, and made ready once; so are headers. */
const keptReplies = new WeakMap<MockReply, Ready>()
const keptHeaders = new WeakMap<MockReply['headers'], string[]>()

/** A reply as `writeHead` and `end` take it. Node checks each header again, and writes head and body as one piece. */
export function toReady(reply: MockReply): Ready {
  const kept = keptReplies.get(reply)
  if (kept !== undefined) {
    if (kept.isDated) kept.head[kept.head.length - 1] = date()
    return kept
  }
  const { status, headers, body } = reply
  const length = Buffer.byteLength(body)
  const fields = keptHeaders.get(headers) ?? keepHeaders(headers)
  // Without a body, a type tells of one that is not there, as in a response to HEAD: its length is not known.
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
