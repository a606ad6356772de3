import { UsageError } from '../../errors.ts'
import { printJson } from '../../json.ts'
import type { Int64, ExactPet, PetStatus } from '../../spec/types.ts'
import { readInteger } from '../int64.ts'
import { isPetStatus } from '../parameters.ts'
import { readMembers } from './api-body.ts'
import { done, json, problem, text } from './api-replies.ts'
import { type Call, largestBody, type Route } from './api-route.ts'

/** Pets of an export. An import has room for about as many. */
const mostExported = 500_000

const noPet = { description: 'There is no pet with this id.', schema: 'Error' } as const

/** The pets of a world. */
export const petRoutes: readonly Route[] = [
  {
    id: 'exportPets',
    method: 'GET',
    path: '/pets',
    summary: 'All pets, in the order of creation',
    description:
      `At most ${mostExported} pets; a larger catalogue is answered with 409. The answer has one pet a line, and can be ` +
      'imported again, or be given to a mock at its start.',
    replies: {
      200: { description: 'The pets.', schema: 'Pets' },
      409: { description: 'There are too many pets.', schema: 'Error' },
    },
    handle({ world }) {
      const { size } = world.catalogue
      if (size > mostExported) {
        return problem(409, `There are ${size} pets, and an export holds at most ${mostExported}.`)
      }
      const lines = world.catalogue.export().map(printPet)
      return text(200, 'application/json', lines.length === 0 ? '[]\n' : `[\n${lines.join(',\n')}\n]\n`)
    },
  },
  {
    id: 'importPets',
    method: 'PUT',
    path: '/pets',
    summary: 'Other pets in place of all',
    description: 'Each pet has an id of its own. When one pet is wrong, nothing changes, and all mistakes are told.',
    body: {
      schema: 'Pets',
      limit: largestBody,
      example: [{ id: 1, name: 'Rex', categoryId: 9_007_199_254_740_993n, status: 'available' }],
    },
    replies: { 200: { description: 'The pets are there.', schema: 'PetCount' } },
    handle({ world, body }) {
      if (!Array.isArray(body)) throw new UsageError('The body must be a JSON array of pets.')
      world.catalogue.import(body)
      return json(200, { pets: world.catalogue.size })
    },
  },
  {
    id: 'changePet',
    method: 'PATCH',
    path: '/pets/{id}',
    summary: 'Another status for a pet',
    body: { schema: 'PetPatch', example: { status: 'sold' } },
    replies: { 204: { description: 'It has the status.' }, 404: noPet },
    handle(call) {
      const id = readId(call)
      const { status } = readMembers(call.body, {
        status: {
          fits: (value) => value === null || isPetStatus(value),
          kind: 'available, pending, sold or null',
          required: true,
        },
      })
      const isThere = call.world.catalogue.setStatus(id, (status ?? undefined) as PetStatus | undefined)
      return isThere ? done() : missing(id)
    },
  },
  {
    id: 'deletePet',
    method: 'DELETE',
    path: '/pets/{id}',
    summary: 'Remove a pet',
    replies: { 204: { description: 'It is gone.' }, 404: noPet },
    handle(call) {
      const id = readId(call)
      return call.world.catalogue.delete(id) ? done() : missing(id)
    },
  },
]

/** Most pets hold nothing that needs more than `JSON.stringify`, which is ten times as fast. */
function printPet(pet: ExactPet): string {
  const isPlain = Object.values(pet).every((member) => typeof member === 'string' || typeof member === 'number')
  return isPlain ? JSON.stringify(pet) : printJson(pet)
}

function readId({ path }: Call): Int64 {
  const id = readInteger(path['id'] ?? '')
  if (typeof id === 'string') throw new UsageError('The id of a pet is an integer within int64.')
  return id
}

const missing = (id: Int64) => problem(404, `There is no pet with the id ${id}.`)
