/** A shared sandbox that is deleted and used again, and reads of the control API meanwhile. */
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

import { sandboxKey } from '../../../src/mock/index.ts'
import { describeWithEngine, type RedisServer, startRedis } from '../../support/redis.ts'
import { freshName, send, startMocks } from './mocks.ts'

let redis: RedisServer
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis?.remove())

const key = sandboxKey('team-a')
const own = '/_petstore/sandboxes/team-a'
const create = (port: number) =>
  send(port, 'POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 }, key })
const countOf = async (port: number, query = '') =>
  (await send(port, 'GET', `${own}/journal/count${query}`)).json.count as number

const addRule = async (port: number): Promise<void> => {
  const { status } = await send(port, 'POST', `${own}/rules`, { body: { delayMs: 1 } })
  expect(status).toBe(201)
}

/** Another mock in the list, which never responds. */
async function addGhost(name: string, isListening: boolean): Promise<() => Promise<void>> {
  const beat = async (): Promise<void> =>
    void (await redis.command('ZADD', `petstore:{${name}}:mocks`, String(Date.now()), 'ghost'))
  await beat()
  if (isListening) {
    const subscriber = new Redis(redis.url)
    onTestFinished(() => subscriber.disconnect())
    await subscriber.subscribe(`petstore:{${name}}:to:ghost`)
  }
  return beat
}

describeWithEngine('a sandbox that was deleted and is used again', () => {
  test.each([
    ['the same mock deletes and uses it', 0, 0],
    ['another mock deletes it', 1, 0],
    ['another mock uses it', 0, 1],
    ['another mock deletes and uses it', 1, 1],
  ])('has all that it has without sharing: %s', async (_, deleting, using) => {
    const mocks = await startMocks(redis, 2)
    const ports = mocks.map(({ port }) => port)
    for (const port of ports) expect((await create(port)).status).toBe(201)
    for (const life of [2, 3]) {
      expect((await send(ports[deleting]!, 'DELETE', own)).status).toBe(204)
      for (const port of ports) expect((await send(port, 'GET', own)).status).toBe(404)
      const waiting = Array.from({ length: 12 }, () => create(ports[using]!))
      for (const reply of await Promise.all(waiting)) expect(reply.status).toBe(201)
      const limit = await send(ports[using]!, 'GET', '/v1/pets?limit=0', { key })
      expect(limit.status).toBe(400)
      for (const [place, port] of ports.entries()) {
        const shown = `life ${life}, mock ${place}`
        expect(await countOf(port), shown).toBe(13)
        expect(await countOf(port, '?operation=createPet&wait=12'), shown).toBe(12)
        const { json: journal } = await send(port, 'GET', `${own}/journal`)
        expect(journal.entries.map(({ number }: { number: number }) => number)).toEqual(
          Array.from({ length: 13 }, (_, index) => index + 1),
        )
        const { json: har } = await send(port, 'GET', `${own}/journal.har`)
        expect(har.log.entries).toHaveLength(13)
        const { json } = await send(port, 'GET', `${own}/scorecard`)
        expect(json.scorecards[0], shown).toMatchObject({ requests: 13 })
        const { json: list } = await send(port, 'GET', '/_petstore/sandboxes')
        expect(list.sandboxes).toMatchObject([{ name: 'team-a', pets: 17, requests: 13 }])
        expect((await send(port, 'GET', `${own}/pets`)).json).toHaveLength(17)
        expect((await send(port, 'GET', `${own}/rules`)).json).toEqual({ rules: [] })
        const { json: clock } = await send(port, 'GET', `${own}/clock`)
        expect(Date.parse(clock.startedAt)).toBeGreaterThan(Date.now() - 60_000)
      }
    }
    // Each call returns what has happened since the one before, and not all that ever has.
    for (let sent = 0; sent < 3; sent += 1) await create(ports[using]!)
    expect(mocks[using]!.shared!.counters['lag']).toBe(0)
  })

  test('has the requests that came with the deletion', async () => {
    const [mock] = await startMocks(redis, 1)
    const { port } = mock!
    for (let turn = 0; turn < 20; turn += 1) {
      await create(port)
      const [deleted, ...created] = await Promise.all([
        send(port, 'DELETE', own),
        ...Array.from({ length: 4 }, () => create(port)),
      ])
      expect(deleted.status).toBe(204)
      for (const { status } of created) expect(status).toBe(201)
      const { status, json: pets } = await send(port, 'GET', `${own}/pets`)
      // The journal of the new sandbox has a creation for each of its pets.
      if (status === 200) expect(await countOf(port)).toBe(pets.length - 5)
    }
  })

  test('is streamed anew', async () => {
    const [one, two] = await startMocks(redis, 2)
    await create(one!.port)
    const stream = await fetch(`http://127.0.0.1:${two!.port}${own}/events`)
    const text = stream.text()
    await send(one!.port, 'DELETE', own)
    await create(one!.port)
    expect(await text).toContain('event: hello')
    const again = await fetch(`http://127.0.0.1:${two!.port}${own}/events?after=0`)
    onTestFinished(() => again.body?.cancel().catch(() => {}))
    let seen = ''
    for await (const bytes of again.body!) {
      seen += Buffer.from(bytes).toString()
      if (seen.includes('event: entry')) break
    }
    expect(seen).toContain('"number":1')
  })
})

describeWithEngine('a read of the control API that waits for another mock', () => {
  const routes = ['rules', 'journal', 'journal/count', 'journal.har', 'scorecard', 'pets']

  test.each(routes)('never shows a sandbox that does not exist: %s', async (route) => {
    const shared = { url: redis.url, name: freshName() }
    const [one, two] = await startMocks(redis, 2, { shared })
    await create(one!.port)
    await addRule(one!.port)
    await create(two!.port)
    const before = (await send(one!.port, 'GET', `${own}/${route}`)).text
    await addGhost(shared.name, true)
    const reading = send(one!.port, 'GET', `${own}/${route}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect((await send(one!.port, 'DELETE', own)).status).toBe(204)
    const { status, text } = await reading
    if (status !== 404) expect([status, text]).toEqual([200, before])
  })

  test('shows a sandbox that was made again meanwhile', async () => {
    const shared = { url: redis.url, name: freshName() }
    const [one] = await startMocks(redis, 1, { shared })
    await create(one!.port)
    const beat = await addGhost(shared.name, true)
    // On a busy machine, the requests may take longer than the reads wait.
    for (let isMeanwhile = false; !isMeanwhile;) {
      await beat()
      const since = performance.now()
      const reading = Promise.all([
        send(one!.port, 'GET', `${own}/journal/count`),
        send(one!.port, 'GET', `${own}/rules`),
      ])
      await new Promise((resolve) => setTimeout(resolve, 200))
      await send(one!.port, 'DELETE', own)
      for (let sent = 0; sent < 3; sent += 1) await create(one!.port)
      await addRule(one!.port)
      isMeanwhile = performance.now() - since < 900
      const [count, rules] = await reading
      if (!isMeanwhile) continue
      expect(count.json).toEqual({ count: 3 })
      expect(rules.json).toMatchObject({ rules: [{ id: 'rule-1' }] })
    }
  })

  test('waits for one that has died at most once, and not at all where the engine knows', async () => {
    const shared = { url: redis.url, name: freshName() }
    const [one] = await startMocks(redis, 1, { shared })
    await create(one!.port)
    const timed = async (): Promise<number> => {
      const since = performance.now()
      expect(await countOf(one!.port)).toBe(1)
      return performance.now() - since
    }
    await timed()
    await addGhost(shared.name, false)
    expect(await timed()).toBeLessThan(900)
    const beat = await addGhost(shared.name, true)
    expect(await timed()).toBeGreaterThan(900)
    // On a busy machine, one of a few is that fast.
    expect(Math.min(await timed(), await timed(), await timed())).toBeLessThan(900)
    // It lives, and may respond again.
    await beat()
    expect(await timed()).toBeGreaterThan(900)
  })
})
