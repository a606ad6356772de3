import { UsageError } from '../errors.ts'
import type { JsonValue } from '../json.ts'
import type { Int64, ExactPet } from '../spec/types.ts'
import { givenBase } from './base.ts'
import { copyJson } from './json-copy.ts'
import { isPetStatus } from './parameters.ts'
import { petSchema } from './pet-schema.ts'
import type { StoredPet } from './pet-text.ts'
import type { Catalogue } from './sandbox.ts'
import type { Store } from './store.ts'
import { told } from './told.ts'

/** Issues after which a list is judged no further; whoever made more made the same one often. */
const mostIssues = 20

/** The pets that were created and that reads do not show yet: those of a deployment whose reads lag behind. */
export interface Waiting {
  /** Shows them: they were confirmed, so that they are among the pets that somebody keeps or changes. */
  show: () => void
  /** Forgets them, with all other pets. */
  forget: () => void
}

/** What the control of a mock does with its pets. */
export function createCatalogue(store: Store, waiting: Waiting): Catalogue {
  return {
    get size() {
      return store.size
    },
    export() {
      waiting.show()
      return Array.from(store.pets(), toPet)
    },
    import(pets) {
      const base = givenBase(readPets(pets))
      waiting.forget()
      store.replace(base)
    },
    setStatus(id, status) {
      if (status !== undefined && !isPetStatus(status)) {
        throw new UsageError(`status must be one of available, pending, sold, and was ${told(status)}.`)
      }
      waiting.show()
      const pet = store.pet(id)
      if (pet !== undefined) store.update(id, { ...pet, status })
      return pet !== undefined
    },
    delete(id) {
      waiting.show()
      return store.remove(id)
    },
  }
}

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
function readPets(pets: unknown): StoredPet[] {
  const checked = checkPets(pets)
  if ('pets' in checked) return checked.pets
  throw new UsageError(checked.mistakes.map(({ pointer, message }) => `${pointer || 'data'}: ${message}`).join('\n'))
}

function toPet({ others, status, ...members }: StoredPet): ExactPet {
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
