import type { VariantResponse } from '../../support/variants/responses.ts'
import { type Writable, toObject } from '../../support/variants/exact-json.ts'
import type { Call } from './call.ts'

/** The fields of a Pet or an Error before serialization. */
export type Members = Map<string, Writable>

export function problem(status: number): VariantResponse {
  const json: Members = toObject({
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

export function editList(answer: VariantResponse, edit: (pets: Members[]) => Writable): VariantResponse {
  return answer.status === 200 && Array.isArray(answer.json)
    ? { ...answer, json: edit(answer.json as Members[]) }
    : answer
}

export function editListed(
  answer: VariantResponse,
  edit: (pet: Members, index: number, all: Members[]) => Writable,
): VariantResponse {
  return editList(answer, (pets) => pets.map((pet, index) => edit(pet, index, pets)))
}

/** Replaces the Pet of getPet or createPet. */
export function editSingle(answer: VariantResponse, edit: (pet: Members) => Writable): VariantResponse {
  const isPet = (answer.status === 200 || answer.status === 201) && answer.json instanceof Map
  return isPet ? { ...answer, json: edit(answer.json as Members) } : answer
}

/** Replaces each Pet in any response. */
export function editPets(answer: VariantResponse, edit: (pet: Members) => Writable): VariantResponse {
  return editSingle(editListed(answer, edit), edit)
}

export function editError(answer: VariantResponse, edit: (error: Members) => Writable): VariantResponse {
  return answer.status >= 400 && answer.json instanceof Map ? { ...answer, json: edit(answer.json) } : answer
}

export const withMember = (object: Members, name: string, value: Writable): Members => new Map(object).set(name, value)

export function withoutMember(object: Members, name: string): Members {
  const rest = new Map(object)
  rest.delete(name)
  return rest
}

export function editMember(object: Members, name: string, edit: (value: Writable) => Writable): Members {
  const value = object.get(name)
  return value === undefined ? object : withMember(object, name, edit(value))
}

export const named =
  (edit: (name: string) => string) =>
  (pet: Members): Members =>
    editMember(pet, 'name', (name) => (typeof name === 'string' ? edit(name) : name))

export const integer =
  (field: 'id' | 'categoryId', edit: (integer: bigint) => bigint) =>
  (pet: Members): Members =>
    editMember(pet, field, (value) => (typeof value === 'bigint' ? edit(value) : value))

/** Rounds an integer to a double. */
export const throughDouble = (integer: bigint): bigint => BigInt(Number(integer))

/** Decodes UTF-8 as Latin-1. */
export const mojibake = (text: string): string => Buffer.from(text).toString('latin1')

/** Applies an edit only to the responses of one operation. */
export const only =
  (operation: NonNullable<Call['operation']>, edit: (answer: VariantResponse, call: Call) => VariantResponse) =>
  (answer: VariantResponse, call: Call): VariantResponse =>
    call.operation === operation ? edit(answer, call) : answer
