import type { Writable } from '../twins/exact-json.ts'
import { editMember, withMember, withoutMember } from './answer-edits.ts'
import type { Row } from './fault.ts'
import { everywhere, inLists } from './places.ts'

const text = (value: Writable): Writable => String(value)

/** A member of a Pet is missing or of a wrong type. */
export const memberFaults: Row[] = [
  [
    'm42-list-without-id',
    ['pet.fields'],
    'The pets of a list have no id',
    () => inLists((pet) => withoutMember(pet, 'id')),
  ],
  ['m43-id-text', ['pet.id'], 'id is a string', () => everywhere((pet) => editMember(pet, 'id', text))],
  ['m44-name-null', ['pet.name'], 'name is null', () => everywhere((pet) => withMember(pet, 'name', null))],
  [
    'm45-category-text',
    ['pet.category-id'],
    'categoryId is a string',
    () => everywhere((pet) => editMember(pet, 'categoryId', text)),
  ],
  [
    'status-with-space',
    ['pet.status'],
    'status has a space behind it',
    () => everywhere((pet) => editMember(pet, 'status', (status) => `${String(status)} `)),
  ],
  [
    'status-object',
    ['pet.status'],
    'status is an object',
    () => everywhere((pet) => editMember(pet, 'status', (status) => new Map([['value', status]]))),
  ],
]
