import type { JsonValue } from '../../json.ts'
import { int64 } from '../../spec/operations.ts'
import type { PetStatus } from '../../spec/types.ts'
import { toInt64 } from '../int64.ts'
import type { MockReply, MockRequest } from '../message.ts'
import { isPetStatus } from '../parameters.ts'
import { parsePet } from '../pet-text.ts'
import type { World } from '../world.ts'
import type { Bend, Deviation } from './deviation.ts'
import { errorOf, onReply, withPage } from './replies.ts'
import { inPlaceOf, isRecord, jsonOf, membersOf, onMembers, onRequest, withBody } from './requests.ts'

/** Accepts a member that is not valid by making it so. */
function coerces(member: 'name' | 'categoryId' | 'status', coerce: (value: JsonValue) => JsonValue | undefined): Bend {
  return onMembers((members) => {
    const value = members[member]
    const coerced = value === undefined ? undefined : coerce(value)
    return coerced === undefined ? undefined : { ...members, [member]: coerced }
  })
}

/** Accepts a body that is no NewPet object by making one of it. */
function takes(toBody: (body: string) => string | undefined): Bend {
  return onRequest('createPet', (request) => {
    const body = toBody(request.body)
    return body === undefined ? undefined : { ...request, body }
  })
}

/** Answers what must be a 400 in another way. */
function instead(kind: (request: MockRequest) => boolean, answer: (world: World, reply: MockReply) => MockReply): Bend {
  return onReply('createPet', 400, (reply, request, world) => (kind(request) ? answer(world, reply) : undefined))
}

const nameless = '{"name":"Nameless","categoryId":1}'
const isAbsent = ({ body }: MockRequest): boolean => body === ''
const isMalformed = ({ body }: MockRequest): boolean => body !== '' && jsonOf(body) === undefined
const lacksMember = (request: MockRequest): boolean => {
  const members = membersOf(request)
  return members !== undefined && (members['name'] === undefined || members['categoryId'] === undefined)
}
const isInvalid = (request: MockRequest): boolean => membersOf(request) !== undefined && !lacksMember(request)
const isString = (value: JsonValue): value is string => typeof value === 'string'

export const refusing = [
  {
    id: 'refuse.name-missing-accepted',
    clause: 'create.required-fields',
    description: 'A missing name is taken as an empty one.',
    bend: onMembers((members) => (members['name'] === undefined ? { ...members, name: '' } : undefined)),
  },
  {
    id: 'refuse.category-missing-accepted',
    clause: 'create.required-fields',
    description: 'A missing categoryId is taken as 0.',
    bend: onMembers((members) => (members['categoryId'] === undefined ? { ...members, categoryId: 0 } : undefined)),
  },
  {
    id: 'refuse.empty-object-accepted',
    clause: 'create.required-fields',
    description: 'An empty object makes a nameless pet.',
    bend: onMembers((members) => (Object.keys(members).length === 0 ? { name: 'Nameless', categoryId: 1 } : undefined)),
  },
  {
    id: 'refuse.missing-is-422',
    clause: 'create.required-fields',
    description: 'A missing member is answered with 422.',
    bend: instead(lacksMember, (world) => errorOf(world, 422)),
  },
  {
    id: 'refuse.missing-is-500',
    clause: 'create.required-fields',
    description: 'A missing member brings the service down: 500.',
    bend: instead(lacksMember, (world) => errorOf(world, 500)),
  },
  {
    id: 'refuse.name-null-accepted',
    clause: 'create.invalid-values',
    description: 'A name that is null is taken as an empty one.',
    bend: coerces('name', (name) => (name === null ? '' : undefined)),
  },
  {
    id: 'refuse.name-number-accepted',
    clause: 'create.invalid-values',
    description: 'A name that is a number is taken as its digits.',
    bend: coerces('name', (name) => (typeof name === 'number' ? String(name) : undefined)),
  },
  {
    id: 'refuse.name-boolean-accepted',
    clause: 'create.invalid-values',
    description: 'A name that is true is taken as the word.',
    bend: coerces('name', (name) => (typeof name === 'boolean' ? String(name) : undefined)),
  },
  {
    id: 'refuse.name-array-accepted',
    clause: 'create.invalid-values',
    description: 'A name that is an array is taken as its elements.',
    bend: coerces('name', (name) => (Array.isArray(name) ? name.map(String).join(',') : undefined)),
  },
  {
    id: 'refuse.name-object-accepted',
    clause: 'create.invalid-values',
    description: 'A name that is an object is stored as [object Object].',
    bend: coerces('name', (name) => (isRecord(name) ? '[object Object]' : undefined)),
  },
  {
    id: 'refuse.category-text-accepted',
    clause: 'create.invalid-values',
    description: 'A categoryId that is a string of digits is taken as the number.',
    bend: coerces('categoryId', (value) => (isString(value) && /^-?\d+$/.test(value) ? Number(value) : undefined)),
  },
  {
    id: 'refuse.category-word-accepted',
    clause: 'create.invalid-values',
    description: 'A categoryId that is a string without digits is taken as 0.',
    bend: coerces('categoryId', (value) => (isString(value) && !/^-?\d+$/.test(value) ? 0 : undefined)),
  },
  {
    id: 'refuse.category-fraction-accepted',
    clause: 'create.invalid-values',
    description: 'A categoryId with a fraction is cut to an integer.',
    bend: coerces('categoryId', (value) =>
      typeof value === 'number' && !Number.isInteger(value) ? Math.trunc(value) : undefined,
    ),
  },
  {
    id: 'refuse.category-wraps',
    clause: 'create.invalid-values',
    description: 'A categoryId beyond int64 wraps around.',
    bend: coerces('categoryId', (value) =>
      typeof value === 'bigint' && toInt64(value) === undefined ? BigInt.asIntN(64, value) : undefined,
    ),
  },
  {
    id: 'refuse.category-clamped',
    clause: 'create.invalid-values',
    description: 'A categoryId beyond int64 is taken as the nearest one within.',
    bend: coerces('categoryId', (value) => {
      if (typeof value !== 'bigint' || toInt64(value) !== undefined) return undefined
      return value < 0n ? int64.minimum : int64.maximum
    }),
  },
  {
    id: 'refuse.category-boolean-accepted',
    clause: 'create.invalid-values',
    description: 'A categoryId that is true is taken as 1.',
    bend: coerces('categoryId', (value) => (typeof value === 'boolean' ? Number(value) : undefined)),
  },
  {
    id: 'refuse.category-null-accepted',
    clause: 'create.invalid-values',
    description: 'A categoryId that is null is taken as 0.',
    bend: coerces('categoryId', (value) => (value === null ? 0 : undefined)),
  },
  {
    id: 'refuse.category-array-accepted',
    clause: 'create.invalid-values',
    description: 'A categoryId that is an array is taken as its first element.',
    bend: coerces('categoryId', (value) => (Array.isArray(value) ? (value[0] ?? 0) : undefined)),
  },
  {
    id: 'refuse.status-unknown-stored',
    clause: 'create.invalid-values',
    description: 'A status outside the three is stored.',
    bend: inPlaceOf('createPet', (request, { store }, respond) => {
      const { status, ...members } = membersOf(request) ?? {}
      if (typeof status !== 'string' || isPetStatus(status)) return undefined
      const reply = respond(withBody(request, members))
      if (reply.status !== 201) return undefined
      const pet = { ...parsePet(reply.body), status: status as PetStatus }
      store.update(pet.id, pet)
      return { ...reply, body: store.print(pet) }
    }),
  },
  {
    id: 'refuse.status-unknown-dropped',
    clause: 'create.invalid-values',
    description: 'A status outside the three is overlooked.',
    bend: onMembers(({ status, ...members }) =>
      typeof status === 'string' && !isPetStatus(status) ? members : undefined,
    ),
  },
  {
    id: 'refuse.status-case-accepted',
    clause: 'create.invalid-values',
    description: 'A status is accepted in any letter case.',
    bend: coerces('status', (status) => (isString(status) ? status.toLowerCase() : undefined)),
  },
  {
    id: 'refuse.status-null-accepted',
    clause: 'create.invalid-values',
    description: 'A status that is null counts as none.',
    bend: onMembers(({ status, ...members }) => (status === null ? members : undefined)),
  },
  {
    id: 'refuse.status-number-accepted',
    clause: 'create.invalid-values',
    description: 'A status that is a number counts as available.',
    bend: coerces('status', (status) => (typeof status === 'number' ? 'available' : undefined)),
  },
  {
    id: 'refuse.invalid-is-422',
    clause: 'create.invalid-values',
    description: 'An invalid value is answered with 422.',
    bend: instead(isInvalid, (world) => errorOf(world, 422)),
  },
  {
    id: 'refuse.invalid-is-500',
    clause: 'create.invalid-values',
    description: 'An invalid value brings the service down: 500.',
    bend: instead(isInvalid, (world) => errorOf(world, 500)),
  },
  {
    id: 'refuse.invalid-is-200',
    clause: 'create.invalid-values',
    description: 'An invalid value is answered with 200 and an Error body.',
    bend: instead(isInvalid, (_world, reply) => ({ ...reply, status: 200 })),
  },
  {
    id: 'refuse.absent-accepted',
    clause: 'create.body-required',
    description: 'An absent body makes a nameless pet.',
    bend: takes((body) => (body === '' ? nameless : undefined)),
  },
  {
    id: 'refuse.absent-is-500',
    clause: 'create.body-required',
    description: 'An absent body brings the service down: 500.',
    bend: instead(isAbsent, (world) => errorOf(world, 500)),
  },
  {
    id: 'refuse.absent-hangs',
    clause: 'create.body-required',
    description: 'An absent body is waited for, and never answered.',
    bend: instead(isAbsent, (_world, reply) => ({ ...reply, wire: { silent: true } })),
  },
  {
    id: 'refuse.malformed-is-500',
    clause: 'create.body-required',
    description: 'A body that is no JSON brings the service down: 500.',
    bend: instead(isMalformed, (world) => errorOf(world, 500)),
  },
  {
    id: 'refuse.malformed-is-422',
    clause: 'create.body-required',
    description: 'A body that is no JSON is answered with 422.',
    bend: instead(isMalformed, (world) => errorOf(world, 422)),
  },
  {
    id: 'refuse.malformed-is-page',
    clause: 'error.body',
    description: 'A body that is no JSON is answered with the HTML page of a framework.',
    bend: instead(isMalformed, (_world, reply) => withPage(reply)),
  },
  {
    id: 'refuse.malformed-accepted',
    clause: 'create.body-required',
    description: 'A body that is no JSON makes a nameless pet.',
    bend: takes((body) => (body !== '' && jsonOf(body) === undefined ? nameless : undefined)),
  },
  {
    id: 'refuse.null-accepted',
    clause: 'create.body-required',
    description: 'null makes a nameless pet.',
    bend: takes((body) => (jsonOf(body) === null ? nameless : undefined)),
  },
  {
    id: 'refuse.string-accepted',
    clause: 'create.body-required',
    description: 'A string makes a pet of that name.',
    bend: onRequest('createPet', (request) => {
      const name = jsonOf(request.body)
      return typeof name === 'string' ? withBody(request, { name, categoryId: 1 }) : undefined
    }),
  },
  {
    id: 'refuse.array-accepted',
    clause: 'create.body-required',
    description: 'Of an array, the first element is created.',
    bend: onRequest('createPet', (request) => {
      const value = jsonOf(request.body)
      return Array.isArray(value) ? withBody(request, value[0] ?? { name: 'Nameless', categoryId: 1 }) : undefined
    }),
  },
  {
    id: 'refuse.not-an-object-is-500',
    clause: 'create.body-required',
    description: 'JSON that is no object brings the service down: 500.',
    bend: instead(
      (request) => jsonOf(request.body) !== undefined && membersOf(request) === undefined,
      (world) => errorOf(world, 500),
    ),
  },
  {
    id: 'refuse.stored-anyway',
    clause: 'create.refused-leaves-nothing',
    description: 'A creation that is refused with 400 is stored as far as it goes.',
    bend: onReply('createPet', 400, (reply, request, world) => {
      const { name, categoryId } = membersOf(request) ?? {}
      const stored = { name: typeof name === 'string' ? name : 'Nameless', categoryId: toInt64(categoryId) ?? 1 }
      world.store.insert({ id: world.store.assignId(), ...stored, status: 'available' })
      return reply
    }),
  },
  {
    id: 'refuse.second-try-accepted',
    clause: 'create.required-fields',
    description: 'Every second refusal is forgotten: the pet is created nameless.',
    bend: (respond, world) => {
      let refusals = 0
      return onReply('createPet', 400, (_reply, request) => {
        refusals += 1
        return refusals % 2 === 0 ? respond({ ...request, body: nameless }) : undefined
      })(respond, world)
    },
  },
  {
    id: 'create.text-plain-html',
    clause: 'error.body',
    description: 'A body that is declared as text/plain is refused with a page of HTML.',
    bend: inPlaceOf('createPet', (request, world) =>
      request.headers['content-type'] === 'text/plain' ? withPage(errorOf(world, 415)) : undefined,
    ),
  },
] as const satisfies readonly Deviation[]
