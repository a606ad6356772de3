import type { Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { parseJson } from '../../json.ts'
import type { Content } from './exchange.ts'
import type { RunClock } from './waiting.ts'

/** The largest accepted body, before and after decompression. 100 pets with long names need less than 1 MiB. */
const maxBodyBytes = 16 * 1024 * 1024
/** How the `problem` of a larger body begins. */
export const tooLong = 'the body is longer than 16 MiB'

interface ReceivedBody {
  bytes: Buffer
  /** Why the bytes are not the whole body. */
  problem?: string
  /** Whether it stopped, while the connection stayed open. */
  stalled?: boolean
  /** Set when another attempt would meet the same problem. */
  final?: true
}

/**
 * The longest pause in a body, as a share of the timeout; and in the last attempt, or once such a one got a whole body: the
 * three attempts at a body that never ends take 14 s of the usual timeout of 10 s.
 */
const [usualPause, longPause] = [0.3, 0.8]
/** So many bodies of a kind, or of any, that stop one after another are what the service sends: those of two, or four, requests with three attempts. The next one is not waited for. */
const [stallsOfKind, stallsOfAny] = [6, 12]
/** The pause in such a body, as a share of the timeout: hundreds of them took the whole of --max-duration. */
const stalledPause = 0.05
const anyKind = 'any'

/** Counts the bodies that stop before their end, and says how long to wait for the rest of the next one. */
export class Stalls {
  /** How many in a row have stopped, by the kind of response. */
  readonly #inARow = new Map<string, number>()
  /** Whether to wait longer than usual. */
  isPatient = false

  /** Whether each body of this kind, or each of any kind, has stopped for a while now. */
  areUsual(kind: string): boolean {
    const ofKind = this.#inARow.get(kind) ?? 0
    return ofKind >= stallsOfKind || (this.#inARow.get(anyKind) ?? 0) >= stallsOfAny
  }

  /** The longest pause in a body of this kind, as a share of the timeout. */
  pauseOf(kind: string): number {
    if (this.areUsual(kind)) return stalledPause
    return this.isPatient ? longPause : usualPause
  }

  count(kind: string, { bytes, stalled = false }: ReceivedBody): void {
    if (!stalled && bytes.length === 0) return
    for (const one of [kind, anyKind])
      this.#inARow.set(one, stalled ? (this.#inARow.get(one) ?? 0) + 1 : 0)
  }
}

/** Reads a body to its end, with at most `stallMs` without data. Rejects when the signal is aborted. */
export async function readBody(
  body: Readable,
  stallMs: number,
  signal: AbortSignal,
  clock: RunClock,
): Promise<ReceivedBody> {
  const chunks: Buffer[] = []
  let size = 0
  let stalled = false
  let lastAt = clock.now()
  const look = (): void => {
    const ms = lastAt + stallMs - clock.now()
    if (ms > 0) return void (cancel = clock.after(ms, look))
    stalled = true
    body.destroy()
  }
  let cancel = clock.after(stallMs, look)
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      lastAt = clock.now()
      chunks.push(chunk)
      size += chunk.length
      if (size > maxBodyBytes) {
        body.destroy()
        return { bytes: Buffer.concat(chunks), problem: tooLong, final: true }
      }
    }
  } catch (error) {
    if (signal.aborted) throw error
    const problem = stalled
      ? `the body stopped after ${size} bytes and did not continue for ${stallMs / 1000} s`
      : `the connection closed after ${size} bytes of the body, before its end`
    return { bytes: Buffer.concat(chunks), problem, stalled }
  } finally {
    cancel()
  }
  return { bytes: Buffer.concat(chunks) }
}

// Synchronous: of several compression bombs, only one at a time takes memory.
const limits = { maxOutputLength: maxBodyBytes }
const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => gunzipSync(bytes, limits),
  'x-gzip': (bytes) => gunzipSync(bytes, limits),
  br: (bytes) => brotliDecompressSync(bytes, limits),
  // RFC 9110 means the zlib format; many servers send raw deflate, and clients accept both.
  deflate: (bytes) =>
    (bytes[0] ?? 0) % 16 === 8 ? inflateSync(bytes, limits) : inflateRawSync(bytes, limits),
}

/** Nested content codings of one body: a service applies one, and each may grow to 16 MiB again. */
const maxCodings = 4

/** The bytes without their content codings, or why they cannot be decoded. */
export function decompress(bytes: Buffer, codings = ''): Buffer | string {
  let plain = bytes
  const names = codings.split(',').map((name) => name.trim().toLowerCase())
  const applied = names.filter((name) => name !== '').toReversed()
  if (applied.length > maxCodings) return `the body has ${applied.length} nested content codings`
  for (const name of applied) {
    const decoder = Object.hasOwn(decoders, name) ? decoders[name] : undefined
    if (plain.length === 0) return plain
    if (!decoder) return `the body has a content coding that was not requested (${name})`
    try {
      plain = decoder(plain)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code === 'ERR_BUFFER_TOO_LARGE') return `${tooLong} when it is decompressed`
      return `the body cannot be decompressed as ${name}, its Content-Encoding (${message})`
    }
  }
  return plain
}

/** Limits of a body that is judged. 100 pets with a thousand fields each have half of these values. */
const maxDepth = 1_000
const maxValues = 250_000
/** Estimated memory of a parsed value, beyond its text. */
const bytesOfValue = 50
/** Bytes of the text that are kept: a report shows 2,000 characters. */
const maxKeptBytes = 64_000

/**
 * Parses a body as strictly as RFC 8259: valid UTF-8, no byte order mark, one JSON text, no repeated field names. A body
 * that would take far more memory than its text is not parsed.
 */
export function decode(bytes: Uint8Array): Content {
  const size = bytes.length
  if (size === 0) return { kind: 'empty' }
  const broken = (problem: string, isMalformed = false): Content => ({
    kind: 'broken',
    isMalformed,
    text: beginningOf(bytes),
    problem,
    size,
  })
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return broken('the bytes are not valid UTF-8')
  }
  if (text.startsWith('\uFEFF')) return broken('a byte order mark precedes the JSON text')
  const { depth, values, repeated } = scan(text)
  if (depth > maxDepth)
    return unjudged(
      bytes,
      `the body is nested more than ${maxDepth.toLocaleString('en')} levels deep`,
    )
  if (values > maxValues)
    return unjudged(bytes, `the body has more than ${maxValues.toLocaleString('en')} values`)
  try {
    const value = parseJson(text)
    if (repeated !== undefined)
      return broken(`an object has the field ${JSON.stringify(repeated)} twice`)
    return {
      kind: 'json',
      text: size > maxKeptBytes ? beginningOf(bytes) : text,
      value,
      size: size + values * bytesOfValue,
    }
  } catch (error) {
    const { message } = error as Error
    const near = textNear(text, positionIn(message, text))
    const isMalformed = !isCutShort(message, text)
    const why = isMalformed ? whyInvalid(message) : whyCut(text, size)
    return { ...broken(why, isMalformed), ...(near !== undefined && { near }) }
  }
}

/** What was read of a body, without its content codings. */
export function contentOf({ bytes, problem, final }: ReceivedBody, codings?: string): Content {
  if (problem !== undefined) {
    return final
      ? unjudged(bytes, problem)
      : { kind: 'broken', text: beginningOf(bytes), problem, size: bytes.length }
  }
  const plain = decompress(bytes, codings)
  if (typeof plain !== 'string') return decode(plain)
  const isTooLong = plain.startsWith(tooLong)
  return {
    kind: isTooLong ? 'unjudged' : 'broken',
    text: '',
    problem: plain,
    size: isTooLong ? maxBodyBytes : bytes.length,
  }
}

/** A body, or the beginning of one, that exceeds a limit. */
export function unjudged(bytes: Uint8Array, problem: string): Content {
  return {
    kind: 'unjudged',
    text: beginningOf(bytes),
    problem,
    size: bytes.length,
    elements: scan(new TextDecoder().decode(bytes)).elements,
  }
}

/** Decodes the first bytes: a slice of a decoded string would keep all of it in memory. */
export function beginningOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, maxKeptBytes))
}

const colon = /\s*:/y

/**
 * Measures a JSON text without parsing it: its depth, its number of values, the `elements` of an outermost array, and a
 * field name that an object has twice.
 */
function scan(text: string): {
  depth: number
  values: number
  elements: number | undefined
  repeated: string | undefined
} {
  /** The field names of each open object; undefined for an array. */
  const open: (Set<string> | undefined)[] = []
  let [depth, level, values, elements] = [0, 0, 1, 1]
  let isEmpty = false
  let repeated: string | undefined
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] as string
    if (char === '{' || char === '[') {
      level += 1
      if (level > depth) depth = level
      if (level <= maxDepth) open[level] = char === '{' ? new Set() : undefined
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
      const names = level <= maxDepth && values <= maxValues ? open[level] : undefined
      const name = names && colon.test(text) ? nameIn(text.slice(start, at + 1)) : undefined
      if (name !== undefined && names?.has(name)) repeated ??= name
      if (name !== undefined) names?.add(name)
    }
    if (char > ' ') isEmpty = char === '{' || char === '['
  }
  return {
    depth,
    values,
    elements: /^\s*\[/.test(text) && elements > 1 ? elements : undefined,
    repeated,
  }
}

/** Decodes a quoted field name; returns it unchanged when it is not valid JSON. */
function nameIn(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  try {
    return JSON.parse(quoted) as string
  } catch {
    return quoted
  }
}

/** Where a JSON text is invalid, by the message of the parser: a position, or a quoted part of the text. */
function positionIn(message: string, text: string): number {
  const position = / position (\d+)/.exec(message)?.[1]
  if (position !== undefined) return Number(position)
  const [, quoted] = /\.{3}"([^]+)"(?:\.{3})? is not valid JSON$/.exec(message) ?? []
  return quoted === undefined ? 0 : text.indexOf(quoted) + Math.floor(quoted.length / 2)
}

/** Characters that are shown before a position, and in all: with the words around them, a line of a terminal. */
const [leading, shownLength] = [25, 55]

/** The text around a position; undefined near the beginning or the end, which is where a cut text ends. */
function textNear(text: string, at: number): string | undefined {
  const from = at - leading
  if (from <= 0 || at >= text.length) return undefined
  const end = from + shownLength
  // A copy: a slice would keep the whole text in memory.
  const shown = Buffer.from(text.slice(from, end)).toString()
  return `…${shown}${end < text.length ? '…' : ''}`
}

const isCutShort = (message: string, text: string): boolean =>
  /\S/.test(text) &&
  (/ end of |Unterminated/.test(message) || message.includes(` position ${text.length}`))

function whyCut(text: string, size: number): string {
  const why = text.length < size ? ' (does Content-Length count characters, not bytes?)' : ''
  return `the JSON text is cut short after ${size} bytes${why}`
}

/** The message of the parser without the text that it quotes, which may be part of the API key. */
function whyInvalid(message: string): string {
  const words = message.replace(/,? ?(?:\.{3})?"[^]*"(?:\.{3})? is not valid JSON$/, '')
  return `the body is not valid JSON${words === '' ? '' : ` (${words})`}`
}
