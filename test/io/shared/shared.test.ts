/** Several mocks with one engine behave like one mock. */
import net from 'node:net'

import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'

import { UsageError } from '../../../src/errors.ts'
import { createMock, defaultKey, sandboxKey, startMock } from '../../../src/mock/index.ts'
import { verify } from '../../../src/contract/index.ts'
import { listen } from '../../support/listen.ts'
import { describeWithEngine, type RedisServer, startRedis } from '../../support/redis.ts'
import { sequences } from '../adapters/cases.ts'
import { type Kit, overHttp2 } from '../adapters/clients.ts'
import { differencesOf, mistakesOf } from '../adapters/compare.ts'
import { addBigPet, sendDirectly } from '../adapters/in-process.ts'
import { freshName, roundRobin, send, startMocks } from './mocks.ts'

let redis: RedisServer
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis?.remove())

describeWithEngine('three mocks', () => {
  test('create pets with unique ids, and each shows all', async () => {
    const mocks = await startMocks(redis, 3)
    const created = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        send(mocks[index % 3]!.port, 'POST', '/v1/pets', {
          body: { name: `Pet ${index}`, categoryId: 1 },
        }),
      ),
    )
    const ids = created.map(({ json }) => json.id as number)
    expect(new Set(ids).size).toBe(60)
    expect(ids.toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 60 }, (_, index) => index + 6),
    )
    const lists = await Promise.all(
      mocks.map(({ port }) => send(port, 'GET', '/v1/pets?limit=100')),
    )
    expect(lists[0]?.json).toHaveLength(65)
    for (const list of lists) expect(list.text).toBe(lists[0]?.text)
  })

  test('reject suite runs with a reason', async () => {
    const [mock] = await startMocks(redis, 1)
    const { status, json } = await send(mock!.port, 'POST', '/_petstore/runs', { body: {} })
    expect([status, json.message]).toEqual([
      501,
      expect.stringContaining('the next request may reach another one'),
    ])
  })

  test('apply the steps of a sequence and the matchers of a rule in the order of the log', async () => {
    const mocks = await startMocks(redis, 3)
    const rule = {
      when: { body: { name: { regex: '^R' }, status: { absent: true } } },
      sequence: [{ reply: { status: 503 } }, {}, { reply: { status: 500 } }],
    }
    const added = await send(mocks[0]!.port, 'POST', '/_petstore/rules', { body: rule })
    expect(added.status).toBe(201)
    const statuses: number[] = []
    for (const [index, name] of ['Rex', 'Tom', 'Ray', 'Roy', 'Rob'].entries()) {
      const body = { name, categoryId: 1 }
      const { status } = await send(mocks[index % 3]!.port, 'POST', '/v1/pets', { body })
      statuses.push(status)
    }
    expect(statuses).toEqual([503, 201, 201, 500, 201])
  })

  test('show every earlier creation, through each mock', async () => {
    const [one, two] = await startMocks(redis, 2)
    for (let round = 0; round < 30; round += 1) {
      const { json } = await send(one!.port, 'POST', '/v1/pets', {
        body: { name: 'Rex', categoryId: 1 },
      })
      expect((await send(two!.port, 'GET', `/v1/pets/${json.id}`)).json).toEqual(json)
    }
  })

  test('apply a counted rule and a rate limit exactly as often as configured', async () => {
    const mocks = await startMocks(redis, 3)
    const added = await send(mocks[0]!.port, 'POST', '/_petstore/rules', {
      body: { when: { operation: 'listPets' }, reply: { status: 503 }, times: 7 },
    })
    expect(added.status).toBe(201)
    const statuses = (
      await Promise.all(
        Array.from({ length: 30 }, (_, index) => send(mocks[index % 3]!.port, 'GET', '/v1/pets')),
      )
    ).map(({ status }) => status)
    expect(statuses.filter((status) => status === 503)).toHaveLength(7)
    const { json } = await send(mocks[2]!.port, 'GET', '/_petstore/rules')
    expect(json.rules).toMatchObject([{ id: 'rule-1', used: 7, remaining: 0, active: false }])
    await send(mocks[1]!.port, 'DELETE', '/_petstore/rules')
    await send(mocks[1]!.port, 'POST', '/_petstore/rules', {
      body: { rateLimit: { requests: 5, windowMs: 600_000 } },
    })
    const limited = await Promise.all(
      Array.from({ length: 20 }, (_, index) => send(mocks[index % 3]!.port, 'GET', '/v1/pets')),
    )
    expect(limited.filter(({ status }) => status === 200)).toHaveLength(5)
  })

  test('have the same clock, settings, snapshots and sandboxes', async () => {
    const [one, two, three] = await startMocks(redis, 3)
    await send(one!.port, 'PUT', '/_petstore/clock', { body: { now: '2030-12-06' } })
    expect((await send(two!.port, 'GET', '/v1/pets/1')).status).toBe(410)
    expect((await send(three!.port, 'GET', '/_petstore/clock')).json).toMatchObject({
      now: '2030-12-06T00:00:00.000Z',
      frozen: true,
    })
    await send(two!.port, 'PATCH', '/_petstore/settings', {
      body: { profile: { 'list.order': 'newest-first' } },
    })
    expect((await send(three!.port, 'GET', '/v1/pets?limit=1')).json).toMatchObject([{ id: 5 }])
    await send(three!.port, 'PUT', '/_petstore/snapshots/before')
    await send(one!.port, 'DELETE', '/_petstore/pets')
    expect((await send(two!.port, 'GET', '/v1/pets')).json).toEqual([])
    expect((await send(two!.port, 'POST', '/_petstore/snapshots/before/restore')).status).toBe(204)
    expect((await send(one!.port, 'GET', '/v1/pets')).json).toHaveLength(5)

    const key = sandboxKey('team-a')
    expect((await send(one!.port, 'GET', '/_petstore/sandboxes/team-a')).status).toBe(404)
    expect(
      (await send(one!.port, 'POST', '/_petstore/sandboxes', { body: { name: 'team-a' } })).status,
    ).toBe(201)
    expect(
      (await send(two!.port, 'POST', '/_petstore/sandboxes', { body: { name: 'team-a' } })).status,
    ).toBe(200)
    await send(three!.port, 'POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 }, key })
    for (const { port } of [one!, two!, three!]) {
      expect((await send(port, 'GET', '/_petstore/sandboxes')).json.sandboxes).toMatchObject([
        { name: 'team-a', key, pets: 6, requests: 1, lastSeen: expect.any(String) },
      ])
    }
    expect((await send(two!.port, 'DELETE', '/_petstore/sandboxes/team-a')).status).toBe(204)
    for (const { port } of [one!, two!, three!]) {
      expect((await send(port, 'GET', '/_petstore/sandboxes')).json.sandboxes).toEqual([])
      expect((await send(port, 'GET', '/_petstore/sandboxes/team-a')).status).toBe(404)
    }
    expect((await send(three!.port, 'GET', '/v1/pets', { key })).json).toHaveLength(5)
  })

  test('reject an invalid control request, and continue', async () => {
    const [one, two] = await startMocks(redis, 2)
    const wrong = await send(one!.port, 'POST', '/_petstore/pets', {
      body: [{ id: 1, name: 'Taken', categoryId: 1 }],
    })
    expect(wrong).toMatchObject({
      status: 400,
      json: { message: '/0/id: A pet with the id 1 already exists.' },
    })
    expect((await send(two!.port, 'GET', '/v1/pets')).json).toHaveLength(5)
    await send(two!.port, 'POST', '/_petstore/reset')
    expect((await send(one!.port, 'GET', '/v1/pets')).json).toHaveLength(5)
  })

  test.each(sequences)(
    'behind a load balancer respond like a single mock: $name',
    async ({ options, cases }) => {
      const three = { pets: 3, ...options }
      const mocks = await startMocks(redis, 3, three)
      const original = createMock(three)
      addBigPet(original)
      await send(mocks[0]!.port, 'POST', '/_petstore/pets', {
        body: '{"id":9007199254740993,"name":"Zoë 🐾","categoryId":9223372036854775807,"status":"sold"}',
      })
      let turn = 0
      for (const sent of cases) {
        const mock = mocks[(turn += 1) % 3]!
        const [reply, expected] = [
          await sendDirectly(mock, sent),
          await sendDirectly(original, sent),
        ]
        expect(
          [...mistakesOf(sent, reply), ...differencesOf(reply, expected, sent.method)],
          sent.name,
        ).toEqual([])
      }
    },
  )

  test('share state over HTTP/2, too', async () => {
    const options = { pets: 5, shared: { url: redis.url, name: freshName() } }
    const open = () => overHttp2.open({ startMock } as Kit, options)
    const [one, two] = await Promise.all([open(), open()])
    onTestFinished(async () => void (await Promise.all([one.close(), two.close()])))
    const created = await one.send({
      method: 'POST',
      target: '/v1/pets',
      body: '{"name":"Rex","categoryId":1}',
    })
    expect(created.status).toBe(201)
    expect(await two.send({ method: 'GET', target: '/v1/pets/6' })).toMatchObject({
      status: 200,
      body: created.body,
    })
  })

  test('count their requests, calls and entries for Prometheus', async () => {
    const [one, two] = await startMocks(redis, 2)
    for (const mock of [one!, two!])
      await send(mock.port, 'POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } })
    await send(one!.port, 'GET', '/v1/pets')
    const { text } = await send(one!.port, 'GET', '/_petstore/metrics')
    const values = Object.fromEntries(text.split('\n').map((line) => line.split(' ')))
    expect(values).toMatchObject({
      'petstore_requests_total{operation="createPet",status="201",sandbox="own"}': '1',
      'petstore_requests_total{operation="listPets",status="200",sandbox="own"}': '1',
      petstore_pets: '7',
      petstore_ready: '1',
      petstore_shared_entries_total: '1',
      petstore_shared_lag_entries: '1',
      petstore_shared_reloads_total: '0',
      petstore_shared_unavailable_total: '0',
    })
    expect(Number(values['petstore_shared_calls_total'])).toBeGreaterThanOrEqual(2)
    const calls = Number(values['petstore_engine_duration_seconds_count'])
    expect(calls).toBeGreaterThanOrEqual(2)
    expect(values['petstore_engine_duration_seconds_bucket{le="+Inf"}']).toBe(String(calls))
    expect(Number(values['petstore_engine_duration_seconds_sum'])).toBeGreaterThan(0)
  })

  test('behind a load balancer conform', async () => {
    const port = await roundRobin(await startMocks(redis, 3, { pets: 100 }))
    const report = await verify({ baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: defaultKey })
    expect(report.verdict).toBe('conforms')
  })
})

describeWithEngine('a mock', () => {
  test('with the same generated pets joins, and one with others is rejected', async () => {
    const shared = { url: redis.url, name: freshName() }
    const namedBy = (word: string) => (n: number) => ({ name: `${word} ${n}`, categoryId: n })
    const mocks = await startMocks(redis, 1, { generate: namedBy('Haustier'), shared })
    mocks.push(...(await startMocks(redis, 1, { generate: namedBy('Haustier'), shared })))
    const lists = mocks.map(async ({ port }) => (await send(port, 'GET', '/v1/pets')).text)
    const [one, other] = await Promise.all(lists)
    expect(one).toContain('Haustier 5')
    expect(other).toBe(one)
    const failed = startMock({ pets: 5, generate: namedBy('Pet'), shared })
    await expect(failed).rejects.toThrow(/has other data\. All mocks with the same name need the/)
    await expect(startMock({ pets: 5, shared })).rejects.toThrow(/has other data\./)
  })

  test('with other options is rejected, with their names and without keys', async () => {
    const name = freshName()
    const shared = { url: redis.url, name }
    const onNotice = vi.fn<(notice: string) => void>()
    const [one] = await startMocks(redis, 1, { seed: 7, shared, onNotice })
    const failed = startMock({
      pets: 5,
      seed: 8,
      keys: ['secret-key-of-mine'],
      profile: { 'list.order': 'by-name' },
      shared: { ...shared, sandboxTtlMs: 60_000 },
    })
    await expect(failed).rejects.toThrow(UsageError)
    const message = await failed.catch((error: UsageError) => error.message)
    expect(message).toContain(
      'protocol 2, not 2 with a --sandbox-ttl of 60000 ms; seed 7, not 8; list.order newest-first, not by-name; other keys.',
    )
    expect(message).not.toContain('secret-key-of-mine')
    // A mock of another version has started first after a loss of all data.
    const [key, own] = [`petstore:{${name}}:mock`, /^2\n/]
    const record = await redis.command('GET', key)
    expect(record).toMatch(own)
    await redis.command('SET', key, record.replace(own, 'other\n'))
    const paths = ['/v1/pets', '/_petstore/rules', '/_petstore/ready', '/_petstore/health']
    const statuses = async () =>
      Promise.all(paths.map(async (path) => (await send(one!.port, 'GET', path)).status))
    await expect.poll(statuses).toEqual([503, 503, 503, 503])
    expect(onNotice).toHaveBeenCalledWith(
      expect.stringContaining('of this engine has protocol other, not '),
    )
  })

  test('with another control token joins, so that a token can be rotated', async () => {
    const shared = { url: redis.url, name: freshName() }
    for (const controlToken of ['token-of-yesterday', 'token-of-tomorrow'])
      await startMocks(redis, 1, { shared, controlToken })
  })

  test('of another version joins, with an option more that is the default', async () => {
    const name = freshName()
    const shared = { url: redis.url, name }
    await startMocks(redis, 1, { seed: 7, shared })
    // No default is in the record.
    const record = await redis.command('GET', `petstore:{${name}}:mock`)
    expect(record.split('\n')).toEqual([
      '2',
      'seed: 7',
      'pets: 5',
      expect.stringMatching(/^keys: /),
    ])
  })

  test('rejects changes to a shared sandbox in process, and shows changes after catchUp', async () => {
    const [one, two] = await startMocks(redis, 2)
    for (const change of [
      () => one!.use({ delayMs: 1 }),
      () => one!.reset(),
      () => one!.catalog.import([]),
      () => one!.journal.clear(),
      () => one!.sandboxes.delete('team-a'),
    ]) {
      expect(change).toThrow('through the control API')
    }
    await send(two!.port, 'POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } })
    await one!.catchUp()
    expect(one!.catalog.export().at(-1)).toMatchObject({ id: 6, name: 'Rex' })
    await one!.pets.settled()
    expect(one!.pets.findFirst((query) => query.where({ id: 6 }))).toMatchObject({ name: 'Rex' })
  })

  test.each([
    [
      'other:secret',
      '+info +ping +select',
      "engine: NOPERM this user has no permissions to run the 'eval' command",
    ],
    [
      'other:secret',
      '~* &* +@all -info',
      "NOPERM this user has no permissions to run the 'info' command",
    ],
    [
      'other:secret',
      '~* resetchannels +@all',
      'engine: NOPERM this user has no permissions to access one of the',
    ],
    // The rights in the documentation.
    ['other:secret', '~petstore:* &petstore:* +@all -@dangerous +info', ''],
    // The engine does not require this password.
    [':secret', '-@all', ''],
  ])('with the login %s and the rights %s', async (login, rights, message) => {
    const printed = vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => printed.mockRestore())
    await redis.command('ACL', 'SETUSER', 'other', 'reset', 'on', '>secret', ...rights.split(' '))
    const url = redis.url.replace('//', `//${login}@`)
    const rejected = await startMock({ shared: { url, name: freshName() } }).then(
      (mock) => mock.close(),
      (error: unknown) => error,
    )
    if (message !== '') expect(rejected).toBeInstanceOf(UsageError)
    expect(String(rejected)).toContain(message)
    expect(String(rejected)).not.toContain('secret')
    expect(printed).not.toHaveBeenCalled()
  })

  test('with an unknown database, or another kind of server, is rejected', async () => {
    await expect(startMock({ shared: { url: `${redis.url}/99` } })).rejects.toThrow(
      'ERR DB index is out of range',
    )
    const { port, close } = await startMock()
    onTestFinished(close)
    const denial = '-DENIED Redis is in protected mode. There are some solutions.\r\n'
    const guarded = await listen(
      net.createServer((socket) => socket.once('data', () => socket.end(denial))),
    )
    for (const [url, reason] of [
      [`redis://127.0.0.1:${port}`, 'it is neither Redis nor Valkey'],
      [`rediss://127.0.0.1:${port}`, 'wrong version number'],
      [`redis://127.0.0.1:${guarded}`, 'DENIED Redis is in protected mode'],
    ] as const) {
      await expect(startMock({ shared: { url } })).rejects.toThrow(
        new RegExp(`engine at ${url}: ${reason}$`),
      )
    }
  })

  test.each([
    [{ url: 'http://127.0.0.1' }, 'needs a Redis or Valkey URL, not http://127.0.0.1'],
    [
      { url: 'redis://user:secret@127.0.0.1:1' },
      'cannot use the engine at redis://[redacted]@127.0.0.1:1',
    ],
    [{ url: 'redis://:x@y /#?secret@127.0.0.1:1' }, 'takes a URL: give redis'],
    [{ url: 'redis://user:se/secret@127.0.0.1:1' }, 'percent-encode / ? and # in the password'],
    [
      { url: 'redis://:%@y secret@127.0.0.1:1' },
      'cannot use the engine at redis://[redacted]@127.0.0.1:1',
    ],
    [{ url: 'redis://h/x:secret@127.0.0.1:1' }, 'cannot read redis://[redacted]@127.0.0.1:1'],
    [{ url: 'user:secret@127.0.0.1:1' }, 'Redis or Valkey URL, not [redacted]@127.0.0.1:1'],
    [{ url: 'redis://127.0.0.1:1', name: 'a b' }, 'takes 1 to 100 letters'],
  ])('with %o is rejected', async (shared, message) => {
    const failed = startMock({ shared })
    await expect(failed).rejects.toThrow(message)
    await expect(failed).rejects.not.toThrow('secret')
  })

  test('a mistake in an option is found before it joins the others', async () => {
    const shared = { url: 'redis://127.0.0.1:1' }
    await expect(startMock({ shared, controlHosts: ['a:80'] })).rejects.toThrow('is not a host')
    await expect(startMock({ shared, basePath: '/_petstore' })).rejects.toThrow('The base path')
  })
})
