/** Several mocks that are one, and a load balancer before them. */

import http from 'node:http'
import { onTestFinished } from 'vitest'

import { defaultKey, startMock, type RunningMock, type StartOptions } from '../../../src/mock/index.ts'
import { ask, type Reply } from '../../unit/control/control.ts'
import type { RedisServer } from '../../support/redis.ts'
import { listen } from '../../support/listen.ts'

let names = 0
/** A name that no other test has: the tests of a file share an engine. */
export const freshName = (): string => `test-${(names += 1)}`

/** Starts mocks that are one, for one test. */
export async function startMocks(
  redis: RedisServer,
  count: number,
  options: StartOptions = {},
): Promise<RunningMock[]> {
  const shared = { url: redis.url, name: freshName(), ...options.shared }
  const mocks: RunningMock[] = []
  onTestFinished(async () => void (await Promise.all(mocks.map((mock) => mock.close()))))
  for (let index = 0; index < count; index += 1) mocks.push(await startMock({ pets: 5, ...options, shared }))
  return mocks
}

/** Sends one request on a connection of its own, to the service with a key. */
export function send(
  port: number,
  method: string,
  target: string,
  { body, key = defaultKey, headers = {} }: { body?: unknown; key?: string; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const isService = !target.startsWith('/_petstore')
  return ask(port, method, target, {
    body,
    headers: { ...(isService && { authorization: `Bearer ${key}` }), ...headers },
  })
}

/** A load balancer: each request goes to the next mock. Its port. */
export async function roundRobin(mocks: readonly RunningMock[]): Promise<number> {
  let turn = 0
  const balancer = http.createServer((request, response) => {
    const { port } = mocks[(turn += 1) % mocks.length] as RunningMock
    const { method, url, rawHeaders } = request
    const to = { host: '127.0.0.1', port, method, path: url, headers: rawHeaders as never, agent: false }
    const onward = http.request(to)
    onward.on('response', (reply) => {
      response.writeHead(reply.statusCode ?? 0, reply.rawHeaders)
      reply.pipe(response)
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  return listen(balancer)
}
