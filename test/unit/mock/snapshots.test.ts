import { beforeEach, describe, expect, test, vi } from 'vitest'

import { UsageError } from '../../../src/errors.ts'
import { createMock, type Mock } from '../../../src/mock/index.ts'
import { sendTo, create, rex } from './ask.ts'

let mock: Mock
beforeEach(() => void (mock = createMock({ pets: 5 })))
test('restore also restores the next ids', async () => {
  await mock.pets.create({ id: 7, ...rex })
  mock.snapshots.save('one')
  mock.reset()
  mock.snapshots.restore('one')
  expect([(await create(mock, rex)).json.id, (await create(mock, rex)).json.id]).toEqual([6, 8])
})

test('restored pets are shown according to the current settings', async () => {
  await create(mock, rex)
  mock.snapshots.save('plain')
  mock.configure({ profile: { 'pet.extra-fields': 'present' } })
  mock.snapshots.restore('plain')
  expect((await sendTo(mock, 'GET', '/v1/pets/6')).json).toMatchObject({ href: '/v1/pets/6' })
  expect((await sendTo(mock, 'GET', '/v1/pets/1')).json).toMatchObject({ href: '/v1/pets/1' })
  mock.snapshots.save('linked')
  mock.configure({ profile: { 'pet.extra-fields': 'absent' } })
  mock.snapshots.restore('linked')
  expect((await sendTo(mock, 'GET', '/v1/pets/6')).body).toBe(
    '{"id":6,"name":"Rex","categoryId":1,"status":"available"}',
  )
  expect(mock.catalog.export().at(-1)).toEqual({ id: 6, ...rex, status: 'available' })
})

test('settings, rules, clock and journal are not part of a snapshot', async () => {
  mock.snapshots.save('one')
  mock.configure({ explain: true })
  mock.use({ delayMs: 1 })
  mock.clock.set('2031-01-01')
  await sendTo(mock, 'GET', '/v1/pets')
  mock.snapshots.restore('one')
  const { settings, clock, journal } = mock
  expect([settings.explain, mock.rules().length]).toEqual([true, 1])
  expect([clock.now().getFullYear(), journal.list().length]).toEqual([2031, 1])
})

describe('names', () => {
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
    const { delete: remove, restore } = mock.snapshots
    expect([remove('b'), remove('b'), restore('b')]).toEqual([true, false, false])
    expect(mock.catalog.size).toBe(7)
  })

  test('at most 100 are kept, the newest', () => {
    for (let index = 0; index < 130; index += 1) mock.snapshots.save(`s${index}`)
    const names = Array.from({ length: 100 }, (_, index) => `s${index + 30}`)
    expect(mock.snapshots.list().map(({ name }) => name)).toEqual(names)
  })

  test.each([
    [''],
    ['a b'],
    ['a/b'],
    ['é'],
    ['a'.repeat(101)],
    [7],
    [5n],
    [null],
    [undefined],
    [{ toString: 1 }],
  ])('rejects %o', (name) => {
    expect(() => mock.snapshots.save(name as never)).toThrow(UsageError)
    expect(() => mock.snapshots.save(name as never)).toThrow(
      'The name of a snapshot is made of 1 to 100',
    )
    expect([mock.snapshots.restore(name as never), mock.snapshots.delete(name as never)]).toEqual([
      false,
      false,
    ])
  })

  test.each([['constructor'], ['__proto__'], ['.'], ['..']])('accepts %s', (name) => {
    expect(mock.snapshots.restore(name)).toBe(false)
    mock.snapshots.save(name)
    expect(mock.snapshots.restore(name)).toBe(true)
  })
})

test('a snapshot of more than 64 MiB is kept, but as the only one', async () => {
  mock.snapshots.save('small')
  const name = 'x'.repeat(2 ** 20)
  mock.catalog.import(Array.from({ length: 65 }, (_, id) => ({ id, name, categoryId: 1 })))
  mock.snapshots.save('large')
  expect(mock.snapshots.list()).toMatchObject([{ name: 'large', pets: 65 }])
  mock.reset()
  mock.snapshots.save('next')
  expect(mock.snapshots.list()).toMatchObject([{ name: 'next' }])
})
