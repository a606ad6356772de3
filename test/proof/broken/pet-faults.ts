import { toObject, type Writable } from '../../support/twins/exact-json.ts'
import {
  editMember,
  withMember,
  withoutMember,
  editList,
  integer,
  named,
  through32Bits,
  throughDouble,
  throughDoubleAndBack,
  escapeHtml,
  mojibake,
  editSingle,
  only,
  problem,
} from './answer-edits.ts'
import { fault, type Row, type Seams } from './fault.ts'
import { everywhere, inLists, inCreate, inGet, storing, finding } from './places.ts'
import type { ClauseId } from '../../../src/spec/clauses.ts'
import { same } from './clause-groups.ts'
import type { TwinOptions } from '../../support/twins/settings.ts'
import { type TwinAnswer, toAnswer } from '../../support/twins/answers.ts'
import { type Call, asking } from './call.ts'

const text = (value: Writable): Writable => String(value)

/** A member of a Pet is missing or of a wrong type. */
export const memberFaults: Row[] = [
  fault('m42-list-without-id', ['pet.fields'], () => inLists((pet) => withoutMember(pet, 'id'))),
  fault('m43-id-text', ['pet.id'], () => everywhere((pet) => editMember(pet, 'id', text))),
  fault('m44-name-null', ['pet.name'], () => everywhere((pet) => withMember(pet, 'name', null))),
  fault('name-of-digits-number', ['create.success'], () =>
    everywhere((pet) =>
      editMember(pet, 'name', (name) => (/^[1-9]\d*$/.test(String(name)) ? String(Number(name)) : name)),
    ),
  ),
  fault('status-with-space', ['pet.status'], () =>
    everywhere((pet) => editMember(pet, 'status', (status) => `${String(status)} `)),
  ),
]

const envelope: ClauseId[] = ['list.success']

/** Answers that are not the shape of a Pet or Pets. */
export const shapeFaults: Row[] = [
  fault('id-called-pet-id', ['pet.fields'], () =>
    inGet((pet) => withMember(withoutMember(pet, 'id'), 'petId', pet.get('id') ?? null)),
  ),
  fault('list-by-id', envelope, () => ({
    say: (answer) => editList(answer, (pets) => new Map(pets.map((pet) => [String(pet.get('id')), pet]))),
  })),
  fault('m51-pet-in-array', ['get.success'], () => inGet((pet) => [pet])),
  fault('create-in-data', ['create.success', 'pet.fields'], () => inCreate((pet) => toObject({ pet }))),
  fault('m57-repeated-id', ['pet.id.unique'], () =>
    inLists((pet, index, all) => (index === 3 ? withMember(pet, 'id', all[1]?.get('id') ?? null) : pet)),
  ),
]

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
  fault('m53-category-double', exact, () =>
    storing(({ categoryId }) => ({ categoryId: throughDoubleAndBack(categoryId) })),
  ),
  fault('category-double-in-get', exact, () => inGet(integer('categoryId', throughDouble))),
  fault('name-null-emptied', ['create.success'], () => storing(({ name }) => (name === 'null' ? { name: '' } : {}))),
  fault('invisible-characters-dropped', ['create.success'], () =>
    storing(({ name }) => ({ name: name.replace(/\p{Cf}/gu, '') })),
  ),
  fault('placeholders-filled', ['create.success'], () =>
    storing(({ name }) => ({ name: name.replace(/\$\{\w+\}/g, '') })),
  ),
  fault('m55-category-32-bits', exact, () => storing(({ categoryId }) => ({ categoryId: through32Bits(categoryId) }))),
  fault('category-0-becomes-1', exact, () =>
    storing(({ categoryId }) => ({ categoryId: categoryId === 0n ? 1n : categoryId })),
  ),
  fault('category-absolute', exact, () =>
    storing(({ categoryId }) => ({ categoryId: categoryId < 0n ? BigInt.asIntN(64, -categoryId) : categoryId })),
  ),
  fault('category-least-becomes-0', exact, () =>
    storing(({ categoryId }) => ({ categoryId: categoryId === -(2n ** 63n) ? 0n : categoryId }), {
      script: 'cyrillic',
    }),
  ),
  fault('m63-category-0', exact, () => storing(() => ({ categoryId: 0n }))),
  fault('m54-id-double-in-list', ids, () => inLists(integer('id', throughDouble), { pets: 40, ids: 'random' })),
  fault('id-double-in-get', ids, () => inGet(integer('id', throughDouble), { pets: 64, ids: 'beyond-2^53' })),
  fault('id-double-everywhere', ids, () => everywhere(integer('id', throughDouble), { pets: 50, ids: 'random' })),
  fault('list-shows-other-category', same, () => inLists(integer('categoryId', (id) => (id < 100n ? id + 1n : id)))),
]

const storingName = (edit: (name: string) => string, shop?: TwinOptions): Seams =>
  storing(({ name }) => ({ name: edit(name) }), shop)

/** Names that come back other than they were sent or are shown elsewhere. */
export const nameFaults: Row[] = [
  fault('m61-name-lower-case', same, () => storingName((name) => name.toLowerCase())),
  fault('name-html-stored', same, () => storingName(escapeHtml)),
  fault('m62-name-mojibake', same, () => storingName(mojibake)),
  fault('name-mojibake-in-list', same, () => inLists(named(mojibake), { pets: 35, ids: 'gaps', order: 'newest' })),
  fault('name-cut-at-255', same, () => storingName((name) => name.slice(0, 255))),
  fault('name-ends-at-nul', same, () => storingName((name) => name.split('\0')[0] ?? '', { pets: 64, ids: 'gaps' })),
  fault('name-loses-accents', same, () => storingName((name) => name.replaceAll(/\p{Mn}/gu, ''), { pets: 40 })),
  fault('name-half-a-letter', same, () =>
    storingName((name) => Buffer.from(name).subarray(0, 64).toString(), { pets: 64, ids: 'random' }),
  ),
  fault('name-empty-null-in-get', ['pet.name'], () =>
    inGet((pet) => (pet.get('name') === '' ? withMember(pet, 'name', null) : pet)),
  ),
  fault('list-fills-status', ['create.stored'], () =>
    inLists((pet) => withMember(pet, 'status', pet.get('status') ?? 'available'), {
      pets: 40,
      defaultStatus: 'absent',
    }),
  ),
  fault('m58-list-shows-other-name', same, () => inLists(named((name) => name.slice(0, -1)))),
]

const onGet = (edit: (answer: TwinAnswer, call: Call) => TwinAnswer, shop?: TwinOptions): Seams => ({
  ...(shop && { shop }),
  say: only('getPet', edit),
})

const found: ClauseId[] = ['get.success', 'get.by-id', 'create.stored', 'get.until-removal', 'service.catalogue']
const other: ClauseId[] = ['get.by-id', 'get.not-found', 'create.stored']
const removed: ClauseId[] = ['get.until-removal', 'get.success', 'get.by-id', 'create.stored']

/** getPet gives another pet, none, or something else. */
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
  fault('always-first', other, () => finding({ pets: 45, ids: 'random' }, (_, __, all) => all()[0])),
  fault('negative-404', found, () =>
    finding({ pets: 75, ids: 'around-zero', order: 'oldest' }, (id, pet) => (id < 0n ? undefined : pet)),
  ),
  fault('found-as-double', ['get.by-id', 'get.not-found'], () =>
    finding({ pets: 40, ids: 'random' }, (id, pet, all) => pet ?? all().find((one) => Number(one.id) === Number(id))),
  ),
  fault('id-0-404', found, () =>
    finding({ pets: 40, ids: 'around-zero', order: 'oldest' }, (id, pet) => (id === 0n ? undefined : pet)),
  ),
  fault('sold-404', found, () =>
    finding({ pets: 48, ids: 'random' }, (_, pet) => (pet?.status === 'sold' ? undefined : pet)),
  ),
  fault('each-10th-404', found, () =>
    finding({ pets: 60, ids: 'sequential' }, (id, pet) => (id % 10n === 5n ? undefined : pet)),
  ),
  fault('first-100-only', found, () =>
    finding({ pets: 100, ids: 'random' }, (id, _, all) =>
      all()
        .slice(0, 100)
        .find((pet) => pet.id === id),
    ),
  ),
  fault('m103-gone-404', removed, () => onGet((answer) => (answer.status === 401 ? answer : problem(404)))),
  fault('get-without-status', other, () =>
    onGet((answer) => editSingle(answer, (pet) => withoutMember(pet, 'status'))),
  ),
  fault('get-always-available', other, () =>
    onGet((answer) => editSingle(answer, (pet) => withMember(pet, 'status', 'available')), { pets: 40, ids: 'gaps' }),
  ),
]

/** Answers otherwise where 404 is right. */
const unknownAs = (edit: (call: Call) => TwinAnswer): Seams =>
  onGet((answer, call) => (answer.status === 404 ? edit(call) : answer))

const missing: ClauseId[] = ['get.not-found']

/** getPet answers otherwise than 404 where no pet has the id. */
export const unknownIdFaults: Row[] = [
  fault('m92-unknown-empty-object', [...missing, 'pet.fields'], () => unknownAs(() => toAnswer(200, new Map()))),
  fault('m93-unknown-500', missing, () => unknownAs(() => problem(500))),
  fault('largest-id-500', missing, () =>
    unknownAs(({ petId }) => problem(petId === '9223372036854775807' ? 500 : 404)),
  ),
  fault('unknown-gives-nearest', other, () =>
    finding(
      { pets: 45, ids: 'gaps' },
      (id, pet, all) => pet ?? all().find((one) => one.id - id < 3n && id - one.id < 3n),
    ),
  ),
  fault('id-0-gives-first', other, () =>
    finding({ pets: 64, ids: 'sequential' }, (id, pet, all) => pet ?? (id === 0n ? all()[0] : undefined)),
  ),
]

/** Requests that reach the wrong place, and answers with the wrong status of success. */
export const routingFaults: Row[] = [
  fault('m01-no-version-segment', ['service.base-path', 'list.success'], () => ({
    answer: (call, serve) => (call.request.path.startsWith('/v1/') && call.isAuthorized ? problem(404) : serve(call)),
  })),
  fault('m03-get-pet-is-list', ['get.success', 'get.by-id', 'get.not-found'], () => ({
    hear: (call) => (call.operation === 'getPet' ? asking(call, { path: '/v1/pets' }) : call),
  })),
  fault('get-pet-redirects', ['get.success'], () => ({
    say: (answer, { operation, petId }) =>
      operation === 'getPet' && answer.status === 200
        ? { status: 301, headers: { location: `https://store.example/animals/${petId}` } }
        : answer,
  })),
  fault(
    'list-without-query-only',
    ['list.parameters-optional', 'list.limit.honoured', 'list.limit.min', 'list.limit.max', 'list.status.filter'],
    () => ({
      answer: (call, serve) =>
        call.operation === 'listPets' && call.isAuthorized && call.request.query !== '' ? problem(404) : serve(call),
    }),
  ),
  fault('both-parameters-refused', ['list.parameters-optional', 'list.limit.max', 'list.status.filter'], () => ({
    answer: (call, serve) =>
      call.isAuthorized && call.limit !== undefined && call.status !== undefined ? problem(400) : serve(call),
  })),
  fault('list-206', ['list.success'], () => ({
    say: (answer, { operation }) =>
      operation === 'listPets' && answer.status === 200 ? { ...answer, status: 206 } : answer,
  })),
  fault('create-202', ['create.success'], () => ({
    say: (answer) => (answer.status === 201 ? { ...answer, status: 202 } : answer),
  })),
  fault('create-200-for-sold', ['create.success', 'create.status'], () => ({
    say: (answer) =>
      answer.status === 201 && answer.json instanceof Map && answer.json.get('status') === 'sold'
        ? { ...answer, status: 200 }
        : answer,
  })),
  fault('create-answers-pets', ['create.success'], () => ({
    say: (answer) => (answer.status === 201 ? toAnswer(201, [answer.json ?? null]) : answer),
  })),
]
