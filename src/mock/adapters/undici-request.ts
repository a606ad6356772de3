import { stringify } from 'node:querystring'
import { PassThrough, Readable } from 'node:stream'

import { type Dispatcher, errors, Response } from 'undici'

import type { MockRequest } from '../message.ts'
import { bodyLimit } from '../problems.ts'
import { toText } from './whatwg-request.ts'

type Options = Dispatcher.DispatchOptions

/** The URL that a request is for, its path undecoded. */
export function urlOf({ origin, path, query }: Options, defaultOrigin: string): string {
  if (typeof path !== 'string') throw new errors.InvalidArgumentError('path must be a string')
  const asked = query === undefined || query === null ? '' : stringify(query)
  if (asked !== '' && /[?#]/.test(path)) {
    throw new errors.InvalidArgumentError('Query params cannot be passed when url already contains "?" or "#".')
  }
  const whole = asked === '' ? path : `${path}?${asked}`
  return /^https?:\/\//.test(whole) ? whole : `${new URL(origin ?? defaultOrigin).origin}${whole}`
}

/** The plain data of a request. As behind a server, only POST has a body that is read. */
export async function toMockRequest(options: Options, url: string, target: string): Promise<MockRequest> {
  const { method } = options
  const { host, protocol } = new URL(url)
  const headers = { host, ...toHeaders(options.headers) } as Record<string, string | string[]>
  const asked = { method, target, headers, scheme: protocol === 'https:' ? ('https' as const) : ('http' as const) }
  const body = readBody(options.body)
  if (method === 'POST') return { ...asked, ...toText(await body) }
  // Nobody waits for it, and whoever writes it is not held up. The headers tell of it, as they do on a socket.
  body.catch(() => {})
  const isSent = options.body !== undefined && options.body !== null && options.body !== ''
  if (isSent && headers['content-length'] === undefined) headers['transfer-encoding'] = 'chunked'
  return { ...asked, body: '' }
}

/** Names in lower case. What came more than once is an array. */
function toHeaders(headers: Options['headers']): Record<string, string | string[]> {
  const read: Record<string, string | string[]> = {}
  for (const [name, value] of pairsOf(headers)) {
    const key = name.toLowerCase()
    const values = [read[key] ?? [], value].flat().map(String)
    read[key] = values.length === 1 ? (values[0] as string) : values
  }
  return read
}

type Pair = readonly [name: string, value: string | string[]]

/** Undici takes an object, names and values in turn, or anything that gives pairs. */
function pairsOf(headers: Options['headers']): Pair[] {
  if (headers === undefined || headers === null) return []
  const all = Symbol.iterator in headers ? [...(headers as Iterable<unknown>)] : Object.entries(headers)
  const pairs = Array.isArray(headers) && !Array.isArray(headers[0]) ? inTurn(all) : all
  return (pairs as Pair[]).filter(([, value]) => value !== undefined && value !== null)
}

function inTurn(values: readonly unknown[]): unknown[] {
  return values.flatMap((name, index) => (index % 2 === 0 ? [[name, values[index + 1]]] : []))
}

/** The bytes of a body, as far as the limit and a little beyond. */
async function readBody(body: unknown): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  const iterator = iteratorOf(chunksOf(body))
  let size = 0
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
    const bytes = toBytes(next.value)
    chunks.push(bytes)
    size += bytes.length
    if (size > bodyLimit) {
      giveUp(body, iterator)
      break
    }
  }
  return chunks
}

/** Nobody waits for the writer to notice: the body of undici's fetch never does. */
function giveUp(body: unknown, iterator: AsyncIterator<unknown> | Iterator<unknown>): void {
  // A stream that is destroyed before its end tells so as an error, which is nobody's fault here.
  if (body instanceof Readable) body.on('error', () => {})
  Promise.resolve(iterator.return?.()).catch(() => {})
}

function iteratorOf(chunks: Iterable<unknown> | AsyncIterable<unknown>): AsyncIterator<unknown> | Iterator<unknown> {
  return Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]()
}

function chunksOf(body: unknown): Iterable<unknown> | AsyncIterable<unknown> {
  if (body === undefined || body === null) return []
  if (typeof body === 'string' || body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return [body]
  if (Symbol.asyncIterator in Object(body)) return body as AsyncIterable<unknown>
  if (isOldStream(body)) return body.pipe(new PassThrough())
  // A form is iterable, too, but not as it is sent.
  if (isSomething(body, 'FormData') || isSomething(body, 'Blob')) return blobOf(body)
  if (Symbol.iterator in Object(body)) return body as Iterable<unknown>
  throw new errors.InvalidArgumentError(
    'body must be a string, a Buffer, a Readable stream, an iterable, or an async iterable',
  )
}

async function* blobOf(body: unknown): AsyncGenerator {
  yield await new Response(body as ConstructorParameters<typeof Response>[0]).arrayBuffer()
}

function isSomething(value: unknown, tag: string): boolean {
  return Object.prototype.toString.call(value) === `[object ${tag}]`
}

/** A stream from before streams were iterable. */
function isOldStream(body: unknown): body is NodeJS.ReadableStream {
  return typeof (body as { pipe?: unknown }).pipe === 'function'
}

function toBytes(chunk: unknown): Uint8Array {
  if (typeof chunk === 'string') return new TextEncoder().encode(chunk)
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk)
  if (ArrayBuffer.isView(chunk)) return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  throw new TypeError('A body must give strings or bytes.')
}
