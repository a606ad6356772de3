/** Other forms of the engine: a cluster, and TLS with a password. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

import { sandboxKey } from '../../../src/mock/index.ts'
import { startProcess } from '../../io/cli/command.ts'
import { createAuthority, createCertificate } from '../../support/certificate.ts'
import { send, startMocks } from '../../io/shared/mocks.ts'
import { describeWithEngine, freePort, type RedisServer, startRedis } from '../../support/redis.ts'

/** Starts a cluster of three primaries. */
async function startCluster(): Promise<RedisServer[]> {
  const servers: RedisServer[] = []
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server.remove()))))
  for (let index = 0; index < 3; index += 1) {
    const bus = String(await freePort())
    const options = ['--cluster-port', bus, '--cluster-require-full-coverage', 'no']
    const server = await startRedis('--cluster-enabled', 'yes', ...options)
    servers.push(server)
    const [from, to] = [index * 5_462, Math.min(index * 5_462 + 5_461, 16_383)]
    await server.command('CLUSTER', 'ADDSLOTSRANGE', String(from), String(to))
    await servers[0]!.command('CLUSTER', 'MEET', '127.0.0.1', String(server.port), bus)
  }
  for (const server of servers) {
    const info = (): Promise<string> => server.command('CLUSTER', 'INFO')
    await expect
      .poll(info, { timeout: 60_000, interval: 100 })
      .toMatch(/cluster_state:ok[^]*cluster_known_nodes:3/)
  }
  return servers
}

describeWithEngine('a shared mock', () => {
  test('in a cluster has sandboxes on all nodes, one list and one journal', async () => {
    const servers = await startCluster()
    const [one, two] = await startMocks(servers[0]!, 2)
    const names = Array.from({ length: 12 }, (_, index) => `team-${index}`)
    for (const name of names) {
      const key = sandboxKey(name)
      const created = await send(one!.port, 'POST', '/v1/pets', {
        body: { name: 'Rex', categoryId: 1 },
        key,
      })
      expect(created.status).toBe(201)
      expect((await send(two!.port, 'GET', '/v1/pets/6', { key })).json).toEqual(created.json)
    }
    const sizes = await Promise.all(servers.map((server) => server.command('DBSIZE')))
    for (const size of sizes) expect(Number(size)).toBeGreaterThan(0)
    const { json } = await send(two!.port, 'GET', '/_petstore/sandboxes')
    expect(json.sandboxes.map(({ name }: { name: string }) => name).toSorted()).toEqual(
      names.toSorted(),
    )
    const numbers = async (): Promise<number[]> => {
      const { json } = await send(one!.port, 'GET', '/_petstore/sandboxes/team-3/journal')
      return json.entries.map(({ number }: { number: number }) => number)
    }
    await expect.poll(numbers).toEqual([1, 2])
    await send(two!.port, 'DELETE', '/_petstore/sandboxes/team-3')
    expect((await send(one!.port, 'GET', '/_petstore/sandboxes/team-3')).status).toBe(404)
  })

  test('in a cluster starts at a replica', async () => {
    const servers = await startCluster()
    const bus = String(await freePort())
    const replica = await startRedis('--cluster-enabled', 'yes', '--cluster-port', bus)
    onTestFinished(() => replica.remove())
    const [primary] = servers
    await primary!.command('CLUSTER', 'MEET', '127.0.0.1', String(replica.port), bus)
    const id = await primary!.command('CLUSTER', 'MYID')
    const follow = (): Promise<string> =>
      replica.command('CLUSTER', 'REPLICATE', id).catch(({ message }: Error) => message)
    await expect.poll(follow, { timeout: 60_000 }).toBe('OK')
    const role = (): Promise<string> => replica.command('INFO', 'replication')
    await expect.poll(role, { timeout: 60_000 }).toMatch(/role:slave[^]*master_link_status:up/)
    const [one] = await startMocks(replica, 1)
    const body = { name: 'Rex', categoryId: 1 }
    expect((await send(one!.port, 'POST', '/v1/pets', { body })).status).toBe(201)
  })

  test('in a cluster works without the node of the URL', async () => {
    const servers = await startCluster()
    // The first node holds the sandbox `a` of this name, but neither the record of the mocks nor their own sandbox.
    const [name, gone] = ['out', sandboxKey('a')]
    const mocks = await startMocks(servers[0]!, 2, { shared: { url: servers[0]!.url, name } })
    servers[0]!.signal('SIGSTOP')
    for (const { port } of mocks)
      expect((await send(port, 'GET', '/v1/pets', { key: gone })).status).toBe(503)
    for (const { port } of mocks) {
      await expect.poll(async () => (await send(port, 'GET', '/v1/pets')).status).toBe(200)
    }
    await expect
      .poll(
        async () => (await send(mocks[0]!.port, 'GET', '/_petstore/journal')).json.entries.length,
      )
      .toBeGreaterThan(1)
  })

  test('works over TLS, with a password that is in no output', async () => {
    const password = 'Xq7-secret-password'
    const authority = createAuthority('Engine authority')
    const { cert, key } = createCertificate({ name: 'engine', hosts: ['127.0.0.1'] }, authority)
    const redis = await startRedis()
    onTestFinished(() => redis.remove())
    const [tlsPort, folder] = [await freePort(), redis.folder]
    const files = {
      cert: join(folder, 'cert.pem'),
      key: join(folder, 'key.pem'),
      ca: join(folder, 'ca.pem'),
    }
    for (const [name, text] of Object.entries({ cert, key, ca: authority.cert })) {
      writeFileSync(files[name as keyof typeof files], text)
    }
    const set = async (name: string, value: string) =>
      expect(await redis.command('CONFIG', 'SET', name, value), name).toBe('OK')
    await set('tls-cert-file', files.cert)
    await set('tls-key-file', files.key)
    await set('tls-ca-cert-file', files.ca)
    await set('tls-auth-clients', 'no')
    await set('tls-port', String(tlsPort))
    await set('requirepass', password)
    const url = `rediss://:${password}@127.0.0.1:${tlsPort}`
    const untrusted = await startProcess(['mock', '--port', '0', '--shared', url]).ended
    expect(untrusted).toMatchObject({ code: 2, stdout: '' })
    expect(untrusted.stderr).toMatch(
      /^petstore: --shared cannot use the engine at rediss:\/\/\[redacted\]@.*certificate/,
    )
    expect(untrusted.stderr).not.toContain(password)
    const env = { NODE_EXTRA_CA_CERTS: files.ca, PETSTORE_MOCK_SHARED: url }
    const mock = startProcess(['mock', '--port', '0', '--quiet'], { env })
    const base = new URL(await mock.says(/http:\S+/))
    expect((await send(Number(base.port), 'GET', '/v1/pets')).json).toHaveLength(20)
    mock.child.kill('SIGTERM')
    const ended = await mock.ended
    expect(ended.code).toBe(0)
    expect(ended.stdout + ended.stderr).not.toContain(password)
  })
})
