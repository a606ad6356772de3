import { beforeEach, describe, expect, test } from 'vitest'

import { createMock, type Mock, sandboxKey } from '../../../src/mock/index.ts'
import { type Answer, sendTo, create, rex } from './ask.ts'

const list = (mock: Mock, name?: string): Promise<Answer> =>
  sendTo(mock, 'GET', '/v1/pets?limit=100', name === undefined ? {} : { key: sandboxKey(name) })

let mock: Mock
beforeEach(() => void (mock = createMock({ pets: 10 })))

describe('the pets of a sandbox', () => {
  test('are at first those of the mock, whatever its name and other sandboxes', async () => {
    const body = (await list(mock)).body
    await create(mock, rex)
    const other = createMock({ pets: 10 })
    for (const name of ['x', 'y', 'z']) await create(other, rex, sandboxKey(name))
    for (const one of [mock, other]) expect((await list(one, 'team-a')).body).toBe(body)
    const pets = JSON.parse(body).toReversed()
    expect(pets[0]).toEqual({
      id: 1,
      name: expect.any(String),
      categoryId: expect.any(Number),
      status: expect.any(String),
    })
    // Generated pets are the same on every machine.
    expect(pets.slice(0, 2)).toMatchInlineSnapshot(`
      [
        {
          "categoryId": 2,
          "id": 1,
          "name": "Tuffy the Chartreux",
          "status": "sold",
        },
        {
          "categoryId": 4,
          "id": 2,
          "name": "Archie the Mini Lop",
          "status": "sold",
        },
      ]
    `)
  })

  test('are those of another seed after a reset with it, and after later resets', async () => {
    const seeded = createMock({ pets: 10, seed: 7 })
    const team = mock.sandboxes.get('team-a')
    team.reset({ seed: 7 })
    expect(team.settings.seed).toBe(7)
    for (let time = 0; time < 2; time += 1) {
      expect((await list(mock, 'team-a')).body).toBe((await list(seeded)).body)
      await create(mock, rex, team.key)
      team.reset()
    }
    expect((await list(mock, 'team-b')).body).toBe((await list(mock)).body)
    expect(team.catalog.export()).not.toEqual(mock.catalog.export())
    team.reset({ seed: 1 })
    expect(team.catalog.export()).toEqual(mock.catalog.export())
  })

  test('have no seed when they come from the data option', () => {
    const given = createMock({ data: [{ id: 7, ...rex }] })
    expect(() => given.reset({ seed: 7 })).toThrow(
      'seed has no effect here: the initial pets come from data or generate.',
    )
    expect(() => mock.reset({ seed: 0.5 })).toThrow('seed must be an integer, but was 0.5.')
  })

  test('are the pets of the data option, if given', async () => {
    const data = [{ id: 7, ...rex }]
    const given = createMock({ data })
    expect((await list(given, 'a')).json).toEqual(data)
    await create(given, rex, sandboxKey('a'))
    given.sandboxes.get('a').catalog.delete(7)
    expect([
      (await list(given, 'a')).json.length,
      (await list(given, 'b')).json,
      (await list(given)).json,
    ]).toEqual([1, data, data])
  })

  test('are isolated, including their ids', async () => {
    const [a, b] = [sandboxKey('a'), sandboxKey('b')]
    const ids = [
      (await create(mock, rex, a)).json.id,
      (await create(mock, rex, a)).json.id,
      (await create(mock, rex, b)).json.id,
      (await create(mock, rex)).json.id,
    ]
    expect(ids).toEqual([11, 12, 11, 11])
    expect((await sendTo(mock, 'GET', '/v1/pets/12', { key: a })).status).toBe(200)
    expect((await sendTo(mock, 'GET', '/v1/pets/12', { key: b })).status).toBe(404)
    expect((await sendTo(mock, 'GET', '/v1/pets/12')).status).toBe(404)
  })
})

describe('changes in one sandbox do not affect others', () => {
  const untouched = async (): Promise<unknown[]> => [
    (await list(mock, 'b')).body,
    (await list(mock)).body,
    mock.settings,
    mock.rules(),
    mock.snapshots.list(),
    mock.clock.now(),
  ]

  test('creations, imports, collection, rules, clock, snapshots, settings, reset', async () => {
    mock = createMock({ pets: 10, now: '2026-11-20' })
    const before = await untouched()
    const a = mock.sandboxes.get('a')
    expect([a.name, a.key, mock.name]).toEqual(['a', sandboxKey('a'), undefined])
    await create(mock, rex, a.key)
    a.snapshots.save('one')
    a.catalog.import([])
    await a.pets.create(rex)
    a.use({ reply: { status: 503 } })
    a.clock.set('2031-01-01')
    a.configure({ profile: { 'list.order': 'oldest-first' }, overrides: false, explain: true })
    expect((await list(mock, 'a')).status).toBe(503)
    expect(await untouched()).toEqual(before)
    a.reset()
    expect(await untouched()).toEqual(before)
    expect((await list(mock, 'a')).json).toHaveLength(10)
    expect(a.snapshots.list()).toMatchObject([{ name: 'one', pets: 11 }])
    expect(a.snapshots.restore('one')).toBe(true)
    expect((await list(mock, 'a')).json).toHaveLength(11)
  })

  test('journals and scorecards', async () => {
    await list(mock, 'a')
    await list(mock, 'a')
    await list(mock)
    await sendTo(mock, 'GET', '/v1/pets', { key: 'unknown-key' })
    const a = mock.sandboxes.get('a')
    expect([
      a.journal.list().length,
      mock.journal.list().length,
      mock.sandboxes.get('b').journal.list().length,
    ]).toEqual([2, 2, 0])
    expect((await a.scorecards()).map(({ requests, sandbox }) => [sandbox, requests])).toEqual([
      ['a', 2],
    ])
    expect((await mock.allScorecards()).filter(({ sandbox }) => sandbox === 'a')).toEqual(
      await a.scorecards(),
    )
    a.journal.clear()
    expect(mock.journal.list()).toHaveLength(2)
  })
})

describe('management', () => {
  test('list, has, get and delete', async () => {
    expect([mock.sandboxes.list(), mock.sandboxes.has('a'), mock.sandboxes.delete('a')]).toEqual([
      [],
      false,
      false,
    ])
    await create(mock, rex, sandboxKey('a'))
    await list(mock, 'b')
    await list(mock, 'b')
    const lastSeen = expect.any(String)
    expect(mock.sandboxes.list()).toEqual([
      { name: 'a', key: sandboxKey('a'), pets: 11, requests: 1, lastSeen },
      { name: 'b', key: sandboxKey('b'), pets: 10, requests: 2, lastSeen },
    ])
    mock.sandboxes.get('b').reset()
    expect(mock.sandboxes.list()[1]).toMatchObject({ name: 'b', requests: 0 })
    expect(mock.sandboxes.get('a')).toBe(mock.sandboxes.get('a'))
    // Sorted by last use, oldest first.
    expect(mock.sandboxes.list().map(({ name }) => name)).toEqual(['b', 'a'])
    expect([mock.sandboxes.has('a'), mock.sandboxes.delete('a'), mock.sandboxes.has('a')]).toEqual([
      true,
      true,
      false,
    ])
    expect(mock.sandboxes.dropped).toBe(0)
  })

  test('a deleted sandbox is created again at the next request', async () => {
    const key = sandboxKey('a')
    await create(mock, rex, key)
    mock.sandboxes.get('a').use({ reply: { status: 503 } })
    expect((await list(mock, 'a')).status).toBe(503)
    mock.sandboxes.delete('a')
    const fresh = await list(mock, 'a')
    expect([fresh.status, fresh.json.length]).toEqual([200, 10])
    expect((await create(mock, rex, key)).json.id).toBe(11)
    expect(mock.sandboxes.get('a').journal.list()).toHaveLength(2)
  })

  test('names may equal properties of Object.prototype', async () => {
    for (const name of ['constructor', 'tostring', 'hasownproperty', '0']) {
      expect(mock.sandboxes.has(name)).toBe(false)
      expect((await list(mock, name)).status).toBe(200)
      expect(mock.sandboxes.has(name)).toBe(true)
    }
  })
})

test('an idle sandbox keeps its state', async () => {
  mock = createMock({
    pets: 10,
    profile: { 'create.visibility': 'delayed' },
    defects: ['list.limit-remembered'],
    rules: [{ reply: { status: 503 }, skip: 3, times: 1 }],
  })
  const a = mock.sandboxes.get('a')
  const key = a.key
  a.configure({ defects: [] })
  const created = (await create(mock, rex, key)).json
  const b = sandboxKey('b')
  await sendTo(mock, 'GET', '/v1/pets?limit=3', { key: b })
  for (let index = 0; index < 300; index += 1) await list(mock, `other-${index}`)
  mock.sandboxes.get('a').clock.advance(300)
  // Pets that are not visible yet, rule counters and the memory of defects are kept.
  expect((await sendTo(mock, 'GET', `/v1/pets/${created.id}`, { key })).json).toEqual(created)
  expect((await create(mock, rex, key)).json.id).toBe(created.id + 1)
  expect((await list(mock, 'a')).status).toBe(503)
  expect((await list(mock, 'a')).json.map((pet: { id: number }) => pet.id)).toContain(created.id)
  expect((await sendTo(mock, 'GET', '/v1/pets', { key: b })).json).toHaveLength(3)
})
