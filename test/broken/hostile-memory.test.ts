import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { HostileServer } from './hostile-server.ts'
import { hostileBodies, hostileConversations, hostileTraps } from './hostile-servers.ts'

const cli = fileURLToPath(new URL('../../dist/bin/petstore.js', import.meta.url))
const peakMemory = new URL('peak-memory.mjs', import.meta.url).href

/** MiB that `petstore verify` may hold: four answers of 16 MiB at a time, as bytes, as text and as values. */
const most = 500

/** Those that would fill any memory if they were let. */
const greedy = [
  'endless-body',
  '100-megabytes',
  'gzip-bomb',
  'gzip-bomb-in-gzip',
  'brotli-bomb',
  '100000-pets',
  'deep-arrays',
  'endless-header',
  'flood-of-100',
]

/** Runs `petstore verify` to its end and returns its exit code and the most memory that it held, in MiB. */
async function verify({ start }: HostileServer): Promise<{ code: number | null; peak: number }> {
  const server = await start()
  const flags = ['--timeout', '1', '--retry-budget', '3', '--settle', '0.3', '--only', 'list.limit.*']
  const own = Object.entries(process.env).filter(([name]) => !/^(PETSTORE_|NODE_|VITEST|GITHUB_)/.test(name))
  const child = spawn(process.execPath, ['--import', peakMemory, cli, 'verify', server.url, ...flags], {
    env: { ...Object.fromEntries(own), PETSTORE_API_KEY: server.key },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 60_000,
    killSignal: 'SIGKILL',
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  await server.close()
  return { code, peak: Number(/^peak (\d+)$/m.exec(stderr)?.[1]) / 1024 }
}

describe('the memory of a run stays bounded when it meets', () => {
  const servers = [...hostileBodies, ...hostileConversations, ...hostileTraps]
  test.each(greedy)('%s', { timeout: 90_000 }, async (id) => {
    const server = servers.find((candidate) => candidate.id === id)
    const { code, peak } = await verify(server as HostileServer)
    expect([0, 1, 3]).toContain(code)
    expect(peak).toBeGreaterThan(20)
    expect(peak).toBeLessThan(most)
  })
})
