import type { Int64, ExactPet, PetStatus } from '../spec/types.ts'
import type { Exchange } from './exchange.ts'

/** One answer that showed a pet. */
export interface Sighting {
  pet: ExactPet
  exchange: Exchange
  /** Where in the body it stands. */
  pointer: string
}

/** Everything that the answers of one run have shown of the pets. */
export class Catalogue {
  readonly #sightings = new Map<string, Sighting[]>()

  /** Takes in the pets of one answer. */
  see(pets: readonly ExactPet[], exchange: Exchange): void {
    for (const [index, pet] of pets.entries()) {
      const pointer = exchange.operation === 'listPets' ? `/${index}` : ''
      const known = this.#sightings.get(String(pet.id)) ?? []
      if (known.every((sighting) => !samePet(sighting.pet, pet))) known.push({ pet, exchange, pointer })
      this.#sightings.set(String(pet.id), known)
    }
  }

  /** The first sighting of each pet, of one status or of all. */
  first(status?: PetStatus): Sighting[] {
    return [...this.#sightings.values()]
      .map(([sighting]) => sighting as Sighting)
      .filter(({ pet }) => status === undefined || pet.status === status)
  }

  /** How many different pets answers had shown before a moment of the run, of one status or of all. */
  count(status?: PetStatus, before = Infinity): number {
    return this.first(status).filter(({ exchange }) => exchange.sentAt + exchange.durationMs <= before).length
  }

  /** The statuses that pets were seen to have; `undefined` stands for a pet without status. */
  statuses(): Set<PetStatus | undefined> {
    return new Set(this.first().map(({ pet }) => pet.status))
  }

  /** When a pet was first seen, in milliseconds of the run. */
  seenSince(id: Int64 | string): number | undefined {
    return this.#sightings.get(String(id))?.[0]?.exchange.sentAt
  }

  /** The different sightings of each pet. */
  all(): readonly (readonly Sighting[])[] {
    return [...this.#sightings.values()]
  }

  /** All the different sightings of one pet. */
  of(id: Int64 | string): readonly Sighting[] {
    return this.#sightings.get(String(id)) ?? []
  }

  /** Pets that two answers show differently. */
  contradictions(): [Sighting, Sighting][] {
    return [...this.#sightings.values()].flatMap((sightings) => {
      const [first] = sightings
      const other = first && sightings.find((sighting) => !samePet(sighting.pet, first.pet))
      return first && other ? [[first, other] as [Sighting, Sighting]] : []
    })
  }
}

/** Whether two Pets have the same four fields. */
export function samePet(a: ExactPet, b: ExactPet): boolean {
  return a.id === b.id && a.name === b.name && a.categoryId === b.categoryId && a.status === b.status
}

/** The fields in which a Pet differs from what was wanted, in words: `status "sold" instead of "pending"`. */
export function difference(wanted: Partial<ExactPet>, found: ExactPet): string | undefined {
  const names = (['id', 'name', 'categoryId', 'status'] as const).filter((name) => Object.hasOwn(wanted, name))
  return inWords(names, wanted, found)
}

/** The fields in which two Pets differ, in words. */
export function changes(before: ExactPet, after: ExactPet): string | undefined {
  return inWords(['id', 'name', 'categoryId', 'status'], before, after)
}

function inWords(names: readonly (keyof ExactPet)[], wanted: Partial<ExactPet>, found: ExactPet): string | undefined {
  const parts = names
    .filter((name) => wanted[name] !== found[name])
    .map((name) => `${name} ${showField(found[name])} instead of ${showField(wanted[name])}`)
  return parts.length === 0 ? undefined : parts.join(', ')
}

/** A field of a Pet as JSON shows it, or `absent`. */
export function showField(value: Int64 | string | undefined): string {
  if (value === undefined) return 'absent'
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}
