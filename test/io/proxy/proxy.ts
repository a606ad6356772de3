import { createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { ProxyOptions } from '../../../src/proxy/forward.ts'
import { startProxy, type RunningProxy } from '../../../src/cli/proxy/proxy-run.ts'
import type { LoggedRequest } from '../../../src/mock/sandbox/types.ts'
import { openSocket, type RawSocket } from '../../unit/mock/raw-socket.ts'
import { Arrivals } from '../../support/arrivals.ts'
import { listen } from '../../support/listen.ts'

/** A scripted deployment. */
export interface Upstream {
  url: string
  /** The received text of each connection. */
  received: string[]
  sockets: Socket[]
  /** Resolves when the text of a connection matches. */
  until: (pattern: RegExp) => Promise<string>
  /** Resolves when a connection is closed by the proxy. */
  closed: Promise<void>
}

/** @param onData called with the text of a connection so far. */
export async function startUpstream(
  onData: (socket: Socket, text: string) => void,
): Promise<Upstream> {
  const received: string[] = []
  const sockets: Socket[] = []
  const arrivals = new Arrivals()
  let close: () => void = () => {}
  const closed = new Promise<void>((resolve) => (close = resolve))
  const server = createServer((socket) => {
    const index = sockets.push(socket) - 1
    received[index] = ''
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      received[index] += text
      onData(socket, received[index] ?? '')
      arrivals.notice()
    })
    socket.on('close', close).on('error', () => {})
  })
  const port = await listen(server)
  const until = (pattern: RegExp): Promise<string> =>
    arrivals.until(() => received.find((text) => pattern.test(text)))
  return { url: `http://127.0.0.1:${port}/v1`, received, sockets, until, closed }
}

/** Starts a deployment that responds to each complete request head with the same bytes. */
export const respondWith = (response: string): Promise<Upstream> =>
  startUpstream((socket, text) => {
    if (text.includes('\r\n\r\n')) socket.write(response, 'latin1')
  })

export async function proxyOf(
  url: string,
  more: Partial<ProxyOptions> = {},
): Promise<RunningProxy & { port: number }> {
  const ordinary = { proxy: undefined, timeoutMs: 30_000, port: 0, host: '127.0.0.1' }
  const proxy = await startProxy({ target: new URL(url), ...ordinary, ...more })
  onTestFinished(() => proxy.close())
  return { ...proxy, port: Number(new URL(proxy.url).port) }
}

/** Sends bytes through a proxy on a new connection. */
export function through({ port }: { port: number }, request: string): RawSocket {
  const socket = openSocket(port)
  onTestFinished(() => void socket.socket.destroy())
  socket.send(request)
  return socket
}

export const get = (path = '/v1/pets', headers = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}Connection: close\r\n\r\n`

/** Sends a request through a proxy to a deployment that responds with these bytes. */
export async function exchange(response: string, request = get()) {
  const upstream = await respondWith(response)
  return { upstream, received: await through(await proxyOf(upstream.url), request).closed() }
}

/** Collects the log of a proxy; `nth` resolves when it has this many entries. */
export function logOf() {
  const logged: LoggedRequest[] = []
  const arrivals = new Arrivals()
  return {
    onRequest(request: LoggedRequest): void {
      logged.push(request)
      arrivals.notice()
    },
    nth: (count: number) => arrivals.until(() => (logged.length >= count ? logged : undefined)),
  }
}
