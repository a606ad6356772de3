import { beforeEach, describe, expect, test, vi } from 'vitest'

import { UsageError } from '../../../src/errors.ts'
import { createMock, type Mock } from '../../../src/mock/index.ts'
import { ask, create, rex } from './ask.ts'

let mock: Mock
beforeEach(() => void (mock = createMock({ pets: 5 })))
const everything = async (): Promise<unknown[]> => {
  await mock.pets.settled()
  return [
    (await ask(mock, 'GET', '/v1/pets?limit=100')).body,
    (await ask(mock, 'GET', '/v1/pets?limit=100&status=sold')).body,
    mock.catalog.export(),
    mock.catalog.size,
    mock.pets.all().map((pet) => ({ ...pet })),
  ]
}

test('restore brings back the pets and the ids that will be assigned', async () => {
  await create(mock, { ...rex, status: 'sold' })
  mock.catalog.delete(2)
  mock.catalog.change(1, { status: 'pending' })
  await mock.pets.create({ id: 8, ...rex })
  const saved = await everything()
  mock.snapshots.save('one')
  const changes: (() => unknown)[] = [
    () => create(mock, rex),
    () => mock.catalog.delete(1),
    () => mock.catalog.change(4, { status: 'sold' }),
    () => mock.pets.update((query) => query.where({ id: 5 }), { data: (pet) => void (pet.name = 'Max') }),
    () => mock.catalog.import([{ id: 99, ...rex }]),
    () => mock.pets.clear(),
    () => mock.reset(),
  ]
  for (const change of changes) {
    await change()
    expect(mock.snapshots.restore('one')).toBe(true)
    expect(await everything()).toEqual(saved)
  }
  const ids = []
  for (let time = 0; time < 3; time += 1) ids.push((await create(mock, rex)).json.id)
  expect(ids).toEqual([7, 9, 10])
  mock.snapshots.restore('one')
  expect((await create(mock, rex)).json.id).toBe(7)
})

test('pets are shown as the settings in force say, whenever they were saved', async () => {
  await create(mock, rex)
  mock.snapshots.save('plain')
  mock.configure({ profile: { 'pet.extra-members': 'present' } })
  mock.snapshots.restore('plain')
  expect((await ask(mock, 'GET', '/v1/pets/6')).json).toMatchObject({ href: '/v1/pets/6' })
  expect((await ask(mock, 'GET', '/v1/pets/1')).json).toMatchObject({ href: '/v1/pets/1' })
  mock.snapshots.save('linked')
  mock.configure({ profile: { 'pet.extra-members': 'absent' } })
  mock.snapshots.restore('linked')
  expect((await ask(mock, 'GET', '/v1/pets/6')).body).toBe('{"id":6,"name":"Rex","categoryId":1,"status":"available"}')
  expect(mock.catalog.export().at(-1)).toEqual({ id: 6, ...rex, status: 'available' })
})

test('settings, rules, clock and journal are not part of it', async () => {
  mock.snapshots.save('one')
  mock.configure({ explain: true })
  mock.use({ delayMs: 1 })
  mock.clock.set('2031-01-01')
  await ask(mock, 'GET', '/v1/pets')
  mock.snapshots.restore('one')
  expect([
    mock.settings.explain,
    mock.rules().length,
    mock.clock.now().getFullYear(),
    mock.journal.list().length,
  ]).toEqual([true, 1, 2031, 1])
})

describe('the names', () => {
  test('list, replace and delete', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T12:00:00Z') })
    mock.snapshots.save('a')
    await create(mock, rex)
    mock.snapshots.save('b')
    await create(mock, rex)
    mock.snapshots.save('a')
    vi.useRealTimers()
    const savedAt = '2026-11-20T12:00:00.000Z'
    expect(mock.snapshots.list()).toEqual([
      { name: 'b', pets: 6, savedAt },
      { name: 'a', pets: 7, savedAt },
    ])
    expect([mock.snapshots.delete('b'), mock.snapshots.delete('b'), mock.snapshots.restore('b')]).toEqual([
      true,
      false,
      false,
    ])
    expect(mock.catalog.size).toBe(7)
  })

  test('at most a hundred, of which the oldest go', () => {
    for (let index = 0; index < 130; index += 1) mock.snapshots.save(`s${index}`)
    expect(mock.snapshots.list().map(({ name }) => name)).toEqual(
      Array.from({ length: 100 }, (_, index) => `s${index + 30}`),
    )
  })

  test.each([[''], ['a b'], ['a/b'], ['é'], ['a'.repeat(101)], [7], [5n], [null], [undefined], [{ toString: 1 }]])(
    '%o is none',
    (name) => {
      expect(() => mock.snapshots.save(name as never)).toThrow(UsageError)
      expect(() => mock.snapshots.save(name as never)).toThrow('The name of a snapshot is made of 1 to 100')
      expect([mock.snapshots.restore(name as never), mock.snapshots.delete(name as never)]).toEqual([false, false])
    },
  )

  test.each([['constructor'], ['__proto__'], ['.'], ['..']])('%s is one', (name) => {
    expect(mock.snapshots.restore(name)).toBe(false)
    mock.snapshots.save(name)
    expect(mock.snapshots.restore(name)).toBe(true)
  })
})

test('a snapshot of more than 64 MiB stays, but alone', async () => {
  mock.snapshots.save('small')
  const name = 'x'.repeat(2 ** 20)
  mock.catalog.import(Array.from({ length: 65 }, (_, id) => ({ id, name, categoryId: 1 })))
  mock.snapshots.save('large')
  expect(mock.snapshots.list()).toMatchObject([{ name: 'large', pets: 65 }])
  mock.reset()
  mock.snapshots.save('next')
  expect(mock.snapshots.list()).toMatchObject([{ name: 'next' }])
})
