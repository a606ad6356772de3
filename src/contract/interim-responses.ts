import { Duplex } from 'node:stream'

/** A head that goes on for longer is passed on, and refused there. */
const longestHead = 16_384
const shortestHead = 'HTTP/1.1 100 '

/**
 * A connection without the interim responses (100, 102, 103, ...) that come before a response: RFC 9110, section 15.2.1,
 * has a client discard those that it did not ask for, and undici ends the connection at a 100.
 */
export class WithoutInterimResponses extends Duplex {
  readonly #socket: Duplex
  /** Whether what comes next is the head of a response. */
  #atHead = false
  #held: Buffer = Buffer.alloc(0)

  constructor(socket: Duplex) {
    super({ allowHalfOpen: false })
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => {
      const rest = this.#strip(chunk)
      if (rest.length > 0 && !this.push(rest)) socket.pause()
    })
    socket.on('end', () => {
      if (this.#held.length > 0) this.push(this.#held)
      this.push(null)
    })
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => this.destroy())
  }

  #strip(chunk: Buffer): Buffer {
    if (!this.#atHead) return chunk
    let rest = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    this.#held = Buffer.alloc(0)
    while (isInterim(rest)) {
      const { index, 0: end } = /\r?\n\r?\n/.exec(rest.toString('latin1', 0, longestHead)) ?? { index: -1, 0: '' }
      if (index === -1 && rest.length < longestHead) {
        this.#held = rest
        return Buffer.alloc(0)
      }
      if (index === -1) break
      rest = rest.subarray(index + end.length)
    }
    this.#atHead = rest.length === 0
    return rest
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#atHead = true
    this.#socket.write(chunk, encoding, done)
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}

/** Whether bytes begin an interim response, or may, where they are few. 101 is none: it ends HTTP. */
function isInterim(bytes: Buffer): boolean {
  if (bytes.length === 0) return false
  const head = bytes.toString('latin1', 0, shortestHead.length)
  return /^HTTP\/1\.[01] 1(?!01)\d\d[ \r\n]/.test(head + shortestHead.slice(head.length))
}
