import { describe, expect, expectTypeOf, test } from 'vitest'

import { UsageError } from '../../../src/errors.ts'
import { buildNewPet, buildPet, buildPets } from '../../../src/mock/fixtures.ts'
import { createMock } from '../../../src/mock/index.ts'
import type { ExactNewPet, ExactPet, NewPet, Pet, Pets } from '../../../src/types.ts'

describe('buildPet', () => {
  test('is the same each time, and has what it is given', () => {
    expect(buildPet()).toEqual({ id: 1, name: 'Tuffy the Bombay', categoryId: 2, status: 'sold' })
    expect(buildPet()).toEqual(buildPet())
    expect(buildPet({ status: 'pending', name: 'Rex' })).toEqual({ ...buildPet(), status: 'pending', name: 'Rex' })
  })

  test('without a status', () => {
    expect(buildPet({ status: undefined })).toEqual({ id: 1, name: 'Tuffy the Bombay', categoryId: 2 })
    expect('status' in buildPet({ status: undefined })).toBe(false)
  })

  test('an id chooses the pet, where a pet may have it', () => {
    expect(buildPet({ id: 7 })).toEqual(buildPet({}, { n: 7 }))
    expect(buildPet({ id: 7 }, { n: 2 })).toEqual({ ...buildPet({ id: 2 }), id: 7 })
    expect(buildPet({ id: 9007199254740993n })).toEqual({ ...buildPet(), id: 9007199254740993n })
    expect(buildPet({ id: -1 })).toEqual({ ...buildPet(), id: -1 })
  })
})

test.each([1, 5, -3, Number.MAX_SAFE_INTEGER])('a mock with the seed %i has the same pets', (seed) => {
  expect(createMock({ seed, pets: 60 }).catalog.export()).toEqual(buildPets(60, {}, { seed }))
})

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
  expect(buildNewPet()).toEqual({ name: 'Tuffy the Bombay', categoryId: 2, status: 'sold' })
  expect(buildNewPet({ name: 'Rex', status: undefined }, { n: 2 })).toEqual({ name: 'Rex', categoryId: 4 })
})

test('all mistakes are reported together', () => {
  expect(() => buildPets(-1, {}, { n: 0, seed: 0.5 })).toThrow(UsageError)
  expect(() => buildPets(-1, {}, { n: 0, seed: 0.5 })).toThrow(
    'n must be an integer from 1, but was 0.\nseed must be an integer, but was 0.5.\nThe number of pets must be an integer from 0 to 1000000, but was -1.',
  )
})

test('types', () => {
  expectTypeOf(buildPet()).toEqualTypeOf<Pet>()
  expectTypeOf(buildPets(2)).toEqualTypeOf<Pets>()
  expectTypeOf(buildNewPet({ categoryId: 7 })).toEqualTypeOf<NewPet>()
  // Whoever gives a bigint gets one back.
  expectTypeOf(buildPet({ id: 9_007_199_254_740_993n })).toEqualTypeOf<ExactPet>()
  expectTypeOf(buildPets(2, { categoryId: 2n ** 60n })).toEqualTypeOf<ExactPet[]>()
  expectTypeOf(buildNewPet({ categoryId: 2n ** 60n })).toEqualTypeOf<ExactNewPet>()
  // @ts-expect-error -- there is no such status.
  buildPet({ status: 'gone' })
  // @ts-expect-error -- the pets of a row have ids of their own.
  buildPets(2, { id: 5 })
})
