/** A gateway as stagings have them: it wants a header of its own, and limits the rate. */
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { type Finished, Project, startMock, whenOver } from './project.ts'

export const secrets = {
  PETSTORE_STAGING_KEY: 'staging-key-5f1c',
  PETSTORE_GATEWAY_SECRET: 'gateway-secret-77ab',
}

/** A configuration that names the gateway and its header. */
export const configOf = (baseUrl: string) => ({
  deployments: {
    staging: {
      baseUrl,
      keyEnv: 'PETSTORE_STAGING_KEY',
      headers: { 'x-api-key': { env: 'PETSTORE_GATEWAY_SECRET' } },
    },
  },
})

/** A staging: one service at a time behind the gateway. */
export class Staging {
  readonly #operator = new Project()
  readonly #requestsPerSecond: number
  #behind = ''
  #window = { startedAt: 0, requests: 0 }
  #stop = async (): Promise<unknown> => undefined

  constructor(requestsPerSecond = Infinity) {
    this.#requestsPerSecond = requestsPerSecond
  }

  /** Starts the gateway, and returns its base URL. */
  async open(): Promise<string> {
    const gateway = createServer((incoming, outgoing) => {
      const send = (status: number, type: string, body: string, headers = {}): void => {
        outgoing.writeHead(status, { 'content-type': type, ...headers }).end(body)
      }
      if (incoming.headers['x-api-key'] !== secrets.PETSTORE_GATEWAY_SECRET) {
        send(403, 'application/json', '{"message":"Forbidden"}')
        return
      }
      if (this.#isTooFast()) {
        send(429, 'text/html', '<h1>Too many requests</h1>', { 'retry-after': '1' })
        return
      }
      const { hostname, port } = new URL(this.#behind)
      const { method, url: path, headers } = incoming
      const forwarded = request({ hostname, port, method, path, headers }, (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.rawHeaders)
        reply.pipe(outgoing)
      })
      forwarded.on('error', () => send(502, 'text/html', '<h1>Bad gateway</h1>'))
      incoming.pipe(forwarded)
    })
    whenOver(() => {
      gateway.close()
      gateway.closeAllConnections()
    })
    gateway.listen(0, '127.0.0.1')
    await once(gateway, 'listening')
    return `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/v1`
  }

  #isTooFast(): boolean {
    if (Date.now() - this.#window.startedAt > 1_000)
      this.#window = { startedAt: Date.now(), requests: 0 }
    this.#window.requests += 1
    return this.#window.requests > this.#requestsPerSecond
  }

  /** Deploys a service: stops the one before, and starts another one behind the same gateway. */
  async deploy(options = ''): Promise<void> {
    await this.#stop()
    const mock = await startMock(this.#operator, `--key ${secrets.PETSTORE_STAGING_KEY} ${options}`)
    this.#stop = mock.stop
    this.#behind = mock.url
  }
}

export function expectNoSecret(text: string): void {
  for (const secret of Object.values(secrets)) expect(text).not.toContain(secret)
}

/** Runs a command, and checks that it shows neither a secret nor a stack trace. */
export async function runSafely(project: Project, line: string): Promise<Finished> {
  const finished = await project.run(line)
  expectNoSecret(finished.stdout + finished.stderr)
  expect(finished.stderr).not.toMatch(/^ {4}at /m)
  return finished
}
