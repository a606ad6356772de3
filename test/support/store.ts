import type { ServerResponse } from 'node:http'
import type { ServerOptions } from 'node:https'
import { createMock, type MockOptions } from '../../src/mock/index.ts'
import { type Answer, type Received, startServer } from './http-server.ts'

/** The key that is let in: long enough, and with letters in both cases. */
export const key = 'Kit-Test_key.7aB'

/** Answers in place of the mock; `false` leaves the request to it. */
type Override = (request: Received, response: ServerResponse) => unknown

const answersOf = (options: MockOptions, override: Override): Answer => {
  const mock = createMock({ pets: 30, keys: [key], ...options })
  return async (request, response) => {
    if ((await override(request, response)) !== false) return
    const { method, target, headers, body } = request
    const reply = await mock.handle({ method, target, headers, body })
    response.writeHead(reply.status, reply.headers).end(reply.body)
  }
}

/** Starts a store that keeps the contract, but for what `override` answers, and tells what it was asked. */
export const startStore = (options: MockOptions = {}, override: Override = () => false) =>
  startServer(answersOf(options, override))

/** Starts such a store behind TLS. */
export const startHttpsStore = (secure: ServerOptions, override: Override = () => false) =>
  startServer(answersOf({}, override), secure)
