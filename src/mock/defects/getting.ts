import type { Int64 } from '../../spec/types.ts'
import { parsePet, type StoredPet } from '../pets/pet.ts'
import { readInteger } from '../pets/int64.ts'
import { type Apply, type Defects, count, every, type When } from './defect.ts'
import { type ReplyChange, empty, error, json, onList, onReply, rejects } from './replies.ts'
import { onRequest, petIdOf } from './requests.ts'

const missing = (change: ReplyChange): Apply => onReply('getPet', 404, change)

const found = (change: ReplyChange, when?: When): Apply => onReply('getPet', 200, change, when)

const ok =
  (body: string): ReplyChange =>
  (_reply, _request, { replies }) =>
    replies.json(200, body)

const shows = (change: (pet: StoredPet) => StoredPet): Apply =>
  found((reply, _request, { print }) => ({ ...reply, body: print(change(parsePet(reply.body))) }))

const reads = (other: (id: Int64) => Int64): Apply =>
  onRequest('getPet', (request, { settings }) => {
    const id = readInteger(petIdOf(request))
    return typeof id === 'string'
      ? undefined
      : { ...request, target: `${settings.basePath}/pets/${other(id)}` }
  })

const noSuchPet: ReplyChange = (_reply, _request, { problems }) =>
  problems.rejected('404', 'There is no such pet.', undefined, 'getPet')

const rejectsId = (status: number, isRejected: (id: Int64) => boolean): Apply =>
  rejects('getPet', status, (request) => {
    const id = readInteger(petIdOf(request))
    return typeof id !== 'string' && isRejected(id)
  })

export const getting = {
  'get.not-found': {
    'get.missing-is-200-null': [
      'A pet that does not exist gets 200 and null.',
      missing(ok('null')),
    ],
    'get.missing-is-200-empty': ['A pet that does not exist gets 200 and {}.', missing(ok('{}'))],
    'get.missing-is-204': ['A pet that does not exist gets 204.', missing(empty(204))],
    'get.missing-is-400': ['A pet that does not exist gets 400.', missing(error(400))],
    'get.missing-is-403': ['A pet that does not exist gets 403.', missing(error(403))],
    'get.missing-is-500': [
      'A pet that does not exist crashes the service: 500.',
      missing(error(500)),
    ],
    'get.missing-is-first': [
      'A missing pet is replaced by the first one.',
      missing((reply, _request, { firstPets, print }) => {
        const [first] = firstPets(1)
        return { ...reply, status: 200, body: first === undefined ? '{}' : print(first) }
      }),
    ],
    'get.missing-is-made': [
      'A read of a pet that does not exist makes one, without a name.',
      missing((reply, request, { store, print }) => {
        const id = readInteger(petIdOf(request))
        if (typeof id === 'string') return reply
        const pet = { id, name: '', categoryId: 0, status: 'sold' } as const
        store.insert(pet)
        return { ...reply, status: 200, body: print(pet) }
      }),
    ],
    'get.missing-is-nearest': [
      'A missing pet is replaced by the one with the previous id.',
      missing((reply, request, context, respond) => {
        const next = reads((id) => (typeof id === 'number' ? id - 1 : id))(respond, context)(
          request,
        )
        return next.status === 200 ? next : reply
      }),
    ],
    'get.sign-lost': ['The sign of a petId is lost: -1 is 1.', reads((id) => (id < 0 ? -id : id))],
    'get.zero-is-first': ['petId 0 is the first pet.', reads((id) => (id === 0 ? 1 : id))],
    'get.32-bit': [
      'petId is cut to 32 bits: 4294967297 is 1.',
      reads((id) => BigInt.asIntN(32, BigInt(id))),
    ],
    'get.large-is-500': [
      'A petId beyond 2^53 crashes the service: 500.',
      rejectsId(500, (id) => typeof id === 'bigint'),
    ],
    'get.large-is-400': [
      'A petId beyond 32 bits is rejected as out of range.',
      rejectsId(400, (id) => id > 2 ** 31 - 1 || id < -(2 ** 31)),
    ],
  },
  'get.by-id': {
    'get.neighbor': [
      'The pet with the next id is shown.',
      (respond, context) => (request) => {
        const next = reads((id) => (typeof id === 'number' ? id + 1 : id))(respond, context)(
          request,
        )
        return next.status === 200 ? next : respond(request)
      },
    ],
    'get.name-differs': [
      'getPet shows another name than the list.',
      shows((pet) => ({ ...pet, name: pet.name.split(' ')[0] as string })),
    ],
    'get.category-differs': [
      'getPet shows another categoryId than the list.',
      shows((pet) => ({ ...pet, categoryId: 1 })),
    ],
    'get.status-missing': [
      'getPet omits the status that the list shows.',
      shows((pet) => ({ ...pet, status: undefined })),
    ],
    'list.renumbered': [
      'Each list assigns new ids to its pets.',
      onList((pets, _request, context) => {
        const lists = count(context)
        return pets.map((pet, index) => ({ ...pet, id: 1_000_000 * lists + index }))
      }),
    ],
  },
  'get.success': {
    'get.shadowed-by-list': [
      '/pets/{petId} reaches the list: an array.',
      onRequest('getPet', (request, { settings }) => ({
        ...request,
        target: `${settings.basePath}/pets`,
      })),
    ],
    'get.wrapped': [
      'The pet is wrapped in an envelope: { data: {...} }.',
      found(json((pet) => ({ data: pet }))),
    ],
    'get.in-array': ['The pet is in an array.', found(json((pet) => [pet]))],
    'get.redirects': [
      'getPet redirects to another version of the path.',
      found((reply, request, ...rest) =>
        empty(301, `/v2/pets/${petIdOf(request)}`)(reply, request, ...rest),
      ),
    ],
    'get.sometimes-500': ['One in four reads gets 500.', found(error(500), every(4))],
    'get.sometimes-404': [
      'One in four reads of an existing pet gets 404.',
      found(noSuchPet, every(4)),
    ],
    'get.greatest-id-missing': [
      'Off by one: the pet with the greatest id gets 404.',
      found(noSuchPet, (request, { store }) => {
        const id = readInteger(petIdOf(request)) as Int64
        return !store.some((pet) => pet.id > id)
      }),
    ],
  },
  'get.until-removal': {
    'get.removed-early': ['getPet is removed before its date: 410.', rejects('getPet', 410)],
    'get.not-implemented': ['getPet was never implemented: 501.', rejects('getPet', 501)],
  },
} as const satisfies Defects
