import type { IncomingMessage } from 'node:http'

import type { MockRequest } from '../message.ts'
import type { Connection } from './node-connection.ts'

type Headers = Record<string, string | string[]>

/** Objects without inherited members that are yet as fast as others: a header may be called `constructor`. */
const HeaderRecord = function () {} as unknown as new () => Headers
HeaderRecord.prototype = Object.create(null) as Headers

/** Header names in lower case by how they came. Clients have few spellings. */
const lowerCased = new Map<string, string>()
const spellingsKept = 500
const longestKept = 50

/** The plain data of a request whose body is not read yet. */
export function toRequest(message: IncomingMessage, connection: Connection): MockRequest {
  const { rawHeaders, method = '', url: target = '' } = message
  // Most requests of a client carry the headers that the one before carried.
  if (!isSame(rawHeaders, connection.rawHeaders)) {
    connection.rawHeaders = rawHeaders
    connection.headers = toHeaders(rawHeaders)
  }
  return { method, target, headers: connection.headers, body: '', connection, address: connection.address }
}

/** Why Node's parser takes for a request what is none for this server, or undefined when it is one. */
export function refuseFraming(
  { httpVersion, httpVersionMajor }: IncomingMessage,
  { headers }: MockRequest,
): { status: number; message: string } | undefined {
  if (httpVersionMajor !== 1) return { status: 505, message: 'The request must be one of HTTP/1.1.' }
  const { host, 'transfer-encoding': coding } = headers
  // RFC 9112 section 3.2: a request of HTTP/1.1 has one Host header, no more and no less.
  if (host === undefined ? httpVersion !== '1.0' : typeof host !== 'string') {
    return { status: 400, message: 'The request must have one Host header.' }
  }
  // RFC 9112 section 6.1: a body that is coded in another way, too, must not be read as if it were not.
  if (coding !== undefined && !(typeof coding === 'string' && /^[\s,]*chunked[\s,]*$/i.test(coding))) {
    return { status: 501, message: 'There is no transfer coding besides chunked.' }
  }
  return undefined
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  if (some.length !== others.length) return false
  for (let index = 0; index < some.length; index += 1) if (some[index] !== others[index]) return false
  return true
}

function toHeaders(rawHeaders: readonly string[]): Headers {
  const headers = new HeaderRecord()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = lowerCase(rawHeaders[index] as string)
    const value = rawHeaders[index + 1] as string
    const earlier = headers[name]
    if (earlier === undefined) headers[name] = value
    else if (typeof earlier === 'string') headers[name] = [earlier, value]
    else earlier.push(value)
  }
  return headers
}

function lowerCase(name: string): string {
  const known = lowerCased.get(name)
  if (known !== undefined) return known
  const lower = name.toLowerCase()
  if (lowerCased.size < spellingsKept && name.length <= longestKept) lowerCased.set(name, lower)
  return lower
}
