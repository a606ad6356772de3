import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { RequirementId } from '../../../src/spec/requirements.ts'
import { variantKey } from '../../support/variants/running-variant.ts'
import { serve } from '../../support/variants/serve.ts'
import type { BrokenServer } from './fault.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

const always =
  (status: number, contentType: string, body: string): Handler =>
  (request, response) => {
    request.resume()
    response
      .writeHead(status, { 'content-type': contentType })
      .end(request.method === 'HEAD' ? undefined : body)
  }

const error = (status: number): string =>
  `{"code":"always","message":"Always so.","status":${status}}`

function trivial(id: string, breaks: readonly RequirementId[], handler: Handler): BrokenServer {
  // Servers without violated requirements look like a wrong address or no service at all.
  const verdict = breaks.length === 0 ? { verdict: 'not-verified' as const } : {}
  return { id, breaks, ...verdict, start: (time) => serve(createServer(handler), { time }) }
}

const pet = '{"id":1,"name":"Rex","categoryId":1,"status":"available"}'

/** Servers that are not a pet store. */
export const trivialServers: BrokenServer[] = [
  trivial(
    'always-empty-list',
    ['create.success', 'list.401'],
    always(200, 'application/json', '[]'),
  ),
  trivial('always-empty-object', [], always(200, 'application/json', '{}')),
  trivial(
    'always-one-pet',
    ['create.success', 'list.401', 'list.success', 'get.success'],
    always(200, 'application/json', pet),
  ),
  trivial(
    'always-the-same-list',
    ['list.401', 'create.success', 'list.status.filter'],
    always(200, 'application/json', `[${pet}]`),
  ),
  trivial(
    'always-201',
    ['list.success', 'create.stored', 'list.401'],
    always(201, 'application/json', pet),
  ),
  trivial('always-204', [], (request, response) => {
    request.resume()
    response.writeHead(204).end()
  }),
  trivial('always-404', [], always(404, 'application/json', error(404))),
  trivial('always-404-html', [], always(404, 'text/html', '<h1>Not Found</h1>')),
  trivial('always-400', ['list.success'], always(400, 'application/json', error(400))),
  trivial('always-401', [], always(401, 'application/json', error(401))),
  trivial('always-401-empty', [], always(401, 'application/json', '')),
  trivial('always-403', [], always(403, 'application/json', error(403))),
  trivial('always-500', ['list.success'], always(500, 'application/json', error(500))),
  trivial('always-503', [], always(503, 'text/plain', 'down')),
  trivial('always-redirect', [], (request, response) => {
    request.resume()
    response.writeHead(307, { location: request.url ?? '/' }).end()
  }),
  trivial('static-page', [], always(200, 'text/html', '<!doctype html><title>Shop</title>')),
  trivial('echo', [], (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    request.pipe(response)
  }),
  trivial('echo-headers', [], (request, response) => {
    request.resume()
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(request.headers))
  }),
  trivial('never-answers', [], (request) => void request.resume()),
  trivial('closes-at-once', [], (request) => void request.socket.destroy()),
  {
    id: 'closed-port',
    breaks: [],
    // No server listens.
    verdict: 'not-verified',
    async start() {
      const gone = await serve(createServer())
      await gone.close()
      return { url: gone.url, key: variantKey, close: async () => {} }
    },
  },
]
