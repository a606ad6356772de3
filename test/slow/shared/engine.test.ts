/** The engine of a shared mock stops, stalls and recovers. */
import { createServer } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'

import { defaultKey, sandboxKey } from '../../../src/mock/index.ts'
import { describeWithEngine, type RedisServer, startRedis } from '../../support/redis.ts'
import { startProcess } from '../../io/cli/command.ts'
import { send, startMocks } from '../../io/shared/mocks.ts'
import type { Reply } from '../../unit/control/control.ts'
import { SandboxLog } from '../../../src/mock/shared/log.ts'
import type { Batch } from '../../../src/mock/shared/queue.ts'
import { pause } from '../../support/machines.ts'
import { listen } from '../../support/listen.ts'
import { together } from './together.ts'

async function startEngine(): Promise<RedisServer> {
  const redis = await startRedis('--appendonly', 'yes', '--appendfsync', 'always')
  onTestFinished(() => redis.remove())
  return redis
}

const create = (port: number, name: string, key?: string): Promise<Reply> =>
  send(port, 'POST', '/v1/pets', {
    body: { name, categoryId: 1 },
    ...(key !== undefined && { key }),
  })

/** Expects the response to a client without an engine. */
async function expectGone(port: number, respond: () => Promise<Reply>): Promise<void> {
  const since = performance.now()
  const { status, headers, json } = await respond()
  expect(performance.now() - since).toBeLessThan(5_000)
  expect(status).toBe(503)
  expect(headers['retry-after']).toBe('1')
  expect(json).toMatchObject({
    status: 503,
    message: expect.stringContaining('A change may still take effect'),
  })
  await expect.poll(async () => (await send(port, 'GET', '/_petstore/ready')).status).toBe(503)
}

async function expectBack(port: number): Promise<void> {
  for (const path of ['/_petstore/ready', '/v1/pets'])
    await expect.poll(async () => (await send(port, 'GET', path)).status).toBe(200)
}

describeWithEngine('an engine', () => {
  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'that ends by %s gives 503 and not ready, and nothing is lost after a restart',
    async (signal) => {
      const redis = await startEngine()
      const [one, two] = await startMocks(redis, 2)
      for (const mock of [one!, two!]) expect((await create(mock.port, 'Rex')).status).toBe(201)
      await create(one!.port, 'Tom', sandboxKey('team-a'))
      await redis.kill(signal)
      await expectGone(one!.port, () => create(one!.port, 'Lost'))
      await expectGone(two!.port, () => send(two!.port, 'GET', '/v1/pets'))
      expect((await send(one!.port, 'GET', '/_petstore/rules')).status).toBe(503)
      expect((await send(one!.port, 'GET', '/_petstore/health')).status).toBe(200)
      await redis.start()
      for (const mock of [one!, two!]) await expectBack(mock.port)
      expect((await create(two!.port, 'Max')).json.id).toBe(8)
      expect((await send(one!.port, 'GET', '/v1/pets')).json).toHaveLength(8)
      expect(
        (await send(two!.port, 'GET', '/v1/pets', { key: sandboxKey('team-a') })).json,
      ).toHaveLength(6)
      for (const mock of [one!, two!]) expect(mock.shared!.counters.reloads).toBe(0)
    },
  )

  test('that is slow gives 503 in time, and nothing is lost when it is fast again', async () => {
    const all = await together([])
    const [one, other] = [await all.join('a'), await all.join('b')]
    const headers = { authorization: `Bearer ${defaultKey}`, 'content-type': 'application/json' }
    const body = '{"name":"Rex","categoryId":1}'
    // More entries than three calls can return.
    for (let index = 0; index < 350; index += 1) {
      const reply = await one.mock.handle({ method: 'POST', target: '/v1/pets', headers, body })
      expect(reply.status).toBe(201)
    }
    other.wire.delayMs = 900
    const since = performance.now()
    const { port } = other.mock
    const both = await Promise.all(
      ['/v1/pets', '/_petstore/rules'].map((path) => send(port, 'GET', path)),
    )
    expect(both.map(({ status }) => status)).toEqual([503, 503])
    expect(performance.now() - since).toBeLessThan(5_000)
    other.wire.delayMs = 0
    await expect.poll(async () => (await send(port, 'GET', '/v1/pets/353')).status).toBe(200)
  })

  test('that is slow with many pets still completes their import', async () => {
    const log = SandboxLog.prototype as unknown as { call: (batch: Batch) => Promise<boolean> }
    const { call } = log
    vi.spyOn(log, 'call').mockImplementation(async function (this: SandboxLog, batch) {
      if (batch.entry?.letter === 'c') await pause(1_700)
      return call.call(this, batch)
    })
    onTestFinished(() => void vi.restoreAllMocks())
    const { mock } = await (await together([])).join('a')
    const body = Array.from({ length: 10_000 }, (_, index) => ({
      id: index + 1,
      name: 'Rex',
      categoryId: 1,
    }))
    // A busy machine may take even longer.
    await expect
      .poll(() => send(mock.port, 'PUT', '/_petstore/pets', { body }))
      .toMatchObject({ json: { pets: 10_000 } })
    expect(await send(mock.port, 'DELETE', '/_petstore/pets')).toMatchObject({ status: 503 })
  })

  test('that has lost the scripts recovers', async () => {
    const redis = await startEngine()
    const [one] = await startMocks(redis, 1)
    await redis.command('SCRIPT', 'FLUSH')
    expect((await create(one!.port, 'Rex')).status).toBe(201)
  })

  test('whose memory is full still serves reads, and creations again when there is room', async () => {
    const redis = await startEngine()
    const notices: string[] = []
    const [one] = await startMocks(redis, 1, { onNotice: (notice) => notices.push(notice) })
    expect((await create(one!.port, 'Rex')).status).toBe(201)
    await redis.command('CONFIG', 'SET', 'maxmemory', '1')
    expect((await create(one!.port, 'Full')).status).toBe(503)
    for (const path of ['/v1/pets', '/v1/pets/6', '/_petstore/ready'])
      expect((await send(one!.port, 'GET', path)).status).toBe(200)
    await expect.poll(() => notices).toEqual(['The memory of the engine is full: changes get 503.'])
    await redis.command('CONFIG', 'SET', 'maxmemory', '0')
    expect((await create(one!.port, 'Max')).status).toBe(201)
    await expect.poll(() => notices.at(-1)).toBe('The engine accepts changes again.')
  })

  test('that loses all data is noticed', async () => {
    const redis = await startEngine()
    const notices: string[] = []
    const [one] = await startMocks(redis, 1, { onNotice: (notice) => notices.push(notice) })
    await create(one!.port, 'Rex')
    await redis.command('FLUSHALL')
    expect((await send(one!.port, 'GET', '/v1/pets')).json).toHaveLength(5)
    await expect
      .poll(() => notices)
      .toEqual([
        'The engine lost or replaced data: 1 sandbox started over, or went back to what is left.',
      ])
  })

  test('whose password has changed is named as the reason', async () => {
    const redis = await startEngine()
    await redis.command('ACL', 'SETUSER', 'kit', 'on', '>first', '~*', '&*', '+@all')
    const notices: string[] = []
    const shared = { url: redis.url.replace('//', '//kit:first@') }
    await startMocks(redis, 1, { shared, onNotice: (notice) => notices.push(notice) })
    await redis.command('ACL', 'SETUSER', 'kit', 'resetpass', '>second')
    await redis.command('CLIENT', 'KILL', 'USER', 'kit')
    await expect.poll(() => notices.join('\n')).toMatch(/^The engine is unavailable: WRONGPASS/)
  })

  test('is one of several addresses', async () => {
    const redis = await startEngine()
    const { host } = new URL(redis.url)
    const url = `redis://127.0.0.1:1,${host}`
    const [one] = await startMocks(redis, 1, { shared: { url } })
    expect((await create(one!.port, 'Rex')).status).toBe(201)
  })
})

test('an address that closes each connection is reported with what to check', async () => {
  const port = await listen(createServer((socket) => socket.end()))
  const rejected = startProcess(['mock', '--port', '0', '--shared', `redis://127.0.0.1:${port}`])
  const { code, stderr } = await rejected.ended
  expect(code).toBe(2)
  expect(stderr).toMatch(/closes each connection without a response: a port with TLS needs rediss:/)
})

test('a command without an engine reports it, and ends at once', async () => {
  const rejected = startProcess(['mock', '--port', '0', '--shared', 'redis://127.0.0.1:1'])
  await rejected.says(/ECONNREFUSED/, 'stderr')
  const since = performance.now()
  await rejected.ended
  expect(performance.now() - since).toBeLessThan(5_000)
})

describeWithEngine('a closing mock', () => {
  test('sends a response that waits for the engine, and then accepts no more requests', async () => {
    const redis = await startEngine()
    const [one, two] = await startMocks(redis, 2)
    redis.signal('SIGSTOP')
    const sent = [
      create(one!.port, 'Rex'),
      send(one!.port, 'PUT', '/_petstore/clock', { body: { now: '2030-01-01' } }),
    ]
    // The request has arrived when the mock has called the engine.
    await expect.poll(() => one!.shared!.counters.calls).toBeGreaterThan(1)
    const closed = one!.close()
    expect((await send(one!.port, 'GET', '/_petstore/ready')).status).toBe(503)
    setTimeout(() => redis.signal('SIGCONT'), 200)
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([201, 200])
    await closed
    await expect(create(one!.port, 'Late')).rejects.toThrow('ECONNREFUSED')
    expect((await send(two!.port, 'GET', '/v1/pets')).json).toHaveLength(6)
  })

  test('ends within a few seconds without the engine, even if a client continues', async () => {
    const redis = await startEngine()
    const [one] = await startMocks(redis, 1)
    // More calls than the listener limit of a connection.
    const keys = Array.from({ length: 12 }, (_, index) => sandboxKey(`team-${index}`))
    await Promise.all(keys.map((key) => create(one!.port, 'Rex', key)))
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
    onTestFinished(() => warned.mockRestore())
    redis.signal('SIGSTOP')
    for (const { status } of await Promise.all(keys.map((key) => create(one!.port, 'Tom', key))))
      expect(status).toBe(503)
    expect(warned).not.toHaveBeenCalled()
    const sent = keys.map((key) => create(one!.port, 'Max', key))
    const since = performance.now()
    const [results] = await Promise.all([Promise.allSettled(sent), one!.close()])
    expect(performance.now() - since).toBeLessThan(15_000)
    for (const result of results)
      expect(result.status === 'rejected' || result.value.status === 503).toBe(true)
  })
})
