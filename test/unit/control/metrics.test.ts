/** GET /metrics, read by a third-party parser of the Prometheus format. */
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'

import parse from 'parse-prometheus-text-format'
import { expect, onTestFinished, test, vi } from 'vitest'

import { sandboxKey } from '../../../src/mock/index.ts'
import { sendTo, startControlled } from './control.ts'

interface Family {
  name: string
  type: string
  help: string
  metrics: { value?: string; labels?: Record<string, string> }[]
}

async function families(
  call: Awaited<ReturnType<typeof startControlled>>['call'],
  query = '',
): Promise<Map<string, Family>> {
  const reply = await call('GET', `/metrics${query}`)
  expect([reply.status, reply.headers['content-type']]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ])
  // The last line must end with a line feed.
  expect(reply.text).toMatch(/\n$/)
  const found = parse(reply.text) as Family[]
  expect(new Set(found.map(({ name }) => name)).size).toBe(found.length)
  for (const { name, help, type } of found) {
    expect(name).toMatch(/^[a-z][a-z0-9_]+$/)
    expect(help).not.toBe('')
    expect(name.endsWith('_total'), name).toBe(type === 'COUNTER')
  }
  return new Map(found.map((family) => [family.name, family]))
}

const valueOf = (all: Map<string, Family>, name: string): number =>
  Number(all.get(name)?.metrics[0]?.value)

test('counts requests by operation, status and kind of key', async () => {
  const { mock, call } = await startControlled()
  const [own, keyed] = [`Bearer ${mock.key}`, `Bearer ${sandboxKey('team-a')}`].map(
    (authorization) => ({
      authorization,
    }),
  ) as [{ authorization: string }, { authorization: string }]
  await sendTo(mock.port, 'GET', '/v1/pets?limit=2', { headers: own })
  await sendTo(mock.port, 'GET', '/v1/pets', { headers: own })
  await sendTo(mock.port, 'GET', '/v1/pets/1', { headers: own })
  await sendTo(mock.port, 'GET', '/v1/%70ets/1', { headers: own })
  await sendTo(mock.port, 'GET', '/v1/pets/0')
  await sendTo(mock.port, 'POST', '/v1/pets', {
    headers: keyed,
    body: { name: 'Rex', categoryId: 1 },
  })
  await sendTo(mock.port, 'DELETE', '/v1/pets/1', { headers: own })
  await sendTo(mock.port, 'GET', '/elsewhere', { headers: own })
  const all = await families(call)
  const counted = all.get('petstore_requests_total')?.metrics.map(({ labels = {}, value }) => {
    return `${labels['operation']} ${labels['status']} ${labels['sandbox']} ${value}`
  })
  expect(counted?.toSorted()).toEqual([
    'createPet 201 keyed 1',
    'getPet 200 own 2',
    'getPet 401 own 1',
    'listPets 200 own 2',
    'none 404 own 1',
    'none 405 own 1',
  ])
  expect(valueOf(all, 'petstore_sandboxes')).toBe(1)
  expect(valueOf(all, 'petstore_pets')).toBe(11)
  expect(valueOf(all, 'petstore_ready')).toBe(1)
  expect(valueOf(all, 'petstore_sandboxes_dropped_total')).toBe(0)
  expect(valueOf(all, 'process_resident_memory_bytes')).toBeGreaterThan(1e6)
})

test.each(['same', 'redirect', '404'] as const)(
  'a request is of the operation that the journal names, with a trailing slash that means %s',
  async (option) => {
    const { mock, call } = await startControlled({ profile: { 'http.trailing-slash': option } })
    const get = ['/v1/pets/', '/v1/pets/1/', '/v1/pets/1/2/'].map((target) => ['GET', target])
    const others = [
      ['HEAD', '/v1/pets'],
      ['POST', '/v1/pets/'],
      ['PUT', '/v1/pets'],
    ]
    for (const [method = '', target = ''] of [...get, ...others])
      await sendTo(mock.port, method, target)
    const named = mock.journal.summaries().map(({ operation = 'none' }) => operation)
    expect(named).toEqual(['listPets', 'getPet', 'none', 'listPets', 'createPet', 'none'])
    const counted = (await families(call)).get('petstore_requests_total')?.metrics
    const all = (counted ?? []).flatMap(({ labels = {}, value }) =>
      Array<string>(Number(value)).fill(labels['operation'] ?? ''),
    )
    expect(all.toSorted()).toEqual(named.toSorted())
  },
)

test('latencies include the delay of a rule', async () => {
  const { mock, call } = await startControlled()
  const headers = { authorization: `Bearer ${mock.key}` }
  for (const _ of '123') await sendTo(mock.port, 'GET', '/v1/pets', { headers })
  mock.use({ delayMs: 30, times: 1 })
  await sendTo(mock.port, 'GET', '/v1/pets', { headers })
  expect((await families(call)).get('petstore_request_duration_seconds')?.type).toBe('HISTOGRAM')
  const { text } = await call('GET', '/metrics')
  const lines = text
    .split('\n')
    .filter((line) => line.includes('duration_seconds_') && line.includes('"listPets"'))
  const buckets = lines.flatMap((line) => {
    const [, bound = '', value] =
      /_bucket\{operation="listPets",le="([^"]+)"\} (\d+)$/.exec(line) ?? []
    return value === undefined ? [] : [[bound, Number(value)] as const]
  })
  // Buckets are cumulative.
  const values = buckets.map(([, value]) => value)
  expect(values).toEqual(values.toSorted((a, b) => a - b))
  expect(buckets.filter(([bound]) => ['0.025', '+Inf'].includes(bound))).toEqual([
    ['0.025', 3],
    ['+Inf', 4],
  ])
  expect(lines.at(-1)).toBe('petstore_request_duration_seconds_count{operation="listPets"} 4')
  expect(Number(lines.at(-2)?.split(' ').at(-1))).toBeGreaterThan(0.03)
})

test('requests to the control API are not counted', async () => {
  const { call } = await startControlled()
  await call('GET', '/pets')
  expect((await families(call)).get('petstore_requests_total')?.metrics ?? []).toEqual([])
})

test('requests to the control API are counted apart, also those that the guard rejects', async () => {
  const { mock, call } = await startControlled({ controlToken: 'a-token-of-the-tests' })
  const authorization = 'Bearer a-token-of-the-tests'
  await sendTo(mock.port, 'POST', '/_petstore/reset')
  await sendTo(mock.port, 'POST', '/_petstore/reset', { headers: { authorization } })
  await sendTo(mock.port, 'PROPFIND', '/_petstore/pets', { headers: { authorization } })
  const all = await families((method, path) => call(method, path, { headers: { authorization } }))
  const counted = all.get('petstore_control_requests_total')?.metrics
  expect(
    counted?.map(({ labels, value }) => [labels?.['method'], labels?.['status'], value]),
  ).toEqual([
    ['POST', '401', '1'],
    ['POST', '204', '1'],
    ['other', '405', '1'],
  ])
})

test('saves of the state, and those that fail', async () => {
  let isFull = false
  const { mock, call } = await startControlled({
    keepState: () => (isFull ? Promise.reject(new Error('full')) : Promise.resolve()),
  })
  const names = ['saves_total', 'save_failures_total', 'unsaved_seconds']
  const read = async (): Promise<number[]> => {
    const all = await families(call)
    return names.map((name) => valueOf(all, `petstore_state_${name}`))
  }
  await expect.poll(read).toEqual([1, 0, 0])
  isFull = true
  mock.reset()
  // Before anybody has looked for it.
  expect((await read())[2]).toBeGreaterThan(0)
  await expect.poll(async () => (await read())[1]).toBeGreaterThan(0)
  const [, , age = 0] = await read()
  await expect.poll(async () => (await read())[2]).toBeGreaterThan(age + 0.3)
  isFull = false
  await expect.poll(async () => (await read())[2], { timeout: 5_000 }).toBe(0)
})

test('what is open, the event loop and the heap', async () => {
  const { mock, call } = await startControlled()
  mock.use({ delayMs: 60_000, times: 1 })
  const socket = connect(mock.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const arrived = mock.journal.waitFor({ after: mock.journal.range.last })
  socket.write(`GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${mock.key}\r\n\r\n`)
  await arrived
  const before = await families(call)
  // This scrape, too.
  expect(valueOf(before, 'petstore_requests_in_flight')).toBe(2)
  expect(valueOf(before, 'petstore_connections')).toBeGreaterThanOrEqual(2)
  expect(valueOf(before, 'petstore_event_streams')).toBe(0)
  expect(valueOf(before, 'nodejs_heap_size_used_bytes')).toBeGreaterThan(1e6)
  socket.destroy()
  await expect
    .poll(async () => valueOf(await families(call), 'petstore_requests_in_flight'))
    .toBe(1)
  // The first scrape starts the measurement.
  await new Promise((resolve) => setTimeout(resolve, 50))
  const end = performance.now() + 150
  while (performance.now() < end);
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(valueOf(await families(call), 'nodejs_eventloop_lag_max_seconds')).toBeGreaterThan(0.09)
})

test('how full the mock is', async () => {
  const { mock, call } = await startControlled()
  const read = async (): Promise<number[]> => {
    const all = await families(call)
    return ['', '_bytes', '_capacity_bytes'].map((name) =>
      valueOf(all, `petstore_sandboxes${name}`),
    )
  }
  const [kept, bytes, capacity] = (await read()) as [number, number, number]
  expect([kept, bytes]).toEqual([0, 0])
  expect(capacity).toBeGreaterThan(2 ** 27)
  const { catalog } = mock.sandboxes.get('team-a')
  const [, small = 0] = await read()
  catalog.import([{ id: 1, name: 'x'.repeat(2 ** 20), categoryId: 1 }])
  const [one, large = 0, same] = await read()
  expect([one, same]).toEqual([1, capacity])
  expect(large - small).toBeGreaterThan(0.9 * 2 ** 20)
  expect(large - small).toBeLessThan(2 ** 22)
  mock.sandboxes.delete('team-a')
  expect(await read()).toEqual([0, 0, capacity])
})

test('requests and work of the sandboxes that are busiest lately, if a scrape asks for them', async () => {
  const { mock, call } = await startControlled()
  const create = async (name: string | undefined, size = 2 ** 19): Promise<void> => {
    const key = name === undefined ? mock.key : sandboxKey(name)
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'x'.repeat(size), categoryId: 1 })
    await mock.handle({ method: 'POST', target: '/v1/pets', headers, body })
  }
  const read = async (): Promise<Record<string, [requests: number, seconds: number]>> => {
    const all = await families(call, '?sandboxes=true')
    const of = (what: string) => all.get(`petstore_sandbox_${what}_total`)?.metrics ?? []
    const seconds = new Map(
      of('work_seconds').map(({ labels, value }) => [labels?.['sandbox'], value]),
    )
    return Object.fromEntries(
      of('requests').map(({ labels, value }) => {
        const name = labels?.['sandbox'] ?? ''
        return [name, [Number(value), Number(seconds.get(name))] as const]
      }),
    ) as never
  }
  expect((await families(call)).has('petstore_sandbox_requests_total')).toBe(false)
  expect(await read()).toEqual({})
  await create(undefined, 1)
  for (const _ of '123') await create('early')
  const first = await read()
  expect(Object.keys(first)).toEqual(['early', 'own keys'])
  expect(first).toMatchObject({
    early: [3, expect.any(Number)],
    'own keys': [1, expect.any(Number)],
  })
  expect(first['early']?.[1]).toBeGreaterThan(0)
  expect(first['early']?.[1]).toBeLessThan(10)
  const since = performance.now
  const hours = vi.spyOn(performance, 'now')
  onTestFinished(() => hours.mockRestore())
  hours.mockImplementation(() => since.call(performance) + 3 * 3_600_000)
  const teams = Array.from({ length: 10 }, (_, place) => `team-${place}`)
  for (const name of teams) await create(name)
  expect(Object.keys(await read()).toSorted()).toEqual(teams)
  for (const _ of '123') await create('early')
  const again = await read()
  expect(Object.keys(again)).toHaveLength(10)
  // Its counts go on.
  expect(again['early']?.[0]).toBe(6)
  expect(again['early']?.[1]).toBeGreaterThan(first['early']?.[1] ?? Infinity)
})

test('the alerts and the dashboard use metrics that exist', async () => {
  const controlled = await startControlled({ keepState: async () => {} })
  const { call } = controlled
  const { mock } = controlled
  await mock.handle({ method: 'GET', target: '/v1/pets', headers: {}, body: '' })
  const all = await families(call, '?sandboxes=true')
  for (const file of ['prometheus-rules.yaml', 'grafana-dashboard.json']) {
    const text = readFileSync(new URL(`../../../deploy/${file}`, import.meta.url), 'utf8')
    const names = text.match(/\b(?:petstore|nodejs|process)_[a-z0-9_]+\b/g) ?? []
    expect(names).not.toEqual([])
    for (const name of names) {
      // Only a shared mock has these: test/io/shared.
      if (/^petstore_(?:shared|engine)_/.test(name)) continue
      expect([...all.keys()], file).toContain(name.replace(/_(?:bucket|sum|count)$/, ''))
    }
  }
})

test('the reference lists every metric with its type and labels', async () => {
  const { mock, call } = await startControlled({ keepState: async () => {} })
  await sendTo(mock.port, 'GET', '/v1/pets')
  await sendTo(mock.port, 'POST', '/_petstore/reset')
  const all = await families(call, '?sandboxes=true')
  const file = new URL('../../../docs/reference/control-api.md', import.meta.url)
  const rows = [
    ...readFileSync(file, 'utf8').matchAll(/^\| `(\w+)` +\| (\w+) +\| ([^|]*?) *\| \S/gm),
  ]
  const listed = rows.map(([, ...row]) => row.join(' '))
  const shown = [...all.values()].map(({ name, type, metrics }) => {
    // The parser leaves the labels of a histogram out.
    const labels =
      name === 'petstore_request_duration_seconds'
        ? ['operation']
        : Object.keys(metrics[0]?.labels ?? {})
    return [name, type.toLowerCase(), labels.map((label) => `\`${label}\``).join(', ')].join(' ')
  })
  // Only a shared mock has these: test/io/shared.
  const own = listed.filter((row) => !/^petstore_(?:shared|engine)_/.test(row))
  expect(own.toSorted()).toEqual(shown.toSorted())
})

test('entries and bodies that journals lose are counted', async () => {
  const { mock, call } = await startControlled()
  const lost = async () => {
    const all = await families(call)
    const names = ['entries', 'bodies'].map((what) => `petstore_journal_${what}_dropped_total`)
    return names.map((name) => valueOf(all, name))
  }
  expect(await lost()).toEqual([0, 0])
  const body = JSON.stringify({ name: '. '.repeat(300_000), categoryId: 1 })
  const headers = { authorization: `Bearer ${mock.key}`, 'content-type': 'application/json' }
  for (let sent = 0; sent < 60; sent += 1)
    await mock.handle({ method: 'POST', target: '/v1/pets', headers, body })
  const [entries = 0, bodies = 0] = await lost()
  expect(entries).toBeGreaterThan(5)
  expect(bodies).toBeGreaterThan(20)
  const journal = await call('GET', '/journal?bodies=false&limit=1')
  expect(JSON.parse(journal.text)).toMatchObject({ dropped: entries })
})
