import { createServer, request as send, type IncomingHttpHeaders } from 'node:http'
import { connect, type Socket } from 'node:net'
import { listen } from './listen.ts'

interface Asked {
  /** Of a tunnel (CONNECT): `petstore.invalid:443`. Of a request to pass on: `http://petstore.invalid/v1/pets`. */
  host: string
  headers: IncomingHttpHeaders
}

/** The behavior of a proxy: it connects to a local port, responds with a status, or does not respond. */
type Way = { to: number } | { status: number } | 'silence'

/** Starts a proxy that opens tunnels to port 443 alone, as Squid does, and stops it after the test. */
export async function startProxy(way: Way): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = []
  const server = createServer((message, response) => {
    const { url: host = '', headers, method } = message
    asked.push({ host, headers })
    if (way === 'silence') return
    if ('status' in way) {
      response.writeHead(way.status).end()
      return
    }
    const { hostname, pathname, search } = new URL(host)
    if (headers.host !== hostname) {
      response.writeHead(400).end()
      return
    }
    const { 'proxy-authorization': _, ...passed } = headers
    const path = pathname + search
    const onward = send({ port: way.to, method, path, headers: passed }, (arrived) => {
      response.writeHead(arrived.statusCode ?? 502, arrived.headers)
      arrived.pipe(response)
    })
    onward.on('error', () => response.destroy())
    message.pipe(onward)
  })
  server.on('connect', ({ url: host = '', headers }, client: Socket) => {
    asked.push({ host, headers })
    client.on('error', () => {})
    if (way === 'silence') return
    if ('status' in way || host.endsWith(':80')) {
      const status = 'status' in way ? way.status : 403
      client.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`)
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
