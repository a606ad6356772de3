import type { ServerResponse } from 'node:http'
import type { ServerOptions } from 'node:https'
import { createMock, type MockOptions } from '../../src/mock/index.ts'
import { type Answer, type Received, startServer } from './http-server.ts'

/** The accepted key: long enough, and with letters in both cases. */
export const key = 'Kit-Test_key.7aB'

/** Responds instead of the mock; `false` passes the request to the mock. */
type Override = (request: Received, response: ServerResponse) => unknown

const answersOf = (options: MockOptions, override: Override): Answer => {
  const mock = createMock({
    ...(options.data === undefined && { pets: 30 }),
    keys: [key],
    ...options,
  })
  return async (request, response) => {
    if ((await override(request, response)) !== false) return
    const { method, target, headers, body } = request
    const reply = await mock.handle({ method, target, headers, body })
    response.writeHead(reply.status, reply.headers).end(reply.body)
  }
}

/** Starts a conforming store, except for the responses of `override`, and records the requests. */
export const startStore = (options: MockOptions = {}, override: Override = () => false) =>
  startServer(answersOf(options, override))

/** Starts such a store with TLS. */
export const startHttpsStore = (secure: ServerOptions, override: Override = () => false) =>
  startServer(answersOf({}, override), secure)
