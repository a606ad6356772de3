import type { JsonValue } from '../../json.ts'
import type { Deviation } from './deviation.ts'
import { onList, onPet, onReply, textOf, without } from './replies.ts'

type Members = Record<string, JsonValue>

/** A pet whose members have other names. */
function renamed(pet: Members, rename: (name: string) => string): Members {
  return Object.fromEntries(Object.entries(pet).map(([name, value]) => [rename(name), value]))
}

export const pets = [
  {
    id: 'pet.id-missing-in-list',
    clause: 'pet.fields',
    description: 'The pets of a list have no id.',
    bend: onList((pets) => pets.map((pet) => without(pet, 'id'))),
  },
  {
    id: 'pet.name-missing',
    clause: 'pet.fields',
    description: 'Pets have no name.',
    bend: onPet((pet) => without(pet, 'name')),
  },
  {
    id: 'pet.category-missing',
    clause: 'pet.fields',
    description: 'Pets have no categoryId.',
    bend: onPet((pet) => without(pet, 'categoryId')),
  },
  {
    id: 'pet.snake-case',
    clause: 'pet.fields',
    description: 'The member is called category_id.',
    bend: onPet((pet) => renamed(pet, (name) => (name === 'categoryId' ? 'category_id' : name))),
  },
  {
    id: 'pet.capitals',
    clause: 'pet.fields',
    description: 'Members begin with a capital: Id, Name.',
    bend: onPet((pet) => renamed(pet, (name) => name[0]?.toUpperCase() + name.slice(1))),
  },
  {
    id: 'pet.nested-in-list',
    clause: 'pet.fields',
    description: 'Each element of a list wraps its pet: { pet: {...} }.',
    bend: onList((pets) => pets.map((pet) => ({ pet }))),
  },
  {
    id: 'pet.ids-alone-in-list',
    clause: 'pet.fields',
    description: 'The list holds the ids alone.',
    bend: onList((pets) => pets.map((pet) => pet['id'] ?? null)),
  },
  {
    id: 'pet.second-lacks-category',
    clause: 'pet.fields',
    description: 'The second and later pets of a list have no categoryId.',
    bend: onList((pets) => pets.map((pet, index) => (index === 0 ? pet : without(pet, 'categoryId')))),
  },
  {
    id: 'pet.id-text',
    clause: 'pet.id',
    description: 'id is a string.',
    bend: onPet((pet) => ({ ...pet, id: textOf(pet['id']) })),
  },
  {
    id: 'pet.id-fraction',
    clause: 'pet.id',
    description: 'id is no integer.',
    bend: onPet((pet) => ({ ...pet, id: Number(pet['id']) + 0.5 })),
  },
  {
    id: 'pet.id-beyond-int64',
    clause: 'pet.id',
    description: 'The last pet of a list has an id beyond int64.',
    bend: onList((pets) => pets.map((pet, index) => (index === pets.length - 1 ? { ...pet, id: 2n ** 63n } : pet))),
  },
  {
    id: 'pet.id-null-in-list',
    clause: 'pet.id',
    description: 'The id of the third pet of a list is null.',
    bend: onList((pets) => pets.map((pet, index) => (index === 2 ? { ...pet, id: null } : pet))),
  },
  {
    id: 'pet.name-null',
    clause: 'pet.name',
    description: 'name is null.',
    bend: onPet((pet) => ({ ...pet, name: null })),
  },
  {
    id: 'pet.name-object',
    clause: 'pet.name',
    description: 'name is an object by language.',
    bend: onPet((pet) => ({ ...pet, name: { en: pet['name'] ?? null } })),
  },
  {
    id: 'pet.last-name-number',
    clause: 'pet.name',
    description: 'The name of the last pet of a list is a number.',
    bend: onList((pets) => pets.map((pet, index) => (index === pets.length - 1 ? { ...pet, name: 7 } : pet))),
  },
  {
    id: 'pet.category-text',
    clause: 'pet.category-id',
    description: 'categoryId is a string.',
    bend: onPet((pet) => ({ ...pet, categoryId: textOf(pet['categoryId']) })),
  },
  {
    id: 'pet.category-null-when-created',
    clause: 'pet.category-id',
    description: 'The categoryId of the 201 is null.',
    bend: onReply('createPet', 201, (reply) => ({
      ...reply,
      body: reply.body.replace(/"categoryId":-?\d+/, '"categoryId":null'),
    })),
  },
  {
    id: 'pet.category-fraction',
    clause: 'pet.category-id',
    description: 'categoryId is no integer.',
    bend: onPet((pet) => ({ ...pet, categoryId: Number(pet['categoryId']) + 0.5 })),
  },
  {
    id: 'pet.category-object',
    clause: 'pet.category-id',
    description: 'categoryId is the category itself: { id, name }.',
    bend: onPet((pet) => ({ ...pet, categoryId: { id: pet['categoryId'] ?? null, name: 'Dogs' } })),
  },
  {
    id: 'pet.category-beyond-int64',
    clause: 'pet.category-id',
    description: 'The second pet of a list has a categoryId beyond int64.',
    bend: onList((pets) => pets.map((pet, index) => (index === 1 ? { ...pet, categoryId: -(2n ** 63n) - 1n } : pet))),
  },
  {
    id: 'pet.hundredth-category-text',
    clause: 'pet.category-id',
    description: 'The hundredth pet of a page has a string as its categoryId: it shows with limit=100 only.',
    bend: onList((pets) =>
      pets.map((pet, index) => (index === 99 ? { ...pet, categoryId: textOf(pet['categoryId']) } : pet)),
    ),
  },
  {
    id: 'pet.status-upper-case',
    clause: 'pet.status',
    description: 'status is in upper case.',
    bend: onPet((pet) => ({ ...pet, status: textOf(pet['status']).toUpperCase() })),
  },
  {
    id: 'pet.status-padded',
    clause: 'pet.status',
    description: 'status has a space at its end, as from a column of fixed width.',
    bend: onPet((pet) => ({ ...pet, status: `${textOf(pet['status'])} ` })),
  },
  {
    id: 'pet.status-null',
    clause: 'pet.status',
    description: 'The status of the fourth pet of a list is null.',
    bend: onList((pets) => pets.map((pet, index) => (index === 3 ? { ...pet, status: null } : pet))),
  },
  {
    id: 'pet.status-reserved',
    clause: 'pet.status',
    description: 'The fifth pet of a list has a status of its own: reserved.',
    bend: onList((pets) => pets.map((pet, index) => (index === 4 ? { ...pet, status: 'reserved' } : pet))),
  },
  {
    id: 'pet.status-number',
    clause: 'pet.status',
    description: 'status is a number.',
    bend: onPet((pet) => ({ ...pet, status: 1 })),
  },
] as const satisfies readonly Deviation[]
