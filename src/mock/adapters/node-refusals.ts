import { Buffer } from 'node:buffer'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

import type { MockReply, MockRequest } from '../message.ts'
import { unescapedIn } from '../routes.ts'

/** How long a client may go on sending what nobody reads, so that it can read its reply first: milliseconds. */
const lingerMs = 2_000

/** What Node tells of bytes that are no request. */
export interface ClientError extends Error {
  code?: string
  reason?: string
  rawPacket?: Buffer
  bytesParsed?: number
}

/** The status and the message for bytes that are no request, or undefined when the client is gone. */
export function refusalOf(error: ClientError): { status: number; message: string } | undefined {
  const { code = '' } = error
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return { status: 408, message: 'The request did not arrive in time.' }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return isRequestLine(error.rawPacket)
      ? { status: 414, message: 'The request target is too long.' }
      : { status: 431, message: 'The headers are too large.' }
  }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return { status: 413, message: 'The chunk extensions are too large.' }
  if (!code.startsWith('HPE_')) return undefined
  return { status: 400, message: `The request is not HTTP/1.1${error.reason ? `: ${error.reason}` : ''}.` }
}

/** A request whose target the parser refuses because something in it is not percent-encoded, as far as its packet shows it. */
export function unescapedRequest({ rawPacket, bytesParsed = 0 }: ClientError): MockRequest | undefined {
  if (rawPacket === undefined) return undefined
  const text = rawPacket.toString('latin1')
  // Other requests may come before it in the same packet.
  const before = text.lastIndexOf('\r\n\r\n', bytesParsed)
  const [first = '', ...lines] = (text.slice(before === -1 ? 0 : before + 4).split('\r\n\r\n')[0] ?? '').split('\r\n')
  const [, method = '', target = ''] = /^([A-Z]+) (\/.*) HTTP\/1\.[01]$/.exec(first) ?? []
  if (unescapedIn(target) === undefined) return undefined
  const fields = lines.flatMap((line) => {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [[name.toLowerCase(), value] as const]
  })
  return { method, target: Buffer.from(target, 'latin1').toString(), headers: Object.fromEntries(fields), body: '' }
}

/** Whether the bytes in which a limit was passed are still those of the first line. */
function isRequestLine(bytes: Buffer | undefined): boolean {
  return (
    bytes !== undefined && /^[A-Z]+ /.test(bytes.toString('latin1', 0, 20)) && !bytes.subarray(0, 16_384).includes(10)
  )
}

/** Writes a reply to a socket that has no response of its own, and closes. */
export function writeRefusal(socket: Socket, { status, headers, body }: MockReply): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}date: ${new Date().toUTCString()}\r\n`
  socket.write(`${head}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`)
  closeGently(socket)
}

/**
 * Closes our side and throws away what still comes. A socket that is closed with unread bytes resets the connection,
 * and the client may never see the reply.
 */
export function closeGently(socket: Socket): void {
  if (socket.destroyed) return
  socket.removeAllListeners('data')
  socket.on('data', () => {})
  socket.resume()
  socket.end()
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  timer.unref()
  socket.once('end', () => socket.destroy()).once('close', () => clearTimeout(timer))
}
