import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { createServer as createRawServer, type AddressInfo, type Socket } from 'node:net'
import { variantKey, type RunningVariant } from '../variants/running-variant.ts'
import { serve } from '../variants/serve.ts'
import { toBrokenServers } from '../../proof/broken/broken-server.ts'
import type { Page } from '../../proof/broken/fault.ts'
import type { Call } from '../../proof/broken/call.ts'

/** A malicious or broken target. */
export interface HostileServer {
  id: string
  start(): Promise<RunningVariant>
}

/** Sends the same hostile response to every request. */
export function hostile(
  id: string,
  respond: (request: IncomingMessage, response: ServerResponse) => void,
): HostileServer {
  const start = (): Promise<RunningVariant> =>
    serve(
      createHttpServer((request, response) => {
        request.resume()
        response.on('error', () => {})
        respond(request, response)
      }),
    )
  return { id, start }
}

/** Sends the same JSON in every response; created at the first request. */
export function hostileJson(id: string, body: () => string, status = 200): HostileServer {
  let bytes: Buffer | undefined
  return hostile(id, (_, response) => {
    bytes ??= Buffer.from(body())
    response.writeHead(status, { 'content-type': 'application/json' }).end(bytes)
  })
}

/** Writes arbitrary bytes to each connection after the first data from the client. */
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
      return { url: `http://127.0.0.1:${port}/v1`, key: variantKey, close }
    },
  }
}

/** A conforming server with one kind of hostile response, so that a run reaches it. */
export function hostileWithin(
  id: string,
  write: (page: Page, call: Call, response: ServerResponse) => Page | undefined,
): HostileServer {
  const [server] = toBrokenServers([[id, [], () => ({ shop: { pets: 40, ids: 'random' }, write })]])
  return { id, start: () => (server as HostileServer).start() }
}

/** Writes as long as the other side reads. */
export function pour(target: Socket | ServerResponse, chunk: string | Buffer): void {
  const go = (): void => {
    while (!target.destroyed && target.writable && target.write(chunk)) {
      // Fill the buffer.
    }
  }
  target.on('drain', go)
  go()
}

/** Writes a chunk at an interval, without an end. */
export function drip(target: Socket | ServerResponse, chunk: string, everyMs: number): void {
  const timer = setInterval(() => {
    if (target.destroyed || !target.writable) clearInterval(timer)
    else target.write(chunk)
  }, everyMs)
}
