import type { ClauseId } from '../../src/spec/clauses.ts'
import { toAnswer, type TwinAnswer } from '../twins/answers.ts'
import { JsonNumber, writeJson, type Writable } from '../twins/exact-json.ts'
import type { TwinOptions } from '../twins/settings.ts'
import {
  editList,
  editListed,
  editMember,
  editPets,
  editSingle,
  only,
  withMember,
  withoutMember,
  type Members,
} from './answer-edits.ts'
import type { Call } from './call.ts'
import type { Row, Seams } from './fault.ts'

const each = (edit: (pet: Members) => Writable, shop?: TwinOptions): Seams => ({
  ...(shop && { shop }),
  say: (answer) => editPets(answer, edit),
})
const listed = (
  edit: (pet: Members, index: number, all: Members[]) => Writable,
  when: (call: Call) => boolean = () => true,
  shop?: TwinOptions,
): Seams => ({
  ...(shop && { shop }),
  say: (answer, call) => (when(call) ? editListed(answer, edit) : answer),
})
const single = (operation: 'getPet' | 'createPet', edit: (pet: Members) => Writable): Seams => ({
  say: only(operation, (answer) => editSingle(answer, edit)),
})
const whole = (edit: (answer: TwinAnswer, call: Call) => TwinAnswer): Seams => ({
  say: (answer, call) => (answer.status === 200 || answer.status === 201 ? edit(answer, call) : answer),
})

const envelope: ClauseId[] = ['list.success']
const text = (value: Writable): Writable => String(value)
const isLast = (index: number, all: Members[]): boolean => all.length > 4 && index === all.length - 1

/** Answers that are not what a Pet or Pets should look like. */
export const shapeFaults: Row[] = [
  [
    'm42-list-without-id',
    ['pet.fields'],
    'The pets of a list have no id',
    () => listed((pet) => withoutMember(pet, 'id')),
  ],
  ['m43-id-text', ['pet.id'], 'id is a string', () => each((pet) => editMember(pet, 'id', text))],
  [
    'id-text-in-201',
    ['pet.id'],
    'id is a string in the answer of createPet',
    () => single('createPet', (pet) => editMember(pet, 'id', text)),
  ],
  [
    'id-text-beyond-2-to-53',
    ['pet.id'],
    'An id beyond 2^53 is a string',
    () =>
      each((pet) => editMember(pet, 'id', (id) => ((id as bigint) > 2n ** 53n ? String(id) : id)), {
        pets: 45,
        ids: 'random',
      }),
  ],
  [
    'id-fraction',
    ['pet.id'],
    'id has a fraction',
    () =>
      listed(
        (pet) => editMember(pet, 'id', (id) => new JsonNumber(`${id as bigint}.5`)),
        () => true,
        { pets: 30 },
      ),
  ],
  [
    'id-beyond-int64',
    ['pet.id'],
    'The id of the last pet of a list is 2^63',
    () => listed((pet, index, all) => (isLast(index, all) ? withMember(pet, 'id', 2n ** 63n) : pet)),
  ],
  ['m44-name-null', ['pet.name'], 'name is null', () => each((pet) => withMember(pet, 'name', null))],
  [
    'm44-name-missing-in-list',
    ['pet.fields', 'pet.name'],
    'The pets of a list have no name',
    () => listed((pet) => withoutMember(pet, 'name')),
  ],
  [
    'name-null-of-sold',
    ['pet.name'],
    'The name of sold pets is null',
    () => each((pet) => (pet.get('status') === 'sold' ? withMember(pet, 'name', null) : pet)),
  ],
  [
    'name-of-digits-is-number',
    ['pet.name'],
    'A name of digits alone is a number',
    () =>
      each(
        (pet) => editMember(pet, 'name', (name) => (/^\d+$/.test(String(name)) ? new JsonNumber(String(name)) : name)),
        { pets: 40, oddPets: true, ids: 'random' },
      ),
  ],
  [
    'name-array',
    ['pet.name'],
    'name is an array in getPet',
    () => single('getPet', (pet) => editMember(pet, 'name', (name) => [name])),
  ],
  [
    'm45-category-text',
    ['pet.category-id'],
    'categoryId is a string',
    () => each((pet) => editMember(pet, 'categoryId', text)),
  ],
  [
    'category-text-beyond-2-to-53',
    ['pet.category-id', 'create.exact'],
    'A categoryId beyond 2^53 is a string',
    () => each((pet) => editMember(pet, 'categoryId', (id) => ((id as bigint) > 2n ** 53n ? String(id) : id))),
  ],
  [
    'category-missing-in-get',
    ['pet.fields'],
    'getPet has no categoryId',
    () => single('getPet', (pet) => withoutMember(pet, 'categoryId')),
  ],
  [
    'category-null-in-sold-list',
    ['pet.category-id'],
    'categoryId is null in the list of sold pets',
    () =>
      listed(
        (pet) => withMember(pet, 'categoryId', null),
        ({ status }) => status === 'sold',
      ),
  ],
  [
    'm46-status-upper-case',
    ['pet.status', 'create.status'],
    'status is in upper case',
    () => each((pet) => editMember(pet, 'status', (status) => String(status).toUpperCase())),
  ],
  [
    'status-with-space',
    ['pet.status'],
    'status has a space behind it',
    () => each((pet) => editMember(pet, 'status', (status) => `${String(status)} `)),
  ],
  [
    'pending-reserved',
    ['pet.status'],
    'A pending pet is shown as reserved in getPet',
    () =>
      single('getPet', (pet) => editMember(pet, 'status', (status) => (status === 'pending' ? 'reserved' : status))),
  ],
  [
    'm47-status-null',
    ['pet.status'],
    'status is null where there is none',
    () =>
      each((pet) => (pet.has('status') ? pet : withMember(pet, 'status', null)), {
        pets: 40,
        statuses: 'some-absent',
        ids: 'gaps',
        defaultStatus: 'absent',
      }),
  ],
  [
    'status-empty',
    ['pet.status'],
    'status is an empty string where there is none',
    () =>
      each((pet) => (pet.has('status') ? pet : withMember(pet, 'status', '')), {
        pets: 40,
        ids: 'random',
        defaultStatus: 'absent',
      }),
  ],
  [
    'status-object',
    ['pet.status'],
    'status is an object',
    () => each((pet) => editMember(pet, 'status', (status) => new Map([['value', status]]))),
  ],
  [
    'm48-second-malformed',
    ['pet.fields', 'pet.id'],
    'The second and later pets of a list have no id',
    () => listed((pet, index) => (index > 0 ? withoutMember(pet, 'id') : pet)),
  ],
  [
    'last-malformed',
    ['pet.category-id'],
    'The categoryId of the last pet of a list is a string',
    () => listed((pet, index, all) => (isLast(index, all) ? editMember(pet, 'categoryId', text) : pet)),
  ],
  [
    'beyond-50-malformed',
    ['pet.name'],
    'The pets beyond the 50th have a name that is null',
    () =>
      listed(
        (pet, index) => (index >= 50 ? withMember(pet, 'name', null) : pet),
        () => true,
        { pets: 75, ids: 'gaps' },
      ),
  ],
  [
    '100th-malformed',
    ['pet.fields'],
    'The 100th pet of a page is null',
    () => ({
      shop: { pets: 150, ids: 'random', order: 'random' },
      say: (answer) => editList(answer, (pets) => pets.map((pet, index) => (index === 99 ? null : pet))),
    }),
  ],
  [
    'm49-snake-case',
    ['pet.fields'],
    'categoryId is called category_id',
    () => each((pet) => withMember(withoutMember(pet, 'categoryId'), 'category_id', pet.get('categoryId') ?? null)),
  ],
  [
    'id-called-pet-id',
    ['pet.fields'],
    'id is called petId in getPet',
    () => single('getPet', (pet) => withMember(withoutMember(pet, 'id'), 'petId', pet.get('id') ?? null)),
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
  ['m51-pet-in-array', ['get.success'], 'getPet gives an array of one pet', () => single('getPet', (pet) => [pet])],
  [
    'm51-pet-in-data',
    ['get.success', 'pet.fields'],
    'getPet gives the pet as the member data',
    () => single('getPet', (pet) => new Map([['data', pet]])),
  ],
  [
    'create-in-data',
    ['create.success', 'pet.fields'],
    'createPet gives the pet as the member pet',
    () => single('createPet', (pet) => new Map([['pet', pet]])),
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
    () => single('getPet', (pet) => writeJson(pet)),
  ],
  [
    'm57-repeated-id',
    ['pet.id.unique'],
    'Two pets of a page have the same id',
    () => listed((pet, index, all) => (index === 3 ? withMember(pet, 'id', all[1]?.get('id') ?? null) : pet)),
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
