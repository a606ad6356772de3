import { type JsonValue, parseJson, printJson } from '../json.ts'
import type { Int64, PetStatus } from '../spec/types.ts'

/** A pet as the store takes it. */
export interface StoredPet {
  id: Int64
  name: string
  categoryId: Int64
  status: PetStatus | undefined
  /** Members beyond those of the specification, where the deployment stores them. */
  others?: Record<string, JsonValue>
}

/** Prints a pet as JSON: the four members of the specification in its order, then any others. */
export type PrintPet = (pet: StoredPet) => string

/** Prints a pet as it is. */
export function printPet(pet: StoredPet): string {
  const { id, name, categoryId, status, others } = pet
  // An own stringify would take three times as long.
  return others === undefined && typeof id === 'number' && typeof categoryId === 'number'
    ? JSON.stringify({ id, name, categoryId, status })
    : printJson({ id, name, categoryId, status, ...others })
}

/** Prints a pet with one member more than the specification has: the path at which it is found. */
export function printPetWithLink(basePath: string): PrintPet {
  return (pet) => printPet({ ...pet, others: { ...pet.others, href: `${basePath}/pets/${pet.id}` } })
}

/** The pet that a text of this file shows. */
export function parsePet(text: string): StoredPet {
  const { id, name, categoryId, status, ...others } = parseJson(text) as unknown as StoredPet
  const pet = { id, name, categoryId, status }
  for (const _ in others) return { ...pet, others }
  return pet
}
