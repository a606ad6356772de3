/** GET /metrics, read by a third-party parser of the Prometheus format. */
import parse from 'parse-prometheus-text-format'
import { expect, test } from 'vitest'

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
): Promise<Map<string, Family>> {
  const reply = await call('GET', '/metrics')
  expect([reply.status, reply.headers['content-type']]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ])
  // The last line must end with a line feed.
  expect(reply.text).toMatch(/\n$/)
  const found = parse(reply.text) as Family[]
  expect(new Set(found.map(({ name }) => name)).size).toBe(found.length)
  for (const { name, help, type } of found) {
    expect(name).toMatch(/^[a-z_]+$/)
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
