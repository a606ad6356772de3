/** The engine of shared mocks on a free TCP port, in a temporary folder. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'vitest'

import { Engine, engineCommand } from './machines.ts'

const needed =
  '(needs redis-server or valkey-server 7 on the PATH: `apt-get install redis-server`, or `brew install valkey`)'

/** Tests with an engine. A machine without one skips them as one, whose title says what they need. */
export function describeWithEngine(title: string, tests: () => void): void {
  const isThere = engineCommand !== undefined
  test.runIf(isThere).each(isThere ? [] : [title])(`%s ${needed}`, () => {})
  describe.each(isThere ? [title] : [])('%s', () => {
    tests()
  })
}

/** An engine on a TCP port that stays the same after a restart. */
export class RedisServer extends Engine {
  readonly port: number
  readonly folder: string
  readonly url: string

  constructor(folder: string, port: number, options: readonly string[]) {
    super(folder, ['--port', String(port), '--bind', '127.0.0.1', ...options])
    this.folder = folder
    this.port = port
    this.url = `redis://127.0.0.1:${port}`
  }

  async remove(): Promise<void> {
    await this.kill()
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** @param options of the command line, such as `--appendonly yes`. */
export async function startRedis(...options: string[]): Promise<RedisServer> {
  const server = new RedisServer(
    mkdtempSync(join(tmpdir(), 'petstore-redis-')),
    await freePort(),
    options,
  )
  await server.start()
  return server
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
