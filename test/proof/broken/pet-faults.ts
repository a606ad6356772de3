import { toObject } from '../../support/variants/exact-json.ts'
import {
  editField,
  withField,
  withoutField,
  editList,
  integer,
  named,
  throughDouble,
  mojibake,
  editSingle,
  only,
  problem,
} from './response-edits.ts'
import { fault, type Row, type Seams } from './fault.ts'
import { everywhere, inLists, inCreate, inGet, storing, finding } from './places.ts'
import type { RequirementId } from '../../../src/spec/requirements.ts'
import { same } from './requirement-groups.ts'
import type { VariantOptions } from '../../support/variants/settings.ts'
import type { VariantResponse } from '../../support/variants/responses.ts'
import { type Call, withRequest } from './call.ts'

/** A string of digits is treated as a number. */
export const fieldFaults: Row[] = [
  fault('name-of-digits-number', ['create.success'], () =>
    everywhere((pet) =>
      editField(pet, 'name', (name) =>
        /^[1-9]\d*$/.test(String(name)) ? String(Number(name)) : name,
      ),
    ),
  ),
]

const envelope: RequirementId[] = ['list.success']

/** Responses without the shape of a Pet or Pets. */
export const shapeFaults: Row[] = [
  fault('id-called-pet-id', ['pet.fields'], () =>
    inGet((pet) => withField(withoutField(pet, 'id'), 'petId', pet.get('id') ?? null)),
  ),
  fault('list-by-id', envelope, () => ({
    say: (reply) =>
      editList(reply, (pets) => new Map(pets.map((pet) => [String(pet.get('id')), pet]))),
  })),
  fault('create-in-data', ['create.success', 'pet.fields'], () =>
    inCreate((pet) => toObject({ pet })),
  ),
  fault('m57-repeated-id', ['pet.id.unique'], () =>
    inLists((pet, index, all) =>
      index === 3 ? withField(pet, 'id', all[1]?.get('id') ?? null) : pet,
    ),
  ),
]

const exact: RequirementId[] = [
  'create.exact',
  'create.success',
  'create.stored',
  'get.by-id',
  'state.reads-change-nothing',
  'service.catalog',
]
const ids: RequirementId[] = [
  ...same,
  'get.success',
  'pet.id.unique',
  'create.listed',
  'create.id-assigned',
]

/** Integers and texts that differ from the request or between responses. */
export const integerFaults: Row[] = [
  fault('category-double-in-get', exact, () => inGet(integer('categoryId', throughDouble))),
  fault('name-null-emptied', ['create.success'], () =>
    storing(({ name }) => (name === 'null' ? { name: '' } : {})),
  ),
  fault('placeholders-filled', ['create.success'], () =>
    storing(({ name }) => ({ name: name.replace(/\$\{\w+\}/g, '') })),
  ),
  fault('category-0-becomes-1', exact, () =>
    storing(({ categoryId }) => ({ categoryId: categoryId === 0n ? 1n : categoryId })),
  ),
  fault('id-double-in-get', ids, () =>
    inGet(integer('id', throughDouble), { pets: 64, ids: 'beyond-2^53' }),
  ),
  fault('list-shows-other-category', same, () =>
    inLists(integer('categoryId', (id) => (id < 100n ? id + 1n : id))),
  ),
]

/** Names and statuses that differ from the request or between responses. */
export const nameFaults: Row[] = [
  fault('name-mojibake-in-list', same, () =>
    inLists(named(mojibake), { pets: 35, ids: 'gaps', order: 'newest' }),
  ),
  fault('name-empty-null-in-get', ['pet.name'], () =>
    inGet((pet) => (pet.get('name') === '' ? withField(pet, 'name', null) : pet)),
  ),
  fault('list-fills-status', ['create.stored'], () =>
    inLists((pet) => withField(pet, 'status', pet.get('status') ?? 'available'), {
      pets: 40,
      defaultStatus: 'absent',
    }),
  ),
  fault('m58-list-shows-other-name', same, () => inLists(named((name) => name.slice(0, -1)))),
  fault('list-of-one-shows-other-name', same, () =>
    inLists(
      named((name) => name.slice(0, -1)),
      { pets: 64, ids: 'gaps', order: 'newest' },
      ({ limit }) => limit === 1,
    ),
  ),
]

const onGet = (
  edit: (reply: VariantResponse, call: Call) => VariantResponse,
  shop?: VariantOptions,
): Seams => ({
  ...(shop && { shop }),
  say: only('getPet', edit),
})

const found: RequirementId[] = [
  'get.success',
  'get.by-id',
  'create.stored',
  'get.until-removal',
  'service.catalog',
]
const other: RequirementId[] = ['get.by-id', 'get.not-found', 'create.stored']

/** getPet returns another pet, none, or a changed one. */
export const getFaults: Row[] = [
  fault('get-knows-newest-100', ['get.by-id', 'get.success', 'create.stored'], () =>
    finding({ pets: 120, order: 'newest' }, (id, _, all) =>
      all()
        .slice(0, 100)
        .find((pet) => pet.id === id),
    ),
  ),
  fault('get-remembers-unknown-ids', ['create.stored', 'get.success'], () => {
    const unknown = new Set<bigint>()
    return finding({ pets: 40, order: 'newest' }, (id, found) => {
      if (found === undefined) unknown.add(id)
      return unknown.has(id) ? undefined : found
    })
  }),
  fault('always-first', other, () =>
    finding({ pets: 45, ids: 'random' }, (_, __, all) => all()[0]),
  ),
  fault('each-10th-404', found, () =>
    finding({ pets: 60, ids: 'sequential' }, (id, pet) => (id % 10n === 5n ? undefined : pet)),
  ),
  fault('get-without-status', other, () =>
    onGet((reply) => editSingle(reply, (pet) => withoutField(pet, 'status'))),
  ),
  fault('get-always-available', other, () =>
    onGet((reply) => editSingle(reply, (pet) => withField(pet, 'status', 'available')), {
      pets: 40,
      ids: 'gaps',
    }),
  ),
]

/** Requests with a wrong route, and redirects. */
export const routingFaults: Row[] = [
  fault('m03-get-pet-is-list', ['get.success', 'get.by-id', 'get.not-found'], () => ({
    hear: (call) => (call.operation === 'getPet' ? withRequest(call, { path: '/v1/pets' }) : call),
  })),
  fault('get-pet-redirects', ['get.success'], () => ({
    say: (reply, { operation, petId }) =>
      operation === 'getPet' && reply.status === 200
        ? { status: 301, headers: { location: `https://store.example/animals/${petId}` } }
        : reply,
  })),
  fault(
    'list-without-query-only',
    [
      'list.parameters-optional',
      'list.limit.respected',
      'list.limit.min',
      'list.limit.max',
      'list.status.filter',
    ],
    () => ({
      respond: (call, serve) =>
        call.operation === 'listPets' && call.isAuthorized && call.request.query !== ''
          ? problem(404)
          : serve(call),
    }),
  ),
]
