/** HTTP/1.1 over a raw socket: sends bytes step by step and reads responses strictly. */
import { connect } from 'node:net'

import { pause } from '../../support/machines.ts'

/** The key that the mock accepts. */
export const fuzzKey = 'fuzz-key-0123456789'

/** An action of a client on a connection. */
export type Step =
  | { send: Buffer }
  | { pauseMs: number }
  /** Waits until this many final responses are complete. */
  | { awaitResponses: number }
  /** Waits for the first bytes of a response. */
  | { awaitBytes: true }
  /** Ends the client's half of the connection. */
  | { finish: true }
  /** Closes the connection, normally or with a reset. */
  | { abandon: 'close' | 'reset' }

export interface Received {
  bytes: Buffer
  /** `rejected`: no connection. */
  end: 'closed' | 'reset' | 'abandoned' | 'time-limit' | 'rejected'
}

export interface Response {
  status: number
  /** Names in lower case. */
  headers: (readonly [name: string, value: string])[]
  body: string
}

/**
 * Runs the steps on a new connection until the server closes it or the client abandons it. Never rejects.
 *
 * @param methods of the requests, in order; GET by default.
 */
export function converse(
  port: number,
  steps: readonly Step[],
  { methods = [], limitMs = 10_000 }: { methods?: readonly string[]; limitMs?: number } = {},
): Promise<Received> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    let wake = (): void => {}
    let over = false
    const finish = (end: Received['end']): void => {
      if (over) return
      over = true
      clearTimeout(timer)
      wake()
      if (end === 'closed') socket.end()
      else socket.destroy()
      resolve({ bytes: Buffer.concat(chunks), end })
    }
    const timer = setTimeout(() => finish('time-limit'), limitMs)
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      wake()
    })
    socket.on('drain', () => wake())
    socket.on('end', () => finish('closed'))
    socket.on('close', () => finish('closed'))
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      // Bytes written to a closed connection are lost; the response can still be read.
      if (code !== 'EPIPE') finish(code === 'ECONNREFUSED' ? 'rejected' : 'reset')
    })
    const until = async (condition: () => boolean): Promise<void> => {
      const isOver = (): boolean => over || condition()
      while (!isOver()) await new Promise<void>((resume) => (wake = resume))
    }
    const take = async (step: Step): Promise<void> => {
      if ('send' in step) {
        if (!socket.write(step.send)) await until(() => socket.writableLength === 0)
      } else if ('pauseMs' in step) await pause(step.pauseMs)
      else if ('awaitResponses' in step)
        await until(
          () =>
            readResponses(Buffer.concat(chunks), methods).responses.length >= step.awaitResponses,
        )
      else if ('awaitBytes' in step) await until(() => chunks.length > 0)
      else if ('finish' in step) socket.end()
      else {
        if (step.abandon === 'reset') socket.resetAndDestroy()
        finish('abandoned')
      }
    }
    socket.once('connect', () => {
      void (async () => {
        for (const step of steps) if (!over) await take(step)
      })()
    })
  })
}

const statusLine = /^HTTP\/1\.1 ([1-5]\d\d) ([\x20-\x7e]*)$/
const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e\x80-\xff]*?)[ \t]*$/

/** Parses final responses; `fault` is the reason why the remaining bytes are not one. */
export function readResponses(
  bytes: Buffer,
  methods: readonly string[],
): { responses: Response[]; fault?: string } {
  const responses: Response[] = []
  let at = 0
  while (at < bytes.length) {
    const end = bytes.indexOf('\r\n\r\n', at)
    if (end === -1)
      return {
        responses,
        fault: `no response: ${JSON.stringify(bytes.toString('latin1', at, at + 200))}`,
      }
    const [first = '', ...lines] = bytes.toString('latin1', at, end).split('\r\n')
    const [, status] = statusLine.exec(first) ?? []
    if (status === undefined)
      return { responses, fault: `no status line: ${JSON.stringify(first.slice(0, 200))}` }
    const headers: Response['headers'] = []
    for (const line of lines) {
      const [, name, value = ''] = field.exec(line) ?? []
      if (name === undefined)
        return { responses, fault: `no header: ${JSON.stringify(line.slice(0, 200))}` }
      headers.push([name.toLowerCase(), value])
    }
    at = end + 4
    const head = { status: Number(status), headers, body: '' }
    if (head.status < 200) continue
    const length = lengthOf(head, methods[responses.length] ?? 'GET')
    if (typeof length === 'string') return { responses, fault: length }
    const body = bytes.subarray(at, at + length)
    if (body.length < length)
      return { responses, fault: `a body of ${body.length} bytes that should have ${length}` }
    responses.push({ ...head, body: body.toString('utf8') })
    at += length
  }
  return { responses }
}

export function valuesOf({ headers }: Response, name: string): string[] {
  return headers.filter((header) => header[0] === name).map((header) => header[1])
}

/** The bytes of the body. The mock always sends a Content-Length. */
function lengthOf(head: Response, method: string): number | string {
  if (valuesOf(head, 'transfer-encoding').length > 0) return 'a Transfer-Encoding'
  const [length, ...more] = valuesOf(head, 'content-length')
  if (more.length > 0) return 'two Content-Lengths'
  if (length !== undefined && !/^\d{1,9}$/.test(length)) return `a Content-Length of ${length}`
  if (method === 'HEAD' || head.status === 204 || head.status === 304) return 0
  return length === undefined ? 'no Content-Length' : Number(length)
}
