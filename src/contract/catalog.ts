import type { ExactPet, Int64, PetStatus } from '../spec/types.ts'
import type { Exchange } from './exchange.ts'
import { NotVerified } from './findings.ts'

/** One response that showed a pet. */
export interface Sighting {
  pet: ExactPet
  exchange: Exchange
  /** Where in the body it stands. */
  pointer: string
}

/** A list that the target returned. */
export interface PetList {
  exchange: Exchange
  /** The elements that are Pets. */
  pets: ExactPet[]
  /** All elements. */
  length: number
  /** The limit that was sent, 20 when none was. */
  atMost: number
  status: PetStatus | undefined
  /** Whether it shows every pet that matches, because it is not full. */
  complete: boolean
}

/** A pet that this run has created. */
export interface Created {
  /** What createPet returned. */
  pet: ExactPet
  exchange: Exchange
  /** Milliseconds since the start of the run, when the response was there. */
  at: number
  /** Whether a read has shown it as it was created. */
  wasRead: boolean
}

/** Everything that the responses of one run have shown of the pets. */
export class Catalog {
  readonly #sightings = new Map<string, Sighting[]>()
  /** The first of each pet, kept apart because checks go through them all the time. */
  readonly #first: Sighting[] = []

  /** Takes in the pets of one response. */
  see(pets: readonly ExactPet[], exchange: Exchange): void {
    for (const [index, pet] of pets.entries()) {
      const sighting = { pet, exchange, pointer: exchange.operation === 'listPets' ? `/${index}` : '' }
      const known = this.#sightings.get(String(pet.id))
      if (known === undefined) {
        this.#sightings.set(String(pet.id), [sighting])
        this.#first.push(sighting)
      } else if (known.every((one) => !samePet(one.pet, pet))) this.#sightings.set(String(pet.id), [...known, sighting])
    }
  }

  /** The first sighting of each pet, of one status or of all. */
  first(status?: PetStatus): readonly Sighting[] {
    return status === undefined ? this.#first : this.#first.filter(({ pet }) => pet.status === status)
  }

  /** How many different pets responses had shown before a moment of the run, of one status or of all. */
  count(status?: PetStatus, before = Infinity): number {
    return this.first(status).filter(({ exchange }) => exchange.sentAt + exchange.durationMs <= before).length
  }

  /** Demands that there are so many pets. */
  atLeast(count: number): void {
    const found = this.count()
    if (found < count) throw new NotVerified(`the catalog shows ${found} pets; ${count} are needed`)
  }

  /** The statuses that pets were seen to have; `undefined` stands for a pet without status. */
  statuses(): Set<PetStatus | undefined> {
    return new Set(this.first().map(({ pet }) => pet.status))
  }

  /** The different sightings of each pet. */
  all(): readonly (readonly Sighting[])[] {
    return [...this.#sightings.values()]
  }

  /** All the different sightings of one pet, the first one first. */
  of(id: Int64 | string): readonly Sighting[] {
    return this.#sightings.get(String(id)) ?? []
  }

  /** Pets that two responses show differently. */
  contradictions(): [Sighting, Sighting][] {
    return this.all().flatMap(([first, other]) => (first && other ? [[first, other] as [Sighting, Sighting]] : []))
  }
}

/** Whether two Pets have the same four fields. */
export const samePet = (a: ExactPet, b: ExactPet): boolean =>
  a.id === b.id && a.name === b.name && a.categoryId === b.categoryId && a.status === b.status

const fieldsOf = ({ id, name, categoryId, status }: ExactPet): Partial<ExactPet> =>
  ({ id, name, categoryId, status }) as Partial<ExactPet>

/** The fields in which two Pets differ, in words. */
export const changes = (before: ExactPet, after: ExactPet): string | undefined => difference(fieldsOf(before), after)

/** The fields in which a Pet differs from what was wanted, in words: `status "sold" instead of "pending"`. */
export function difference(wanted: Partial<ExactPet>, found: ExactPet): string | undefined {
  const parts = (Object.keys(wanted) as (keyof ExactPet)[])
    .filter((name) => wanted[name] !== found[name])
    .map((name) => `${name} ${showField(found[name])} instead of ${showField(wanted[name])}`)
  return parts.length === 0 ? undefined : parts.join(', ')
}

/** A field of a Pet as JSON shows it, or `absent`. */
export function showField(value: Int64 | string | undefined): string {
  if (value === undefined) return 'absent'
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}
