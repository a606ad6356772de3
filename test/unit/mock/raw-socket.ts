import { connect, type Socket } from 'node:net'
import { Arrivals } from '../../support/arrivals.ts'

/** A raw TCP connection. */
export interface RawSocket {
  socket: Socket
  /** Sends text as Latin-1, one byte per character. */
  send(text: string): void
  /** Resolves with all received text once it matches or the connection is closed. */
  until(pattern: RegExp): Promise<string>
  /** Resolves with all received text once the connection is closed. */
  closed(): Promise<string>
}

export function openSocket(port: number): RawSocket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let received = ''
  let ended = false
  const arrivals = new Arrivals()
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    received += text
    arrivals.notice()
  })
  const end = (): void => {
    ended = true
    socket.end()
    arrivals.notice()
  }
  socket.on('end', end).on('close', end)
  // A reset also emits `close`.
  socket.on('error', () => {})

  return {
    socket,
    send: (text) => void socket.write(text, 'latin1'),
    until: (pattern) =>
      arrivals.until(() => (ended || pattern.test(received) ? received : undefined)),
    closed: () => arrivals.until(() => (ended ? received : undefined)),
  }
}

export function statusesOf(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]))
}

export const lastBodyOf = (received: string): string =>
  received.slice(received.lastIndexOf('\r\n\r\n') + 4)
