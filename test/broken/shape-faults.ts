import type { ClauseId } from '../../src/spec/clauses.ts'
import { toAnswer, type TwinAnswer } from '../twins/answers.ts'
import { writeJson, type Writable } from '../twins/exact-json.ts'
import { editList, withMember, withoutMember } from './answer-edits.ts'
import type { Call } from './call.ts'
import type { Row, Seams } from './fault.ts'
import { everywhere, inCreate, inGet, inLists } from './places.ts'

const whole = (edit: (answer: TwinAnswer, call: Call) => TwinAnswer): Seams => ({
  say: (answer, call) => (answer.status === 200 || answer.status === 201 ? edit(answer, call) : answer),
})

const envelope: ClauseId[] = ['list.success']

/** Answers that are not the shape of a Pet or Pets. */
export const shapeFaults: Row[] = [
  [
    'm49-snake-case',
    ['pet.fields'],
    'categoryId is called category_id',
    () =>
      everywhere((pet) => withMember(withoutMember(pet, 'categoryId'), 'category_id', pet.get('categoryId') ?? null)),
  ],
  [
    'id-called-pet-id',
    ['pet.fields'],
    'id is called petId in getPet',
    () => inGet((pet) => withMember(withoutMember(pet, 'id'), 'petId', pet.get('id') ?? null)),
  ],
  [
    'm50-envelope',
    envelope,
    'The list comes in an envelope',
    () => ({
      say: (answer) =>
        editList(
          answer,
          (pets) =>
            new Map<string, Writable>([
              ['items', pets],
              ['total', BigInt(pets.length)],
            ]),
        ),
    }),
  ],
  [
    'envelope-when-filtered',
    envelope,
    'A filtered list comes in an envelope',
    () => ({
      say: (answer, { status }) =>
        status === undefined ? answer : editList(answer, (pets) => new Map([['data', pets]])),
    }),
  ],
  [
    'list-by-id',
    envelope,
    'The list is an object with the ids as names',
    () => ({ say: (answer) => editList(answer, (pets) => new Map(pets.map((pet) => [String(pet.get('id')), pet]))) }),
  ],
  [
    'list-of-ids',
    ['pet.fields', 'list.success'],
    'The list is an array of ids',
    () => ({ say: (answer) => editList(answer, (pets) => pets.map((pet) => pet.get('id') ?? null)) }),
  ],
  [
    'list-in-list',
    ['pet.fields', 'list.success'],
    'The list is an array in an array',
    () => ({ say: (answer) => editList(answer, (pets) => [pets]) }),
  ],
  [
    'single-not-in-list',
    envelope,
    'A list of one pet is the pet without an array',
    () => ({ say: (answer) => editList(answer, (pets) => (pets.length === 1 ? (pets[0] ?? null) : pets)) }),
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
    'm52-twice-encoded',
    [...envelope, 'get.success', 'create.success'],
    'A body is a JSON string that holds JSON',
    () => whole((answer) => ({ ...answer, json: writeJson(answer.json ?? null) })),
  ],
  [
    'twice-encoded-in-get',
    ['get.success'],
    'The body of getPet is a JSON string that holds JSON',
    () => inGet((pet) => writeJson(pet)),
  ],
  [
    'm57-repeated-id',
    ['pet.id.unique'],
    'Two pets of a page have the same id',
    () => inLists((pet, index, all) => (index === 3 ? withMember(pet, 'id', all[1]?.get('id') ?? null) : pet)),
  ],
  [
    'last-repeats-first',
    ['pet.id.unique'],
    'The last pet of a page of 100 is the first again',
    () => ({
      shop: { pets: 120, ids: 'random', order: 'newest' },
      say: (answer) =>
        editList(answer, (pets) => (pets.length === 100 ? [...pets.slice(0, 99), pets[0] ?? null] : pets)),
    }),
  ],
  [
    'get-null',
    ['get.success'],
    'getPet gives null for a pet that is sold',
    () =>
      whole((answer, { operation }) =>
        operation === 'getPet' && answer.json instanceof Map && answer.json.get('status') === 'sold'
          ? toAnswer(200, null)
          : answer,
      ),
  ],
  [
    'get-empty-200',
    ['get.success'],
    'getPet gives 200 without a body',
    () => whole((answer, { operation }) => (operation === 'getPet' ? { status: 200 } : answer)),
  ],
]
