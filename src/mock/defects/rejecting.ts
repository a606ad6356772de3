import type { JsonValue } from '../../json.ts'
import { int64 } from '../../spec/operations.ts'
import type { PetStatus } from '../../spec/types.ts'
import { isJsonObject, tryParseJson } from '../../validate.ts'
import { parsePet } from '../pets/pet.ts'
import { toInt64 } from '../pets/int64.ts'
import { isPetStatus } from '../service/parameters.ts'
import { type Apply, type Defects, every, type When } from './defect.ts'
import { type ReplyChange, error, onReply, status, textOf } from './replies.ts'
import {
  type Fields,
  fieldsOf,
  inPlaceOf,
  isMalformed,
  onFields,
  onRequest,
  withBody,
} from './requests.ts'

const kinds = {
  absent: (value) => value === undefined,
  null: (value) => value === null,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: isJsonObject,
  digits: (value) => typeof value === 'string' && /^-?\d+$/.test(value),
  word: (value) => typeof value === 'string' && !/^-?\d+$/.test(value),
  'beyond int64': (value) => typeof value === 'bigint' && toInt64(value) === undefined,
  'no status': (value) => typeof value === 'string' && !isPetStatus(value),
} as const satisfies Record<string, (value: JsonValue | undefined) => boolean>

/** Accepts an invalid value of one kind by converting it; undefined omits the field. */
const coerces = (
  field: 'name' | 'categoryId' | 'status',
  kind: keyof typeof kinds,
  coerce: (value: JsonValue) => JsonValue | undefined,
): Apply =>
  onFields(({ [field]: value, ...others }) => {
    if (!kinds[kind](value)) return undefined
    const coerced = coerce(value ?? null)
    return coerced === undefined ? others : { ...others, [field]: coerced }
  })

const stringifies = (kind: 'number' | 'boolean' | 'array' | 'object') =>
  [
    `A JSON ${kind} is taken as a name, converted to a string.`,
    coerces('name', kind, String),
  ] as const

const ownNames = ['name', 'categoryId', 'status']

/** Takes a field for the one whose name is the same in a common form. */
const renameFields = (fields: Fields, form: (name: string) => string): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      ownNames.find((own) => form(own) === form(name)) ?? name,
      value,
    ]),
  )

/** Accepts an invalid body by converting it to a NewPet object. */
const takes = (toFields: (body: string) => JsonValue | undefined): Apply =>
  onRequest('createPet', (request) => {
    const fields = toFields(request.body)
    return fields === undefined ? undefined : withBody(request, fields)
  })

const instead = (when: When, change: number | ReplyChange): Apply =>
  onReply('createPet', 400, typeof change === 'number' ? error(change) : change, when)

const nameless = { name: 'Nameless', categoryId: 1 }
const isAbsent: When = ({ body }) => body === ''
const lacksField: When = (request) => {
  const fields = fieldsOf(request)
  return (
    fields !== undefined && (fields['name'] === undefined || fields['categoryId'] === undefined)
  )
}
const isInvalid: When = (request, context) =>
  fieldsOf(request) !== undefined && !lacksField(request, context)

export const rejecting = {
  'create.required-fields': {
    'reject.name-missing-accepted': [
      'A missing name is converted to an empty string.',
      coerces('name', 'absent', () => ''),
    ],
    'reject.category-missing-accepted': [
      'A missing categoryId is converted to 0.',
      coerces('categoryId', 'absent', () => 0),
    ],
    'reject.empty-object-accepted': [
      'An empty object creates a pet without a name.',
      onFields((fields) => (Object.keys(fields).length === 0 ? nameless : undefined)),
    ],
    'reject.capitals-accepted': [
      'Fields are read in any letter case: NAME is taken as name.',
      onFields((fields) => renameFields(fields, (name) => name.toLowerCase())),
    ],
    'reject.snake-case-accepted': [
      'Fields are read in snake case, too: category_id is taken as categoryId.',
      onFields((fields) => renameFields(fields, (name) => name.replaceAll('_', '').toLowerCase())),
    ],
    'reject.missing-is-422': ['A missing field gets 422.', instead(lacksField, 422)],
    'reject.missing-is-500': [
      'A missing field crashes the service: 500.',
      instead(lacksField, 500),
    ],
    'reject.second-try-accepted': [
      'Every second invalid creation is accepted: the pet has no name.',
      onReply(
        'createPet',
        400,
        (_reply, request, _context, respond) => respond(withBody(request, nameless)),
        every(2),
      ),
    ],
  },
  'create.invalid-values': {
    'reject.name-null-accepted': [
      'A null name is converted to an empty string.',
      coerces('name', 'null', () => ''),
    ],
    'reject.name-number-accepted': stringifies('number'),
    'reject.name-boolean-accepted': stringifies('boolean'),
    'reject.name-array-accepted': stringifies('array'),
    'reject.name-object-accepted': stringifies('object'),
    'reject.category-text-accepted': [
      'A categoryId that is a string of digits is converted to a number.',
      coerces('categoryId', 'digits', Number),
    ],
    'reject.category-word-accepted': [
      'A categoryId that is a string without digits is converted to 0.',
      coerces('categoryId', 'word', () => 0),
    ],
    'reject.category-fraction-accepted': [
      'A categoryId with a fraction is cut to an integer.',
      coerces('categoryId', 'number', (value) => Math.trunc(Number(value))),
    ],
    'reject.category-wraps': [
      'A categoryId beyond int64 wraps around.',
      coerces('categoryId', 'beyond int64', (value) => BigInt.asIntN(64, value as bigint)),
    ],
    'reject.category-clamped': [
      'A categoryId beyond int64 is clamped to the range.',
      coerces('categoryId', 'beyond int64', (value) =>
        (value as bigint) < 0n ? int64.minimum : int64.maximum,
      ),
    ],
    'reject.category-boolean-accepted': [
      'A categoryId that is true is converted to 1.',
      coerces('categoryId', 'boolean', Number),
    ],
    'reject.category-null-accepted': [
      'A null categoryId is converted to 0.',
      coerces('categoryId', 'null', () => 0),
    ],
    'reject.category-array-accepted': [
      'A categoryId that is an array is converted to its first element.',
      coerces('categoryId', 'array', (value) => (value as JsonValue[])[0] ?? 0),
    ],
    'reject.status-unknown-stored': [
      'An unknown status is stored.',
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
    'reject.status-unknown-dropped': [
      'An unknown status is ignored.',
      coerces('status', 'no status', () => undefined),
    ],
    'reject.status-case-accepted': [
      'A status is accepted in any letter case.',
      coerces('status', 'no status', (status) => textOf(status).toLowerCase()),
    ],
    'reject.status-trimmed': [
      'White space around a status is removed.',
      coerces('status', 'no status', (status) => textOf(status).trim()),
    ],
    'reject.status-null-accepted': [
      'A null status is treated as no status.',
      coerces('status', 'null', () => undefined),
    ],
    'reject.status-number-accepted': [
      'A status that is a number counts as available.',
      coerces('status', 'number', () => 'available'),
    ],
    'reject.invalid-is-422': ['An invalid value gets 422.', instead(isInvalid, 422)],
    'reject.invalid-is-500': [
      'An invalid value crashes the service: 500.',
      instead(isInvalid, 500),
    ],
    'reject.invalid-is-200': [
      'An invalid value gets 200 and an Error body.',
      instead(isInvalid, status(200)),
    ],
  },
  'create.body-required': {
    'reject.absent-accepted': [
      'An absent body creates a pet without a name.',
      takes((body) => (body === '' ? nameless : undefined)),
    ],
    'reject.absent-is-500': ['An absent body crashes the service: 500.', instead(isAbsent, 500)],
    'reject.absent-hangs': [
      'The service waits for the absent body and never responds.',
      instead(isAbsent, (reply) => ({ ...reply, wire: { silent: true } })),
    ],
    'reject.malformed-is-500': [
      'A body that is not JSON crashes the service: 500.',
      instead(isMalformed, 500),
    ],
    'reject.malformed-is-422': ['A body that is not JSON gets 422.', instead(isMalformed, 422)],
    'reject.malformed-accepted': [
      'A body that is not JSON creates a pet without a name.',
      takes((body) => (body !== '' && tryParseJson(body) === undefined ? nameless : undefined)),
    ],
    'reject.null-accepted': [
      'A null body creates a pet without a name.',
      takes((body) => (tryParseJson(body) === null ? nameless : undefined)),
    ],
    'reject.string-accepted': [
      'A string is parsed as JSON again.',
      takes((body) => {
        const text = tryParseJson(body)
        return typeof text === 'string' ? tryParseJson(text) : undefined
      }),
    ],
    'reject.array-accepted': [
      'Only the first element of an array is created.',
      takes((body) => {
        const value = tryParseJson(body)
        return Array.isArray(value) ? (value[0] ?? nameless) : undefined
      }),
    ],
    'reject.not-an-object-is-500': [
      'JSON that is not an object crashes the service: 500.',
      instead(
        (request) => tryParseJson(request.body) !== undefined && fieldsOf(request) === undefined,
        500,
      ),
    ],
  },
  'create.rejected-leaves-nothing': {
    'reject.stored-anyway': [
      'A creation that is rejected with 400 is stored with its valid fields.',
      onReply('createPet', 400, (_reply, request, { store }) => {
        const { name, categoryId } = fieldsOf(request) ?? {}
        const stored = {
          name: typeof name === 'string' ? name : 'Nameless',
          categoryId: toInt64(categoryId) ?? 1,
        }
        store.insert({ id: store.assignId(), ...stored, status: 'available' })
      }),
    ],
  },
} as const satisfies Defects
