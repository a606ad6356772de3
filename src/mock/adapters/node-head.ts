import { Buffer } from 'node:buffer'
import { STATUS_CODES } from 'node:http'

import type { MockReply } from '../message.ts'

/** A reply as it goes over the wire, one byte a character. */
export interface Ready {
  /** The status line and all headers that do not change from second to second. */
  readonly head: string
  readonly body: string
  /** The whole reply, and the end of its head when it was made. */
  whole: string
  ending: string
}

/** How long a connection may be idle: milliseconds. Longer than clients keep theirs, so that they close first. */
export const keepAliveMs = 72_000

/** Replies that stay the same are frozen, and made ready once; so are headers. */
const kept = new WeakMap<MockReply, Ready>()
const keptLines = new WeakMap<MockReply['headers'], string>()

/** A line of a head: the latest one with this name, which is often the next one, too. */
interface Line {
  readonly start: string
  value: string
  text: string
}

/** The lines by their names. Replies have few. */
const lines = new Map<string, Line>()
const linesKept = 200

/**
 * The bytes of a reply as text.
 *
 * @returns undefined when it has headers that Node must see, or must refuse.
 */
export function wholeReply(reply: MockReply): string | undefined {
  const ready = kept.get(reply) ?? makeReady(reply)
  if (ready === undefined) return undefined
  const ending = endOfHead()
  if (ready.ending !== ending) {
    ready.whole = ready.head + ending + ready.body
    ready.ending = ending
  }
  return ready.whole
}

function makeReady(reply: MockReply): Ready | undefined {
  const { status, headers } = reply
  const text = keptLines.get(headers) ?? toLines(headers)
  if (text === undefined) return undefined
  const length = Buffer.byteLength(reply.body)
  const body = length === reply.body.length ? reply.body : Buffer.from(reply.body).toString('latin1')
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n${text}content-length: ${length}\r\n`
  const ready = { head, body, whole: '', ending: '' }
  if (Object.isFrozen(reply)) kept.set(reply, ready)
  return ready
}

function toLines(headers: MockReply['headers']): string | undefined {
  let text = ''
  for (const name in headers) {
    const value = headers[name] as string
    const line = lines.get(name)
    const next = line?.value === value ? line.text : newLine(name, value, line)
    if (next === undefined) return undefined
    text += next
  }
  if (Object.isFrozen(headers)) keptLines.set(headers, text)
  return text
}

function newLine(name: string, value: string, known: Line | undefined): string | undefined {
  if (!isValue(value) || (known === undefined && !isPlainName(name))) return undefined
  const start = known?.start ?? `${name}: `
  const text = `${start}${value}\r\n`
  if (known !== undefined) {
    known.value = value
    known.text = text
  } else if (lines.size < linesKept) lines.set(name, { start, value, text })
  return text
}

/** Whether a name is one, and none of the headers that concern the connection. */
function isPlainName(name: string): boolean {
  return (
    /^[\w!#$%&'*+.^`|~-]+$/.test(name) &&
    !/^(connection|keep-alive|transfer-encoding|content-length|upgrade|trailer|te|date)$/i.test(name)
  )
}

function isValue(value: unknown): boolean {
  return typeof value === 'string' && !/[^\t\x20-\x7e\x80-\xff]/.test(value)
}

let secondOfEnd = 0
let end = ''

/** What Node writes at the end of each head, of the same second the same text. */
function endOfHead(): string {
  const second = Math.floor(Date.now() / 1_000)
  if (second !== secondOfEnd) {
    secondOfEnd = second
    const date = new Date(second * 1_000).toUTCString()
    end = `Date: ${date}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${keepAliveMs / 1_000}\r\n\r\n`
  }
  return end
}

/** Names and values in turn, without those that say where the body ends: that is the server's affair. */
export function withoutFraming(headers: MockReply['headers']): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    /^(content-length|transfer-encoding)$/i.test(name) ? [] : [name, value],
  )
}
