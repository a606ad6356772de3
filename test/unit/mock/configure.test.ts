import { beforeEach, describe, expect, test } from 'vitest'

import { UsageError } from '../../../src/errors.ts'
import { createMock, type Mock, varyProfile } from '../../../src/mock/index.ts'
import { sendTo, create, rex } from './ask.ts'

let mock: Mock
beforeEach(() => void (mock = createMock({ pets: 5 })))

describe('a change applies from the next request, and keeps the pets', () => {
  test('a partial profile keeps the other options', async () => {
    await create(mock, rex)
    mock.catalog.delete(1)
    const ids = async (): Promise<number[]> =>
      (await sendTo(mock, 'GET', '/v1/pets')).json.map(({ id }: { id: number }) => id)
    mock.configure({ profile: { 'list.order': 'oldest-first' } })
    expect(await ids()).toEqual([2, 3, 4, 5, 6])
    mock.configure({ profile: { 'error.code.404': 'E_NONE', 'pet.extra-fields': 'present' } })
    expect(await ids()).toEqual([2, 3, 4, 5, 6])
    expect((await sendTo(mock, 'GET', '/v1/pets/1')).json.code).toBe('E_NONE')
    expect((await sendTo(mock, 'GET', '/v1/pets/6')).json).toEqual({
      id: 6,
      ...rex,
      status: 'available',
      href: '/v1/pets/6',
    })
    mock.configure({ profile: { 'pet.extra-fields': 'absent', 'list.order': undefined } as never })
    expect(await ids()).toEqual([2, 3, 4, 5, 6])
    expect((await sendTo(mock, 'GET', '/v1/pets/6')).json).toEqual({
      id: 6,
      ...rex,
      status: 'available',
    })
    expect((await create(mock, rex)).json.id).toBe(7)
    expect(mock.settings.profile).toMatchObject({
      'list.order': 'oldest-first',
      'error.code.404': 'E_NONE',
    })
  })

  test('a pet keeps its own fields, also one named like the link field', async () => {
    const mock = createMock({ pets: 0, profile: { 'create.extra-fields': 'store' } })
    const { body } = await create(mock, { ...rex, status: 'sold', href: 'mine' })
    mock.configure({ profile: { 'pet.extra-fields': 'present' } })
    expect((await sendTo(mock, 'GET', '/v1/pets/1')).json).toMatchObject({
      href: expect.any(String),
    })
    mock.configure({ profile: { 'pet.extra-fields': 'absent' } })
    expect((await sendTo(mock, 'GET', '/v1/pets/1')).body).toBe(body)
  })

  test('any change of profile keeps the pets and the next id', async () => {
    const pets = mock.catalog.export()
    for (let seed = 0; seed < 60; seed += 1) {
      mock.configure({ profile: varyProfile(seed) })
      expect(mock.catalog.export()).toEqual(pets)
      expect(mock.settings.profile).toEqual(varyProfile(seed))
    }
    mock.configure({ profile: createMock().settings.profile })
    expect((await create(mock, rex)).json.id).toBe(6)
  })

  test('defects replace the previous ones', async () => {
    const count = async (): Promise<number> =>
      (await sendTo(mock, 'GET', '/v1/pets?limit=2')).json.length
    mock.configure({ defects: ['list.limit-ignored'] })
    expect([await count(), mock.settings.defects]).toEqual([5, ['list.limit-ignored']])
    mock.configure({ defects: ['list.limit-plus-one'] })
    expect(await count()).toBe(3)
    mock.configure({ profile: { 'list.order': 'by-name' } })
    expect(await count()).toBe(3)
    mock.configure({ defects: [] })
    expect(await count()).toBe(2)
  })

  test('rules, clock and journal are kept', async () => {
    mock.use({ reply: { status: 503 }, times: 2 })
    mock.clock.set('2031-01-01')
    expect((await sendTo(mock, 'GET', '/v1/pets')).status).toBe(503)
    mock.configure({ profile: { 'list.order': 'shuffled' } })
    expect([
      (await sendTo(mock, 'GET', '/v1/pets')).status,
      (await sendTo(mock, 'GET', '/v1/pets')).status,
    ]).toEqual([503, 200])
    expect([mock.clock.now().getFullYear(), mock.journal.list().length]).toEqual([2031, 3])
  })
})

test('reset restores the initial settings', async () => {
  const { settings } = mock
  mock.configure({
    profile: varyProfile(3),
    defects: ['list.limit-ignored'],
    overrides: false,
    explain: true,
  })
  await create(mock, rex)
  mock.reset()
  expect(mock.settings).toEqual(settings)
  expect((await sendTo(mock, 'GET', '/v1/pets?limit=2')).json).toHaveLength(2)
  expect(mock.settings).toBe(settings)
})

describe('mistakes are reported together, and nothing changes', () => {
  test('all of them', () => {
    const { settings } = mock
    const patch = {
      profile: {
        'list.order': 'random',
        'list.color': 'red',
        'create.location': 5,
        'error.code.404': 'x'.repeat(201),
      },
      defects: ['list.x', 7, null],
      overrides: 'no',
      explain: null,
      seed: 3,
      keys: [],
    }
    const configure = (): void => mock.configure(patch as never)
    expect(configure).toThrow(UsageError)
    for (const message of [
      'seed cannot be changed while the mock is running; these can be: profile, defects, overrides, explain.',
      'keys cannot be changed',
      'overrides must be true or false, but was "no".',
      'explain must be true or false, but was null.',
      'profile/list.order must be one of newest-first, oldest-first, by-name, shuffled, but was "random".',
      'profile/list.color is unknown.',
      'profile/create.location must be one of relative, absent, absolute, but was 5.',
      'profile/error.code.404 must be a string of at most 200 characters, but was "xx',
      'defects: there is no defect "list.x"',
      'defects/1 must be the id of a defect, but was 7.',
      'defects/2 must be the id of a defect, but was null.',
    ]) {
      expect(configure).toThrow(message)
    }
    expect(mock.settings).toBe(settings)
  })

  const noText = { toString: 1 }
  const profiles = [null, [], 'strict'].map((profile) => ({ profile }))
  const defects = ['list.limit-ignored', {}, [noText]].map((ids) => ({ defects: ids }))
  test.each([null, undefined, 'profile', 7, { explain: noText }, ...profiles, ...defects])(
    '%o',
    (patch) => {
      expect(() => mock.configure(patch as never)).toThrow(UsageError)
    },
  )
})
