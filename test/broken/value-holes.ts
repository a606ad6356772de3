import type { ClauseId } from '../../src/spec/clauses.ts'
import { JsonNumber, writeJson, type Json } from '../twins/exact-json.ts'
import { bodyObject, withBody, type Call } from './call.ts'
import type { Row, Seams } from './fault.ts'

/** Makes a value valid that has to be refused; undefined where it is not of the kind that slips through. */
type Mend = (value: Json | undefined) => Json | undefined

/** Reads an invalid member as if it were a valid one. */
const member = (name: 'name' | 'categoryId' | 'status', mend: Mend): Seams => ({
  hear(call) {
    const body = call.operation === 'createPet' ? bodyObject(call) : undefined
    const mended = body && mend(body.get(name))
    return body === undefined || mended === undefined
      ? call
      : withBody(call, writeJson(new Map(body).set(name, mended)))
  },
})

const number = (text: string): JsonNumber => new JsonNumber(text)
const isNumber = (value: unknown): value is JsonNumber => value instanceof JsonNumber
const whole = 9223372036854775807n
const nobody = '{"name":"Nobody","categoryId":1}'

/** Whether a number is an integer beyond int64 that is written with digits alone. */
const isBeyond = (value: Json | undefined, sign: 1 | -1): boolean =>
  isNumber(value) &&
  /^-?\d+$/.test(value.text) &&
  (sign === 1 ? BigInt(value.text) > whole : BigInt(value.text) < -whole - 1n)

function isValid(call: Call): boolean {
  const name = bodyObject(call)?.get('name')
  return typeof name === 'string'
}

const required: ClauseId[] = ['create.required-fields', 'create.success']
const values: ClauseId[] = ['create.invalid-values', 'create.success']

/** One kind of invalid NewPet that is accepted, and the pet created. */
export const valueHoles: Row[] = [
  [
    'm73-name-missing',
    required,
    'A body without name is accepted',
    () => member('name', (name) => (name === undefined ? 'Nameless' : undefined)),
  ],
  [
    'm76-category-missing',
    required,
    'A body without categoryId is accepted',
    () => member('categoryId', (id) => (id === undefined ? number('1') : undefined)),
  ],
  [
    'empty-object',
    required,
    'An empty object is accepted',
    () => ({
      hear: (call) => (call.operation === 'createPet' && bodyObject(call)?.size === 0 ? withBody(call, nobody) : call),
    }),
  ],
  [
    'name-in-other-case',
    required,
    'The name may be called Name',
    () => ({
      hear(call) {
        const sent = call.operation === 'createPet' && !isValid(call) ? bodyObject(call) : undefined
        const name = sent?.get('Name')
        return sent === undefined || name === undefined
          ? call
          : withBody(call, writeJson(new Map(sent).set('name', name)))
      },
    }),
  ],
  [
    'm74-name-null',
    values,
    'name null is accepted',
    () => member('name', (name) => (name === null ? 'null' : undefined)),
  ],
  [
    'm75-name-number',
    values,
    'A name that is a number is accepted',
    () => member('name', (name) => (isNumber(name) ? name.text : undefined)),
  ],
  [
    'm75-name-boolean',
    values,
    'A name that is a boolean is accepted',
    () => member('name', (name) => (typeof name === 'boolean' ? String(name) : undefined)),
  ],
  [
    'm75-name-array',
    values,
    'A name that is an array is accepted',
    () => member('name', (name) => (Array.isArray(name) ? name.join(',') : undefined)),
  ],
  [
    'm75-name-object',
    values,
    'A name that is an object is accepted',
    () => member('name', (name) => (name instanceof Map ? '[object Object]' : undefined)),
  ],
  [
    'm77-category-text',
    values,
    'A categoryId that is a string of digits is accepted',
    () =>
      member('categoryId', (id) =>
        typeof id === 'string' && /^\d+$/.test(id) ? number(String(BigInt(id))) : undefined,
      ),
  ],
  [
    'category-empty-text',
    values,
    'A categoryId that is an empty string is accepted',
    () => member('categoryId', (id) => (id === '' ? number('0') : undefined)),
  ],
  [
    'm78-category-fraction',
    values,
    'A categoryId of 1.5 is accepted',
    () =>
      member('categoryId', (id) =>
        isNumber(id) && /^\d+\.\d*[1-9]$/.test(id.text) ? number(id.text.split('.')[0] ?? '') : undefined,
      ),
  ],
  [
    'm79-category-2-to-63',
    values,
    'A categoryId of 2^63 is accepted',
    () => member('categoryId', (id) => (isBeyond(id, 1) ? number(String(whole)) : undefined)),
  ],
  [
    'category-below-int64',
    values,
    'A categoryId below -2^63 is accepted',
    () => member('categoryId', (id) => (isBeyond(id, -1) ? number(String(-whole)) : undefined)),
  ],
  [
    'category-1e30',
    values,
    'A categoryId of 1e30 is accepted',
    () => member('categoryId', (id) => (isNumber(id) && /e\+?\d\d/i.test(id.text) ? number(String(whole)) : undefined)),
  ],
  [
    'm80-category-null',
    values,
    'categoryId null is accepted',
    () => member('categoryId', (id) => (id === null ? number('0') : undefined)),
  ],
  [
    'm80-category-true',
    values,
    'categoryId true is accepted',
    () => member('categoryId', (id) => (typeof id === 'boolean' ? number('1') : undefined)),
  ],
  [
    'm80-category-array',
    values,
    'A categoryId in an array is accepted',
    () => member('categoryId', (id) => (Array.isArray(id) ? (id[0] ?? number('0')) : undefined)),
  ],
  [
    'category-object',
    values,
    'A categoryId that is an object is accepted',
    () => member('categoryId', (id) => (id instanceof Map ? number('0') : undefined)),
  ],
  [
    'm81-status-unknown',
    values,
    'An unknown status is accepted, and read as available',
    () =>
      member('status', (status) =>
        typeof status === 'string' && /^[a-z]+$/.test(status) && !/^(available|pending|sold)$/.test(status)
          ? 'available'
          : undefined,
      ),
  ],
  [
    'm82-status-case',
    values,
    'A status in other letter case is accepted',
    () =>
      member('status', (status) =>
        typeof status === 'string' && /^(available|pending|sold)$/i.test(status) ? status.toLowerCase() : undefined,
      ),
  ],
  [
    'status-space',
    values,
    'A status with a space behind it is accepted',
    () =>
      member('status', (status) =>
        typeof status === 'string' && status !== status.trim() ? status.trim() : undefined,
      ),
  ],
  [
    'status-empty',
    values,
    'An empty status is accepted',
    () => member('status', (status) => (status === '' ? 'available' : undefined)),
  ],
  [
    'status-null',
    values,
    'status null is accepted',
    () => member('status', (status) => (status === null ? 'available' : undefined)),
  ],
  [
    'status-number',
    values,
    'A status that is a number is accepted',
    () => member('status', (status) => (isNumber(status) ? 'pending' : undefined)),
  ],
  [
    'status-boolean',
    values,
    'A status that is a boolean is accepted',
    () => member('status', (status) => (typeof status === 'boolean' ? 'sold' : undefined)),
  ],
  [
    'status-in-array',
    values,
    'A status in an array is accepted',
    () => member('status', (status) => (Array.isArray(status) ? (status[0] ?? 'sold') : undefined)),
  ],
]
