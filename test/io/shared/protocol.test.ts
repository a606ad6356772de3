/**
 * A log of each protocol, as a mock wrote it once. If the test of the latest fails, mocks of this version and of the version
 * before must not work together: raise `protocol` in src/mock/shared/shared.ts, add its number here, and let this test
 * record its log. The logs before stay: a mock of another protocol continues them once all others have stopped.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningMock } from '../../../src/mock/index.ts'
import { describeWithEngine, type RedisServer, startRedis } from '../../support/redis.ts'
import { send, startMocks } from './mocks.ts'

/** The bytes of the keys of a sandbox in the engine are in base64. */
interface Recorded {
  record: string
  log: [id: string, head: string, body: string][]
  state: Record<string, string>
  shown: unknown
}

const name = 'protocol'
const keys = {
  record: `petstore:{${name}}:mock`,
  log: `petstore:{${name}:*}:log`,
  state: `petstore:{${name}:*}:state`,
}
const protocols = [1, 2]

let redis: RedisServer
let client: Redis
beforeAll(async () => {
  redis = await startRedis()
  client = new Redis(redis.port)
})
afterAll(async () => {
  client?.disconnect()
  await redis?.remove()
})

/** What clients see of a sandbox. */
async function show({ port }: RunningMock): Promise<unknown> {
  const get = async (path: string): Promise<unknown> => {
    const { status, json } = await send(port, 'GET', path)
    expect(status, path).toBe(200)
    return json
  }
  const { rules } = (await get('/_petstore/rules')) as { rules: object[] }
  return {
    pets: await get('/_petstore/pets'),
    rules: rules.map((rule) => ({ ...rule, createdAt: undefined })),
    clock: await get('/_petstore/clock'),
    settings: { ...((await get('/_petstore/settings')) as object), key: undefined },
    snapshots: await get('/_petstore/snapshots'),
  }
}

/** Every kind of entry. */
async function record(): Promise<Recorded> {
  const [mock] = await startMocks(redis, 1, { shared: { url: redis.url, name } })
  const call = (method: string, path: string, body?: unknown) =>
    send(mock!.port, method, path, body === undefined ? {} : { body })
  await call('PUT', '/_petstore/clock', { now: '2028-02-29T12:00:00Z' })
  await call('POST', '/v1/pets', { name: 'Zoë', categoryId: 3, status: 'sold' })
  await call('POST', '/v1/pets', { name: 'rejected' })
  await call('POST', '/_petstore/rules', {
    when: { operation: 'getPet' },
    reply: { status: 503 },
    times: 2,
  })
  await call('GET', '/v1/pets/1')
  await call('PUT', '/_petstore/snapshots/one')
  await call('PATCH', '/_petstore/settings', { profile: { 'create.default-status': 'pending' } })
  await call('POST', '/v1/pets', { name: 'Max', categoryId: 4 })
  await call('PATCH', '/_petstore/pets/2', { name: 'Renamed' })
  await call('DELETE', '/_petstore/pets/3')
  const log = await client.xrangeBuffer(keys.log, '-', '+')
  const state = await client.hgetallBuffer(keys.state)
  return {
    record: await redis.command('GET', keys.record),
    log: log.map(([id, [head, body]]) => [
      String(id),
      String(head),
      (body as Buffer).toString('base64'),
    ]),
    state: Object.fromEntries(
      Object.entries(state).map(([field, value]) => [field, value.toString('base64')]),
    ),
    shown: await show(mock!),
  }
}

describeWithEngine('a log of protocol', () => {
  test.each(protocols)('%d has the same effects today', async (protocol) => {
    await redis.command('FLUSHALL')
    const file = join(import.meta.dirname, `protocol-${protocol}.json`)
    if (!existsSync(file)) {
      expect(process.env['CI']).toBeUndefined()
      writeFileSync(file, `${JSON.stringify(await record(), null, 2)}\n`)
      await redis.command('FLUSHALL')
    }
    const { record: there, log, state, shown } = JSON.parse(readFileSync(file, 'utf8')) as Recorded
    await redis.command('SET', keys.record, there)
    for (const [id, head, body] of log)
      await client.xadd(keys.log, id, head, Buffer.from(body, 'base64'))
    for (const [field, value] of Object.entries(state))
      await client.hset(keys.state, field, Buffer.from(value, 'base64'))
    const [mock] = await startMocks(redis, 1, { shared: { url: redis.url, name } })
    await mock!.catchUp()
    expect(await show(mock!)).toEqual(shown)
    expect(there).toMatch(new RegExp(`^${protocol}\n`))
    await mock!.close()
  })
})
