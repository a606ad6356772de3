import { JsonNumber, type Writable } from '../twins/exact-json.ts'
import { editList, editMember, withMember, withoutMember, type Members } from './answer-edits.ts'
import type { Row } from './fault.ts'
import { everywhere, inCreate, inGet, inLists } from './places.ts'

const text = (value: Writable): Writable => String(value)
const isLast = (index: number, all: Members[]): boolean => all.length > 4 && index === all.length - 1

/** A member of a Pet is missing or of a wrong type. */
export const memberFaults: Row[] = [
  [
    'm42-list-without-id',
    ['pet.fields'],
    'The pets of a list have no id',
    () => inLists((pet) => withoutMember(pet, 'id')),
  ],
  ['m43-id-text', ['pet.id'], 'id is a string', () => everywhere((pet) => editMember(pet, 'id', text))],
  [
    'id-text-in-201',
    ['pet.id'],
    'id is a string in the answer of createPet',
    () => inCreate((pet) => editMember(pet, 'id', text)),
  ],
  [
    'id-text-beyond-2-to-53',
    ['pet.id'],
    'An id beyond 2^53 is a string',
    () =>
      everywhere((pet) => editMember(pet, 'id', (id) => ((id as bigint) > 2n ** 53n ? String(id) : id)), {
        pets: 45,
        ids: 'random',
      }),
  ],
  [
    'id-fraction',
    ['pet.id'],
    'id has a fraction',
    () => inLists((pet) => editMember(pet, 'id', (id) => new JsonNumber(`${id as bigint}.5`)), { pets: 30 }),
  ],
  [
    'id-beyond-int64',
    ['pet.id'],
    'The id of the last pet of a list is 2^63',
    () => inLists((pet, index, all) => (isLast(index, all) ? withMember(pet, 'id', 2n ** 63n) : pet)),
  ],
  ['m44-name-null', ['pet.name'], 'name is null', () => everywhere((pet) => withMember(pet, 'name', null))],
  [
    'm44-name-missing-in-list',
    ['pet.fields', 'pet.name'],
    'The pets of a list have no name',
    () => inLists((pet) => withoutMember(pet, 'name')),
  ],
  [
    'name-null-of-sold',
    ['pet.name'],
    'The name of sold pets is null',
    () => everywhere((pet) => (pet.get('status') === 'sold' ? withMember(pet, 'name', null) : pet)),
  ],
  [
    'name-of-digits-is-number',
    ['pet.name'],
    'A name of digits alone is a number',
    () =>
      everywhere(
        (pet) => editMember(pet, 'name', (name) => (/^\d+$/.test(String(name)) ? new JsonNumber(String(name)) : name)),
        { pets: 40, oddPets: true, ids: 'random' },
      ),
  ],
  [
    'name-array',
    ['pet.name'],
    'name is an array in getPet',
    () => inGet((pet) => editMember(pet, 'name', (name) => [name])),
  ],
  [
    'm45-category-text',
    ['pet.category-id'],
    'categoryId is a string',
    () => everywhere((pet) => editMember(pet, 'categoryId', text)),
  ],
  [
    'category-text-beyond-2-to-53',
    ['pet.category-id', 'create.exact'],
    'A categoryId beyond 2^53 is a string',
    () => everywhere((pet) => editMember(pet, 'categoryId', (id) => ((id as bigint) > 2n ** 53n ? String(id) : id))),
  ],
  [
    'category-missing-in-get',
    ['pet.fields'],
    'getPet has no categoryId',
    () => inGet((pet) => withoutMember(pet, 'categoryId')),
  ],
  [
    'category-null-in-sold-list',
    ['pet.category-id'],
    'categoryId is null in the list of sold pets',
    () =>
      inLists(
        (pet) => withMember(pet, 'categoryId', null),
        undefined,
        ({ status }) => status === 'sold',
      ),
  ],
  [
    'm46-status-upper-case',
    ['pet.status', 'create.status'],
    'status is in upper case',
    () => everywhere((pet) => editMember(pet, 'status', (status) => String(status).toUpperCase())),
  ],
  [
    'status-with-space',
    ['pet.status'],
    'status has a space behind it',
    () => everywhere((pet) => editMember(pet, 'status', (status) => `${String(status)} `)),
  ],
  [
    'pending-reserved',
    ['pet.status'],
    'A pending pet is shown as reserved in getPet',
    () => inGet((pet) => editMember(pet, 'status', (status) => (status === 'pending' ? 'reserved' : status))),
  ],
  [
    'm47-status-null',
    ['pet.status'],
    'status is null where there is none',
    () =>
      everywhere((pet) => (pet.has('status') ? pet : withMember(pet, 'status', null)), {
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
      everywhere((pet) => (pet.has('status') ? pet : withMember(pet, 'status', '')), {
        pets: 40,
        ids: 'random',
        defaultStatus: 'absent',
      }),
  ],
  [
    'status-object',
    ['pet.status'],
    'status is an object',
    () => everywhere((pet) => editMember(pet, 'status', (status) => new Map([['value', status]]))),
  ],
  [
    'm48-second-malformed',
    ['pet.fields', 'pet.id'],
    'The second and later pets of a list have no id',
    () => inLists((pet, index) => (index > 0 ? withoutMember(pet, 'id') : pet)),
  ],
  [
    'last-malformed',
    ['pet.category-id'],
    'The categoryId of the last pet of a list is a string',
    () => inLists((pet, index, all) => (isLast(index, all) ? editMember(pet, 'categoryId', text) : pet)),
  ],
  [
    'beyond-50-malformed',
    ['pet.name'],
    'The pets beyond the 50th have a name that is null',
    () => inLists((pet, index) => (index >= 50 ? withMember(pet, 'name', null) : pet), { pets: 75, ids: 'gaps' }),
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
]
