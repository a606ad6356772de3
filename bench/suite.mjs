/** How long the contract suite takes against the mock, as its user waits for it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

import { mock, petstore } from './contestants.mjs'
import { key } from './operations.mjs'
import { startServer } from './server-process.mjs'

/**
 * Runs `petstore verify` against a new mock, again and again.
 *
 * @returns milliseconds from the start of the process to its end, those of the run itself, and the requests of one run.
 */
export async function measureSuite({ rounds, folder, tell }) {
  const [wallMs, runMs] = [[], []]
  let requests = 0
  for (let round = 0; round <= rounds; round += 1) {
    tell(`\rthe suite: round ${round} of ${rounds} `)
    const server = await startServer(mock, { pets: 100, folder })
    const args = ['verify', `http://127.0.0.1:${server.port}/v1`, '--key', key, '--reporter', 'json']
    const startedAt = performance.now()
    const child = spawn(process.execPath, [petstore, ...args], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const chunks = []
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    await once(child, 'close')
    const elapsedMs = performance.now() - startedAt
    const report = JSON.parse(Buffer.concat(chunks).toString())
    requests = report.counts.requests
    if (round > 0) {
      wallMs.push(elapsedMs)
      runMs.push(report.durationMs)
    }
    await server.stop()
  }
  tell('\n')
  return { wallMs, runMs, requests }
}
