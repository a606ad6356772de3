import { UsageError } from '../errors.ts'
import type { Int64, NewPet, PetStatus } from '../spec/types.ts'
import { parsePet, type PrintPet, type StoredPet } from './pet-text.ts'
import type { Seed } from './seed.ts'

/** A pet as it is kept: its text is made once. */
export interface Entry {
  readonly id: Int64
  readonly status: PetStatus | undefined
  readonly text: string
}

/** What happened to the pets, for whoever keeps a picture of them. */
export type Change =
  | { kind: 'inserted'; pet: StoredPet }
  | { kind: 'updated'; id: Int64; pet: StoredPet }
  | { kind: 'removed'; id: Int64 }
  | { kind: 'replaced' }

/** Texts of seeded pets that are kept. Making one again costs less than a microsecond. */
const textsKept = 5_000

/**
 * The pets of a catalogue, in the order of creation.
 *
 * Each has a position. The first positions belong to seeded pets, which are made when they are touched, so that a
 * million of them cost nothing; `#changed` holds those that are no longer as they were seeded. Pets added later follow.
 */
export class Store {
  readonly #seed: Seed
  readonly #seededAtStart: number
  readonly print: PrintPet
  #seeded = 0
  readonly #changed = new Map<number, Entry | undefined>()
  readonly #texts = new Map<number, Entry>()
  #added: (Entry | undefined)[] = []
  #firstAddedId = 1
  /** Positions of pets whose id does not tell it. */
  readonly #strays = new Map<Int64, number>()
  /** Ids that somebody chose before they were assigned: an assigned id is never one that was in use. */
  readonly #chosenIds = new Set<Int64>()
  #nextId = 1
  #removed = 0

  /** Counts whatever may change a list besides a new pet at its end. */
  epoch = 0
  /** Told of each change. */
  onChange: ((change: Change) => void) | undefined

  constructor(options: { seed: Seed; seeded: number; print: PrintPet }) {
    this.#seed = options.seed
    this.#seededAtStart = options.seeded
    this.print = options.print
    this.reset()
  }

  /** Back to the seeded pets; ids start again behind them. */
  reset(): void {
    this.#empty(this.#seededAtStart, this.#seededAtStart + 1)
    this.#chosenIds.clear()
    this.#nextId = this.#firstAddedId
    this.#announce({ kind: 'replaced' })
  }

  /** Removes all pets. Their ids stay used. */
  clear(): void {
    this.#empty(0, this.#nextId)
    this.#announce({ kind: 'replaced' })
  }

  /** Positions in use, those of removed pets included. */
  get length(): number {
    return this.#seeded + this.#added.length
  }

  /** The number of pets. */
  get size(): number {
    return this.length - this.#removed
  }

  /** The pet at a position, or undefined when it was removed. */
  at(position: number): Entry | undefined {
    if (position >= this.#seeded) return this.#added[position - this.#seeded]
    if (this.#changed.size > 0 && this.#changed.has(position)) return this.#changed.get(position)
    return this.#seededEntry(position)
  }

  /** Whether the pet at a position is there and has the status; of a seeded pet it is known without its text. */
  matches(position: number, status: PetStatus | undefined): boolean {
    if (position >= this.#seeded || (this.#changed.size > 0 && this.#changed.has(position))) {
      const entry = this.at(position)
      return entry !== undefined && (status === undefined || entry.status === status)
    }
    return status === undefined || this.#seed.status(position + 1) === status
  }

  /** The text of the pet with this id. */
  text(id: Int64): string | undefined {
    const position = this.#positionOf(id)
    return position === undefined ? undefined : this.at(position)?.text
  }

  has(id: Int64): boolean {
    return this.#positionOf(id) !== undefined
  }

  /** The pet with this id. */
  pet(id: Int64): StoredPet | undefined {
    const text = this.text(id)
    return text === undefined ? undefined : parsePet(text)
  }

  /** All pets, in the order of creation. */
  *pets(): Generator<StoredPet> {
    for (let position = 0; position < this.length; position += 1) {
      const pristine = position < this.#seeded && !this.#changed.has(position)
      if (pristine) yield this.#seed.pet(position + 1)
      else {
        const entry = this.at(position)
        if (entry !== undefined) yield parsePet(entry.text)
      }
    }
  }

  /** Whether some pet has this category. */
  hasCategory(categoryId: Int64): boolean {
    for (let position = 0; position < this.#seeded; position += 1) {
      if (!this.#changed.has(position) && this.#seed.categoryId(position + 1) === categoryId) return true
    }
    const others = [...this.#changed.values(), ...this.#added]
    return others.some((entry) => entry !== undefined && parsePet(entry.text).categoryId === categoryId)
  }

  /** Never assigns this id, which somebody is about to use. */
  reserve(id: Int64): void {
    if (id >= this.#nextId) this.#chosenIds.add(id)
  }

  /** The next id that was never in use. */
  assignId(): Int64 {
    while (this.#chosenIds.has(this.#nextId)) this.#nextId += 1
    const id = this.#nextId
    this.#nextId += 1
    return id
  }

  /** Adds a pet with an id of the store. */
  create({ name, categoryId, status }: NewPet): Entry {
    return this.insert({ id: this.assignId(), name, categoryId, status })
  }

  /**
   * Adds a pet at the end.
   *
   * @throws {UsageError} when a pet has its id.
   */
  insert(pet: StoredPet): Entry {
    this.#refuseTaken(pet.id)
    const entry = this.#entryOf(pet)
    const index = this.#added.length
    this.#added.push(entry)
    if (pet.id !== this.#firstAddedId + index) this.#strays.set(pet.id, this.#seeded + index)
    this.reserve(pet.id)
    this.onChange?.({ kind: 'inserted', pet })
    return entry
  }

  /**
   * Puts another pet in the place of the one with this id. Nothing happens when there is none.
   *
   * @throws {UsageError} when the pet has another id, which some other pet has.
   */
  update(id: Int64, pet: StoredPet): void {
    const position = this.#positionOf(id)
    if (position === undefined) return
    if (pet.id !== id) this.#refuseTaken(pet.id)
    this.#strays.delete(id)
    this.#put(position, this.#entryOf(pet))
    if (this.#positionOf(pet.id) !== position) this.#strays.set(pet.id, position)
    this.reserve(pet.id)
    this.#announce({ kind: 'updated', id, pet })
  }

  /** Removes the pet with this id, and tells whether there was one. */
  remove(id: Int64): boolean {
    const position = this.#positionOf(id)
    if (position === undefined) return false
    this.#strays.delete(id)
    this.#put(position, undefined)
    this.#removed += 1
    this.#announce({ kind: 'removed', id })
    return true
  }

  #empty(seeded: number, firstAddedId: number): void {
    this.#seeded = seeded
    this.#changed.clear()
    this.#strays.clear()
    this.#added = []
    this.#firstAddedId = firstAddedId
    this.#removed = 0
  }

  #announce(change: Change): void {
    this.epoch += 1
    this.onChange?.(change)
  }

  #refuseTaken(id: Int64): void {
    if (this.has(id)) throw new UsageError(`There is a pet with the id ${id} already.`)
  }

  #positionOf(id: Int64): number | undefined {
    if (typeof id === 'number') {
      if (id >= 1 && id <= this.#seeded) {
        if (this.#changed.size === 0 || !this.#changed.has(id - 1)) return id - 1
        if (this.#changed.get(id - 1)?.id === id) return id - 1
      } else {
        const index = id - this.#firstAddedId
        if (this.#added[index]?.id === id) return this.#seeded + index
      }
    }
    return this.#strays.get(id)
  }

  #put(position: number, entry: Entry | undefined): void {
    if (position < this.#seeded) this.#changed.set(position, entry)
    else this.#added[position - this.#seeded] = entry
  }

  #entryOf(pet: StoredPet): Entry {
    return { id: pet.id, status: pet.status, text: this.print(pet) }
  }

  #seededEntry(position: number): Entry {
    const kept = this.#texts.get(position)
    if (kept !== undefined) return kept
    const entry = this.#entryOf(this.#seed.pet(position + 1))
    if (this.#texts.size >= textsKept) this.#texts.clear()
    this.#texts.set(position, entry)
    return entry
  }
}
