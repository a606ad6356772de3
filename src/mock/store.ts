import { UsageError } from '../errors.ts'
import type { Int64, ExactNewPet, PetStatus } from '../spec/types.ts'
import { type Base, givenBase } from './base.ts'
import { Ids } from './ids.ts'
import type { PetFormat, StoredPet } from './pet-text.ts'
import { bytesOf, type Change, type Entry, type StoreState } from './store-state.ts'

/** Texts of pets of the base that are kept. Making one again costs less than a microsecond. */
const textsKept = 5_000

/**
 * The pets of a catalogue, in the order of creation.
 *
 * Each has a position. The first positions belong to the pets of the base, which are made when they are touched, so that
 * a million of them cost nothing; `#changed` holds those that are no longer as they were. Pets added later follow.
 */
export class Store {
  readonly #start: Base
  #base: Base
  #format: PetFormat
  readonly #changed = new Map<number, Entry | undefined>()
  readonly #texts = new Map<number, Entry>()
  #added: (Entry | undefined)[] = []
  #firstAddedId = 1
  /** Positions of pets whose id does not tell it. */
  readonly #strays = new Map<Int64, number>()
  readonly #ids = new Ids()
  readonly #isOfBase = (id: Int64): boolean => this.#base.positionOf(id) !== undefined
  #removed = 0
  /** The names and the categories of all pets, while they are known. */
  #names: Set<string> | undefined
  #categories: Set<Int64> | undefined

  /** Counts whatever may change a list besides a new pet at its end. */
  epoch = 0
  /** Told of each change. */
  onChange: ((change: Change) => void) | undefined
  /** About how many bytes the pets take beside those at the start. */
  bytes = 0

  constructor(options: { base: Base; format: PetFormat }) {
    this.#start = options.base
    this.#base = options.base
    this.#format = options.format
    this.reset()
  }

  /** Back to the pets at the start; ids start again behind them. */
  reset(): void {
    this.replace(this.#start)
  }

  /** Other pets in the place of all. Ids start again behind them. */
  replace(base: Base): void {
    this.#empty(base, base.nextId)
    this.#ids.startAt(base.nextId)
    this.#announce({ kind: 'replaced' })
  }

  /** Removes all pets. Their ids stay used. */
  clear(): void {
    for (const id of this.#base.highIds) this.reserve(id)
    this.#empty(noPets, this.#ids.next)
    this.#announce({ kind: 'replaced' })
  }

  /** What there is now, to come back to. */
  save(): StoreState {
    return {
      base: this.#base,
      format: this.#format,
      changed: new Map(this.#changed),
      added: this.#added.slice(),
      firstAddedId: this.#firstAddedId,
      strays: new Map(this.#strays),
      ids: this.#ids.save(),
      removed: this.#removed,
      bytes: this.bytes,
    }
  }

  /** Back to what there was, ids that will be assigned included. */
  restore(state: StoreState): void {
    this.#empty(state.base, state.firstAddedId)
    for (const [position, entry] of state.changed) this.#changed.set(position, entry)
    this.#added = state.added.slice()
    for (const [id, position] of state.strays) this.#strays.set(id, position)
    this.#ids.restore(state.ids)
    this.#removed = state.removed
    this.bytes = state.bytes
    if (state.format !== this.#format) this.#printAgain(state.format)
    this.#announce({ kind: 'replaced' })
  }

  /** From now on, pets are written so, those that are kept included. */
  writeAs(format: PetFormat): void {
    if (format === this.#format) return
    const before = this.#format
    this.#format = format
    this.#printAgain(before)
    this.#announce({ kind: 'replaced' })
  }

  /** A pet as this store writes it. */
  print(pet: StoredPet): string {
    return this.#format.print(pet)
  }

  /** The pet that a text of this store shows. */
  parse(text: string): StoredPet {
    return this.#format.parse(text)
  }

  /** Forgets what can be made again. */
  forgetTexts(): void {
    this.#texts.clear()
    this.#forgetCensus()
  }

  /** Positions in use, those of removed pets included. */
  get length(): number {
    return this.#base.length + this.#added.length
  }

  /** The number of pets. */
  get size(): number {
    return this.length - this.#removed
  }

  /** The pet at a position, or undefined when it was removed. */
  at(position: number): Entry | undefined {
    if (position >= this.#base.length) return this.#added[position - this.#base.length]
    if (this.#changed.size > 0 && this.#changed.has(position)) return this.#changed.get(position)
    return this.#baseEntry(position)
  }

  /** Whether the pet at a position is there and has the status; of a pet of the base it is known without its text. */
  matches(position: number, status: PetStatus | undefined): boolean {
    if (position >= this.#base.length || (this.#changed.size > 0 && this.#changed.has(position))) {
      const entry = this.at(position)
      return entry !== undefined && (status === undefined || entry.status === status)
    }
    return status === undefined || this.#base.status(position) === status
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
    return text === undefined ? undefined : this.parse(text)
  }

  /** All pets, in the order of creation. */
  *pets(): Generator<StoredPet> {
    for (let position = 0; position < this.length; position += 1) {
      const pristine = position < this.#base.length && !this.#changed.has(position)
      if (pristine) yield this.#base.pet(position)
      else {
        const entry = this.at(position)
        if (entry !== undefined) yield this.parse(entry.text)
      }
    }
  }

  /** Whether some pet has this name. */
  hasName(name: string): boolean {
    this.#names ??= new Set(Array.from(this.pets(), (pet) => pet.name))
    return this.#names.has(name)
  }

  /** Whether some pet has this category. */
  hasCategory(categoryId: Int64): boolean {
    this.#categories ??= new Set(this.#categoryIds())
    return this.#categories.has(categoryId)
  }

  /** Never assigns this id, which somebody is about to use. */
  reserve(id: Int64): void {
    this.#ids.reserve(id)
  }

  /** The next id that was never in use. */
  assignId(): Int64 {
    return this.#ids.assign(this.#isOfBase)
  }

  /** Adds a pet with an id of the store. */
  create({ name, categoryId, status }: ExactNewPet): Entry {
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
    this.bytes += bytesOf(entry)
    const position = this.#base.length + index
    if (this.#positionOf(pet.id) !== position) this.#strays.set(pet.id, position)
    this.#ids.reserve(pet.id)
    this.#names?.add(pet.name)
    this.#categories?.add(pet.categoryId)
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

  #empty(base: Base, firstAddedId: number): void {
    if (base !== this.#base) this.#texts.clear()
    this.#base = base
    this.#changed.clear()
    this.#strays.clear()
    this.#added = []
    this.#firstAddedId = firstAddedId
    this.#removed = 0
    // The pets at the start may be shared with other stores, and are there anyway.
    this.bytes = base === this.#start ? 0 : base.bytes
  }

  #announce(change: Change): void {
    this.epoch += 1
    this.#forgetCensus()
    this.onChange?.(change)
  }

  #refuseTaken(id: Int64): void {
    if (this.has(id)) throw new UsageError(`There is a pet with the id ${id} already.`)
  }

  #positionOf(id: Int64): number | undefined {
    const first = this.#base.positionOf(id)
    if (first !== undefined) {
      if (this.#changed.size === 0 || !this.#changed.has(first)) return first
      if (this.#changed.get(first)?.id === id) return first
    } else if (typeof id === 'number') {
      const index = id - this.#firstAddedId
      if (this.#added[index]?.id === id) return this.#base.length + index
    }
    return this.#strays.size === 0 ? undefined : this.#strays.get(id)
  }

  /** Of a pet of the base it is known without making the pet. */
  *#categoryIds(): Generator<Int64> {
    for (let position = 0; position < this.#base.length; position += 1) {
      if (!this.#changed.has(position)) yield this.#base.categoryId(position)
    }
    for (const entry of [...this.#changed.values(), ...this.#added]) {
      if (entry !== undefined) yield this.parse(entry.text).categoryId
    }
  }

  #forgetCensus(): void {
    this.#names = undefined
    this.#categories = undefined
  }

  #put(position: number, entry: Entry | undefined): void {
    const index = position - this.#base.length
    this.bytes += bytesOf(entry) - bytesOf(index < 0 ? this.#changed.get(position) : this.#added[index])
    if (index < 0) this.#changed.set(position, entry)
    else this.#added[index] = entry
  }

  #entryOf(pet: StoredPet): Entry {
    return { id: pet.id, status: pet.status, text: this.print(pet) }
  }

  #baseEntry(position: number): Entry {
    const kept = this.#texts.get(position)
    if (kept !== undefined) return kept
    const entry = this.#entryOf(this.#base.pet(position))
    if (this.#texts.size >= textsKept) this.#texts.clear()
    this.#texts.set(position, entry)
    return entry
  }

  #printAgain(before: PetFormat): void {
    this.#texts.clear()
    const again = (entry: Entry | undefined): Entry | undefined => {
      const printed = entry && this.#entryOf(before.parse(entry.text))
      this.bytes += bytesOf(printed) - bytesOf(entry)
      return printed
    }
    for (const [position, entry] of this.#changed) this.#changed.set(position, again(entry))
    this.#added = this.#added.map(again)
  }
}

const noPets = givenBase([])
