import { createServer, type IncomingHttpHeaders } from 'node:http'
import { connect, type Socket } from 'node:net'
import { listen } from './listen.ts'

/** A CONNECT request. */
interface Asked {
  /** `petstore.invalid:443` */
  host: string
  headers: IncomingHttpHeaders
}

/** The behavior of a proxy: it connects to a local port, responds with a status, or does not respond. */
type Way = { to: number } | { status: number } | 'silence'

/** Starts a proxy that supports only CONNECT, and stops it after the test. */
export async function startProxy(way: Way): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = []
  const server = createServer((_, response) => response.writeHead(405).end())
  server.on('connect', ({ url: host = '', headers }, client: Socket) => {
    asked.push({ host, headers })
    client.on('error', () => {})
    if (way === 'silence') return
    if ('status' in way) {
      client.end(`HTTP/1.1 ${way.status} No\r\nContent-Length: 0\r\n\r\n`)
      return
    }
    const target = connect(way.to, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      target.pipe(client).pipe(target)
    })
    target.on('error', () => client.destroy())
    client.once('close', () => target.destroy())
  })
  return { url: `http://127.0.0.1:${await listen(server)}`, asked }
}
