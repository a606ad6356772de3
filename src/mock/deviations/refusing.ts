import type { JsonValue } from '../../json.ts'
import { int64 } from '../../spec/operations.ts'
import type { PetStatus } from '../../spec/types.ts'
import { toInt64 } from '../int64.ts'
import type { MockReply, SandboxRequest } from '../message.ts'
import { isPetStatus } from '../parameters.ts'
import { parsePet } from '../catalog.ts'
import { isEvery } from './memory.ts'
import type { Apply, Deviation } from './deviation.ts'
import { errorOf, onReply, withPage } from './replies.ts'
import { inPlaceOf, isRecord, jsonOf, fieldsOf, onFields, onRequest, withBody } from './requests.ts'

/** Accepts a field that is not valid by making it so. */
function coerces(field: 'name' | 'categoryId' | 'status', coerce: (value: JsonValue) => JsonValue | undefined): Apply {
  return onFields((fields) => {
    const value = fields[field]
    const coerced = value === undefined ? undefined : coerce(value)
    return coerced === undefined ? undefined : { ...fields, [field]: coerced }
  })
}

/** Accepts a body that is no NewPet object by making one of it. */
function takes(toBody: (body: string) => string | undefined): Apply {
  return onRequest('createPet', (request) => {
    const body = toBody(request.body)
    return body === undefined ? undefined : { ...request, body }
  })
}

/** Responds in another way to what must be a 400. */
function instead(kind: (request: SandboxRequest) => boolean, other: number | ((reply: MockReply) => MockReply)): Apply {
  return onReply('createPet', 400, (reply, request, context) => {
    if (!kind(request)) return undefined
    return typeof other === 'number' ? errorOf(context, other) : other(reply)
  })
}

const nameless = '{"name":"Nameless","categoryId":1}'
const isAbsent = ({ body }: SandboxRequest): boolean => body === ''
const isMalformed = ({ body }: SandboxRequest): boolean => body !== '' && jsonOf(body) === undefined
const lacksField = (request: SandboxRequest): boolean => {
  const fields = fieldsOf(request)
  return fields !== undefined && (fields['name'] === undefined || fields['categoryId'] === undefined)
}
const isInvalid = (request: SandboxRequest): boolean => fieldsOf(request) !== undefined && !lacksField(request)
const isString = (value: JsonValue): value is string => typeof value === 'string'

export const refusing = [
  {
    id: 'refuse.name-missing-accepted',
    clause: 'create.required-fields',
    description: 'A missing name is taken as an empty one.',
    apply: onFields((fields) => (fields['name'] === undefined ? { ...fields, name: '' } : undefined)),
  },
  {
    id: 'refuse.category-missing-accepted',
    clause: 'create.required-fields',
    description: 'A missing categoryId is taken as 0.',
    apply: onFields((fields) => (fields['categoryId'] === undefined ? { ...fields, categoryId: 0 } : undefined)),
  },
  {
    id: 'refuse.empty-object-accepted',
    clause: 'create.required-fields',
    description: 'An empty object makes a nameless pet.',
    apply: onFields((fields) => (Object.keys(fields).length === 0 ? { name: 'Nameless', categoryId: 1 } : undefined)),
  },
  {
    id: 'refuse.missing-is-422',
    clause: 'create.required-fields',
    description: 'A missing field gets 422.',
    apply: instead(lacksField, 422),
  },
  {
    id: 'refuse.missing-is-500',
    clause: 'create.required-fields',
    description: 'A missing field brings the service down: 500.',
    apply: instead(lacksField, 500),
  },
  {
    id: 'refuse.name-null-accepted',
    clause: 'create.invalid-values',
    description: 'A name that is null is taken as an empty one.',
    apply: coerces('name', (name) => (name === null ? '' : undefined)),
  },
  {
    id: 'refuse.name-number-accepted',
    clause: 'create.invalid-values',
    description: 'A name that is a number is taken as its digits.',
    apply: coerces('name', (name) => (typeof name === 'number' ? String(name) : undefined)),
  },
  {
    id: 'refuse.name-boolean-accepted',
    clause: 'create.invalid-values',
    description: 'A name that is true is taken as the word.',
    apply: coerces('name', (name) => (typeof name === 'boolean' ? String(name) : undefined)),
  },
  {
    id: 'refuse.name-array-accepted',
    clause: 'create.invalid-values',
    description: 'A name that is an array is taken as its elements.',
    apply: coerces('name', (name) => (Array.isArray(name) ? name.map(String).join(',') : undefined)),
  },
  {
    id: 'refuse.name-object-accepted',
    clause: 'create.invalid-values',
    description: 'A name that is an object is stored as [object Object].',
    apply: coerces('name', (name) => (isRecord(name) ? '[object Object]' : undefined)),
  },
  {
    id: 'refuse.category-text-accepted',
    clause: 'create.invalid-values',
    description: 'A categoryId that is a string of digits is taken as the number.',
    apply: coerces('categoryId', (value) => (isString(value) && /^-?\d+$/.test(value) ? Number(value) : undefined)),
  },
  {
    id: 'refuse.category-word-accepted',
    clause: 'create.invalid-values',
    description: 'A categoryId that is a string without digits is taken as 0.',
    apply: coerces('categoryId', (value) => (isString(value) && !/^-?\d+$/.test(value) ? 0 : undefined)),
  },
  {
    id: 'refuse.category-fraction-accepted',
    clause: 'create.invalid-values',
    description: 'A categoryId with a fraction is cut to an integer.',
    apply: coerces('categoryId', (value) =>
      typeof value === 'number' && !Number.isInteger(value) ? Math.trunc(value) : undefined,
    ),
  },
  {
    id: 'refuse.category-wraps',
    clause: 'create.invalid-values',
    description: 'A categoryId beyond int64 wraps around.',
    apply: coerces('categoryId', (value) =>
      typeof value === 'bigint' && toInt64(value) === undefined ? BigInt.asIntN(64, value) : undefined,
    ),
  },
  {
    id: 'refuse.category-clamped',
    clause: 'create.invalid-values',
    description: 'A categoryId beyond int64 is taken as the nearest one within.',
    apply: coerces('categoryId', (value) => {
      if (typeof value !== 'bigint' || toInt64(value) !== undefined) return undefined
      return value < 0n ? int64.minimum : int64.maximum
    }),
  },
  {
    id: 'refuse.category-boolean-accepted',
    clause: 'create.invalid-values',
    description: 'A categoryId that is true is taken as 1.',
    apply: coerces('categoryId', (value) => (typeof value === 'boolean' ? Number(value) : undefined)),
  },
  {
    id: 'refuse.category-null-accepted',
    clause: 'create.invalid-values',
    description: 'A categoryId that is null is taken as 0.',
    apply: coerces('categoryId', (value) => (value === null ? 0 : undefined)),
  },
  {
    id: 'refuse.category-array-accepted',
    clause: 'create.invalid-values',
    description: 'A categoryId that is an array is taken as its first element.',
    apply: coerces('categoryId', (value) => (Array.isArray(value) ? (value[0] ?? 0) : undefined)),
  },
  {
    id: 'refuse.status-unknown-stored',
    clause: 'create.invalid-values',
    description: 'A status outside the three is stored.',
    apply: inPlaceOf('createPet', (request, { store, print }, respond) => {
      const { status, ...fields } = fieldsOf(request) ?? {}
      if (typeof status !== 'string' || isPetStatus(status)) return undefined
      const reply = respond(withBody(request, fields))
      if (reply.status !== 201) return undefined
      const pet = { ...parsePet(reply.body), status: status as PetStatus }
      store.update(pet.id, pet)
      return { ...reply, body: print(pet) }
    }),
  },
  {
    id: 'refuse.status-unknown-dropped',
    clause: 'create.invalid-values',
    description: 'A status outside the three is overlooked.',
    apply: onFields(({ status, ...fields }) =>
      typeof status === 'string' && !isPetStatus(status) ? fields : undefined,
    ),
  },
  {
    id: 'refuse.status-case-accepted',
    clause: 'create.invalid-values',
    description: 'A status is accepted in any letter case.',
    apply: coerces('status', (status) => (isString(status) ? status.toLowerCase() : undefined)),
  },
  {
    id: 'refuse.status-null-accepted',
    clause: 'create.invalid-values',
    description: 'A status that is null counts as none.',
    apply: onFields(({ status, ...fields }) => (status === null ? fields : undefined)),
  },
  {
    id: 'refuse.status-number-accepted',
    clause: 'create.invalid-values',
    description: 'A status that is a number counts as available.',
    apply: coerces('status', (status) => (typeof status === 'number' ? 'available' : undefined)),
  },
  {
    id: 'refuse.invalid-is-422',
    clause: 'create.invalid-values',
    description: 'An invalid value gets 422.',
    apply: instead(isInvalid, 422),
  },
  {
    id: 'refuse.invalid-is-500',
    clause: 'create.invalid-values',
    description: 'An invalid value brings the service down: 500.',
    apply: instead(isInvalid, 500),
  },
  {
    id: 'refuse.invalid-is-200',
    clause: 'create.invalid-values',
    description: 'An invalid value gets 200 and an Error body.',
    apply: instead(isInvalid, (reply) => ({ ...reply, status: 200 })),
  },
  {
    id: 'refuse.absent-accepted',
    clause: 'create.body-required',
    description: 'An absent body makes a nameless pet.',
    apply: takes((body) => (body === '' ? nameless : undefined)),
  },
  {
    id: 'refuse.absent-is-500',
    clause: 'create.body-required',
    description: 'An absent body brings the service down: 500.',
    apply: instead(isAbsent, 500),
  },
  {
    id: 'refuse.absent-hangs',
    clause: 'create.body-required',
    description: 'An absent body is waited for, and never gets a response.',
    apply: instead(isAbsent, (reply) => ({ ...reply, wire: { silent: true } })),
  },
  {
    id: 'refuse.malformed-is-500',
    clause: 'create.body-required',
    description: 'A body that is not JSON brings the service down: 500.',
    apply: instead(isMalformed, 500),
  },
  {
    id: 'refuse.malformed-is-422',
    clause: 'create.body-required',
    description: 'A body that is not JSON gets 422.',
    apply: instead(isMalformed, 422),
  },
  {
    id: 'refuse.malformed-is-page',
    clause: 'error.body',
    description: 'A body that is not JSON gets the HTML page of a framework.',
    apply: instead(isMalformed, withPage),
  },
  {
    id: 'refuse.malformed-accepted',
    clause: 'create.body-required',
    description: 'A body that is not JSON makes a nameless pet.',
    apply: takes((body) => (body !== '' && jsonOf(body) === undefined ? nameless : undefined)),
  },
  {
    id: 'refuse.null-accepted',
    clause: 'create.body-required',
    description: 'null makes a nameless pet.',
    apply: takes((body) => (jsonOf(body) === null ? nameless : undefined)),
  },
  {
    id: 'refuse.string-accepted',
    clause: 'create.body-required',
    description: 'A string makes a pet of that name.',
    apply: onRequest('createPet', (request) => {
      const name = jsonOf(request.body)
      return typeof name === 'string' ? withBody(request, { name, categoryId: 1 }) : undefined
    }),
  },
  {
    id: 'refuse.array-accepted',
    clause: 'create.body-required',
    description: 'Of an array, the first element is created.',
    apply: onRequest('createPet', (request) => {
      const value = jsonOf(request.body)
      return Array.isArray(value) ? withBody(request, value[0] ?? { name: 'Nameless', categoryId: 1 }) : undefined
    }),
  },
  {
    id: 'refuse.not-an-object-is-500',
    clause: 'create.body-required',
    description: 'JSON that is no object brings the service down: 500.',
    apply: instead((request) => jsonOf(request.body) !== undefined && fieldsOf(request) === undefined, 500),
  },
  {
    id: 'refuse.stored-anyway',
    clause: 'create.refused-leaves-nothing',
    description: 'A creation that is refused with 400 is stored as far as it goes.',
    apply: onReply('createPet', 400, (reply, request, context) => {
      const { name, categoryId } = fieldsOf(request) ?? {}
      const stored = { name: typeof name === 'string' ? name : 'Nameless', categoryId: toInt64(categoryId) ?? 1 }
      context.store.insert({ id: context.store.assignId(), ...stored, status: 'available' })
      return reply
    }),
  },
  {
    id: 'refuse.second-try-accepted',
    clause: 'create.required-fields',
    description: 'Every second refusal is forgotten: the pet is created nameless.',
    apply: (respond, context) =>
      onReply('createPet', 400, (_reply, request) =>
        isEvery(2, context) ? respond({ ...request, body: nameless }) : undefined,
      )(respond, context),
  },
  {
    id: 'create.text-plain-html',
    clause: 'error.body',
    description: 'A body that is declared as text/plain is refused with a page of HTML.',
    apply: inPlaceOf('createPet', (request, context) =>
      request.headers['content-type'] === 'text/plain' ? withPage(errorOf(context, 415)) : undefined,
    ),
  },
] as const satisfies readonly Deviation[]
