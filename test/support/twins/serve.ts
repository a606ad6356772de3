import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { duplexPair } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { Agent } from 'undici'
import { twinKey, type RunningTwin, type Time } from './running-twin.ts'

export const systemTime: Time = { now: () => Date.now(), sleep: (ms) => wait(ms) }

/** Listens on a free loopback port; or, where it runs by a time of its own, is called through its dispatcher only. */
export async function serve(
  server: Server,
  { time, key = twinKey, path = '/v1' }: { time?: Time | undefined; key?: string; path?: string } = {},
): Promise<RunningTwin> {
  if (time !== undefined) {
    const dispatcher = connectInProcess(server)
    return { url: `http://localhost:1${path}`, key, dispatcher, close: async () => dispatcher.destroy() }
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, key, close }
}

/** Sends requests to a server through pairs of streams in place of sockets. */
function connectInProcess(server: Server): Agent {
  return new Agent({
    connections: 64,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(_, done) {
      const [ours, its] = duplexPair()
      // A connection that one side destroys is gone for the other.
      its.once('close', () => ours.destroy())
      ours.once('close', () => its.destroy())
      server.emit('connection', its)
      queueMicrotask(() => done(null, ours as Socket))
    },
  })
}

/** Breaks a connection without a goodbye. */
export function reset(socket: Socket): void {
  // A pair of streams knows only one end.
  if ('resetAndDestroy' in socket) socket.resetAndDestroy()
  else (socket as Socket).destroy()
}
