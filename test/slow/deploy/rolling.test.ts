/** Rolling restarts of shared mocks behind HAProxy, with the configuration in deploy/. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent } from 'undici'
import { expect, onTestFinished, test, vi } from 'vitest'

import { defaultKey } from '../../../src/mock/index.ts'
import { makeFolder } from '../../support/folder.ts'
import { engineCommand, MockProcess } from '../../support/machines.ts'
import { freePort, startRedis } from '../../support/redis.ts'

const config = readFileSync(join(import.meta.dirname, '../../../deploy/haproxy.cfg'), 'utf8')
const hasBalancer = spawnSync('haproxy', ['-v']).status === 0
const isMissing = engineCommand === undefined || !hasBalancer
const title =
  'no creation fails while each mock is replaced in turn (needs redis-server and haproxy)'

/** Starts HAProxy before mocks on these ports; only addresses are changed in its configuration. */
async function startBalancer(ports: readonly number[]): Promise<string> {
  const port = await freePort()
  const local = ports.reduce(
    (text, mock, index) => text.replace(`mock-${index + 1}:4010`, `127.0.0.1:${mock}`),
    config.replace('bind :8080', `bind 127.0.0.1:${port}`),
  )
  const file = join(makeFolder(), 'haproxy.cfg')
  writeFileSync(file, local)
  const balancer = spawn('haproxy', ['-db', '-f', file])
  let output = ''
  balancer.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  onTestFinished(async () => {
    balancer.kill('SIGKILL')
    if (balancer.exitCode === null && balancer.signalCode === null) await once(balancer, 'exit')
  })
  const origin = `http://127.0.0.1:${port}`
  await vi.waitUntil(
    async () => {
      if (balancer.exitCode !== null) throw new Error(`HAProxy has ended: ${output}`)
      return (await fetch(`${origin}/_petstore/ready`).catch(() => undefined))?.ok
    },
    { timeout: 30_000 },
  )
  return origin
}

/** Creates pets on several connections, which stay open, until it is stopped. */
function keepCreating(origin: string) {
  const agent = new Agent({ connections: 8 })
  const created = new Map<string, number>()
  const failures: string[] = []
  const over = new AbortController()
  async function work(worker: number): Promise<void> {
    for (let turn = 0; !over.signal.aborted; turn += 1) {
      const name = `pet-${worker}-${turn}`
      try {
        const { statusCode, body } = await agent.request({
          origin,
          path: '/v1/pets',
          method: 'POST',
          headers: { authorization: `Bearer ${defaultKey}`, 'content-type': 'application/json' },
          body: JSON.stringify({ name, categoryId: 1 }),
        })
        const text = await body.text()
        if (statusCode === 201) created.set(name, (JSON.parse(text) as { id: number }).id)
        else failures.push(`${statusCode} ${text}`)
      } catch (error) {
        failures.push(String(error))
      }
    }
  }
  const done = Promise.all(Array.from({ length: 8 }, (_, worker) => work(worker)))
  return {
    created,
    failures,
    async stop() {
      over.abort()
      await done
      await agent.close()
    },
  }
}

test.skipIf(isMissing)(title, async () => {
  const engine = await startRedis()
  onTestFinished(() => engine.remove())
  const ports = [await freePort(), await freePort(), await freePort()]
  const flags = ['--shared', engine.url, '--pets', '3', '--drain', '2s']
  const mocks = ports.map((port, index) => new MockProcess(`mock-${index + 1}`, flags, { port }))
  onTestFinished(async () => {
    for (const mock of mocks) await mock.end('SIGKILL')
  })
  await Promise.all(mocks.map((mock) => mock.start()))
  const origin = await startBalancer(ports)
  const creating = keepCreating(origin)
  const more = async (): Promise<void> => {
    const until = creating.created.size + 50
    await vi.waitUntil(() => creating.created.size >= until, { timeout: 60_000 })
  }

  for (const mock of mocks) {
    await more()
    expect(await mock.end('SIGTERM'), mock.errors).toBe(0)
    await mock.start()
    // The load balancer sends it requests again.
    await vi.waitUntil(() => isServing(mock), { timeout: 60_000 })
  }
  await more()
  await creating.stop()

  expect(creating.failures).toEqual([])
  const exported = await fetch(`${origin}/_petstore/pets`)
  const pets = (await exported.json()) as { id: number; name: string }[]
  const created = pets.filter(({ name }) => name.startsWith('pet-'))
  expect(new Map(created.map(({ id, name }) => [name, id]))).toEqual(creating.created)
  process.stdout.write(`${creating.created.size} creations while 3 mocks were replaced\n`)
})

/** Whether a mock has received a creation since it was started. */
async function isServing(mock: MockProcess): Promise<boolean> {
  const metrics = await (await fetch(`${mock.origin()}/_petstore/metrics`)).text()
  return /^petstore_requests_total\{[^}]*operation="createPet"[^}]*\} [1-9]/m.test(metrics)
}
