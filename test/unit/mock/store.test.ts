import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { type JsonValue, parseJson, printJson } from '../../../src/json.ts'
import { type PrintPet, printPet, printWithLink, type StoredPet } from '../../../src/mock/catalog.ts'
import { compareCodePoints, createFirstPets, createPages } from '../../../src/mock/context.ts'
import { createSeed, Random } from '../../../src/mock/seed.ts'
import { type Change, Store, type StoreState } from '../../../src/mock/store.ts'
import type { Profile } from '../../../src/spec/choices.ts'
import type { Int64 } from '../../../src/spec/types.ts'
import { runs } from '../../support/level.ts'

const seeded = (count: number): StoredPet[] => Array.from({ length: count }, (_, index) => createSeed(1)(index + 1))
const linked = printWithLink('/v1')

/** The texts of a page. */
function textsOf(
  order: Profile['list.order'],
  store: Store,
  limit: number,
  status: StoredPet['status'],
  print: PrintPet,
): string[] {
  const firstPets = createFirstPets(order, { store, random: new Random(1) })
  const page = createPages(order, { store, firstPets, print }, (body) => ({
    status: 200,
    headers: {},
    body,
  }))
  return (parseJson(page(limit, status).body) as unknown[]).map((pet) => printJson(pet as JsonValue))
}

describe('the seed', () => {
  test('pet N depends on the seed and on N alone', () => {
    const n = fc.integer({ min: 1, max: 10_000_000 })
    fc.assert(
      fc.property(fc.maxSafeInteger(), n, fc.array(n), (seed, n, asked) => {
        const [fresh, used] = [createSeed(seed), createSeed(seed)]
        for (const other of asked) used(other)
        expect(used(n)).toEqual(fresh(n))
        expect(used(n).id).toBe(n)
      }),
    )
  })

  test('seeds differ, also in what is beyond 32 bits', () => {
    const pages = [1, 2, -1, 2 ** 32 + 1, 2 ** 33 + 1].map((seed) =>
      JSON.stringify(Array.from({ length: 20 }, (_, index) => createSeed(seed)(index + 1))),
    )
    expect(new Set(pages).size).toBe(pages.length)
  })

  test('each twenty have the same share of statuses, and names are varied', () => {
    const seed = createSeed(1)
    const pets = Array.from({ length: 10_000 }, (_, index) => seed(index + 1))
    expect(pets.filter(({ status }) => status === 'available')).toHaveLength(6000)
    expect(pets.filter(({ status }) => status === 'pending')).toHaveLength(1500)
    expect(new Set(pets.map(({ name }) => name)).size).toBeGreaterThan(3000)
    expect(new Set(pets.map(({ categoryId }) => categoryId))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8]))
  })
})

describe('a store behaves as a list of pets does', () => {
  interface Model {
    readonly pets: readonly StoredPet[]
    readonly nextId: number
    /** Ids that are not assigned, because they were in use before their turn. */
    readonly used: ReadonlySet<Int64>
  }
  const high = 2 ** 52
  const id = fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: -1, max: 40 }) },
    fc.constantFrom<Int64>(2n ** 63n - 1n, -(2n ** 63n), 9007199254740993n, high, high + 1, high + 2, high + 3),
  )
  const status = fc.constantFrom('available' as const, 'pending' as const, 'sold' as const, undefined)
  const others = fc.constantFrom<StoredPet['others']>(
    undefined,
    undefined,
    { tag: 1 },
    { link: '/v1/pets/1', big: 2n ** 60n },
  )
  const name = fc.constantFrom('Rex', 'Tom', 'Tweety')
  const categoryId = fc.constantFrom<Int64>(1, 77, 2n ** 60n)
  const pet = fc
    .record({ id, status, others, name, categoryId })
    .map(({ id, status, others, ...rest }): StoredPet => ({ ...named(id, status, others), ...rest }))
  const pets = fc.uniqueArray(pet, { selector: ({ id }) => id, maxLength: 8 })
  const slot = fc.nat(2)
  const operation = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('create' as const), status }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('insert' as const), pet }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('update' as const), id, pet }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('remove' as const), id }) },
    fc.record({ kind: fc.constant('clear' as const) }),
    fc.record({ kind: fc.constant('reset' as const) }),
    fc.record({ kind: fc.constant('replace' as const), pets }),
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('save' as const), slot }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('restore' as const), slot }) },
    fc.record({ kind: fc.constant('forget' as const) }),
  )

  function named(id: Int64, status: StoredPet['status'], others?: StoredPet['others']): StoredPet {
    return { id, name: 'Rex', categoryId: 1, status, ...(others !== undefined && { others }) }
  }
  /** What a catalog of these pets begins with. */
  function modelOf(pets: readonly StoredPet[]): Model {
    const followed = pets.map(({ id }) => id).filter((id) => typeof id === 'number' && id <= high) as number[]
    return { pets, nextId: Math.max(0, ...followed) + 1, used: new Set(pets.map(({ id }) => id)) }
  }

  const starts = fc.oneof(fc.constantFrom(0, 5, 30).map(seeded), pets)

  test('whatever is done to it', () => {
    fc.assert(
      fc.property(starts, fc.boolean(), fc.array(operation, { maxLength: 40 }), (start, isLinked, operations) => {
        const print = isLinked ? linked : printPet
        const store = new Store(start)
        let { pets, nextId, used } = modelOf(start)
        const become = (model: Model): void => void ({ pets, nextId, used } = model)
        const saved = new Map<number, { state: StoreState; model: Model }>()
        const picture: StoredPet[] = [...start]
        store.onChange = (change) => follow(picture, store, change)

        for (const step of operations) {
          switch (step.kind) {
            case 'create': {
              while (used.has(nextId)) nextId += 1
              const id = store.assignId()
              expect(id).toBe(nextId)
              store.insert(named(id, step.status))
              pets = [...pets, named(nextId, step.status)]
              nextId += 1
              break
            }
            case 'insert': {
              const insert = (): unknown => store.insert(step.pet)
              if (pets.some(({ id }) => id === step.pet.id)) expect(insert).toThrow(`id ${step.pet.id} already`)
              else {
                insert()
                pets = [...pets, step.pet]
                used = new Set([...used, step.pet.id])
              }
              break
            }
            case 'update': {
              const at = pets.findIndex(({ id }) => id === step.id)
              const update = (): void => store.update(step.id, step.pet)
              if (at === -1) update()
              else if (pets.some(({ id }, index) => id === step.pet.id && index !== at)) {
                expect(update).toThrow(`id ${step.pet.id} already`)
              } else {
                update()
                pets = pets.with(at, step.pet)
                used = new Set([...used, step.pet.id])
              }
              break
            }
            case 'remove':
              expect(store.remove(step.id)).toBe(pets.some(({ id }) => id === step.id))
              pets = pets.filter(({ id }) => id !== step.id)
              break
            case 'clear':
              store.clear()
              pets = []
              break
            case 'reset':
              store.replace(start)
              become(modelOf(start))
              break
            case 'replace':
              store.replace(step.pets)
              become(modelOf(step.pets))
              break
            case 'save':
              saved.set(step.slot, { state: store.save(), model: { pets, nextId, used } })
              break
            case 'restore': {
              const earlier = saved.get(step.slot)
              if (earlier === undefined) break
              store.restore(earlier.state)
              become(earlier.model)
              break
            }
            case 'forget':
              store.forgetLists()
              break
            default:
          }
          expect([store.size, picture.length]).toEqual([pets.length, pets.length])
        }

        expect(store.list()).toEqual(pets)
        expect(picture).toEqual(pets)
        for (const pet of pets) expect(store.pet(pet.id)).toEqual(pet)
        const asked = [...used, ...Array.from({ length: 80 }, (_, index) => index - 1)]
        for (const id of asked) expect(store.has(id)).toBe(pets.some((pet) => pet.id === id))
        for (const status of ['available', 'pending', 'sold', undefined] as const) {
          const expected = pets.filter((pet) => status === undefined || pet.status === status).map(print)
          for (const limit of [0, 3, 100]) {
            expect(textsOf('oldest-first', store, limit, status, print)).toEqual(expected.slice(0, limit))
            expect(textsOf('newest-first', store, limit, status, print)).toEqual(expected.toReversed().slice(0, limit))
          }
          for (const order of ['by-name', 'shuffled'] as const) {
            expect(textsOf(order, store, 100, status, print).sort()).toEqual([...expected].sort())
          }
        }
        expect(store.bytes).toBe(new Store(pets).bytes)
      }),
      { numRuns: runs(500) },
    )
  })

  /** What a picture of the store makes of a change. */
  function follow(picture: StoredPet[], store: Store, change: Change): void {
    if (change.kind === 'inserted') picture.push(change.pet)
    else if (change.kind === 'replaced') picture.splice(0, picture.length, ...store.list())
    else {
      const at = picture.findIndex(({ id }) => id === change.id)
      if (change.kind === 'removed') picture.splice(at, 1)
      else picture[at] = change.pet
    }
  }
})

test('bytes count what pets take, whatever way they came and went', () => {
  const store = new Store([])
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
})

test('a creation in a large store makes no list anew', () => {
  const store = new Store(seeded(10_000))
  const list = store.list('sold')
  const before = list.length
  for (let count = 0; count < 3; count += 1) {
    store.insert({ id: store.assignId(), name: 'Rex', categoryId: 1, status: 'sold' })
  }
  expect([store.list('sold') === list, list.length]).toEqual([true, before + 3])
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
    { numRuns: runs(100) },
  )
})
