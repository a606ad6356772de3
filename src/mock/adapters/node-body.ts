import { isUtf8 } from 'node:buffer'
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
  const chunks: Buffer[] = []
  let size = 0

  const giveUp = (): void => {
    message.off('data', take).off('end', finish).resume()
  }
  const refuse = (): void => {
    giveUp()
    done({ body: '', bodyFault: 'too-large' })
  }
  const take = (chunk: Buffer): void => {
    size += chunk.length
    if (size > limit) refuse()
    else chunks.push(chunk)
  }
  const finish = (): void => {
    const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
    const body = bytes.toString('utf8')
    done(isUtf8(bytes) ? { body } : { body, bodyFault: 'not-utf8' })
  }

  if (isDeclaredLarger(message, limit)) refuse()
  else message.on('data', take).on('end', finish)
  return giveUp
}

/** Whether the headers say that the body is larger than a limit of bytes. */
export function isDeclaredLarger({ headers }: IncomingMessage, limit: number): boolean {
  return Number(headers['content-length'] ?? 0) > limit
}
