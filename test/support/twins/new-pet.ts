import { JsonNumber, readJson, toInt64, type Json } from './exact-json.ts'

export type PetStatus = 'available' | 'pending' | 'sold'

export const petStatuses: readonly PetStatus[] = ['available', 'pending', 'sold']

/** A NewPet body that the specification does not refuse. */
export interface NewPet {
  name: string
  categoryId: bigint
  status?: PetStatus
  /** Whether the client sent an `id` beside it. */
  sentId: boolean
  /** Members that NewPet does not have, `id` left out. */
  extras: Map<string, Json>
}

/** A body that has to be refused with 400, and why. */
export interface Refused {
  refused: string
}

export const isPetStatus = (value: unknown): value is PetStatus => petStatuses.some((status) => status === value)

/**
 * "400: Error body, when the body is missing required fields or holds invalid values."
 *
 * @param isLenient like the parsers of Ruby, which leave out comments, and of Go, to which `Name` is `name`
 */
export function readNewPet(bytes: Uint8Array, isLenient = false): NewPet | Refused {
  if (bytes.length === 0) return { refused: 'The body is missing.' }
  let body: Json
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    body = readJson(isLenient ? text.replace(/^\{\/\*.*?\*\//, '{').replace('"Name":', '"name":') : text)
  } catch {
    return { refused: 'The body is not JSON.' }
  }
  if (!(body instanceof Map)) return { refused: 'The body is not an object.' }
  const name = body.get('name')
  if (typeof name !== 'string') return { refused: 'name is required and is a string.' }
  const number = body.get('categoryId')
  const categoryId = number instanceof JsonNumber ? toInt64(number) : undefined
  if (categoryId === undefined) return { refused: 'categoryId is required and is an integer (int64).' }
  const status = body.get('status')
  if (status !== undefined && !isPetStatus(status)) return { refused: 'status is available, pending or sold.' }
  const extras = new Map([...body].filter(([key]) => !['id', 'name', 'categoryId', 'status'].includes(key)))
  return { name, categoryId, ...(status !== undefined && { status }), sentId: body.has('id'), extras }
}
