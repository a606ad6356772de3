import type { ExactPet, Int64 } from '../../../spec/types.ts'
import { printPets } from '../../pets/pet.ts'
import { readInteger } from '../../pets/int64.ts'
import type { MockReply } from '../../service/message.ts'
import type { PetFilterQuery } from '../../schemas/schemas.gen.ts'
import { empty, json, problem, response, type ControlRoute, route, text } from './route.ts'

const noPet = response('No pet has this id.', 'Error')
const noSnapshot = response('No snapshot has this name.', 'Error')

/** The catalog of a sandbox, and its snapshots. */
export const petRoutes: readonly ControlRoute[] = [
  route('GET /pets', 'exportPets', 'Export all pets, or a page of those that match', {
    description:
      'The body has one pet a line. It can be imported again, or start a mock. The header `X-Total-Count` says how many ' +
      'pets match.',
    query: 'PetsQuery',
    responses: { 200: response('The pets.', 'Pets') },
    handle({ sandbox: { catalog }, query }) {
      const matching = catalog.export().filter((pet) => matches(pet, query))
      if (query.order === 'newest-first') matching.reverse()
      const { offset = 0, limit = Infinity } = query
      const page = printPets(matching.slice(offset, offset + limit))
      return text(200, 'application/json', page, { 'x-total-count': String(matching.length) })
    },
  }),
  route('PUT /pets', 'importPets', 'Replace all pets', {
    description:
      'Ids are required and unique. When a pet is invalid, nothing changes; the message lists the mistakes.',
    body: {
      schema: 'Pets',
      limit: 64 * 1_048_576,
      example: [{ id: 1, name: 'Rex', categoryId: 9_007_199_254_740_993n, status: 'available' }],
    },
    responses: { 200: response('The pets are replaced.', 'PetCount') },
    handle({ sandbox: { catalog }, body }) {
      catalog.import(body)
      return json(200, { pets: catalog.size })
    },
  }),
  route('POST /pets', 'addPets', 'Add one or more pets', {
    description:
      'A pet without an id gets the next one. The status is optional, without a default. When a pet is invalid, none is ' +
      'added; the message lists the mistakes.',
    query: 'NewPetsQuery',
    body: {
      schema: 'NewPets',
      limit: 64 * 1_048_576,
      example: { name: 'Rex', categoryId: 9_007_199_254_740_993n, status: 'sold' },
    },
    responses: { 201: response('The added pets.', 'Pets') },
    handle: ({ sandbox, query, body }) =>
      json(201, sandbox.catalog.add([body].flat(), query.position)),
  }),
  route('DELETE /pets', 'deletePets', 'Delete all pets, or those that match', {
    query: 'PetFilterQuery',
    responses: { 200: response('The pets are deleted.', 'PetCount') },
    handle({ sandbox: { catalog }, query }) {
      for (const pet of catalog.export()) if (matches(pet, query)) catalog.delete(pet.id)
      return json(200, { pets: catalog.size })
    },
  }),
  route('PATCH /pets/{id}', 'changePet', 'Change the name, the category or the status of a pet', {
    description: 'Fields that are not named stay.',
    body: { schema: 'PetPatch', example: { status: 'sold' } },
    responses: { 200: response('The changed pet.', 'Pet'), 404: noPet },
    handle: ({ sandbox, path, body }) =>
      withPet(path['id'], (id) => {
        const pet = sandbox.catalog.change(id, body)
        return pet && json(200, pet)
      }),
  }),
  route('DELETE /pets/{id}', 'deletePet', 'Delete a pet', {
    description:
      'The header `X-Position` says where it was in the order of creation, for `POST /pets?position=`.',
    responses: { 204: response('The pet is deleted.'), 404: noPet },
    handle: ({ sandbox: { catalog }, path }) =>
      withPet(path['id'], (id) => {
        const position = catalog.export().findIndex((pet) => pet.id === id)
        return catalog.delete(id) ? empty({ 'x-position': String(position) }) : undefined
      }),
  }),
  route('GET /snapshots', 'listSnapshots', 'List the snapshots of the pets', {
    responses: { 200: response('The snapshots, the oldest first.', 'Snapshots') },
    handle: ({ sandbox }) => json(200, { snapshots: sandbox.snapshots.list() }),
  }),
  route('PUT /snapshots/{name}', 'saveSnapshot', 'Save the pets under a name', {
    description:
      'Replaces a snapshot with this name. There are at most 100; the oldest is dropped.',
    responses: {
      200: response('The snapshot.', 'Snapshot'),
      400: response('The name is not allowed.', 'Error'),
    },
    handle({ sandbox: { snapshots }, path: { name = '' } }) {
      snapshots.save(name)
      return json(200, snapshots.list().find((snapshot) => snapshot.name === name) ?? {})
    },
  }),
  route('POST /snapshots/{name}/restore', 'restoreSnapshot', 'Restore the pets of a snapshot', {
    responses: { 204: response('The pets are restored.'), 404: noSnapshot },
    handle: ({ sandbox, path: { name = '' } }) =>
      sandbox.snapshots.restore(name) ? empty() : missingSnapshot(name),
  }),
  route('DELETE /snapshots/{name}', 'deleteSnapshot', 'Delete a snapshot', {
    responses: { 204: response('The snapshot is deleted.'), 404: noSnapshot },
    handle: ({ sandbox, path: { name = '' } }) =>
      sandbox.snapshots.delete(name) ? empty() : missingSnapshot(name),
  }),
]

function matches(pet: ExactPet, { status, search }: PetFilterQuery): boolean {
  const isFound =
    search === undefined ||
    String(pet.id) === search ||
    pet.name.toLowerCase().includes(search.toLowerCase())
  return isFound && (status === undefined || pet.status === status)
}

function withPet(text = '', change: (id: Int64) => MockReply | undefined): MockReply {
  const id = readInteger(text)
  if (typeof id === 'string')
    return problem(400, 'The id of a pet must be an integer within int64.')
  return change(id) ?? problem(404, `No pet has the id ${id}.`)
}

const missingSnapshot = (name: string) =>
  problem(404, `No snapshot has the name ${JSON.stringify(name)}.`)
