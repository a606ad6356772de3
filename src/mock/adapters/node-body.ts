import { Buffer, isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'

import type { MockRequest } from '../message.ts'

/** The body of a request, as far as it could be read. */
export interface ReadBody {
  body: string
  /** `no-room`: too many bodies are under way. */
  bodyFault?: MockRequest['bodyFault'] | 'no-room'
}

/** How much a body may take. */
export interface BodyRoom {
  /** Bytes of one body. */
  limit: number
  /** Shared by all bodies of a server: the bytes of those that are under way. */
  underWay: { bytes: number }
}

/** Bytes of all bodies that are under way at the same time: 128 MiB. */
const mostUnderWay = 128 * 2 ** 20

/**
 * Reads a body, and calls back once. What a client sends beyond its room is thrown away.
 *
 * @returns a function that gives the body up.
 */
export function readBody(
  message: IncomingMessage,
  { limit, underWay }: BodyRoom,
  done: (read: ReadBody) => void,
): () => void {
  let bytes: Buffer | undefined
  let size = 0
  let held = 0

  const hold = (now: number): void => {
    underWay.bytes += now - held
    held = now
  }
  const letGo = (): void => {
    bytes = undefined
    hold(0)
  }
  const giveUp = (): void => {
    message.off('data', take).off('end', finish).off('close', letGo).resume()
    letGo()
  }
  const refuse = (bodyFault: 'too-large' | 'no-room'): void => {
    giveUp()
    done({ body: '', bodyFault })
  }
  const take = (chunk: Buffer): void => {
    if (size + chunk.length > limit) refuse('too-large')
    else if (bytes === undefined && message.complete) {
      // Most bodies come whole: then there is nothing to wait for, and nothing to count.
      bytes = chunk
      size = chunk.length
    } else if (underWay.bytes + chunk.length > mostUnderWay) refuse('no-room')
    else {
      // A client that goes away in the middle sends no end.
      if (held === 0) message.on('close', letGo)
      bytes = bytes === undefined ? chunk : joined(bytes, size, chunk, limit)
      size += chunk.length
      hold(bytes.length)
    }
  }
  const finish = (): void => {
    const read = bytes === undefined ? { body: '' } : decoded(bytes, size)
    letGo()
    done(read)
  }

  if (isDeclaredLarger(message, limit)) refuse('too-large')
  else message.on('data', take).on('end', finish)
  return giveUp
}

/** Whether the headers say that the body is larger than a limit of bytes. */
export function isDeclaredLarger({ headers }: IncomingMessage, limit: number): boolean {
  return Number(headers['content-length'] ?? 0) > limit
}

/** A chunk behind `size` bytes. A list of chunks would cost a client that sends single bytes nothing, and us a lot. */
function joined(bytes: Buffer, size: number, chunk: Buffer, limit: number): Buffer {
  const needed = size + chunk.length
  const room =
    bytes.length >= needed ? bytes : Buffer.allocUnsafe(Math.max(needed, Math.min(limit, Math.max(4_096, needed * 2))))
  if (room !== bytes) bytes.copy(room, 0, 0, size)
  chunk.copy(room, size)
  return room
}

function decoded(bytes: Buffer, size: number): ReadBody {
  const body = bytes.toString('utf8', 0, size)
  // What is not UTF-8 leaves this character behind, which may also have been sent.
  return !body.includes('\uFFFD') || isUtf8(bytes.subarray(0, size)) ? { body } : { body, bodyFault: 'not-utf8' }
}
