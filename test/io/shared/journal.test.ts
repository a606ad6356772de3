/** Mocks with shared state have one journal, through each of them. */
import http from 'node:http'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

import { sandboxKey } from '../../../src/mock/index.ts'
import { Arrivals } from '../../support/arrivals.ts'
import { describeWithEngine, type RedisServer, startRedis } from '../../support/redis.ts'
import { freshName, send, startMocks } from './mocks.ts'

let redis: RedisServer
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis?.remove())

/** Opens a stream of events, and returns a function that reads the next matching one. */
async function follow(port: number, path: string, headers = {}): Promise<Next> {
  const request = http.get({ host: '127.0.0.1', port, path, agent: false, headers })
  onTestFinished(() => void request.destroy())
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  const events: Event[] = []
  let rest = ''
  const arrivals = new Arrivals()
  response.on('error', () => {})
  response.on('close', () => {
    events.push({ name: 'end', id: undefined, data: undefined })
    arrivals.notice()
  })
  response.on('data', (bytes: Buffer) => {
    rest += bytes.toString()
    const parts = rest.split('\n\n')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      const name = /^event: (.*)$/m.exec(part)?.[1]
      const [data, id] = ['data', 'id'].map(
        (field) => new RegExp(`^${field}: (.*)$`, 'm').exec(part)?.[1],
      )
      if (data !== undefined) events.push({ name: name ?? 'message', id, data: JSON.parse(data) })
    }
    arrivals.notice()
  })
  return (fits) =>
    arrivals.until(() => {
      const index = events.findIndex(fits)
      return index === -1 ? undefined : events.splice(0, index + 1).at(-1)
    })
}

type Next = (fits: (event: Event) => boolean) => Promise<Event>

interface Event {
  name: string
  id: string | undefined
  data: any
}

describeWithEngine('the journal of three mocks', () => {
  test('is complete and the same through each, and so are scorecards and archives', async () => {
    const mocks = await startMocks(redis, 3)
    for (let index = 0; index < 12; index += 1) {
      await send(mocks[index % 3]!.port, 'GET', `/v1/pets?limit=${index}`)
    }
    await send(mocks[1]!.port, 'POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } })
    const journals = await Promise.all(
      mocks.map(({ port }) => send(port, 'GET', '/_petstore/journal')),
    )
    const [first] = journals
    expect(first!.json.entries.map(({ number }: { number: number }) => number)).toEqual(
      Array.from({ length: 13 }, (_, index) => index + 1),
    )
    expect(first!.json.entries.map(({ request }: any) => request.target)).toEqual([
      ...Array.from({ length: 12 }, (_, index) => `/v1/pets?limit=${index}`),
      '/v1/pets',
    ])
    expect(first!.json.entries.at(-1)).toMatchObject({
      changes: [{ after: { id: 6, name: 'Rex' } }],
    })
    expect(first!.text).not.toContain('petstore-test-key')
    for (const path of ['/journal', '/scorecard', '/journal.har', '/journal/7']) {
      const [one, ...others] = await Promise.all(
        mocks.map(({ port }) => send(port, 'GET', `/_petstore${path}`)),
      )
      expect(one!.status).toBe(200)
      for (const other of others) expect(other.json, path).toEqual(one!.json)
    }
    // The client made one mistake: a limit of 0.
    const { json } = await send(mocks[2]!.port, 'GET', '/_petstore/scorecard')
    expect(json.scorecards[0]).toMatchObject({ requests: 13 })
  })

  test('is cleared in all, and numbers continue', async () => {
    const [one, two] = await startMocks(redis, 2)
    for (const mock of [one!, two!, one!]) await send(mock.port, 'GET', '/v1/pets')
    await send(two!.port, 'DELETE', '/_petstore/journal')
    await send(one!.port, 'GET', '/v1/pets/1')
    for (const mock of [one!, two!]) {
      const { json } = await send(mock.port, 'GET', '/_petstore/journal')
      expect(json.entries).toMatchObject([{ number: 4, request: { target: '/v1/pets/1' } }])
    }
  })

  test('repeats a request that another mock has recorded, with its key', async () => {
    const [one, two] = await startMocks(redis, 2)
    const key = sandboxKey('team-a')
    await send(one!.port, 'POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 }, key })
    const repeated = await send(two!.port, 'POST', '/_petstore/sandboxes/team-a/journal/1/repeat')
    expect(repeated).toMatchObject({ status: 201, json: { number: 2, response: { status: 201 } } })
    expect((await send(one!.port, 'GET', '/v1/pets', { key })).json).toHaveLength(7)
  })

  test('keeps the entries of a stopped mock, and a later mock has its pets', async () => {
    const shared = { url: redis.url, name: freshName() }
    const [one, two] = await startMocks(redis, 2, { shared })
    for (const mock of [one!, two!, one!]) await send(mock.port, 'GET', '/v1/pets')
    await send(one!.port, 'POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } })
    await one!.close()
    const [three] = await startMocks(redis, 1, { shared })
    for (const mock of [two!, three!]) {
      const { json } = await send(mock.port, 'GET', '/_petstore/journal')
      expect(json.entries.map(({ number }: { number: number }) => number)).toEqual([1, 2, 3, 4])
    }
    expect((await send(three!.port, 'GET', '/v1/pets/6')).json).toMatchObject({ name: 'Rex' })
  })
})

describeWithEngine('a stream of one mock', () => {
  test('shows changes through other mocks, in order and once', async () => {
    const [one, two] = await startMocks(redis, 2)
    const next = await follow(two!.port, '/_petstore/events')
    expect((await next(({ name }) => name === 'hello')).data).toMatchObject({ after: 0 })
    const seen: number[] = []
    for (let index = 0; index < 10; index += 1)
      await send([one!, two!][index % 2]!.port, 'GET', '/v1/pets')
    while (seen.length < 10)
      seen.push((await next(({ name }) => name === 'entry' || name === 'lost')).data.number)
    expect(seen).toEqual(Array.from({ length: 10 }, (_, index) => index + 1))
    await send(one!.port, 'POST', '/_petstore/rules', { body: { delayMs: 1 } })
    await next(({ name }) => name === 'rules')
    await send(one!.port, 'POST', '/_petstore/sandboxes', { body: { name: 'team-a' } })
    await next(({ name }) => name === 'sandboxes')
    await send(one!.port, 'POST', '/_petstore/pets', { body: { name: 'Rex', categoryId: 1 } })
    await next(({ name }) => name === 'pets')
  })

  test('continues through another mock', async () => {
    const [one, two] = await startMocks(redis, 2)
    for (const mock of [one!, two!, one!]) await send(mock.port, 'GET', '/v1/pets')
    const first = await follow(one!.port, '/_petstore/events?after=0')
    const { data } = await first(({ name }) => name === 'hello')
    const next = await follow(two!.port, '/_petstore/events', {
      'last-event-id': `${data.instance}-2`,
    })
    expect(await next(({ name }) => name === 'entry')).toMatchObject({
      id: `${data.instance}-3`,
      data: { number: 3 },
    })
  })

  test('ends when the engine has lost its data, and numbers restart', async () => {
    const [mock] = await startMocks(redis, 1)
    const next = await follow(mock!.port, '/_petstore/events')
    for (let sent = 0; sent < 3; sent += 1) await send(mock!.port, 'GET', '/v1/pets')
    const { id } = await next(({ data }) => data.number === 3)
    await redis.command('FLUSHALL')
    await send(mock!.port, 'GET', '/v1/pets')
    await next(({ name }) => name === 'end')
    const again = await follow(mock!.port, '/_petstore/events', { 'last-event-id': id })
    expect((await again(({ name }) => name === 'entry')).data.number).toBe(1)
  })
})
