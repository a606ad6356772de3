import type { JsonValue } from '../../json.ts'
import { int64 } from '../../spec/operations.ts'
import type { PetStatus } from '../../spec/types.ts'
import { parsePet } from '../catalog.ts'
import { toInt64 } from '../int64.ts'
import { isPetStatus } from '../parameters.ts'
import type { Apply, Defects } from './deviation.ts'
import { every } from './memory.ts'
import { type ReplyChange, error, onReply, status } from './replies.ts'
import {
  fieldsOf,
  inPlaceOf,
  isMalformed,
  isRecord,
  jsonOf,
  onFields,
  onRequest,
  type When,
  withBody,
} from './requests.ts'

/** Accepts a field that is not valid by making it so. */
function coerces(field: 'name' | 'categoryId' | 'status', coerce: (value: JsonValue) => JsonValue | undefined): Apply {
  return onFields((fields) => {
    const value = fields[field]
    const coerced = value === undefined ? undefined : coerce(value)
    return coerced === undefined ? undefined : { ...fields, [field]: coerced }
  })
}

/** Accepts a body that is no NewPet object by making one of it. */
const takes = (toFields: (body: string) => JsonValue | undefined): Apply =>
  onRequest('createPet', (request) => {
    const fields = toFields(request.body)
    return fields === undefined ? undefined : withBody(request, fields)
  })

/** Responds in another way to what must be a 400. */
const instead = (when: When, change: number | ReplyChange): Apply =>
  onReply('createPet', 400, typeof change === 'number' ? error(change) : change, when)

const nameless = { name: 'Nameless', categoryId: 1 }
const isAbsent: When = ({ body }) => body === ''
const lacksField: When = (request) => {
  const fields = fieldsOf(request)
  return fields !== undefined && (fields['name'] === undefined || fields['categoryId'] === undefined)
}
const isInvalid: When = (request, context) => fieldsOf(request) !== undefined && !lacksField(request, context)
const isString = (value: JsonValue): value is string => typeof value === 'string'
const isBeyondInt64 = (value: JsonValue): value is bigint => typeof value === 'bigint' && toInt64(value) === undefined

export const refusing = {
  'create.required-fields': {
    'refuse.name-missing-accepted': [
      'A missing name is taken as an empty one.',
      onFields((fields) => (fields['name'] === undefined ? { ...fields, name: '' } : undefined)),
    ],
    'refuse.category-missing-accepted': [
      'A missing categoryId is taken as 0.',
      onFields((fields) => (fields['categoryId'] === undefined ? { ...fields, categoryId: 0 } : undefined)),
    ],
    'refuse.empty-object-accepted': [
      'An empty object makes a nameless pet.',
      onFields((fields) => (Object.keys(fields).length === 0 ? nameless : undefined)),
    ],
    'refuse.missing-is-422': ['A missing field gets 422.', instead(lacksField, 422)],
    'refuse.missing-is-500': ['A missing field brings the service down: 500.', instead(lacksField, 500)],
    'refuse.second-try-accepted': [
      'Every second refusal is forgotten: the pet is created nameless.',
      (respond, context) => {
        const accept: ReplyChange = (_reply, request) => respond(withBody(request, nameless))
        return onReply('createPet', 400, accept, every(2))(respond, context)
      },
    ],
  },
  'create.invalid-values': {
    'refuse.name-null-accepted': [
      'A name that is null is taken as an empty one.',
      coerces('name', (name) => (name === null ? '' : undefined)),
    ],
    'refuse.name-number-accepted': [
      'A name that is a number is taken as its digits.',
      coerces('name', (name) => (typeof name === 'number' ? String(name) : undefined)),
    ],
    'refuse.name-boolean-accepted': [
      'A name that is true is taken as the word.',
      coerces('name', (name) => (typeof name === 'boolean' ? String(name) : undefined)),
    ],
    'refuse.name-array-accepted': [
      'A name that is an array is taken as its elements.',
      coerces('name', (name) => (Array.isArray(name) ? name.map(String).join(',') : undefined)),
    ],
    'refuse.name-object-accepted': [
      'A name that is an object is stored as [object Object].',
      coerces('name', (name) => (isRecord(name) ? '[object Object]' : undefined)),
    ],
    'refuse.category-text-accepted': [
      'A categoryId that is a string of digits is taken as the number.',
      coerces('categoryId', (value) => (isString(value) && /^-?\d+$/.test(value) ? Number(value) : undefined)),
    ],
    'refuse.category-word-accepted': [
      'A categoryId that is a string without digits is taken as 0.',
      coerces('categoryId', (value) => (isString(value) && !/^-?\d+$/.test(value) ? 0 : undefined)),
    ],
    'refuse.category-fraction-accepted': [
      'A categoryId with a fraction is cut to an integer.',
      coerces('categoryId', (value) => (Number.isFinite(value) ? Math.trunc(Number(value)) : undefined)),
    ],
    'refuse.category-wraps': [
      'A categoryId beyond int64 wraps around.',
      coerces('categoryId', (value) => (isBeyondInt64(value) ? BigInt.asIntN(64, value) : undefined)),
    ],
    'refuse.category-clamped': [
      'A categoryId beyond int64 is taken as the nearest one within.',
      coerces('categoryId', (value) => {
        if (!isBeyondInt64(value)) return undefined
        return value < 0n ? int64.minimum : int64.maximum
      }),
    ],
    'refuse.category-boolean-accepted': [
      'A categoryId that is true is taken as 1.',
      coerces('categoryId', (value) => (typeof value === 'boolean' ? Number(value) : undefined)),
    ],
    'refuse.category-null-accepted': [
      'A categoryId that is null is taken as 0.',
      coerces('categoryId', (value) => (value === null ? 0 : undefined)),
    ],
    'refuse.category-array-accepted': [
      'A categoryId that is an array is taken as its first element.',
      coerces('categoryId', (value) => (Array.isArray(value) ? (value[0] ?? 0) : undefined)),
    ],
    'refuse.status-unknown-stored': [
      'A status outside the three is stored.',
      inPlaceOf('createPet', (request, { store, print }, respond) => {
        const { status, ...fields } = fieldsOf(request) ?? {}
        if (typeof status !== 'string' || isPetStatus(status)) return undefined
        const reply = respond(withBody(request, fields))
        if (reply.status !== 201) return undefined
        const pet = { ...parsePet(reply.body), status: status as PetStatus }
        store.update(pet.id, pet)
        return { ...reply, body: print(pet) }
      }),
    ],
    'refuse.status-unknown-dropped': [
      'A status outside the three is overlooked.',
      onFields(({ status, ...fields }) => (typeof status === 'string' && !isPetStatus(status) ? fields : undefined)),
    ],
    'refuse.status-case-accepted': [
      'A status is accepted in any letter case.',
      coerces('status', (status) => (isString(status) ? status.toLowerCase() : undefined)),
    ],
    'refuse.status-null-accepted': [
      'A status that is null counts as none.',
      onFields(({ status, ...fields }) => (status === null ? fields : undefined)),
    ],
    'refuse.status-number-accepted': [
      'A status that is a number counts as available.',
      coerces('status', (status) => (typeof status === 'number' ? 'available' : undefined)),
    ],
    'refuse.invalid-is-422': ['An invalid value gets 422.', instead(isInvalid, 422)],
    'refuse.invalid-is-500': ['An invalid value brings the service down: 500.', instead(isInvalid, 500)],
    'refuse.invalid-is-200': ['An invalid value gets 200 and an Error body.', instead(isInvalid, status(200))],
  },
  'create.body-required': {
    'refuse.absent-accepted': [
      'An absent body makes a nameless pet.',
      takes((body) => (body === '' ? nameless : undefined)),
    ],
    'refuse.absent-is-500': ['An absent body brings the service down: 500.', instead(isAbsent, 500)],
    'refuse.absent-hangs': [
      'An absent body is waited for, and never gets a response.',
      instead(isAbsent, (reply) => ({ ...reply, wire: { silent: true } })),
    ],
    'refuse.malformed-is-500': ['A body that is not JSON brings the service down: 500.', instead(isMalformed, 500)],
    'refuse.malformed-is-422': ['A body that is not JSON gets 422.', instead(isMalformed, 422)],
    'refuse.malformed-accepted': [
      'A body that is not JSON makes a nameless pet.',
      takes((body) => (body !== '' && jsonOf(body) === undefined ? nameless : undefined)),
    ],
    'refuse.null-accepted': [
      'null makes a nameless pet.',
      takes((body) => (jsonOf(body) === null ? nameless : undefined)),
    ],
    'refuse.string-accepted': [
      'A string makes a pet of that name.',
      takes((body) => {
        const name = jsonOf(body)
        return typeof name === 'string' ? { name, categoryId: 1 } : undefined
      }),
    ],
    'refuse.array-accepted': [
      'Of an array, the first element is created.',
      takes((body) => {
        const value = jsonOf(body)
        return Array.isArray(value) ? (value[0] ?? nameless) : undefined
      }),
    ],
    'refuse.not-an-object-is-500': [
      'JSON that is no object brings the service down: 500.',
      instead((request) => jsonOf(request.body) !== undefined && fieldsOf(request) === undefined, 500),
    ],
  },
  'create.refused-leaves-nothing': {
    'refuse.stored-anyway': [
      'A creation that is refused with 400 is stored as far as it goes.',
      onReply('createPet', 400, (reply, request, { store }) => {
        const { name, categoryId } = fieldsOf(request) ?? {}
        const stored = { name: typeof name === 'string' ? name : 'Nameless', categoryId: toInt64(categoryId) ?? 1 }
        store.insert({ id: store.assignId(), ...stored, status: 'available' })
        return reply
      }),
    ],
  },
} as const satisfies Defects
