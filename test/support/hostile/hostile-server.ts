import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createRawServer, type AddressInfo, type Socket } from 'node:net'
import { twinKey, type RunningTwin } from '../twins/running-twin.ts'
import { serve } from '../twins/serve.ts'
import { toBrokenServers } from '../../proof/broken/broken-server.ts'
import type { Page } from '../../proof/broken/fault.ts'
import type { Call } from '../../proof/broken/call.ts'

/** A target that means harm to whoever asks it, or has gone mad. */
export interface HostileServer {
  id: string
  start(): Promise<RunningTwin>
}

/** Answers each request in the same hostile way. */
export function hostile(
  id: string,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): HostileServer {
  const start = (): Promise<RunningTwin> =>
    serve(
      createHttpServer((request, response) => {
        request.resume()
        response.on('error', () => {})
        answer(request, response)
      }),
    )
  return { id, start }
}

/** Answers each request with the same JSON, made when it is first asked for. */
export function hostileJson(id: string, body: () => string, status = 200): HostileServer {
  let bytes: Buffer | undefined
  return hostile(id, (_, response) => {
    bytes ??= Buffer.from(body())
    response.writeHead(status, { 'content-type': 'application/json' }).end(bytes)
  })
}

/** Speaks as it likes on each connection, once something was sent on it. */
export function hostileSocket(id: string, speak: (socket: Socket) => void): HostileServer {
  return {
    id,
    async start() {
      const sockets = new Set<Socket>()
      const server = createRawServer((socket) => {
        sockets.add(socket)
        socket.on('error', () => {})
        socket.on('close', () => sockets.delete(socket))
        socket.once('data', () => speak(socket))
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as AddressInfo
      const close = (): Promise<void> =>
        new Promise((resolve) => {
          server.close(() => resolve())
          for (const socket of sockets) socket.destroy()
        })
      return { url: `http://127.0.0.1:${port}/v1`, key: twinKey, close }
    },
  }
}

/** A lawful server whose answers turn hostile in one place, so that a run gets as far as that. */
export function hostileWithin(
  id: string,
  write: (page: Page, call: Call, response: ServerResponse) => Page | undefined,
): HostileServer {
  const [server] = toBrokenServers([[id, [], () => ({ shop: { pets: 40, ids: 'random' }, write })]])
  return { id, start: () => (server as HostileServer).start() }
}

/** Writes for as long as the other side reads. */
export function pour(target: Socket | ServerResponse, chunk: string | Buffer): void {
  const go = (): void => {
    while (!target.destroyed && target.writable && target.write(chunk)) {
      // As much as the buffer takes.
    }
  }
  target.on('drain', go)
  go()
}

/** Writes a little at a time, for ever. */
export function drip(target: Socket | ServerResponse, chunk: string, everyMs: number): void {
  const timer = setInterval(() => {
    if (target.destroyed || !target.writable) clearInterval(timer)
    else target.write(chunk)
  }, everyMs)
}
