import type { VariantResponse } from '../../support/variants/responses.ts'
import { type Writable, toObject } from '../../support/variants/exact-json.ts'
import type { Call } from './call.ts'

/** The fields of a Pet or an Error before serialization. */
export type Fields = Map<string, Writable>

export function problem(status: number): VariantResponse {
  const json: Fields = toObject({
    code: `code_${status}`,
    message: 'Something is wrong with the request.',
    status: BigInt(status),
  })
  return { status, json }
}

/** The HTML page of a framework for an unhandled error. */
export function htmlPage(status: number): VariantResponse {
  const text = `<!DOCTYPE html><html><body><pre>Error: ${status}<br> at handle (/app/server.js:10:3)</pre></body></html>`
  return { status, page: { contentType: 'text/html; charset=utf-8', text } }
}

export function editList(
  reply: VariantResponse,
  edit: (pets: Fields[]) => Writable,
): VariantResponse {
  return reply.status === 200 && Array.isArray(reply.json)
    ? { ...reply, json: edit(reply.json as Fields[]) }
    : reply
}

export function editListed(
  reply: VariantResponse,
  edit: (pet: Fields, index: number, all: Fields[]) => Writable,
): VariantResponse {
  return editList(reply, (pets) => pets.map((pet, index) => edit(pet, index, pets)))
}

/** Replaces the Pet of getPet or createPet. */
export function editSingle(
  reply: VariantResponse,
  edit: (pet: Fields) => Writable,
): VariantResponse {
  const isPet = (reply.status === 200 || reply.status === 201) && reply.json instanceof Map
  return isPet ? { ...reply, json: edit(reply.json as Fields) } : reply
}

/** Replaces each Pet in any response. */
export function editPets(reply: VariantResponse, edit: (pet: Fields) => Writable): VariantResponse {
  return editSingle(editListed(reply, edit), edit)
}

export function editError(
  reply: VariantResponse,
  edit: (error: Fields) => Writable,
): VariantResponse {
  return reply.status >= 400 && reply.json instanceof Map
    ? { ...reply, json: edit(reply.json) }
    : reply
}

export const withField = (object: Fields, name: string, value: Writable): Fields =>
  new Map(object).set(name, value)

export function withoutField(object: Fields, name: string): Fields {
  const rest = new Map(object)
  rest.delete(name)
  return rest
}

export function editField(
  object: Fields,
  name: string,
  edit: (value: Writable) => Writable,
): Fields {
  const value = object.get(name)
  return value === undefined ? object : withField(object, name, edit(value))
}

export const named =
  (edit: (name: string) => string) =>
  (pet: Fields): Fields =>
    editField(pet, 'name', (name) => (typeof name === 'string' ? edit(name) : name))

export const integer =
  (field: 'id' | 'categoryId', edit: (integer: bigint) => bigint) =>
  (pet: Fields): Fields =>
    editField(pet, field, (value) => (typeof value === 'bigint' ? edit(value) : value))

/** Rounds an integer to a double. */
export const throughDouble = (integer: bigint): bigint => BigInt(Number(integer))

/** Decodes UTF-8 as Latin-1. */
export const mojibake = (text: string): string => Buffer.from(text).toString('latin1')

/** Applies an edit only to the responses of one operation. */
export const only =
  (
    operation: NonNullable<Call['operation']>,
    edit: (reply: VariantResponse, call: Call) => VariantResponse,
  ) =>
  (reply: VariantResponse, call: Call): VariantResponse =>
    call.operation === operation ? edit(reply, call) : reply
