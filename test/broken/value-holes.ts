import type { ClauseId } from '../../src/spec/clauses.ts'
import { JsonNumber, writeJson, type Json } from '../twins/exact-json.ts'
import { bodyObject, withBody } from './call.ts'
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
    'm74-name-null',
    values,
    'name null is accepted',
    () => member('name', (name) => (name === null ? 'null' : undefined)),
  ],
  [
    'category-object',
    values,
    'A categoryId that is an object is accepted',
    () => member('categoryId', (id) => (id instanceof Map ? number('0') : undefined)),
  ],
  [
    'status-null',
    values,
    'status null is accepted',
    () => member('status', (status) => (status === null ? 'available' : undefined)),
  ],
]
