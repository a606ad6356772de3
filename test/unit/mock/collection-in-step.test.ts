import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createMock, type Mock, varyProfile } from '../../../src/mock/index.ts'
import { ask, create } from './ask.ts'
import { runs } from '../../support/level.ts'

const rex = { name: 'Rex', categoryId: 1 }

const steps: Record<string, (mock: Mock, id: number) => unknown> = {
  create: (mock) => create(mock, rex),
  'create in the collection': (mock) => mock.pets.create(rex),
  'create with an id': (mock, id) => mock.pets.create({ id, ...rex }).catch(() => undefined),
  update: (mock, id) =>
    mock.pets.update((query) => query.where({ id }), {
      data(pet) {
        pet.status = 'sold'
      },
    }),
  'update several': (mock, id) =>
    mock.pets.updateMany((query) => query.where({ id: (one) => one >= id }), {
      data(pet) {
        pet.status = 'pending'
      },
    }),
  'give another id': (mock, id) =>
    mock.pets
      .update((query) => query.where({ id }), {
        async data(pet) {
          pet.id = id + 30
        },
      })
      .catch(() => undefined),
  'create several': (mock) => mock.pets.createMany(2, () => rex),
  'delete several': (mock, id) => mock.pets.deleteMany((query) => query.where({ id: (one) => one > id })),
  'delete a record': (mock) => {
    const [record] = mock.pets.all()
    if (record !== undefined) mock.pets.delete(record)
  },
  'delete from the collection': (mock, id) => mock.pets.delete((query) => query.where({ id })),
  'clear the collection': (mock) => mock.pets.clear(),
  delete: (mock, id) => mock.catalog.delete(id),
  'set a status': (mock, id) => mock.catalog.change(id, { status: 'pending' }),
  'take a status away': (mock, id) => mock.catalog.change(id, { status: null }),
  import: (mock, id) =>
    mock.catalog.import([
      { id, ...rex, tags: ['a'] },
      { id: 9007199254740993n, ...rex },
    ]),
  save: (mock) => mock.snapshots.save('one'),
  restore: (mock) => mock.snapshots.restore('one'),
  reset: (mock) => mock.reset(),
  configure: (mock, seed) => mock.configure({ profile: { ...varyProfile(seed), 'create.unknown-category': 'accept' } }),
  'show links': (mock) => mock.configure({ profile: { 'pet.extra-members': 'present' } }),
  'show none': (mock) => mock.configure({ profile: { 'pet.extra-members': 'absent' } }),
}

test('the collection and the catalog show the same pets, whatever is done to either', async () => {
  const step = fc.tuple(fc.constantFrom(...Object.keys(steps)), fc.integer({ min: 1, max: 9 }))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), fc.boolean(), async (plan, early) => {
      const mock = createMock({ pets: 4, profile: { 'list.order': 'oldest-first' } })
      const collection = early ? mock.pets : undefined
      for (const [name, id] of plan) {
        await steps[name]?.(mock, id)
        await mock.pets.settled()
        // Creations that lag behind are shown when somebody asks for the collection.
        const shown = mock.pets.all().map((pet) => ({ ...pet }))
        expect(shown).toEqual(mock.catalog.export())
        expect(mock.pets.count()).toBe(mock.catalog.size)
      }
      if (collection !== undefined) expect(mock.pets).toBe(collection)
      mock.reset()
      await mock.pets.settled()
      expect(mock.pets.all().map(({ id }) => id)).toEqual([1, 2, 3, 4])
      expect((await ask(mock, 'GET', '/v1/pets')).json.map(({ id }: { id: number }) => id)).toEqual([1, 2, 3, 4])
    }),
    { numRuns: runs(150) },
  )
})

test('each sandbox has a collection of its own', async () => {
  const mock = createMock({ pets: 2 })
  const { pets, key } = mock.sandboxes.get('a')
  await pets.create({ id: 7, ...rex })
  expect((await ask(mock, 'GET', '/v1/pets/7', { key })).status).toBe(200)
  await Promise.all([pets, mock.pets, mock.sandboxes.get('b').pets].map((one) => one.settled()))
  expect([pets.count(), mock.pets.count(), mock.sandboxes.get('b').pets.count()]).toEqual([3, 2, 2])
  await create(mock, rex, key)
  await pets.settled()
  expect(pets.count()).toBe(4)
})
