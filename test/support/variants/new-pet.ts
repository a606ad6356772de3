import { JsonNumber, readJson, toInt64, type Json } from './exact-json.ts'

export type PetStatus = 'available' | 'pending' | 'sold'

export const petStatuses: readonly PetStatus[] = ['available', 'pending', 'sold']

/** A valid NewPet body. */
export interface NewPet {
  name: string
  categoryId: bigint
  status?: PetStatus
  /** Whether the body has an `id`. */
  sentId: boolean
  /** Unknown fields, without `id`. */
  extras: Map<string, Json>
}

/** The reason why a body must be rejected with 400. */
export interface Rejected {
  rejected: string
}

export const isPetStatus = (value: unknown): value is PetStatus =>
  petStatuses.some((status) => status === value)

/**
 * "400: Error body, when the body is missing required fields or holds invalid values."
 *
 * @param isLenient like the parsers of Ruby, which skip comments, and of Go, which match `Name` with `name`
 */
export function readNewPet(bytes: Uint8Array, isLenient = false): NewPet | Rejected {
  if (bytes.length === 0) return { rejected: 'The body is missing.' }
  let body: Json
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    body = readJson(
      isLenient ? text.replace(/^\{\/\*.*?\*\//, '{').replace('"Name":', '"name":') : text,
    )
  } catch {
    return { rejected: 'The body is not JSON.' }
  }
  if (!(body instanceof Map)) return { rejected: 'The body is not an object.' }
  const name = body.get('name')
  if (typeof name !== 'string') return { rejected: 'name is required and is a string.' }
  const number = body.get('categoryId')
  const categoryId = number instanceof JsonNumber ? toInt64(number) : undefined
  if (categoryId === undefined)
    return { rejected: 'categoryId is required and is an integer (int64).' }
  const status = body.get('status')
  if (status !== undefined && !isPetStatus(status))
    return { rejected: 'status is available, pending or sold.' }
  const extras = new Map(
    [...body].filter(([key]) => !['id', 'name', 'categoryId', 'status'].includes(key)),
  )
  return {
    name,
    categoryId,
    ...(status !== undefined && { status }),
    sentId: body.has('id'),
    extras,
  }
}
