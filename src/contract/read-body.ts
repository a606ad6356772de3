import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import type { Dispatcher } from 'undici'
import type { Clock } from './clock.ts'

/** An answer may hold this many bytes, before and after decompression. 100 pets with long names need less than 1 MiB. */
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
  body: Dispatcher.ResponseData['body'],
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
        return {
          bytes: Buffer.concat(chunks),
          problem: tooLong,
          final: true,
        }
      }
    }
  } catch (error) {
    if (signal.aborted) throw error
    const problem = stalled
      ? `the body stopped after ${size} bytes and did not go on for ${stallMs / 1000} s`
      : `the connection closed after ${size} bytes of the body, before its end`
    return { bytes: Buffer.concat(chunks), problem }
  } finally {
    ended.abort()
  }
  return { bytes: Buffer.concat(chunks) }
}

type Decompress = (bytes: Buffer) => Buffer

// One after the other: bodies that explode take their memory once, and no time of the target's.
const using =
  (work: typeof gunzipSync): Decompress =>
  (bytes) =>
    work(bytes, { maxOutputLength: maximumBytes })

const decoders: Readonly<Record<string, Decompress>> = {
  identity: (bytes) => bytes,
  gzip: using(gunzipSync),
  'x-gzip': using(gunzipSync),
  br: using(brotliDecompressSync),
  // The name stands for the zlib format; many servers send the bare one, and every client takes both.
  deflate: (bytes) => ((bytes[0] ?? 0) % 16 === 8 ? using(inflateSync)(bytes) : using(inflateRawSync)(bytes)),
}

/** The content codings that can be undone, as Accept-Encoding names them. */
export const acceptedCodings = 'gzip, deflate, br'

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
    if (!decoder) return `it comes in a content coding that was not asked for (${name})`
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
