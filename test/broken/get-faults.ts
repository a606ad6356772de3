import type { ClauseId } from '../../src/spec/clauses.ts'
import type { TwinAnswer } from '../twins/answers.ts'
import type { TwinOptions } from '../twins/settings.ts'
import { editSingle, only, problem, withMember, withoutMember } from './answer-edits.ts'
import { asking, type Call } from './call.ts'
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
    'm95-neighbour',
    other,
    'getPet gives the next pet',
    () => ({
      shop: { pets: 60, ids: 'sequential' },
      hear: (call) =>
        call.operation === 'getPet' && /^\d{1,15}$/.test(call.petId ?? '')
          ? asking(call, { path: `/v1/pets/${Number(call.petId) + 1}` })
          : call,
    }),
  ],
  [
    'always-first',
    other,
    'getPet gives the first pet, whatever the id',
    () => finding({ pets: 45, ids: 'random' }, (_, __, all) => all()[0]),
  ],
  [
    'double-id-finds-neighbour',
    other,
    'getPet reads the id into a double and finds a neighbour',
    () => finding({ pets: 40, ids: 'beyond-2^53' }, (id, _, all) => all().find((pet) => Number(pet.id) === Number(id))),
  ],
  [
    'm96-beyond-32-bits-404',
    found,
    'Pets with an id beyond 2^31 cannot be fetched',
    () => finding({ pets: 50, ids: 'random' }, (id, pet) => (id > 2147483647n ? undefined : pet)),
  ],
  [
    'beyond-53-bits-404',
    found,
    'Pets with an id beyond 2^53 cannot be fetched',
    () => finding({ pets: 40, ids: 'beyond-2^53', order: 'newest' }, (id, pet) => (id > 2n ** 53n ? undefined : pet)),
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
    'absent-status-404',
    found,
    'Pets without a status cannot be fetched',
    () =>
      finding({ pets: 48, ids: 'gaps', statuses: 'some-absent' }, (_, pet) =>
        pet !== undefined && pet.status === undefined ? undefined : pet,
      ),
  ],
  [
    'each-10th-404',
    found,
    'Each 10th pet of the list cannot be fetched',
    () => finding({ pets: 60, ids: 'sequential' }, (id, pet) => (id % 10n === 5n ? undefined : pet)),
  ],
  [
    'each-3rd-404',
    found,
    'Each 3rd pet of the list cannot be fetched',
    () => finding({ pets: 60, ids: 'sequential' }, (id, pet) => (id % 3n === 0n ? undefined : pet)),
  ],
  [
    'newest-404',
    found,
    'The newest pet cannot be fetched until there is another',
    () => finding({ pets: 30, ids: 'gaps' }, (_, pet, all) => (pet === all().at(-1) ? undefined : pet)),
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
    'first-1000-only',
    found,
    'getPet looks at the first 1000 pets only, in a store of 1000',
    () =>
      finding({ pets: 1000, ids: 'gaps' }, (id, _, all) =>
        all()
          .slice(0, 1000)
          .find((pet) => pet.id === id),
      ),
  ],
  [
    'old-pets-404',
    found,
    'Pets that were there before the server started cannot be fetched',
    () =>
      finding({ pets: 40, ids: 'random', order: 'name' }, (_, pet) => (pet?.madeByClient === true ? pet : undefined)),
  ],
  [
    'm103-gone-410',
    removed,
    'getPet is gone before its time, with 410',
    () => onGet((answer) => (answer.status === 401 ? answer : problem(410))),
  ],
  [
    'm103-gone-404',
    removed,
    'getPet is gone before its time, with 404',
    () => onGet((answer) => (answer.status === 401 ? answer : problem(404))),
  ],
  [
    'm103-gone-501',
    removed,
    'getPet is gone before its time, with 501',
    () => onGet((answer) => (answer.status === 401 ? answer : problem(501))),
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
  [
    'get-other-category',
    other,
    'getPet shows the category 1 for each pet',
    () => onGet((answer) => editSingle(answer, (pet) => withMember(pet, 'categoryId', 1n))),
  ],
  [
    'get-echoes-id',
    other,
    'getPet gives the first pet under the id that was asked for',
    () =>
      onGet(
        (answer, { petId }) =>
          editSingle(answer, (pet) => new Map([...pet, ['name', 'Rex 1'], ['id', BigInt(petId ?? 0)]])),
        { pets: 40, ids: 'random' },
      ),
  ],
  [
    'not-found-remembered',
    [...found, 'get.not-found'],
    'An id that was once not found stays so, though a pet gets it later',
    () => {
      const absent = new Set<bigint>()
      return finding({ pets: 56, ids: 'sequential' }, (id, pet) => {
        if (pet === undefined) absent.add(id)
        return absent.has(id) ? undefined : pet
      })
    },
  ],
]
