import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttpsServer, type ServerOptions } from 'node:https'
import { listen } from './listen.ts'

/** A request that a test server received. */
export interface Received {
  method: string
  /** The request target with the base path: `/v1/pets?limit=5`. */
  target: string
  headers: IncomingHttpHeaders
  body: string
  /** Number of the request on this server, from 0. */
  index: number
  /** Number of its connection, from 0. */
  connection: number
}

export type Answer = (request: Received, response: ServerResponse) => unknown

/**
 * Starts a server on a free loopback port, and stops it after the test.
 *
 * @param secure the TLS certificate
 * @returns its base URL and the received requests
 */
export async function startServer(
  respond: Answer,
  secure?: ServerOptions,
): Promise<{ url: string; port: number; requests: Received[] }> {
  const requests: Received[] = []
  const connections = new Map<object, number>()
  const listener: RequestListener = (incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('error', () => {})
    incoming.once('end', () => {
      const { method = '', url: target = '', headers, socket } = incoming
      const body = Buffer.concat(chunks).toString()
      const connection = connections.get(socket) ?? connections.size
      connections.set(socket, connection)
      const request = { method, target, headers, body, index: requests.length, connection }
      requests.push(request)
      void respond(request, response)
    })
  }
  const port = await listen(secure ? createHttpsServer(secure, listener) : createServer(listener))
  return { url: `${secure ? 'https' : 'http'}://127.0.0.1:${port}/v1`, port, requests }
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers = {},
): void {
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(value))
}
