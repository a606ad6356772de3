import type { Int64, PetStatus } from '../spec/types.ts'
import { printPet, type StoredPet } from './pet-text.ts'
import type { Seed } from './seed.ts'

/** The pets that a store starts with, by their position. It never changes, so that many stores share one. */
export interface Base {
  readonly length: number
  /** The first id that the store may assign. */
  readonly nextId: number
  /** Its ids that are not below that one. */
  readonly highIds: readonly Int64[]
  /** About how many bytes its pets take while nobody touches them. */
  readonly bytes: number
  pet(position: number): StoredPet
  /** Known without making the pet. */
  status(position: number): PetStatus | undefined
  /** Known without making the pet. */
  categoryId(position: number): Int64
  positionOf(id: Int64): number | undefined
}

/** Seeded pets: the ids are 1, 2, 3 and so on, and a pet is made when it is asked for. */
export function seededBase(seed: Seed, length: number): Base {
  return {
    length,
    nextId: length + 1,
    highIds: [],
    bytes: 0,
    pet: (position) => seed.pet(position + 1),
    status: (position) => seed.status(position + 1),
    categoryId: (position) => seed.categoryId(position + 1),
    positionOf: (id) => (typeof id === 'number' && id >= 1 && id <= length ? id - 1 : undefined),
  }
}

/** Beyond this, ids are assigned from the number of pets on: counting on would soon leave the safe integers. */
const highestFollowed = 2 ** 52

/** Bytes of an object with four members, and of its place in a map and an array. */
const petBytes = 120

/** Pets that somebody gave; each has an id of its own. */
export function givenBase(pets: readonly StoredPet[]): Base {
  const positions = new Map(pets.map(({ id }, position) => [id, position]))
  let highest = 0
  let bytes = 0
  for (const pet of pets) {
    if (typeof pet.id === 'number' && pet.id <= highestFollowed && pet.id > highest) highest = pet.id
    bytes += petBytes + (pet.others === undefined ? pet.name.length : printPet(pet).length)
  }
  return {
    length: pets.length,
    nextId: highest + 1,
    highIds: pets.flatMap(({ id }) => (id > highest ? [id] : [])),
    bytes,
    pet: (position) => pets[position] as StoredPet,
    status: (position) => pets[position]?.status,
    categoryId: (position) => (pets[position] as StoredPet).categoryId,
    positionOf: (id) => positions.get(id),
  }
}
