import { UsageError } from '../errors.ts'
import type { JsonValue } from '../json.ts'
import type { Int64, ExactPet } from '../spec/types.ts'
import { copyJson } from './json-copy.ts'
import { petSchema } from './pet-schema.ts'
import type { StoredPet } from './pet-text.ts'

/** Issues after which a list is judged no further; whoever made more made the same one often. */
const mostIssues = 20

/** One mistake in a list of pets. */
export interface PetMistake {
  /** A JSON pointer into the list: `/3/categoryId`. */
  pointer: string
  message: string
}

/** Pets that somebody gave, or what is wrong with them. */
export function checkPets(pets: unknown): { pets: StoredPet[] } | { mistakes: PetMistake[] } {
  if (!Array.isArray(pets)) return { mistakes: [{ pointer: '', message: 'The pets must be an array.' }] }
  const read: StoredPet[] = []
  const mistakes: PetMistake[] = []
  const seen = new Map<Int64, number>()
  for (const [index, value] of pets.entries()) {
    if (mistakes.length >= mostIssues) {
      mistakes.push({ pointer: '', message: `The pets from /${index} on were not looked at.` })
      break
    }
    const result = petSchema['~standard'].validate(value)
    if ('issues' in result) {
      for (const { message, path } of result.issues) mistakes.push({ pointer: ['', index, ...path].join('/'), message })
      continue
    }
    const pet = toStored(result.value)
    if (pet === undefined) {
      mistakes.push({ pointer: `/${index}`, message: 'Further members must be JSON, of at most 100 levels.' })
      continue
    }
    const earlier = seen.get(pet.id)
    if (earlier !== undefined) {
      mistakes.push({ pointer: `/${index}/id`, message: `The id ${pet.id} is that of pet /${earlier}, too.` })
    }
    seen.set(pet.id, index)
    read.push(pet)
  }
  return mistakes.length > 0 ? { mistakes } : { pets: read }
}

/** @throws {UsageError} that tells every mistake with its JSON pointer. */
export function readPets(pets: unknown): StoredPet[] {
  const checked = checkPets(pets)
  if ('pets' in checked) return checked.pets
  throw new UsageError(checked.mistakes.map(({ pointer, message }) => `${pointer || 'data'}: ${message}`).join('\n'))
}

export function toPet({ others, status, ...members }: StoredPet): ExactPet {
  return { ...members, ...(status !== undefined && { status }), ...others }
}

/** Undefined when its further members are no JSON. */
function toStored({ id, name, categoryId, status, ...others }: ExactPet): StoredPet | undefined {
  const pet: StoredPet = { id, name, categoryId, status }
  const copy = copyJson(others)
  if (copy === undefined) return undefined
  if (Object.keys(copy as object).length > 0) pet.others = copy as Record<string, JsonValue>
  return pet
}
