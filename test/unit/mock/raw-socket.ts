import { connect, type Socket } from 'node:net'

/** A connection that sends bytes as they are. */
export interface RawSocket {
  socket: Socket
  /** Sends text, one byte a character. */
  send(text: string): void
  /** Everything that came, once the text matches, or the other side has closed. */
  until(pattern: RegExp): Promise<string>
  /** Everything that came, once the other side has closed. */
  closed(): Promise<string>
}

/** Opens a connection to a port of this machine. */
export function openSocket(port: number): RawSocket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let received = ''
  let ended = false
  const waiting = new Set<() => void>()
  const wake = (): void => {
    for (const check of waiting) check()
  }
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    received += text
    wake()
  })
  const end = (): void => {
    ended = true
    socket.end()
    wake()
  }
  socket.on('end', end).on('close', end)
  // A reset shows as a close.
  socket.on('error', () => {})

  const when = (condition: () => boolean): Promise<string> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!condition()) return
        waiting.delete(check)
        resolve(received)
      }
      waiting.add(check)
      check()
    })
  return {
    socket,
    send: (text) => void socket.write(text, 'latin1'),
    until: (pattern) => when(() => ended || pattern.test(received)),
    closed: () => when(() => ended),
  }
}

/** The statuses of the replies in what came. */
export function statusesOf(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]))
}

/** The body of the last reply in what came. */
export function lastBodyOf(received: string): string {
  return received.slice(received.lastIndexOf('\r\n\r\n') + 4)
}
