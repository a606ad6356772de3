import type { JsonValue } from '../../json.ts'
import type { Deviation } from './deviation.ts'
import { onList, onPet, onReply, textOf, without } from './replies.ts'

type Fields = Record<string, JsonValue>

/** A pet whose fields have other names. */
function renamed(pet: Fields, rename: (name: string) => string): Fields {
  return Object.fromEntries(Object.entries(pet).map(([name, value]) => [rename(name), value]))
}

export const pets = [
  {
    id: 'pet.id-missing-in-list',
    clause: 'pet.fields',
    description: 'The pets of a list have no id.',
    apply: onList((pets) => pets.map((pet) => without(pet, 'id'))),
  },
  {
    id: 'pet.name-missing',
    clause: 'pet.fields',
    description: 'Pets have no name.',
    apply: onPet((pet) => without(pet, 'name')),
  },
  {
    id: 'pet.category-missing',
    clause: 'pet.fields',
    description: 'Pets have no categoryId.',
    apply: onPet((pet) => without(pet, 'categoryId')),
  },
  {
    id: 'pet.snake-case',
    clause: 'pet.fields',
    description: 'The field is called category_id.',
    apply: onPet((pet) => renamed(pet, (name) => (name === 'categoryId' ? 'category_id' : name))),
  },
  {
    id: 'pet.capitals',
    clause: 'pet.fields',
    description: 'Fields begin with a capital: Id, Name.',
    apply: onPet((pet) => renamed(pet, (name) => name[0]?.toUpperCase() + name.slice(1))),
  },
  {
    id: 'pet.nested-in-list',
    clause: 'pet.fields',
    description: 'Each element of a list wraps its pet: { pet: {...} }.',
    apply: onList((pets) => pets.map((pet) => ({ pet }))),
  },
  {
    id: 'pet.ids-alone-in-list',
    clause: 'pet.fields',
    description: 'The list holds the ids alone.',
    apply: onList((pets) => pets.map((pet) => pet['id'] ?? null)),
  },
  {
    id: 'pet.second-lacks-category',
    clause: 'pet.fields',
    description: 'The second and later pets of a list have no categoryId.',
    apply: onList((pets) => pets.map((pet, index) => (index === 0 ? pet : without(pet, 'categoryId')))),
  },
  {
    id: 'pet.id-text',
    clause: 'pet.id',
    description: 'id is a string.',
    apply: onPet((pet) => ({ ...pet, id: textOf(pet['id']) })),
  },
  {
    id: 'pet.id-fraction',
    clause: 'pet.id',
    description: 'id is no integer.',
    apply: onPet((pet) => ({ ...pet, id: Number(pet['id']) + 0.5 })),
  },
  {
    id: 'pet.id-beyond-int64',
    clause: 'pet.id',
    description: 'The last pet of a list has an id beyond int64.',
    apply: onList((pets) => pets.map((pet, index) => (index === pets.length - 1 ? { ...pet, id: 2n ** 63n } : pet))),
  },
  {
    id: 'pet.id-null-in-list',
    clause: 'pet.id',
    description: 'The id of the third pet of a list is null.',
    apply: onList((pets) => pets.map((pet, index) => (index === 2 ? { ...pet, id: null } : pet))),
  },
  {
    id: 'pet.name-null',
    clause: 'pet.name',
    description: 'name is null.',
    apply: onPet((pet) => ({ ...pet, name: null })),
  },
  {
    id: 'pet.name-object',
    clause: 'pet.name',
    description: 'name is an object by language.',
    apply: onPet((pet) => ({ ...pet, name: { en: pet['name'] ?? null } })),
  },
  {
    id: 'pet.last-name-number',
    clause: 'pet.name',
    description: 'The name of the last pet of a list is a number.',
    apply: onList((pets) => pets.map((pet, index) => (index === pets.length - 1 ? { ...pet, name: 7 } : pet))),
  },
  {
    id: 'pet.category-text',
    clause: 'pet.category-id',
    description: 'categoryId is a string.',
    apply: onPet((pet) => ({ ...pet, categoryId: textOf(pet['categoryId']) })),
  },
  {
    id: 'pet.category-null-when-created',
    clause: 'pet.category-id',
    description: 'The categoryId of the 201 is null.',
    apply: onReply('createPet', 201, (reply) => ({
      ...reply,
      body: reply.body.replace(/"categoryId":-?\d+/, '"categoryId":null'),
    })),
  },
  {
    id: 'pet.category-fraction',
    clause: 'pet.category-id',
    description: 'categoryId is no integer.',
    apply: onPet((pet) => ({ ...pet, categoryId: Number(pet['categoryId']) + 0.5 })),
  },
  {
    id: 'pet.category-object',
    clause: 'pet.category-id',
    description: 'categoryId is the category itself: { id, name }.',
    apply: onPet((pet) => ({ ...pet, categoryId: { id: pet['categoryId'] ?? null, name: 'Dogs' } })),
  },
  {
    id: 'pet.category-beyond-int64',
    clause: 'pet.category-id',
    description: 'The second pet of a list has a categoryId beyond int64.',
    apply: onList((pets) => pets.map((pet, index) => (index === 1 ? { ...pet, categoryId: -(2n ** 63n) - 1n } : pet))),
  },
  {
    id: 'pet.hundredth-category-text',
    clause: 'pet.category-id',
    description: 'The hundredth pet of a page has a string as its categoryId: it shows with limit=100 only.',
    apply: onList((pets) =>
      pets.map((pet, index) => (index === 99 ? { ...pet, categoryId: textOf(pet['categoryId']) } : pet)),
    ),
  },
  {
    id: 'pet.status-upper-case',
    clause: 'pet.status',
    description: 'status is in upper case.',
    apply: onPet((pet) => ({ ...pet, status: textOf(pet['status']).toUpperCase() })),
  },
  {
    id: 'pet.status-padded',
    clause: 'pet.status',
    description: 'status has a space at its end, as from a column of fixed width.',
    apply: onPet((pet) => ({ ...pet, status: `${textOf(pet['status'])} ` })),
  },
  {
    id: 'pet.status-null',
    clause: 'pet.status',
    description: 'The status of the fourth pet of a list is null.',
    apply: onList((pets) => pets.map((pet, index) => (index === 3 ? { ...pet, status: null } : pet))),
  },
  {
    id: 'pet.status-reserved',
    clause: 'pet.status',
    description: 'The fifth pet of a list has a status of its own: reserved.',
    apply: onList((pets) => pets.map((pet, index) => (index === 4 ? { ...pet, status: 'reserved' } : pet))),
  },
  {
    id: 'pet.status-number',
    clause: 'pet.status',
    description: 'status is a number.',
    apply: onPet((pet) => ({ ...pet, status: 1 })),
  },
] as const satisfies readonly Deviation[]
