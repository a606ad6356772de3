/** The data of a shared mock in the engine: snapshots, losses and secrets. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

import { UsageError } from '../../../src/errors.ts'
import { defaultKey, type RunningMock, sandboxKey, startMock } from '../../../src/mock/index.ts'
import { describeWithEngine, type RedisServer, startRedis } from '../../support/redis.ts'
import { freshName, send, startMocks } from '../../io/shared/mocks.ts'

let redis: RedisServer
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis?.remove())

/** Creates pets in process, with the concurrency of a busy server. */
async function createPets(
  mocks: readonly RunningMock[],
  count: number,
  key = defaultKey,
): Promise<void> {
  let next = 0
  const client = async (): Promise<void> => {
    while (next < count) {
      const number = (next += 1)
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const body = `{"name":"Pet ${number}","categoryId":${number}}`
      const reply = await mocks[number % mocks.length]!.handle({
        method: 'POST',
        target: '/v1/pets',
        headers,
        body,
      })
      expect(reply.status).toBe(201)
    }
  }
  await Promise.all(Array.from({ length: 16 }, client))
}

const read = (
  mock: RunningMock,
  target: string,
  key = defaultKey,
): Promise<{ status: number; body: string }> =>
  mock.handle({ method: 'GET', target, headers: { authorization: `Bearer ${key}` }, body: '' })

const keysOf = (name: string, sandbox = '*') => [
  `petstore:{${name}:${sandbox}}:log`,
  `petstore:{${name}:${sandbox}}:state`,
]
const lengthOf = async (log: string): Promise<number> => Number(await redis.command('XLEN', log))

describeWithEngine('a log', () => {
  test('is trimmed after snapshots, from which a later mock loads the complete state', async () => {
    const shared = { url: redis.url, name: freshName() }
    const mocks = await startMocks(redis, 2, { shared })
    const [one, two] = mocks
    await send(one!.port, 'PUT', '/_petstore/snapshots/before')
    await createPets(mocks, 2_500)
    await send(two!.port, 'POST', '/_petstore/rules', {
      body: { rateLimit: { requests: 1_000, windowMs: 600_000 } },
    })
    await createPets(mocks, 600)
    await expect.poll(() => lengthOf(keysOf(shared.name)[0]!)).toBeLessThan(2_000)
    expect(one!.shared!.counters.snapshots + two!.shared!.counters.snapshots).toBeGreaterThan(0)

    const [three] = await startMocks(redis, 1, { shared })
    await one!.catchUp()
    expect(three!.catalog.export()).toEqual(one!.catalog.export())
    expect(three!.catalog.size).toBe(3_105)
    expect(three!.rules()).toMatchObject([{ id: 'rule-1', used: 600 }])
    expect(three!.snapshots.list()).toEqual(one!.snapshots.list())
    expect(three!.clock.startedAt).toEqual(one!.clock.startedAt)
    await send(three!.port, 'POST', '/_petstore/snapshots/before/restore')
    expect((await send(one!.port, 'GET', '/_petstore/pets')).json).toHaveLength(5)
    for (const { shared: counted } of [one!, two!, three!])
      expect(counted!.counters.reloads).toBe(0)
  })

  test('that was trimmed by another mock causes no reload', async () => {
    const shared = { url: redis.url, name: freshName() }
    const [one, two] = await startMocks(redis, 2, { shared })
    await createPets([one!], 2_600)
    await expect.poll(() => one!.shared!.counters.snapshots).toBeGreaterThan(0)
    await two!.catchUp()
    expect(two!.catalog.size).toBe(2_605)
    for (const mock of [one!, two!]) {
      expect((await read(mock, '/v1/pets/2605')).status).toBe(200)
      expect(mock.shared!.counters.reloads).toBe(0)
    }
  })

  test.each([
    ['that was deleted', [0, 1]],
    ['whose entries the engine has evicted', [0]],
    ['whose snapshot the engine has evicted', [1]],
  ])('%s restarts the sandbox, and counts a reload', async (_, gone) => {
    const name = freshName()
    const mocks = await startMocks(redis, 2, { shared: { url: redis.url, name } })
    await createPets(mocks, 10)
    await redis.command('DEL', ...gone.map((key) => keysOf(name)[key]!))
    for (const mock of mocks) {
      expect((await read(mock, '/v1/pets/6')).status).toBe(404)
      expect(mock.shared!.counters.reloads).toBe(1)
      expect((await send(mock.port, 'GET', '/_petstore/health')).json).toEqual({
        status: 'ok',
        reloads: 1,
      })
    }
    await createPets(mocks, 3)
    for (const mock of mocks)
      expect(JSON.parse((await read(mock, '/v1/pets')).body)).toHaveLength(8)
  })

  test('that was rolled back and continued is reloaded: all mocks show the state of the engine', async () => {
    const name = freshName()
    const mocks = await startMocks(redis, 2, { shared: { url: redis.url, name } })
    const [one, two] = mocks
    await createPets(mocks, 10)
    const [log = '', state = ''] = keysOf(name)
    for (const key of [log, state]) await redis.command('COPY', key, `${key}:before`)
    await createPets([one!], 5)
    await two!.catchUp()
    for (const key of [log, state]) await redis.command('COPY', `${key}:before`, key, 'REPLACE')
    const lost = await read(one!, '/v1/pets?limit=100')
    expect(JSON.parse(lost.body)).toHaveLength(15)
    // As many entries as were lost: only their ids differ.
    await createPets([one!], 5)
    expect((await read(two!, '/v1/pets?limit=100')).body).toBe(
      (await read(one!, '/v1/pets?limit=100')).body,
    )
    expect([one, two].map((mock) => mock!.shared!.counters.reloads)).toEqual([1, 1])
  })

  test.each([
    ['its entries after a snapshot', 2_500, ['DEL']],
    ['all entries', 10, ['XTRIM', 'MAXLEN', '0']],
    ['all entries but the latest', 2_500, ['XTRIM', 'MAXLEN', '1']],
  ] as const)('that has lost %s restarts once', async (_what, pets, [command, ...how]) => {
    const name = freshName()
    const shared = { url: redis.url, name }
    const [one] = await startMocks(redis, 1, { shared })
    await createPets([one!], pets)
    if (pets > 10) await expect.poll(() => one!.shared!.counters.snapshots).toBeGreaterThan(0)
    await redis.command(command, keysOf(name)[0]!, ...how)
    const [two] = await startMocks(redis, 1, { shared })
    for (const mock of [two!, one!])
      expect(JSON.parse((await read(mock, '/v1/pets?limit=100')).body)).toHaveLength(5)
    // A later mock has the pets that were created since.
    await createPets([one!], 3)
    const [three] = await startMocks(redis, 1, { shared })
    for (const mock of [three!, two!]) {
      expect(JSON.parse((await read(mock, '/v1/pets?limit=100')).body)).toHaveLength(8)
    }
  })

  test('of each of thousands of sandboxes is listed, the latest up to date', async () => {
    const [one, two] = await startMocks(redis, 2)
    const keys = Array.from({ length: 2_000 }, (_, index) => sandboxKey(`s-${index}`))
    for (let at = 0; at < keys.length; at += 20) {
      await Promise.all(keys.slice(at, at + 20).map((key) => createPets([one!], 1, key)))
    }
    for (const [mock, count] of [
      [one, 2_000],
      [two, 1_000],
    ] as const) {
      const list = async (): Promise<unknown> => {
        const { calls } = { ...mock!.shared!.counters }
        const { json } = await send(mock!.port, 'GET', '/_petstore/sandboxes')
        return [json.sandboxes?.length, mock!.shared!.counters.calls - calls < 1_200]
      }
      // On a busy machine it may take too long at first: 503.
      await expect.poll(list).toEqual([count, true])
    }
  })

  test('of a sandbox expires after its idle time, without counting a loss', async () => {
    const name = freshName()
    const mocks = await startMocks(redis, 2, {
      shared: { url: redis.url, name, sandboxTtlMs: 2_000 },
    })
    const key = sandboxKey('short')
    await createPets(mocks.slice(0, 1), 4, key)
    // The clock of the engine is used, even if that of the machine is wrong.
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 86_400_000)
    const { sandboxes } = (await send(mocks[1]!.port, 'GET', '/_petstore/sandboxes')).json
    clock.mockRestore()
    expect(sandboxes).toMatchObject([{ name: 'short' }])
    expect(Number(await redis.command('PTTL', keysOf(name, 'short')[0]!))).toBeGreaterThan(0)
    // A list does not count as use.
    const list = async () =>
      (await send(mocks[0]!.port, 'GET', '/_petstore/sandboxes?scores=true')).json.sandboxes
    await expect.poll(list).toEqual([])
    expect(await redis.command('EXISTS', ...keysOf(name, 'short'))).toBe('0')
    for (const mock of mocks)
      expect(JSON.parse((await read(mock, '/v1/pets', key)).body)).toHaveLength(5)
    for (const mock of mocks) expect(mock.shared!.counters.reloads).toBe(0)
    // Names expire even if the sandboxes are never listed.
    const later = async () => {
      await createPets(mocks, 1, sandboxKey(`at-${Date.now()}`))
      return redis.command('ZSCORE', `petstore:{${name}}:sandboxes`, 'short')
    }
    await expect.poll(later, { interval: 500 }).toBe('')
    // The main sandbox never expires.
    expect(await redis.command('PTTL', keysOf(name)[0]!)).toBe('-1')
  })

  test.each([
    [
      'is of another version',
      '0-*',
      '\u0003later',
      'it is of version 3, and this kit knows version 2',
    ],
    ['has an entry of another program', '*', 'its body', /: \d{13}-0 was not written by a mock; /],
    ['is another key of that name', '', '', 'a key of this name was not written by a mock'],
  ] as const)('that %s is rejected, and restarts with a reset', async (_what, id, body, reason) => {
    const name = freshName()
    const shared = { url: redis.url, name }
    const [one] = await startMocks(redis, 1, { shared })
    const [log = '', state] = keysOf(name)
    const op =
      /\r\n(\S+) \S* s \d+ 0\r\n/.exec(await redis.command('XRANGE', log, '-', '+'))?.[1] ?? ''
    const head = id === '*' ? 'its head' : `other-1 ${op} r ${Date.now()} 0`
    await redis.command(...(id === '' ? ['SET', log, 'its'] : ['XADD', log, id, head, body]))
    await expect(startMock({ pets: 5, shared })).rejects.toThrow(UsageError)
    await expect(startMock({ pets: 5, shared })).rejects.toThrow(reason)
    // A rejected mock leaves no connection, which would keep the command running.
    await expect
      .poll(async () => (await redis.command('CLIENT', 'LIST')).match(/petstore-kit/g))
      .toHaveLength(2)
    for (const path of ['/v1/pets', '/_petstore/rules']) {
      const { status, json } = await send(one!.port, 'GET', path)
      expect([status, json.message]).toEqual([503, expect.stringMatching(reason)])
      expect(json.message).toContain(`in the engine: DEL ${log} ${state}`)
    }
    expect((await read(one!, '/v1/pets', sandboxKey('other'))).status).toBe(200)
    expect((await send(one!.port, 'POST', '/_petstore/reset')).status).toBe(204)
    const [two] = await startMocks(redis, 1, { shared })
    for (const mock of [one!, two!])
      expect(JSON.parse((await read(mock, '/v1/pets')).body)).toHaveLength(5)
    // Such a log of a sandbox is listed, so that it can be deleted.
    await redis.command('SET', keysOf(name, 'other')[0]!, 'its')
    const list = (query = '') => send(one!.port, 'GET', `/_petstore/sandboxes${query}`)
    for (const query of ['', '?scores=true'])
      expect((await list(query)).json.sandboxes).toMatchObject([{ name: 'other' }])
    expect((await send(one!.port, 'DELETE', '/_petstore/sandboxes/other')).status).toBe(204)
    expect((await list()).json.sandboxes).toEqual([])
  })
})

describeWithEngine('the files of the engine', () => {
  test('contain no key of any request, rule or option', async () => {
    const engine = await startRedis('--appendonly', 'yes', '--rdbcompression', 'no')
    const marker = (place: string): string => `Xq7secret-${place}-9Zw`
    const shared = { url: engine.url, name: 'secrets' }
    const options = {
      pets: 5,
      keys: [marker('key')],
      controlToken: marker('token'),
      rules: [{ when: { headers: { authorization: `Bearer ${marker('option')}` } }, delayMs: 1 }],
      shared,
    }
    const mock = await startMock(options)
    try {
      const token = { authorization: `Bearer ${marker('token')}` }
      const rule = {
        when: { headers: { 'X-Api-Key': marker('rule') } },
        reply: { status: 503, message: marker('reply') },
      }
      const added = await send(mock.port, 'POST', '/_petstore/rules', {
        body: rule,
        headers: token,
      })
      expect(added.status).toBe(201)
      expect(added.text).not.toContain(marker('rule'))
      const create = (headers: Record<string, string>, target = '/v1/pets') =>
        send(mock.port, 'POST', target, {
          key: marker('key'),
          headers,
          body: { name: marker('name'), categoryId: 1, note: marker('field') },
        })
      const others = { cookie: `session=${marker('cookie')}`, 'user-agent': marker('agent') }
      expect((await create({ ...others, 'x-api-key': marker('other') })).status).toBe(201)
      // A rule matches the digest of a credential like the credential.
      expect((await create({ ...others, 'x-api-key': marker('rule') })).status).toBe(503)
      await create(others, `/v1/pets?api_key=${marker('query')}`)
      await send(mock.port, 'GET', '/v1/pets', { key: marker('wrong') })
      await send(mock.port, 'PUT', '/_petstore/snapshots/all', { headers: token })
      for (let count = 0; count < 1_100; count += 1) {
        await read(mock, '/v1/pets', marker('wrong'))
      }
      await expect.poll(() => mock.shared!.counters.snapshots).toBeGreaterThan(0)
      await engine.command('SAVE')
      const entries = readdirSync(engine.folder, { recursive: true, withFileTypes: true })
      const files = entries.filter((entry) => entry.isFile())
      expect(files.length).toBeGreaterThan(1)
      const bytes = files
        .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'))
        .join('')
      expect(bytes).toContain('petstore:{secrets:*}:log')
      expect(bytes.match(/Xq7secret-\w*/g) ?? []).toEqual([])
    } finally {
      await mock.close()
      await engine.remove()
    }
  })
})
