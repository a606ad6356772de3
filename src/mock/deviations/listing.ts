import type { Apply, Deviation } from './deviation.ts'
import { count, isEvery } from './memory.ts'
import type { MockReply, SandboxRequest } from '../message.ts'
import type { Context } from '../context.ts'
import { errorOf, listOf, onList, onReply, refuses, textOf, withJson, withText } from './replies.ts'
import { inPlaceOf, onRequest, parameter, sets, withParameter } from './requests.ts'

/** The limit of a request, as far as it is a number. */
const limitOf = (request: SandboxRequest): number => Number(parameter(request, 'limit') ?? 20)
const hasNo =
  (name: 'limit' | 'status') =>
  (request: SandboxRequest): boolean =>
    parameter(request, name) === undefined
/** Returns something else in place of an empty list. */
const whenEmpty = (change: (context: Context, reply: MockReply) => MockReply): Apply =>
  onReply('listPets', 200, (reply, _request, context) => (reply.body === '[]' ? change(context, reply) : undefined))

export const listing = [
  {
    id: 'list.limit-ignored',
    clause: 'list.limit.honoured',
    description: 'limit is ignored: each page has twenty pets.',
    apply: onRequest('listPets', (request) => withParameter(request, 'limit', undefined)),
  },
  {
    id: 'list.limit-plus-one',
    clause: 'list.limit.honoured',
    description: 'A page has one pet more than limit.',
    apply: inPlaceOf('listPets', (request, context) =>
      listOf(context, parameter(request, 'status'), limitOf(request) + 1),
    ),
  },
  {
    id: 'list.limit-minus-one',
    clause: 'list.page-full',
    description: 'A page has one pet less than limit.',
    apply: onList((pets, request) => pets.slice(0, Math.max(0, limitOf(request) - 1))),
  },
  {
    id: 'list.limit-as-text',
    clause: 'list.limit.honoured',
    description: 'limit is compared with the maximum as text: 9 comes after 100, and is cut to it.',
    apply: sets('limit', 100, (request) => (parameter(request, 'limit') ?? '') > '100'),
  },
  {
    id: 'list.limit-ignored-with-status',
    clause: 'list.limit.honoured',
    description: 'limit is ignored when there is a status filter.',
    apply: sets('limit', undefined, (request) => !hasNo('status')(request)),
  },
  {
    id: 'list.limit-remembered',
    clause: 'list.limit.default',
    description: 'The limit of one request is the default of the next.',
    apply: onRequest('listPets', (request, { memory }) => {
      const limit = parameter(request, 'limit')
      if (limit === undefined) return withParameter(request, 'limit', memory['limit'] as string | undefined)
      if (/^([1-9]\d?|100)$/.test(limit)) memory['limit'] = limit
      return undefined
    }),
  },
  {
    id: 'list.default-10',
    clause: 'list.limit.default',
    description: 'A page has ten pets when there is no limit.',
    apply: sets('limit', 10, hasNo('limit')),
  },
  {
    id: 'list.default-100',
    clause: 'list.limit.default',
    description: 'A page has a hundred pets when there is no limit.',
    apply: sets('limit', 100, hasNo('limit')),
  },
  {
    id: 'list.default-unbounded',
    clause: 'list.limit.default',
    description: 'A page has all pets when there is no limit.',
    apply: inPlaceOf('listPets', (request, context) =>
      parameter(request, 'limit') === undefined ? listOf(context, parameter(request, 'status')) : undefined,
    ),
  },
  {
    id: 'list.minimum-refused',
    clause: 'list.limit.min',
    description: 'limit=1 is refused.',
    apply: refuses('listPets', 400, (request) => limitOf(request) === 1),
  },
  {
    id: 'list.minimum-unlimited',
    clause: 'list.limit.honoured',
    description: 'limit=1 counts as none.',
    apply: sets('limit', undefined, (request) => limitOf(request) === 1),
  },
  {
    id: 'list.maximum-refused',
    clause: 'list.limit.max',
    description: 'limit=100 is refused.',
    apply: refuses('listPets', 400, (request) => limitOf(request) === 100),
  },
  {
    id: 'list.maximum-exceeded',
    clause: 'list.limit.max',
    description: 'A limit above 100 is honoured.',
    pets: 150,
    apply: inPlaceOf('listPets', (request, context) =>
      limitOf(request) > 100 ? listOf(context, parameter(request, 'status'), limitOf(request)) : undefined,
    ),
  },
  {
    id: 'list.zero-is-all',
    clause: 'list.limit.max',
    description: 'limit=0 gives all pets, more than a hundred.',
    pets: 150,
    apply: inPlaceOf('listPets', (request, context) =>
      limitOf(request) === 0 ? listOf(context, parameter(request, 'status')) : undefined,
    ),
  },
  {
    id: 'list.capped-at-50',
    clause: 'list.page-full',
    description: 'No page has more than fifty pets.',
    apply: onList((pets) => pets.slice(0, 50)),
  },
  {
    id: 'list.default-as-maximum',
    clause: 'list.page-full',
    description: 'Limits above twenty count as twenty.',
    apply: onList((pets) => pets.slice(0, 20)),
  },
  {
    id: 'list.limit-before-filter',
    clause: 'list.page-full',
    description: 'The page is cut to limit first, and filtered then.',
    apply: inPlaceOf('listPets', (request, _context, respond) => {
      const status = parameter(request, 'status')
      if (status === undefined || respond(request).status !== 200) return undefined
      const page = respond(withParameter(request, 'status', undefined))
      return withJson(page, (pets) => (pets as { status?: string }[]).filter((pet) => pet.status === status))
    }),
  },
  {
    id: 'list.sometimes-empty',
    clause: 'list.page-full',
    description: 'One list of five is empty.',
    apply: onList((pets, _request, context) => (isEvery(5, context) ? [] : pets)),
  },
  {
    id: 'list.sometimes-500',
    clause: 'list.success',
    description: 'One list of ten is a 500.',
    apply: inPlaceOf('listPets', (_request, context) => (isEvery(10, context) ? errorOf(context, 500) : undefined)),
  },
  {
    id: 'list.padded',
    clause: 'pet.id.unique',
    description: 'A page that is not full is padded with its first pet.',
    apply: onList((pets, request) => {
      const missing = Math.min(100, limitOf(request)) - pets.length
      return pets.length === 0 || !(missing > 0)
        ? pets
        : [...pets, ...Array.from({ length: missing }, () => pets[0] ?? null)]
    }),
  },
  {
    id: 'list.twin',
    clause: 'pet.id.unique',
    description: 'The second pet of a page has the id of the first.',
    apply: onList((pets) => pets.map((pet, index) => (index === 1 ? { ...pet, id: pets[0]?.['id'] ?? null } : pet))),
  },
  {
    id: 'list.null-at-end',
    clause: 'pet.fields',
    description: 'A page ends with null.',
    apply: onList((pets) => [...pets, null]),
  },
  {
    id: 'list.bare-refused',
    clause: 'list.parameters-optional',
    description: 'A request without parameters is refused.',
    apply: refuses('listPets', 400, ({ target }) => !target.includes('?')),
  },
  {
    id: 'list.both-refused',
    clause: 'list.parameters-optional',
    description: 'limit and status together are refused.',
    apply: refuses('listPets', 400, (request) => !hasNo('limit')(request) && !hasNo('status')(request)),
  },
  {
    id: 'list.last-parameter-lost',
    clause: 'list.status.filter',
    description: 'Of two parameters, only the first is read.',
    apply: onRequest('listPets', (request) => ({ ...request, target: request.target.split('&')[0] as string })),
  },
  {
    id: 'list.envelope',
    clause: 'list.success',
    description: 'The pets stand in an envelope: { items: [...] }.',
    apply: onList((pets) => ({ items: pets, total: pets.length })),
  },
  {
    id: 'list.keyed',
    clause: 'list.success',
    description: 'The pets are the fields of an object, by id.',
    apply: onList((pets) => Object.fromEntries(pets.map((pet) => [textOf(pet['id']), pet]))),
  },
  {
    id: 'list.single-bare',
    clause: 'list.success',
    description: 'A page of one pet is the pet, without an array.',
    apply: onList((pets) => (pets.length === 1 ? (pets[0] ?? null) : pets)),
  },
  {
    id: 'list.status-206',
    clause: 'list.success',
    description: 'A page gets 206 Partial Content.',
    apply: onReply('listPets', 200, (reply) => ({ ...reply, status: 206 })),
  },
  {
    id: 'list.redirect',
    clause: 'list.success',
    description: 'listPets responds with a redirect to the same path with another version.',
    apply: onReply('listPets', 200, (_reply, _request, context) =>
      context.replies.empty(302, { location: '/v2/pets' }),
    ),
  },
  {
    id: 'list.double-encoded',
    clause: 'list.success',
    description: 'The list is a JSON string that holds JSON.',
    apply: onReply('listPets', 200, (reply) => ({ ...reply, body: JSON.stringify(reply.body) })),
  },
  {
    id: 'list.empty-is-404',
    clause: 'list.success',
    description: 'An empty list gets 404.',
    pets: 0,
    apply: whenEmpty((context) => errorOf(context, 404)),
  },
  {
    id: 'list.empty-is-204',
    clause: 'list.success',
    description: 'An empty list gets 204.',
    pets: 0,
    apply: whenEmpty(({ replies }) => replies.empty(204)),
  },
  {
    id: 'list.empty-is-null',
    clause: 'list.success',
    description: 'An empty list is null.',
    pets: 0,
    apply: whenEmpty((_context, reply) => withText(reply, 'null', 'application/json')),
  },
  {
    id: 'list.renumbered',
    clause: 'get.by-id',
    description: 'Each list numbers its pets anew.',
    apply: onList((pets, _request, context) => {
      const lists = count(context)
      return pets.map((pet, index) => ({ ...pet, id: 1_000_000 * lists + index }))
    }),
  },
  {
    id: 'list.lacks-one',
    clause: 'service.catalogue',
    description: 'The list without a filter never shows the third pet; its status filter and getPet do.',
    pets: 60,
    apply: onList((pets, request) => (hasNo('status')(request) ? pets.filter((pet) => pet['id'] !== 3) : pets)),
  },
  {
    id: 'list.hides-sold',
    clause: 'list.status.default',
    description: 'The list without a filter hides pets that are sold.',
    pets: 60,
    apply: onList((pets, request) =>
      hasNo('status')(request) ? pets.filter((pet) => pet['status'] !== 'sold') : pets,
    ),
  },
  {
    id: 'list.default-available',
    clause: 'list.status.default',
    description: 'Without status, the list shows available pets only.',
    pets: 60,
    apply: sets('status', 'available', hasNo('status')),
  },
  {
    id: 'list.filter-remembered',
    clause: 'list.status.default',
    description: 'The status of one request is the filter of the next without one.',
    pets: 60,
    apply: onRequest('listPets', (request, { memory }) => {
      const status = parameter(request, 'status')
      if (status === undefined) return withParameter(request, 'status', memory['status'] as string | undefined)
      if (['available', 'pending', 'sold'].includes(status)) memory['status'] = status
      return undefined
    }),
  },
  {
    id: 'list.middle-refused',
    clause: 'list.limit.honoured',
    description: 'A limit from 21 to 99 is refused.',
    apply: refuses('listPets', 400, (request) => limitOf(request) > 20 && limitOf(request) < 100),
  },
] as const satisfies readonly Deviation[]
