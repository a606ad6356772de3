import type { Int64 } from '../../spec/types.ts'
import { readInteger } from '../int64.ts'
import type { MockReply, SandboxRequest } from '../message.ts'
import { parsePet, type StoredPet } from '../catalog.ts'
import type { Context } from '../context.ts'
import type { Apply, Deviation } from './deviation.ts'
import { isEvery } from './memory.ts'
import { errorOf, onReply, refuses, withJson, withPage, withText } from './replies.ts'
import { inPlaceOf, onRequest, petIdOf } from './requests.ts'

/** Answers 404 for a missing pet in another way. */
function missing(handle: (context: Context, reply: MockReply) => MockReply): Apply {
  return onReply('getPet', 404, (reply, _request, context) => handle(context, reply))
}

/** Shows a pet otherwise than lists do. */
function shows(change: (pet: StoredPet) => StoredPet): Apply {
  return onReply('getPet', 200, (reply, _request, { print }) => ({
    ...reply,
    body: print(change(parsePet(reply.body))),
  }))
}

/** Reads another id than the one that was asked for. */
function reads(other: (id: Int64) => Int64): Apply {
  return onRequest('getPet', (request, { settings }) => {
    const id = readInteger(petIdOf(request))
    return typeof id === 'string' ? undefined : toTarget(request, `${settings.basePath}/pets/${other(id)}`)
  })
}

function toTarget(request: SandboxRequest, target: string): SandboxRequest {
  return { ...request, target }
}

const nextStatus = { available: 'pending', pending: 'sold', sold: 'available' } as const

export const getting = [
  {
    id: 'get.missing-is-200-null',
    clause: 'get.not-found',
    description: 'A pet that does not exist is 200 and null.',
    apply: missing((context) => context.replies.json(200, 'null')),
  },
  {
    id: 'get.missing-is-200-empty',
    clause: 'get.not-found',
    description: 'A pet that does not exist is 200 and {}.',
    apply: missing((context) => context.replies.json(200, '{}')),
  },
  {
    id: 'get.missing-is-204',
    clause: 'get.not-found',
    description: 'A pet that does not exist is 204.',
    apply: missing((context) => context.replies.empty(204)),
  },
  {
    id: 'get.missing-is-400',
    clause: 'get.not-found',
    description: 'A pet that does not exist is 400.',
    apply: missing((context) => errorOf(context, 400)),
  },
  {
    id: 'get.missing-is-403',
    clause: 'get.not-found',
    description: 'A pet that does not exist is 403.',
    apply: missing((context) => errorOf(context, 403)),
  },
  {
    id: 'get.missing-is-500',
    clause: 'get.not-found',
    description: 'A pet that does not exist brings the service down: 500.',
    apply: missing((context) => errorOf(context, 500)),
  },
  {
    id: 'get.missing-is-first',
    clause: 'get.not-found',
    description: 'In place of a pet that does not exist, the first one is shown.',
    apply: onReply('getPet', 404, (reply, _request, { firstPets, print }) => {
      const [first] = firstPets(1)
      return { ...reply, status: 200, body: first === undefined ? '{}' : print(first) }
    }),
  },
  {
    id: 'get.missing-has-no-body',
    clause: 'error.body',
    description: '404 has no body.',
    apply: missing((_context, reply) => withText(reply, '', undefined)),
  },
  {
    id: 'get.sign-lost',
    clause: 'get.not-found',
    description: 'The sign of a petId is lost: -1 is 1.',
    apply: reads((id) => (id < 0 ? -id : id)),
  },
  {
    id: 'get.zero-is-first',
    clause: 'get.not-found',
    description: 'petId 0 is the first pet.',
    apply: reads((id) => (id === 0 ? 1 : id)),
  },
  {
    id: 'get.32-bit',
    clause: 'get.not-found',
    description: 'petId is cut to 32 bits: 4294967297 is 1.',
    apply: reads((id) => BigInt.asIntN(32, BigInt(id))),
  },
  {
    id: 'get.large-is-500',
    clause: 'get.not-found',
    description: 'A petId beyond 2^53 brings the service down: 500.',
    apply: refuses('getPet', 500, (request) => typeof readInteger(petIdOf(request)) === 'bigint'),
  },
  {
    id: 'get.large-is-400',
    clause: 'get.not-found',
    description: 'A petId beyond 32 bits is refused as out of range.',
    apply: refuses('getPet', 400, (request) => {
      const id = readInteger(petIdOf(request))
      return typeof id !== 'string' && (id > 2 ** 31 - 1 || id < -(2 ** 31))
    }),
  },
  {
    id: 'get.neighbour',
    clause: 'get.by-id',
    description: 'The pet with the next id is shown.',
    apply: (respond, context) => (request) => {
      const next = reads((id) => (typeof id === 'number' ? id + 1 : id))(respond, context)(request)
      return next.status === 200 ? next : respond(request)
    },
  },
  {
    id: 'get.name-differs',
    clause: 'get.by-id',
    description: 'getPet shows another name than the list.',
    apply: shows((pet) => ({ ...pet, name: pet.name.split(' ')[0] as string })),
  },
  {
    id: 'get.category-differs',
    clause: 'get.by-id',
    description: 'getPet shows another categoryId than the list.',
    apply: shows((pet) => ({ ...pet, categoryId: 1 })),
  },
  {
    id: 'get.status-missing',
    clause: 'get.by-id',
    description: 'getPet leaves the status out that the list shows.',
    apply: shows((pet) => ({ ...pet, status: undefined })),
  },
  {
    id: 'get.shadowed-by-list',
    clause: 'get.success',
    description: '/pets/{petId} reaches the list: an array.',
    apply: onRequest('getPet', (request, { settings }) => toTarget(request, `${settings.basePath}/pets`)),
  },
  {
    id: 'get.wrapped',
    clause: 'get.success',
    description: 'The pet stands in an envelope: { data: {...} }.',
    apply: onReply('getPet', 200, (reply) => withJson(reply, (pet) => ({ data: pet }))),
  },
  {
    id: 'get.in-array',
    clause: 'get.success',
    description: 'The pet stands in an array.',
    apply: onReply('getPet', 200, (reply) => withJson(reply, (pet) => [pet])),
  },
  {
    id: 'get.redirects',
    clause: 'get.success',
    description: 'getPet responds with a redirect to another version.',
    apply: onReply('getPet', 200, (_reply, request, { replies }) =>
      replies.empty(301, { location: `/v2/pets/${petIdOf(request)}` }),
    ),
  },
  {
    id: 'get.sometimes-500',
    clause: 'get.success',
    description: 'One of four reads is a 500.',
    apply: onReply('getPet', 200, (_reply, _request, context) =>
      isEvery(4, context) ? errorOf(context, 500) : undefined,
    ),
  },
  {
    id: 'get.sometimes-404',
    clause: 'get.success',
    description: 'One of four reads of a pet that exists is a 404.',
    apply: onReply('getPet', 200, (_reply, _request, context) =>
      isEvery(4, context) ? context.problems.getRefused('404', 'There is no such pet.') : undefined,
    ),
  },
  {
    id: 'get.removed-early',
    clause: 'get.until-removal',
    description: 'getPet is gone before its day: 410.',
    apply: refuses('getPet', 410, () => true),
  },
  {
    id: 'get.not-implemented',
    clause: 'get.until-removal',
    description: 'getPet was never built: 501.',
    apply: refuses('getPet', 501, () => true),
  },
  {
    id: 'get.changes-status',
    clause: 'state.reads-change-nothing',
    description: 'Whoever reads a pet moves its status on.',
    apply: onReply('getPet', 200, (reply, _request, { store }) => {
      const pet = parsePet(reply.body)
      store.update(pet.id, { ...pet, status: nextStatus[pet.status ?? 'sold'] })
      return reply
    }),
  },
  {
    id: 'get.removes',
    clause: 'state.reads-change-nothing',
    description: 'A pet that was read is gone.',
    apply: onReply('getPet', 200, (reply, _request, { store }) => {
      store.remove(parsePet(reply.body).id)
      return reply
    }),
  },
  {
    id: 'get.list-sells-first',
    clause: 'state.reads-change-nothing',
    description: 'Each list changes the category of the first pet.',
    apply: onReply('listPets', 200, (reply, _request, { store, firstPets }) => {
      const [pet] = firstPets(1)
      if (pet) store.update(pet.id, { ...pet, categoryId: Number(pet.categoryId) + 1 })
      return reply
    }),
  },
  {
    id: 'get.text-id-html',
    clause: 'error.body',
    description: 'A petId that is not an integer gets a page of HTML.',
    apply: inPlaceOf('getPet', (request, context) =>
      /^-?\d+$/.test(petIdOf(request)) ? undefined : withPage(errorOf(context, 404)),
    ),
  },
] as const satisfies readonly Deviation[]
