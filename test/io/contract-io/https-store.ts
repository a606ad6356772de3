import { createServer, type ServerOptions } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { createMock } from '../../../src/mock/index.ts'
import { listen } from '../../support/listen.ts'
import type { Certified } from './certificate.ts'

/** The key that is let in. */
export const key = 'Kit-Test_key.7aB'

/** A request that came, and what its connection is known to be. */
interface Visit {
  method: string
  authorization: string | undefined
  socket: TLSSocket
}

/**
 * Starts a store behind TLS on a free port of the loopback address, and stops it when the test is over.
 *
 * @param authorize the Authorization that the store sees in place of the one that was sent
 */
export async function startHttpsStore(
  certified: Certified & ServerOptions,
  authorize: (visit: Visit) => string | undefined = ({ authorization }) => authorization,
): Promise<{ url: string; port: number; visits: Visit[] }> {
  const mock = createMock({ pets: 30, keys: [key] })
  const visits: Visit[] = []
  const server = createServer(certified, (incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    const answer = async (): Promise<void> => {
      const { method = '', url: target = '', headers, socket } = incoming
      const visit = { method, authorization: headers.authorization, socket: socket as TLSSocket }
      visits.push(visit)
      const authorization = authorize(visit)
      const body = Buffer.concat(chunks).toString()
      const reply = await mock.handle({ method, target, headers: { ...headers, authorization }, body })
      response.writeHead(reply.status, reply.headers).end(reply.body)
    }
    incoming.once('end', () => void answer())
  })
  server.on('tlsClientError', () => {})
  const port = await listen(server)
  return { url: `https://127.0.0.1:${port}/v1`, port, visits }
}
