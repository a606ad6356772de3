import type { ClauseId } from '../../src/spec/clauses.ts'
import {
  editInteger,
  editMember,
  through32Bits,
  throughDouble,
  throughDoubleAndBack,
  type Members,
} from './answer-edits.ts'
import type { Row } from './fault.ts'
import { everywhere, inLists, inGet, inCreate, storing } from './places.ts'
import { same } from './clause-groups.ts'

type Integer = (integer: bigint) => bigint
const integer =
  (member: string, edit: Integer) =>
  (pet: Members): Members =>
    editMember(pet, member, editInteger(edit))

const exact: ClauseId[] = [
  'create.exact',
  'create.success',
  'create.stored',
  'get.by-id',
  'state.reads-change-nothing',
  'service.catalogue',
]
const ids: ClauseId[] = [...same, 'get.success', 'pet.id.unique', 'create.listed', 'create.id-assigned']

/** Integers that come back other than they were sent or are shown elsewhere. */
export const integerFaults: Row[] = [
  [
    'm53-category-double',
    exact,
    'categoryId is rounded through a double',
    () => storing(({ categoryId }) => ({ categoryId: throughDoubleAndBack(categoryId) })),
  ],
  [
    'category-double-in-get',
    exact,
    'categoryId is rounded through a double in getPet only',
    () => inGet(integer('categoryId', throughDouble)),
  ],
  [
    'category-double-in-201',
    exact,
    'categoryId is rounded through a double in the answer of createPet only',
    () => inCreate(integer('categoryId', throughDouble)),
  ],
  [
    'm55-category-32-bits',
    exact,
    'categoryId is cut to 32 bits',
    () => storing(({ categoryId }) => ({ categoryId: through32Bits(categoryId) })),
  ],
  [
    'category-32-bits-in-list',
    exact,
    'categoryId is cut to 32 bits in lists only',
    () => inLists(integer('categoryId', through32Bits), { pets: 60, ids: 'gaps' }),
  ],
  [
    'category-0-becomes-1',
    exact,
    'categoryId 0 is stored as 1',
    () => storing(({ categoryId }) => ({ categoryId: categoryId === 0n ? 1n : categoryId })),
  ],
  ['m63-category-0', exact, 'categoryId is stored as 0', () => storing(() => ({ categoryId: 0n }))],
  [
    'm54-id-double-in-list',
    ids,
    'Ids beyond 2^53 are rounded in lists',
    () => inLists(integer('id', throughDouble), { pets: 40, ids: 'random' }),
  ],
  [
    'id-double-in-get',
    ids,
    'Ids beyond 2^53 are rounded in getPet',
    () => inGet(integer('id', throughDouble), { pets: 64, ids: 'beyond-2^53' }),
  ],
  [
    'id-double-in-201',
    ids,
    'Ids beyond 2^53 are rounded in the answer of createPet',
    () => inCreate(integer('id', throughDouble), { pets: 30, ids: 'random', order: 'newest' }),
  ],
  [
    'id-double-everywhere',
    ids,
    'Ids beyond 2^53 are rounded in each answer',
    () => everywhere(integer('id', throughDouble), { pets: 50, ids: 'random' }),
  ],
  [
    'list-shows-other-category',
    same,
    'Lists show the category plus one',
    () => inLists(integer('categoryId', (id) => (id < 100n ? id + 1n : id))),
  ],
]
