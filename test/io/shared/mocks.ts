/** Several mocks with shared state, and a load balancer in front of them. */

import http from 'node:http'
import { onTestFinished } from 'vitest'

import {
  defaultKey,
  startMock,
  type RunningMock,
  type StartOptions,
} from '../../../src/mock/index.ts'
import { sendTo, type Reply } from '../../unit/control/control.ts'
import type { RedisServer } from '../../support/redis.ts'
import { listen } from '../../support/listen.ts'

let names = 0
/** A unique name: the tests of a file share an engine. */
export const freshName = (): string => `test-${(names += 1)}`

/** Starts mocks with shared state for one test. */
export async function startMocks(
  redis: RedisServer,
  count: number,
  options: StartOptions = {},
): Promise<RunningMock[]> {
  const shared = { url: redis.url, name: freshName(), ...options.shared }
  const mocks: RunningMock[] = []
  onTestFinished(async () => void (await Promise.all(mocks.map((mock) => mock.close()))))
  for (let index = 0; index < count; index += 1)
    mocks.push(await startMock({ pets: 5, ...options, shared }))
  return mocks
}

/** Sends a request on a new connection, to the service with a key. */
export function send(
  port: number,
  method: string,
  target: string,
  {
    body,
    key = defaultKey,
    headers = {},
  }: { body?: unknown; key?: string; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const isService = !target.startsWith('/_petstore')
  return sendTo(port, method, target, {
    body,
    headers: { ...(isService && { authorization: `Bearer ${key}` }), ...headers },
  })
}

/** Starts a load balancer that sends each request to the next mock, and returns its port. */
export async function roundRobin(mocks: readonly RunningMock[]): Promise<number> {
  let turn = 0
  const balancer = http.createServer((request, response) => {
    const { port } = mocks[(turn += 1) % mocks.length] as RunningMock
    const { method, url, rawHeaders } = request
    const to = {
      host: '127.0.0.1',
      port,
      method,
      path: url,
      headers: rawHeaders as never,
      agent: false,
    }
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
