import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { describe, expect, test } from 'vitest'

import { createMock, type Mock, sandboxKey } from '../../../src/mock/index.ts'
import { createInnerMock } from '../../../src/mock/sandbox/mock.ts'
import { readSettings } from '../../../src/mock/sandbox/settings.ts'
import { collectGarbage } from '../../support/heap.ts'
import { sendTo, create } from '../../unit/mock/ask.ts'

const rex = { name: 'Rex', categoryId: 1 }
const MiB = 2 ** 20

/** Creates a mock and collects its notices. */
function noticing(pets: number): { mock: Mock; notices: string[] } {
  const notices: string[] = []
  return { mock: createMock({ pets, onNotice: (notice) => notices.push(notice) }), notices }
}

/** Creates a mock with capacity for about a hundred sandboxes of three pets. */
function small(): { mock: Mock; notices: string[] } {
  const notices: string[] = []
  const onNotice = (notice: string): unknown => notices.push(notice)
  const settings = readSettings({ pets: 3 }, [])
  // The capacity is 512 MiB for a heap of 2 GiB.
  const { mock } = createInnerMock(settings, {
    loaded: { defects: [] },
    onNotice,
    heapBytes: 4 * 1_750_000,
  })
  return { mock, notices }
}

describe('beyond the capacity, the sandbox that was idle longest is dropped', () => {
  test('with a notice, and restarts from the initial state', async () => {
    const { mock, notices } = small()
    for (let index = 0; index < 80; index += 1) mock.sandboxes.get(`team-${index}`)
    await create(mock, rex, sandboxKey('team-0'))
    await create(mock, rex, sandboxKey('team-1'))
    mock.sandboxes.get('team-2').use({ reply: { status: 503 } })
    await create(mock, rex)
    expect([mock.sandboxes.list().length, mock.sandboxes.dropped, notices]).toEqual([80, 0, []])

    let more = 0
    for (; mock.sandboxes.dropped === 0; more += 1) mock.sandboxes.get(`more-${more}`)
    expect(mock.sandboxes.has('team-3')).toBe(false)
    expect(notices).toEqual([
      'The sandbox team-3 was dropped, with its pets and its journal: all sandboxes together took more than 2 MiB.',
    ])

    // More sandboxes, some created by their keys, displace all that were not used recently.
    for (let index = 0; index < 200; index += 1) mock.sandboxes.get(`new-${index}`)
    for (let index = 0; index < 20; index += 1)
      await sendTo(mock, 'HEAD', '/v1/pets', { key: sandboxKey(`key-${index}`) })
    expect(mock.sandboxes.list().length + mock.sandboxes.dropped).toBe(80 + more + 220)
    expect(['team-0', 'team-1', 'team-2', 'new-199'].map(mock.sandboxes.has)).toEqual([
      false,
      false,
      false,
      true,
    ])
    const fresh = await sendTo(mock, 'GET', '/v1/pets', { key: sandboxKey('team-2') })
    expect([fresh.status, fresh.json.length]).toEqual([200, 3])
    expect((await create(mock, rex, sandboxKey('team-0'))).json.id).toBe(4)
    // The main sandbox is never dropped.
    expect(mock.catalog.size).toBe(4)
  })

  test('but never one in steady use', async () => {
    const { mock } = small()
    await create(mock, rex, sandboxKey('busy'))
    for (let index = 0; index < 300; index += 1) {
      mock.sandboxes.get(`idle-${index}`)
      if (index % 20 === 0) await sendTo(mock, 'HEAD', '/v1/pets', { key: sandboxKey('busy') })
    }
    expect((await sendTo(mock, 'GET', '/v1/pets', { key: sandboxKey('busy') })).json).toHaveLength(
      4,
    )
  })
})

describe('the pets of a sandbox are bounded in bytes', () => {
  test('at 64 MiB of new pets the response is 507, and other sandboxes are not affected', async () => {
    const { mock, notices } = noticing(10)
    const [big, small] = [sandboxKey('big'), sandboxKey('small')]
    await create(mock, rex, small)
    const body = JSON.stringify({ name: 'x'.repeat(1_048_000), categoryId: 1 })
    let created = 0
    let reply = await create(mock, body, big)
    for (; reply.status === 201 && created < 200; created += 1)
      reply = await create(mock, body, big)
    expect(created).toBeGreaterThanOrEqual(63)
    expect(created).toBeLessThanOrEqual(66)
    expect(reply.json).toEqual({
      code: 'insufficient_storage',
      message: expect.stringContaining('Reset'),
      status: 507,
    })
    expect(mock.sandboxes.get('big').catalog.size).toBe(10 + created)
    // Its pets can be read, deleted and reset.
    expect((await sendTo(mock, 'GET', '/v1/pets/10', { key: big })).status).toBe(200)
    for (let id = 11; id < 15; id += 1) mock.sandboxes.get('big').catalog.delete(id)
    expect((await create(mock, rex, big)).status).toBe(201)
    expect((await create(mock, rex, small)).json.id).toBe(12)
    expect((await create(mock, body)).status).toBe(201)
    mock.sandboxes.get('big').reset()
    expect((await create(mock, body, big)).json.id).toBe(11)
    // Its journal has the bodies, too.
    expect(notices).toEqual([
      'The journal of the sandbox big is among the largest and loses its oldest entries: all journals together took more than 32 MiB.',
    ])
  })

  test('above 512 MiB in total, the sandbox that was idle longest is dropped', async () => {
    const { mock, notices } = noticing(10)
    const name = 'x'.repeat(MiB)
    const pets = Array.from({ length: 60 }, (_, index) => ({ id: index, name, categoryId: 1 }))
    await create(mock, rex, sandboxKey('small'))
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    for (const name of names) mock.sandboxes.get(name).catalog.import(pets)
    mock.sandboxes.get('empty')
    expect(notices).toEqual([])
    expect((await sendTo(mock, 'HEAD', '/v1/pets', { key: sandboxKey('a') })).status).toBe(200)
    mock.sandboxes.get('i').catalog.import(pets)
    // The next request of any sandbox enforces the limit, and its sandbox is not dropped.
    expect(
      (await sendTo(mock, 'GET', '/v1/pets?limit=1', { key: sandboxKey('small') })).json,
    ).toHaveLength(1)
    expect(notices).toEqual([
      'The sandbox b was dropped, with its pets and its journal: all sandboxes together took more than 512 MiB.',
    ])
    expect(mock.sandboxes.list().map(({ name }) => name)).toEqual([
      ...names.slice(2),
      'empty',
      'a',
      'i',
      'small',
    ])
  })

  test('without caching their lists', async () => {
    const { mock } = noticing(0)
    const name = 'x'.repeat(MiB)
    mock.catalog.import(Array.from({ length: 30 }, (_, id) => ({ id, name, categoryId: 1 })))
    for (let limit = 1; limit <= 30; limit += 1)
      await sendTo(mock, 'HEAD', `/v1/pets?limit=${limit}`)
    collectGarbage()
    // 465 MiB of lists, 30 MiB of pets.
    expect(process.memoryUsage().heapUsed).toBeLessThan(200 * MiB)
  })

  test('including snapshots, whose oldest are deleted', async () => {
    const { mock } = noticing(0)
    const name = 'x'.repeat(MiB)
    const { catalog, snapshots } = mock.sandboxes.get('a')
    for (let index = 0; index < 5; index += 1) {
      catalog.import(Array.from({ length: 20 }, (_, id) => ({ id, name, categoryId: 1 })))
      snapshots.save(`s${index}`)
    }
    expect(snapshots.list().map(({ name }) => name)).toEqual(['s3', 's4'])
    expect((await create(mock, rex, sandboxKey('a'))).status).toBe(201)
  })
})

test('an error thrown by onNotice does not affect requests', async () => {
  const thrown: unknown[] = []
  process.setUncaughtExceptionCaptureCallback((error) => thrown.push(error))
  const settings = readSettings({ pets: 0 }, [])
  const onNotice = (): never => {
    throw new Error('mine')
  }
  const { mock } = createInnerMock(settings, {
    loaded: { defects: [] },
    onNotice,
    heapBytes: 4 * 17_000,
  })
  mock.sandboxes.get('one')
  expect((await sendTo(mock, 'GET', '/v1/pets', { key: sandboxKey('another') })).status).toBe(200)
  await new Promise((resolve) => setImmediate(resolve))
  process.setUncaughtExceptionCaptureCallback(null)
  expect(thrown).toMatchObject([{ message: 'mine' }])
})

test('two thousand sandboxes of 100 pets, each with a list and a creation, stay within the counted size', async () => {
  const module = new URL('../../../dist/mock/index.js', import.meta.url).href
  const script = join(import.meta.dirname, 'many-sandboxes.js')
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', script, module, '2000'],
    {
      env: { ...process.env, NODE_OPTIONS: '' },
    },
  )
  const { bytes, ...rest } = JSON.parse(stdout) as { bytes: number }
  expect(rest).toEqual({ sandboxes: 2_000, pets: [101], outcomes: ['100,201,101'], notices: [] })
  expect(bytes / 2_000).toBeLessThan(45_000)
})

test('imported and changed pets, small values and rules count with their size: 1 MiB with a small heap', async () => {
  const settings = readSettings({ pets: 100, profile: { 'create.extra-fields': 'store' } }, [])
  const { mock } = createInnerMock(settings, { loaded: { defects: [] }, heapBytes: 2 ** 25 })
  const small = Array.from({ length: 3_000 }, () => ({}))
  for (const { catalog, key, use, reset } of [mock, mock.sandboxes.get('a')]) {
    const statuses: number[] = []
    // The creation that exceeds the limit is the last accepted one.
    while (statuses.at(-1) !== 507)
      statuses.push((await create(mock, { ...rex, small }, key)).status)
    expect(statuses).toHaveLength(7)
    expect(() => catalog.change(1, { name: 'x'.repeat(99) })).toThrow(
      'There is no capacity for more pets. Delete some.',
    )
    expect(catalog.change(1, { name: 'x' })).toMatchObject({ id: 1, name: 'x' })
    reset()
    const add = (): unknown =>
      use({ when: { operation: 'getPet' }, reply: { status: 200, body: small } })
    for (let count = 0; count < 5; count += 1) add()
    expect(add).toThrow('There is no capacity for these rules.')
    catalog.import([{ ...rex, id: 1, name: 'x'.repeat(MiB) }])
    expect((await create(mock, rex, key)).status).toBe(507)
    catalog.import([])
    expect((await create(mock, rex, key)).status).toBe(201)
  }
  // The limit of a shared mock does not depend on the heap of one process.
  const shared = createInnerMock(settings, {
    loaded: { defects: [] },
    heapBytes: 2 ** 25,
    sandboxCapacity: 2 ** 26,
  })
  for (let count = 0; count < 9; count += 1)
    expect((await create(shared.mock, { ...rex, small })).status).toBe(201)
})
