import { describe, expect, expectTypeOf, test } from 'vitest'

import { UsageError } from '../../../src/errors.ts'
import { buildNewPet, buildPet, buildPets } from '../../../src/mock/pets/fixtures.ts'
import { createMock } from '../../../src/mock/index.ts'
import type { ExactNewPet, ExactPet, NewPet, Pet, Pets } from '../../../src/types.ts'

describe('buildPet', () => {
  test('is deterministic, and uses the given properties', () => {
    expect(buildPet()).toEqual({
      id: 1,
      name: 'Tuffy the Chartreux',
      categoryId: 2,
      status: 'sold',
    })
    expect(buildPet()).toEqual(buildPet())
    expect(buildPet({ status: 'pending', name: 'Rex' })).toEqual({
      ...buildPet(),
      status: 'pending',
      name: 'Rex',
    })
  })

  test('omits an undefined status', () => {
    expect(buildPet({ status: undefined })).toEqual({
      id: 1,
      name: 'Tuffy the Chartreux',
      categoryId: 2,
    })
    expect('status' in buildPet({ status: undefined })).toBe(false)
  })

  test('an id selects the pet with that number', () => {
    expect(buildPet({ id: 7 })).toEqual(buildPet({}, { n: 7 }))
    expect(buildPet({ id: 7 }, { n: 2 })).toEqual({ ...buildPet({ id: 2 }), id: 7 })
    expect(buildPet({ id: 9007199254740993n })).toEqual({ ...buildPet(), id: 9007199254740993n })
    expect(buildPet({ id: -1 })).toEqual({ ...buildPet(), id: -1 })
  })
})

test.each([1, 5, -3, Number.MAX_SAFE_INTEGER])(
  'a mock with the seed %i has the pets of buildPets',
  (seed) => {
    expect(createMock({ seed, pets: 60 }).catalog.export()).toEqual(buildPets(60, {}, { seed }))
  },
)

test('buildPets', () => {
  expect(buildPets(0)).toEqual([])
  expect(buildPets(3, { status: 'sold' }).map(({ id, status }) => [id, status])).toEqual([
    [1, 'sold'],
    [2, 'sold'],
    [3, 'sold'],
  ])
  expect(buildPets(2, {}, { n: 41 })).toEqual([buildPet({ id: 41 }), buildPet({ id: 42 })])
})

test('buildNewPet has no id', () => {
  expect(buildNewPet()).toEqual({ name: 'Tuffy the Chartreux', categoryId: 2, status: 'sold' })
  expect(buildNewPet({ name: 'Rex', status: undefined }, { n: 2 })).toEqual({
    name: 'Rex',
    categoryId: 4,
  })
})

test('reports all mistakes together', () => {
  expect(() => buildPets(-1, {}, { n: 0, seed: 0.5 })).toThrow(UsageError)
  expect(() => buildPets(-1, {}, { n: 0, seed: 0.5 })).toThrow(
    'n must be an integer from 1, but was 0.\nseed must be an integer, but was 0.5.\nThe number of pets must be an integer from 0 to 1000000, but was -1.',
  )
})

test('types', () => {
  expectTypeOf(buildPet()).toEqualTypeOf<Pet>()
  expectTypeOf(buildPets(2)).toEqualTypeOf<Pets>()
  expectTypeOf(buildNewPet({ categoryId: 7 })).toEqualTypeOf<NewPet>()
  // A bigint stays a bigint.
  expectTypeOf(buildPet({ id: 9_007_199_254_740_993n })).toEqualTypeOf<ExactPet>()
  expectTypeOf(buildPets(2, { categoryId: 2n ** 60n })).toEqualTypeOf<ExactPet[]>()
  expectTypeOf(buildNewPet({ categoryId: 2n ** 60n })).toEqualTypeOf<ExactNewPet>()
  // @ts-expect-error -- there is no such status.
  buildPet({ status: 'gone' })
  // @ts-expect-error -- each pet of a list has its own id.
  buildPets(2, { id: 5 })
})
