import type { Int64 } from '../../spec/types.ts'
import { readInteger } from '../int64.ts'
import type { MockReply, MockRequest } from '../message.ts'
import { parsePet, type StoredPet } from '../pet-text.ts'
import type { World } from '../world.ts'
import type { Bend, Deviation } from './deviation.ts'
import { errorOf, every, onReply, withJson, withPage, withText } from './replies.ts'
import { inPlaceOf, onRequest, petIdOf } from './requests.ts'

/** Answers 404 for a missing pet in another way. */
function missing(answer: (world: World, reply: MockReply) => MockReply): Bend {
  return onReply('getPet', 404, (reply, _request, world) => answer(world, reply))
}

/** Shows a pet otherwise than lists do. */
function shows(change: (pet: StoredPet) => StoredPet): Bend {
  return onReply('getPet', 200, (reply, _request, { store }) => ({
    ...reply,
    body: store.print(change(parsePet(reply.body))),
  }))
}

/** Reads another id than the one that was asked for. */
function reads(other: (id: Int64) => Int64): Bend {
  return onRequest('getPet', (request, { settings }) => {
    const id = readInteger(petIdOf(request))
    return typeof id === 'string' ? undefined : toTarget(request, `${settings.basePath}/pets/${other(id)}`)
  })
}

function toTarget(request: MockRequest, target: string): MockRequest {
  return { ...request, target }
}

const nextStatus = { available: 'pending', pending: 'sold', sold: 'available' } as const

export const getting = [
  {
    id: 'get.missing-is-200-null',
    clause: 'get.not-found',
    description: 'A pet that does not exist is 200 and null.',
    bend: missing((world) => world.replies.json(200, 'null')),
  },
  {
    id: 'get.missing-is-200-empty',
    clause: 'get.not-found',
    description: 'A pet that does not exist is 200 and {}.',
    bend: missing((world) => world.replies.json(200, '{}')),
  },
  {
    id: 'get.missing-is-204',
    clause: 'get.not-found',
    description: 'A pet that does not exist is 204.',
    bend: missing((world) => world.replies.empty(204)),
  },
  {
    id: 'get.missing-is-400',
    clause: 'get.not-found',
    description: 'A pet that does not exist is 400.',
    bend: missing((world) => errorOf(world, 400)),
  },
  {
    id: 'get.missing-is-403',
    clause: 'get.not-found',
    description: 'A pet that does not exist is 403.',
    bend: missing((world) => errorOf(world, 403)),
  },
  {
    id: 'get.missing-is-500',
    clause: 'get.not-found',
    description: 'A pet that does not exist brings the service down: 500.',
    bend: missing((world) => errorOf(world, 500)),
  },
  {
    id: 'get.missing-is-first',
    clause: 'get.not-found',
    description: 'In place of a pet that does not exist, the first one is shown.',
    bend: onReply('getPet', 404, (reply, _request, { store }) => ({
      ...reply,
      status: 200,
      body: store.text(1) ?? '{}',
    })),
  },
  {
    id: 'get.missing-has-no-body',
    clause: 'error.body',
    description: '404 has no body.',
    bend: missing((_world, reply) => withText(reply, '', undefined)),
  },
  {
    id: 'get.sign-lost',
    clause: 'get.not-found',
    description: 'The sign of a petId is lost: -1 is 1.',
    bend: reads((id) => (id < 0 ? -id : id)),
  },
  {
    id: 'get.zero-is-first',
    clause: 'get.not-found',
    description: 'petId 0 is the first pet.',
    bend: reads((id) => (id === 0 ? 1 : id)),
  },
  {
    id: 'get.32-bit',
    clause: 'get.not-found',
    description: 'petId is cut to 32 bits: 4294967297 is 1.',
    bend: reads((id) => BigInt.asIntN(32, BigInt(id))),
  },
  {
    id: 'get.large-is-500',
    clause: 'get.not-found',
    description: 'A petId beyond 2^53 brings the service down: 500.',
    bend: inPlaceOf('getPet', (request, world) =>
      typeof readInteger(petIdOf(request)) === 'bigint' ? errorOf(world, 500) : undefined,
    ),
  },
  {
    id: 'get.large-is-400',
    clause: 'get.not-found',
    description: 'A petId beyond 32 bits is refused as out of range.',
    bend: inPlaceOf('getPet', (request, world) => {
      const id = readInteger(petIdOf(request))
      return typeof id !== 'string' && (id > 2 ** 31 - 1 || id < -(2 ** 31)) ? errorOf(world, 400) : undefined
    }),
  },
  {
    id: 'get.neighbour',
    clause: 'get.by-id',
    description: 'The pet with the next id is shown.',
    bend: (respond, world) => (request) => {
      const next = reads((id) => (typeof id === 'number' ? id + 1 : id))(respond, world)(request)
      return next.status === 200 ? next : respond(request)
    },
  },
  {
    id: 'get.name-differs',
    clause: 'get.by-id',
    description: 'getPet shows another name than the list.',
    bend: shows((pet) => ({ ...pet, name: pet.name.split(' ')[0] as string })),
  },
  {
    id: 'get.category-differs',
    clause: 'get.by-id',
    description: 'getPet shows another categoryId than the list.',
    bend: shows((pet) => ({ ...pet, categoryId: 1 })),
  },
  {
    id: 'get.status-missing',
    clause: 'get.by-id',
    description: 'getPet leaves the status out that the list shows.',
    bend: shows((pet) => ({ ...pet, status: undefined })),
  },
  {
    id: 'get.shadowed-by-list',
    clause: 'get.success',
    description: '/pets/{petId} reaches the list: an array.',
    bend: onRequest('getPet', (request, { settings }) => toTarget(request, `${settings.basePath}/pets`)),
  },
  {
    id: 'get.wrapped',
    clause: 'get.success',
    description: 'The pet stands in an envelope: { data: {...} }.',
    bend: onReply('getPet', 200, (reply) => withJson(reply, (pet) => ({ data: pet }))),
  },
  {
    id: 'get.in-array',
    clause: 'get.success',
    description: 'The pet stands in an array.',
    bend: onReply('getPet', 200, (reply) => withJson(reply, (pet) => [pet])),
  },
  {
    id: 'get.redirects',
    clause: 'get.success',
    description: 'getPet answers with a redirect to another version.',
    bend: onReply('getPet', 200, (_reply, request, { replies }) =>
      replies.empty(301, { location: `/v2/pets/${petIdOf(request)}` }),
    ),
  },
  {
    id: 'get.sometimes-500',
    clause: 'get.success',
    description: 'One of four reads is a 500.',
    bend: (respond, world) => {
      const isFourth = every(4)
      return onReply('getPet', 200, () => (isFourth() ? errorOf(world, 500) : undefined))(respond, world)
    },
  },
  {
    id: 'get.sometimes-404',
    clause: 'get.success',
    description: 'One of four reads of a pet that exists is a 404.',
    bend: (respond, world) => {
      const isFourth = every(4)
      return onReply('getPet', 200, () =>
        isFourth() ? world.problems.getRefused('404', 'There is no such pet.') : undefined,
      )(respond, world)
    },
  },
  {
    id: 'get.removed-early',
    clause: 'get.until-removal',
    description: 'getPet is gone before its day: 410.',
    bend: inPlaceOf('getPet', (_request, world) => errorOf(world, 410)),
  },
  {
    id: 'get.not-implemented',
    clause: 'get.until-removal',
    description: 'getPet was never built: 501.',
    bend: inPlaceOf('getPet', (_request, world) => errorOf(world, 501)),
  },
  {
    id: 'get.changes-status',
    clause: 'state.reads-change-nothing',
    description: 'Whoever reads a pet moves its status on.',
    bend: onReply('getPet', 200, (reply, _request, { store }) => {
      const pet = parsePet(reply.body)
      store.update(pet.id, { ...pet, status: nextStatus[pet.status ?? 'sold'] })
      return reply
    }),
  },
  {
    id: 'get.removes',
    clause: 'state.reads-change-nothing',
    description: 'A pet that was read is gone.',
    bend: onReply('getPet', 200, (reply, _request, { store }) => {
      store.remove(parsePet(reply.body).id)
      return reply
    }),
  },
  {
    id: 'get.list-sells-first',
    clause: 'state.reads-change-nothing',
    description: 'Each list changes the category of the first pet.',
    bend: onReply('listPets', 200, (reply, _request, { store }) => {
      const pet = store.pet(1)
      if (pet) store.update(1, { ...pet, categoryId: Number(pet.categoryId) + 1 })
      return reply
    }),
  },
  {
    id: 'get.text-id-html',
    clause: 'error.body',
    description: 'A petId that is no integer is answered with a page of HTML.',
    bend: inPlaceOf('getPet', (request, world) =>
      /^-?\d+$/.test(petIdOf(request)) ? undefined : withPage(errorOf(world, 404)),
    ),
  },
] as const satisfies readonly Deviation[]
