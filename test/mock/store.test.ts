import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { compareCodePoints } from '../../src/mock/code-points.ts'
import { createOrder } from '../../src/mock/order.ts'
import { parsePet, printPet, type StoredPet } from '../../src/mock/pet-text.ts'
import { createRandom } from '../../src/mock/random.ts'
import { createSeed } from '../../src/mock/seed.ts'
import { type Change, Store } from '../../src/mock/store.ts'
import type { Int64 } from '../../src/spec/types.ts'

const createStore = (seeded: number, seed = 1): Store => new Store({ seed: createSeed(seed), seeded, print: printPet })

describe('the seed', () => {
  test('pet N depends on the seed and on N alone', () => {
    const n = fc.integer({ min: 1, max: 10_000_000 })
    fc.assert(
      fc.property(fc.maxSafeInteger(), n, fc.array(n), (seed, n, asked) => {
        const [fresh, used] = [createSeed(seed), createSeed(seed)]
        for (const other of asked) used.pet(other)
        expect(used.pet(n)).toEqual(fresh.pet(n))
        const { id, status, categoryId } = used.pet(n)
        expect([id, status, categoryId]).toEqual([n, createSeed(seed).status(n), createSeed(seed).categoryId(n)])
      }),
    )
  })

  test('seeds differ, also in what is beyond 32 bits', () => {
    const pages = [1, 2, -1, 2 ** 32 + 1, 2 ** 33 + 1].map((seed) =>
      JSON.stringify(Array.from({ length: 20 }, (_, index) => createSeed(seed).pet(index + 1))),
    )
    expect(new Set(pages).size).toBe(pages.length)
  })

  test('each twenty have the same share of statuses, and names are varied', () => {
    const seed = createSeed(1)
    const pets = Array.from({ length: 10_000 }, (_, index) => seed.pet(index + 1))
    expect(pets.filter(({ status }) => status === 'available')).toHaveLength(6000)
    expect(pets.filter(({ status }) => status === 'pending')).toHaveLength(1500)
    expect(new Set(pets.map(({ name }) => name)).size).toBeGreaterThan(3000)
    expect(new Set(pets.map(({ categoryId }) => categoryId))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8]))
  })
})

describe('a store behaves as a list of pets does', () => {
  interface Model {
    pets: StoredPet[]
    nextId: number
  }
  const id = fc.oneof(
    fc.integer({ min: -1, max: 40 }),
    fc.constantFrom<Int64>(2n ** 63n - 1n, -(2n ** 63n), 9007199254740993n),
  )
  const status = fc.constantFrom('available' as const, 'pending' as const, 'sold' as const, undefined)
  const operation = fc.oneof(
    fc.record({ kind: fc.constant('create' as const), status }),
    fc.record({ kind: fc.constant('insert' as const), id, status }),
    fc.record({ kind: fc.constant('update' as const), id, to: id, status }),
    fc.record({ kind: fc.constant('remove' as const), id }),
    fc.record({ kind: fc.constant('clear' as const) }),
    fc.record({ kind: fc.constant('reset' as const) }),
  )
  const named = (id: Int64, status: StoredPet['status']): StoredPet => ({ id, name: 'Rex', categoryId: 1, status })

  test.each([0, 5, 30])('with %i seeded pets', (seeded) => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
        const store = createStore(seeded)
        const lists = createOrder('oldest-first', store, Math.random)
        const seedPets = (): StoredPet[] => Array.from({ length: seeded }, (_, index) => createSeed(1).pet(index + 1))
        let model: Model = { pets: seedPets(), nextId: seeded + 1 }
        const chosen = new Set<Int64>()
        const seen: Change['kind'][] = []
        store.onChange = ({ kind }) => seen.push(kind)

        for (const step of operations) {
          if (step.kind === 'create') {
            while (chosen.has(model.nextId)) model.nextId += 1
            const created = store.create({ name: 'Rex', categoryId: 1, ...(step.status && { status: step.status }) })
            expect(created.id).toBe(model.nextId)
            model.pets.push(named(model.nextId, step.status))
            model.nextId += 1
          } else if (step.kind === 'clear') {
            store.clear()
            model.pets = []
          } else if (step.kind === 'reset') {
            store.reset()
            model = { pets: seedPets(), nextId: seeded + 1 }
            chosen.clear()
          } else if (step.kind === 'remove') {
            const index = model.pets.findIndex((pet) => pet.id === step.id)
            expect(store.remove(step.id)).toBe(index !== -1)
            if (index !== -1) model.pets.splice(index, 1)
          } else {
            const wanted = step.kind === 'insert' ? step.id : step.to
            const index = step.kind === 'insert' ? -1 : model.pets.findIndex((pet) => pet.id === step.id)
            if (step.kind === 'update' && index === -1) {
              store.update(step.id, named(wanted, step.status))
              continue
            }
            const isTaken = model.pets.some((pet, at) => pet.id === wanted && at !== index)
            const change = (): unknown =>
              step.kind === 'insert'
                ? store.insert(named(wanted, step.status))
                : store.update(step.id, named(wanted, step.status))
            if (isTaken) expect(change).toThrow(`id ${wanted} already`)
            else {
              change()
              chosen.add(wanted)
              if (step.kind === 'insert') model.pets.push(named(wanted, step.status))
              else model.pets[index] = named(wanted, step.status)
            }
          }
          expect(store.size).toBe(model.pets.length)
        }

        expect([...store.pets()]).toEqual(model.pets)
        for (const pet of model.pets) expect(parsePet(store.text(pet.id) ?? '{}')).toEqual(pet)
        for (let id = -1; id < 80; id += 1) expect(store.has(id)).toBe(model.pets.some((pet) => pet.id === id))
        for (const status of ['available', 'pending', 'sold', undefined] as const) {
          const expected = model.pets.filter((pet) => status === undefined || pet.status === status).map(printPet)
          expect(lists(3, status)).toEqual(expected.slice(0, 3))
          expect(lists(100, status)).toEqual(expected.slice(0, 100))
          for (const order of ['newest-first', 'by-name', 'shuffled']) {
            const texts = createOrder(order, store, createRandom(1).next)(100, status)
            expect([...texts].sort()).toEqual([...expected].sort())
          }
        }
      }),
      { numRuns: 300 },
    )
  })
})

test('a million seeded pets cost nothing until they are touched', () => {
  const store = createStore(1_000_000)
  const list = createOrder('oldest-first', store, Math.random)
  expect(list(100, 'pending')).toHaveLength(100)
  expect(parsePet(store.text(1_000_000) ?? '').id).toBe(1_000_000)
  expect(store.has(1_000_001)).toBe(false)
})

test('names are compared by code point', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (left, right) => {
      const points = (text: string): number[] => [...text].map((char) => char.codePointAt(0) ?? 0)
      const [a, b] = [points(left), points(right)]
      const at = a.findIndex((point, index) => point !== b[index])
      const expected = at === -1 ? a.length - b.length : b[at] === undefined ? 1 : (a[at] ?? 0) - b[at]
      expect(Math.sign(compareCodePoints(left, right))).toBe(Math.sign(expected))
    }),
    { numRuns: 2000 },
  )
})
