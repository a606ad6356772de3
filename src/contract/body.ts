import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { parseJson } from '../json.ts'
import type { RawResponse } from './connection.ts'
import type { Content } from './exchange.ts'
import type { Clock } from './waiting.ts'

/** A response may hold this many bytes, before and after decompression. 100 pets with long names need less than 1 MiB. */
export const maximumBytes = 16 * 1024 * 1024
/** How the problem of a body begins that holds more. */
export const tooLong = 'the body is longer than 16 MiB'

/** The bytes of a body, and in words why they are not all of it. */
export interface ReadBody {
  bytes: Buffer
  problem?: string
  /** Set where another try would meet the same problem. */
  final?: true
}

/**
 * Reads a body to its end.
 *
 * @param stallMs a body that has begun must go on within this time.
 * @throws {Error} when the signal ends it: that is no problem of the body.
 */
export async function readBody(
  body: RawResponse['body'],
  stallMs: number,
  signal: AbortSignal,
  clock: Clock,
): Promise<ReadBody> {
  const chunks: Buffer[] = []
  const ended = new AbortController()
  let size = 0
  let stalled = false
  let lastAt = clock.now()
  const watch = async (): Promise<void> => {
    for (let ms = stallMs; ms > 0; ms = lastAt + stallMs - clock.now()) {
      await clock.sleep(ms, ended.signal)
      if (ended.signal.aborted) return
    }
    stalled = true
    body.destroy()
  }
  void watch()
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      lastAt = clock.now()
      chunks.push(chunk)
      size += chunk.length
      if (size > maximumBytes) {
        body.destroy()
        return { bytes: Buffer.concat(chunks), problem: tooLong, final: true }
      }
    }
  } catch (error) {
    if (signal.aborted) throw error
    const problem = stalled
      ? `the body stopped after ${size} bytes and did not go on for ${stallMs / 1000} s`
      : `the connection closed after ${size} bytes of the body, before its end`
    return { bytes: Buffer.concat(chunks), problem }
  } finally {
    // A reason of its own costs no DOMException.
    ended.abort('ended')
  }
  return { bytes: Buffer.concat(chunks) }
}

// One after the other: bodies that explode take their memory once, and no time of the target's.
const most = { maxOutputLength: maximumBytes }
const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => gunzipSync(bytes, most),
  'x-gzip': (bytes) => gunzipSync(bytes, most),
  br: (bytes) => brotliDecompressSync(bytes, most),
  // The name stands for the zlib format; many servers send the bare one, and every client takes both.
  deflate: (bytes) => ((bytes[0] ?? 0) % 16 === 8 ? inflateSync(bytes, most) : inflateRawSync(bytes, most)),
}

/** Codings of one body, one in another. One is usual; each further one costs as much time as the first. */
const mostCodings = 4

/** The bytes without their content codings, or in words why that cannot be. */
export function decompress(bytes: Buffer, codings = ''): Buffer | string {
  let plain = bytes
  const names = codings.split(',').map((name) => name.trim().toLowerCase())
  const applied = names.filter((name) => name !== '').toReversed()
  if (applied.length > mostCodings) return `it comes in ${applied.length} content codings, one in another`
  for (const name of applied) {
    const decoder = Object.hasOwn(decoders, name) ? decoders[name] : undefined
    if (plain.length === 0) return plain
    if (!decoder) return `it comes in a content coding that was not requested (${name})`
    try {
      plain = decoder(plain)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code === 'ERR_BUFFER_TOO_LARGE') return `${tooLong} when it is decompressed`
      return `it cannot be decompressed as ${name}, which its Content-Encoding names (${message})`
    }
  }
  return plain
}

/** Levels of arrays and objects, and values, that are judged. 100 pets with a thousand fields each have half of these values. */
const deepest = 1_000
const mostValues = 250_000
/** Bytes of a value beside those of its text. */
const bytesOfValue = 50
/** Bytes of a text that are kept: a report shows 2,000 characters of what redaction leaves. */
const longestKept = 64_000

/**
 * Reads the bytes of a body as strictly as RFC 8259 defines JSON: valid UTF-8, no byte order mark, one JSON text, and no
 * object that names a field twice. Nothing is parsed that would take far more memory than its text.
 */
export function decode(bytes: Uint8Array): Content {
  const size = bytes.length
  if (size === 0) return { kind: 'empty' }
  const broken = (problem: string): Content => ({ kind: 'broken', text: beginningOf(bytes), problem, size })
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return broken('the bytes are not valid UTF-8')
  }
  if (text.startsWith('\uFEFF')) return broken('a byte order mark stands before the JSON text')
  const { depth, values, repeated } = scan(text)
  if (depth > deepest)
    return unjudged(bytes, `the body is nested more than ${deepest.toLocaleString('en')} levels deep`)
  if (values > mostValues) return unjudged(bytes, `the body has more than ${mostValues.toLocaleString('en')} values`)
  try {
    const value = parseJson(text)
    if (repeated !== undefined) return broken(`an object names its field ${JSON.stringify(repeated)} twice`)
    return {
      kind: 'json',
      text: size > longestKept ? beginningOf(bytes) : text,
      value,
      size: size + values * bytesOfValue,
    }
  } catch (error) {
    return broken(`it is not a JSON text${inWords(error)}`)
  }
}

/** A body that is too much to be judged, or its beginning. */
export function unjudged(bytes: Uint8Array, problem: string): Content {
  return {
    kind: 'unjudged',
    text: beginningOf(bytes),
    problem,
    size: bytes.length,
    elements: scan(new TextDecoder().decode(bytes)).elements,
  }
}

/** Decoded anew: a slice of a string would keep all of it. */
export function beginningOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, longestKept))
}

/** How deep a JSON text is, how many values it has and elements its array, and a field that one of its objects names twice. */
interface Extent {
  depth: number
  values: number
  elements: number | undefined
  repeated: string | undefined
}

const colon = /\s*:/y

function scan(text: string): Extent {
  /** The names in each object that is open; undefined for an array. */
  const open: (Set<string> | undefined)[] = []
  let [depth, level, values, elements] = [0, 0, 1, 1]
  let isEmpty = false
  let repeated: string | undefined
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] as string
    if (char === '{' || char === '[') {
      level += 1
      if (level > depth) depth = level
      if (level <= deepest) open[level] = char === '{' ? new Set() : undefined
    } else if (char === '}' || char === ']') {
      level -= 1
      if (!isEmpty) values += 1
    } else if (char === ',') {
      values += 1
      if (level === 1) elements += 1
    } else if (char === '"') {
      const start = at
      for (at += 1; at < text.length && text[at] !== '"'; at += 1) if (text[at] === '\\') at += 1
      colon.lastIndex = at + 1
      const names = level <= deepest && values <= mostValues ? open[level] : undefined
      const name = names && colon.test(text) ? nameIn(text.slice(start, at + 1)) : undefined
      if (name !== undefined && names?.has(name)) repeated ??= name
      if (name !== undefined) names?.add(name)
    }
    if (char > ' ') isEmpty = char === '{' || char === '['
  }
  return { depth, values, elements: /^\s*\[/.test(text) && elements > 1 ? elements : undefined, repeated }
}

/** A name as it reads; as it stands there where it is no JSON. */
export function nameIn(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  try {
    return JSON.parse(quoted) as string
  } catch {
    return quoted
  }
}

/** What the parser says, without the piece of the text that it quotes: that could be a piece of the key. */
function inWords(error: unknown): string {
  const words = (error as Error).message.replace(/,? ?(?:\.{3})?"[^]*"(?:\.{3})? is not valid JSON$/, '')
  return words === '' ? '' : ` (${words})`
}
