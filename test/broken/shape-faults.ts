import type { ClauseId } from '../../src/spec/clauses.ts'
import { editList, withMember, withoutMember } from './answer-edits.ts'
import type { Row } from './fault.ts'
import { inCreate, inGet, inLists } from './places.ts'

const envelope: ClauseId[] = ['list.success']

/** Answers that are not the shape of a Pet or Pets. */
export const shapeFaults: Row[] = [
  [
    'id-called-pet-id',
    ['pet.fields'],
    'id is called petId in getPet',
    () => inGet((pet) => withMember(withoutMember(pet, 'id'), 'petId', pet.get('id') ?? null)),
  ],
  [
    'list-by-id',
    envelope,
    'The list is an object with the ids as names',
    () => ({ say: (answer) => editList(answer, (pets) => new Map(pets.map((pet) => [String(pet.get('id')), pet]))) }),
  ],
  [
    'list-in-list',
    ['pet.fields', 'list.success'],
    'The list is an array in an array',
    () => ({ say: (answer) => editList(answer, (pets) => [pets]) }),
  ],
  ['m51-pet-in-array', ['get.success'], 'getPet gives an array of one pet', () => inGet((pet) => [pet])],
  [
    'm51-pet-in-data',
    ['get.success', 'pet.fields'],
    'getPet gives the pet as the member data',
    () => inGet((pet) => new Map([['data', pet]])),
  ],
  [
    'create-in-data',
    ['create.success', 'pet.fields'],
    'createPet gives the pet as the member pet',
    () => inCreate((pet) => new Map([['pet', pet]])),
  ],
  [
    'm57-repeated-id',
    ['pet.id.unique'],
    'Two pets of a page have the same id',
    () => inLists((pet, index, all) => (index === 3 ? withMember(pet, 'id', all[1]?.get('id') ?? null) : pet)),
  ],
]
