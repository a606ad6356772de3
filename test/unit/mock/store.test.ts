import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import type { StoredPet } from '../../../src/mock/pets/pet.ts'
import { createSeed } from '../../../src/mock/pets/seed.ts'
import { Store } from '../../../src/mock/pets/store.ts'

const seeded = (count: number): StoredPet[] =>
  Array.from({ length: count }, (_, index) => createSeed(1)(index + 1))
describe('the seed', () => {
  test('pet N depends only on the seed and on N', () => {
    const n = fc.integer({ min: 1, max: 10_000_000 })
    fc.assert(
      fc.property(fc.maxSafeInteger(), n, fc.array(n), (seed, n, others) => {
        const [fresh, used] = [createSeed(seed), createSeed(seed)]
        for (const other of others) used(other)
        expect(used(n)).toEqual(fresh(n))
        expect(used(n).id).toBe(n)
      }),
    )
  })

  test('pets 1 to 100 of seed 1 are the same in each version', async () => {
    const lines = seeded(100).map(({ id, name, categoryId, status }) =>
      [id, name, categoryId, status].join(' | '),
    )
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('seed-1.txt')
  })

  test('seeds differ, also beyond 32 bits', () => {
    const pages = [1, 2, -1, 2 ** 32 + 1, 2 ** 33 + 1].map((seed) =>
      JSON.stringify(Array.from({ length: 20 }, (_, index) => createSeed(seed)(index + 1))),
    )
    expect(new Set(pages).size).toBe(pages.length)
  })

  test('statuses have fixed shares, and names are varied', () => {
    const seed = createSeed(1)
    const pets = Array.from({ length: 10_000 }, (_, index) => seed(index + 1))
    expect(pets.filter(({ status }) => status === 'available')).toHaveLength(6000)
    expect(pets.filter(({ status }) => status === 'pending')).toHaveLength(1500)
    expect(new Set(pets.map(({ name }) => name)).size).toBeGreaterThan(3000)
    expect(new Set(pets.map(({ categoryId }) => categoryId))).toEqual(
      new Set([1, 2, 3, 4, 5, 6, 7, 8]),
    )
  })
})

test('bytes counts the memory of pets, however they are added or removed', () => {
  const store = new Store([], 'small')
  const name = 'x'.repeat(10_000)
  const pet = (id: number): StoredPet => ({ id, name, categoryId: 1, status: undefined })
  const about = (count: number): void => {
    expect(store.bytes).toBeGreaterThanOrEqual(count * 10_000)
    expect(store.bytes).toBeLessThan(count * 10_300 + 1_000)
  }
  for (const id of [10, 11, 12]) store.insert(pet(id))
  about(3)
  store.remove(11)
  about(2)
  store.update(12, { ...pet(12), name: 'Rex' })
  about(1)
  const state = store.save()
  store.replace([1, 2, 3, 4].map(pet))
  about(4)
  store.update(1, { ...pet(1), name: 'Rex', others: { bio: name } })
  about(4)
  store.restore(state)
  about(1)
  store.clear()
  about(0)
  // Ids that are never assigned again also take memory.
  for (let id = 1_000; id < 2_000; id += 1) store.insert(pet(id))
  store.clear()
  const { bytes } = store
  expect(bytes).toBeGreaterThan(20_000)
  store.restore(store.save())
  expect(store.bytes).toBe(bytes)
  while (Number(store.assignId()) < 2_000);
  expect(store.bytes).toBe(0)
})

test('a creation in a large store reuses its lists', () => {
  const store = new Store(seeded(10_000), 'small')
  const list = store.list('sold')
  const before = list.length
  for (let count = 0; count < 3; count += 1) {
    store.insert({ id: store.assignId(), name: 'Rex', categoryId: 1, status: 'sold' })
  }
  expect([store.list('sold') === list, list.length]).toEqual([true, before + 3])
})
