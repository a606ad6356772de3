import type { ClauseId } from '../../src/spec/clauses.ts'
import type { TwinAnswer } from '../twins/answers.ts'
import type { TwinOptions } from '../twins/settings.ts'
import { editSingle, only, problem, withMember, withoutMember } from './answer-edits.ts'
import type { Call } from './call.ts'
import type { Row, Seams } from './fault.ts'
import { finding } from './places.ts'

const onGet = (edit: (answer: TwinAnswer, call: Call) => TwinAnswer, shop?: TwinOptions): Seams => ({
  ...(shop && { shop }),
  say: only('getPet', edit),
})

const found: ClauseId[] = ['get.success', 'get.by-id', 'create.stored', 'get.until-removal', 'service.catalogue']
const other: ClauseId[] = ['get.by-id', 'get.not-found', 'create.stored']
const removed: ClauseId[] = ['get.until-removal', 'get.success', 'get.by-id', 'create.stored']

/** getPet gives another pet, none, or something else. */
export const getFaults: Row[] = [
  [
    'always-first',
    other,
    'getPet gives the first pet, whatever the id',
    () => finding({ pets: 45, ids: 'random' }, (_, __, all) => all()[0]),
  ],
  [
    'negative-404',
    found,
    'Pets with a negative id cannot be fetched',
    () => finding({ pets: 75, ids: 'around-zero', order: 'oldest' }, (id, pet) => (id < 0n ? undefined : pet)),
  ],
  [
    'found-as-double',
    ['get.by-id', 'get.not-found'],
    'getPet compares ids as doubles, so that an unknown one finds a pet beside it',
    () =>
      finding({ pets: 40, ids: 'random' }, (id, pet, all) => pet ?? all().find((one) => Number(one.id) === Number(id))),
  ],
  [
    'id-0-404',
    found,
    'The pet with the id 0 cannot be fetched',
    () => finding({ pets: 40, ids: 'around-zero', order: 'oldest' }, (id, pet) => (id === 0n ? undefined : pet)),
  ],
  [
    'sold-404',
    found,
    'Sold pets cannot be fetched',
    () => finding({ pets: 48, ids: 'random' }, (_, pet) => (pet?.status === 'sold' ? undefined : pet)),
  ],
  [
    'each-10th-404',
    found,
    'Each 10th pet of the list cannot be fetched',
    () => finding({ pets: 60, ids: 'sequential' }, (id, pet) => (id % 10n === 5n ? undefined : pet)),
  ],
  [
    'first-100-only',
    found,
    'getPet looks at the first 100 pets only',
    () =>
      finding({ pets: 100, ids: 'random' }, (id, _, all) =>
        all()
          .slice(0, 100)
          .find((pet) => pet.id === id),
      ),
  ],
  [
    'm103-gone-404',
    removed,
    'getPet is gone before its time, with 404',
    () => onGet((answer) => (answer.status === 401 ? answer : problem(404))),
  ],
  [
    'gone-405',
    removed,
    'getPet is gone before its time, with 405',
    () => onGet((answer) => (answer.status === 401 ? answer : problem(405))),
  ],
  [
    'get-without-status',
    other,
    'getPet leaves the status out',
    () => onGet((answer) => editSingle(answer, (pet) => withoutMember(pet, 'status'))),
  ],
  [
    'get-always-available',
    other,
    'getPet shows each pet as available',
    () =>
      onGet((answer) => editSingle(answer, (pet) => withMember(pet, 'status', 'available')), { pets: 40, ids: 'gaps' }),
  ],
]
