import { Buffer, isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'

import type { MockRequest } from '../message.ts'

/** The body of a request, as far as it could be read. */
export type ReadBody = Pick<MockRequest, 'body' | 'bodyFault'>

/**
 * Reads a body up to a limit of bytes, and calls back once. What a client sends beyond it is thrown away.
 *
 * @returns a function that gives the body up.
 */
export function readBody(message: IncomingMessage, limit: number, done: (read: ReadBody) => void): () => void {
  let bytes: Buffer | undefined
  let size = 0

  const giveUp = (): void => {
    message.off('data', take).off('end', finish).resume()
  }
  const refuse = (): void => {
    giveUp()
    done({ body: '', bodyFault: 'too-large' })
  }
  const take = (chunk: Buffer): void => {
    if (size + chunk.length > limit) refuse()
    else {
      bytes = bytes === undefined ? chunk : joined(bytes, size, chunk, limit)
      size += chunk.length
    }
  }
  const finish = (): void => done(bytes === undefined ? { body: '' } : decoded(bytes.subarray(0, size)))

  if (isDeclaredLarger(message, limit)) refuse()
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

function decoded(bytes: Buffer): ReadBody {
  const body = bytes.toString('utf8')
  // What is not UTF-8 leaves this character behind, which may also have been sent.
  return !body.includes('\uFFFD') || isUtf8(bytes) ? { body } : { body, bodyFault: 'not-utf8' }
}
