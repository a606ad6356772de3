import { UsageError } from '../errors.ts'
import type { Int64, PetStatus } from '../spec/types.ts'
import { printPet, type PrintPet, type StoredPet } from './pet-text.ts'

/** A pet and its text, which is made when it is first shown. Pets are never changed, only replaced. */
interface Entry {
  readonly pet: StoredPet
  text: string | undefined
}

/** What happened to the pets, for whoever keeps a picture of them. */
export type Change =
  | { kind: 'inserted'; pet: StoredPet }
  | { kind: 'updated'; id: Int64; pet: StoredPet }
  | { kind: 'removed'; id: Int64 }
  | { kind: 'replaced' }

/** What a store holds, as a plain value. */
export interface StoreState {
  /** In the order of creation. */
  readonly pets: readonly StoredPet[]
  /** The id that is assigned next, unless somebody chose it before. */
  readonly nextId: number
  /** Ids from there on that were in use. */
  readonly chosen: readonly Int64[]
}

/** Beyond this, ids are assigned from the number of pets on: counting on would soon leave the safe integers. */
const highestFollowed = 2 ** 52
/** Bytes that a pet takes beside its texts. */
const petBytes = 200

/** The pets of a sandbox, in the order of creation. Ids are 1, 2, 3 and so on, never one that was in use. */
export class Store {
  #entries = new Map<Int64, Entry>()
  /** The pets with a status and all of them, while they are known. New ones are added. */
  readonly #lists = new Map<PetStatus | undefined, Entry[]>()
  #names: Set<string> | undefined
  #categories: Set<Int64> | undefined
  #nextId = 1
  /** Ids that somebody chose before they were assigned. */
  #chosen = new Set<Int64>()
  #print: PrintPet

  /** Counts whatever may change a list besides a new pet at its end. */
  epoch = 0
  /** Called at each change. */
  onChange: ((change: Change) => void) | undefined
  /** About how many bytes the pets take. */
  bytes = 0

  constructor(pets: readonly StoredPet[], print: PrintPet) {
    this.#print = print
    this.replace(pets)
  }

  /** Other pets in the place of all. Ids start again behind them. */
  replace(pets: readonly StoredPet[]): void {
    let highest = 0
    for (const { id } of pets) if (typeof id === 'number' && id <= highestFollowed && id > highest) highest = id
    this.restore({ pets, nextId: highest + 1, chosen: pets.map(({ id }) => id).filter((id) => id > highest) })
  }

  /** Removes all pets. Their ids stay used. */
  clear(): void {
    this.restore({ ...this.save(), pets: [] })
  }

  save(): StoreState {
    return { pets: [...this.pets()], nextId: this.#nextId, chosen: [...this.#chosen] }
  }

  restore({ pets, nextId, chosen }: StoreState): void {
    this.#entries = new Map()
    this.bytes = 0
    for (const pet of pets) {
      this.#entries.set(pet.id, { pet, text: undefined })
      this.bytes += bytesOf(pet)
    }
    this.#nextId = nextId
    this.#chosen = new Set(chosen)
    this.#announce({ kind: 'replaced' })
  }

  /** From now on, pets are written so. */
  writeAs(print: PrintPet): void {
    if (print === this.#print) return
    this.#print = print
    this.forgetTexts()
    this.epoch += 1
  }

  /** Forgets what can be made again. */
  forgetTexts(): void {
    for (const entry of this.#entries.values()) entry.text = undefined
    this.#forgetLists()
  }

  /** The number of pets. */
  get size(): number {
    return this.#entries.size
  }

  /** All pets, in the order of creation. */
  *pets(): Generator<StoredPet> {
    for (const { pet } of this.#entries.values()) yield pet
  }

  /** The pets with a status, or all, in the order of creation. It is not to be changed. */
  list(status: PetStatus | undefined): readonly { readonly pet: StoredPet }[] {
    let list = this.#lists.get(status)
    if (list === undefined) {
      list = [...this.#entries.values()]
      if (status !== undefined) list = list.filter(({ pet }) => pet.status === status)
      this.#lists.set(status, list)
    }
    return list
  }

  has(id: Int64): boolean {
    return this.#entries.has(id)
  }

  pet(id: Int64): StoredPet | undefined {
    return this.#entries.get(id)?.pet
  }

  /** The text of the pet with this id. */
  text(id: Int64): string | undefined {
    const entry = this.#entries.get(id)
    return entry && (entry.text ??= this.#print(entry.pet))
  }

  /** A pet as this store writes it. */
  print(pet: StoredPet): string {
    return this.#print(pet)
  }

  hasName(name: string): boolean {
    this.#names ??= new Set(Array.from(this.pets(), (pet) => pet.name))
    return this.#names.has(name)
  }

  hasCategory(categoryId: Int64): boolean {
    this.#categories ??= new Set(Array.from(this.pets(), (pet) => pet.categoryId))
    return this.#categories.has(categoryId)
  }

  /** Never assigns this id, which somebody is about to use. */
  reserve(id: Int64): void {
    if (id >= this.#nextId) this.#chosen.add(id)
  }

  /** The next id that was never in use. */
  assignId(): number {
    while (this.#chosen.delete(this.#nextId)) this.#nextId += 1
    this.#nextId += 1
    return this.#nextId - 1
  }

  /**
   * Adds a pet at the end.
   *
   * @throws {UsageError} when a pet has its id.
   */
  insert(pet: StoredPet): void {
    this.#refuseTaken(pet.id)
    const entry: Entry = { pet, text: undefined }
    this.#entries.set(pet.id, entry)
    this.reserve(pet.id)
    this.bytes += bytesOf(pet)
    this.#lists.get(undefined)?.push(entry)
    if (pet.status !== undefined) this.#lists.get(pet.status)?.push(entry)
    this.#names?.add(pet.name)
    this.#categories?.add(pet.categoryId)
    this.onChange?.({ kind: 'inserted', pet })
  }

  /**
   * Puts another pet in the place of the one with this id. Nothing happens when there is none.
   *
   * @throws {UsageError} when the pet has another id, which some other pet has.
   */
  update(id: Int64, pet: StoredPet): void {
    const before = this.#entries.get(id)
    if (before === undefined) return
    const entry: Entry = { pet, text: undefined }
    if (pet.id === id) this.#entries.set(id, entry)
    else {
      this.#refuseTaken(pet.id)
      this.#entries = new Map(Array.from(this.#entries, (one) => (one[0] === id ? [pet.id, entry] : one)))
    }
    this.reserve(pet.id)
    this.bytes += bytesOf(pet) - bytesOf(before.pet)
    this.#announce({ kind: 'updated', id, pet })
  }

  /** Removes the pet with this id, and returns whether there was one. */
  remove(id: Int64): boolean {
    const before = this.#entries.get(id)
    if (before === undefined) return false
    this.#entries.delete(id)
    this.bytes -= bytesOf(before.pet)
    this.#announce({ kind: 'removed', id })
    return true
  }

  #refuseTaken(id: Int64): void {
    if (this.has(id)) throw new UsageError(`There is a pet with the id ${id} already.`)
  }

  #announce(change: Change): void {
    this.epoch += 1
    this.#forgetLists()
    this.onChange?.(change)
  }

  #forgetLists(): void {
    this.#lists.clear()
    this.#names = undefined
    this.#categories = undefined
  }
}

function bytesOf({ name, others }: StoredPet): number {
  return petBytes + name.length + (others === undefined ? 0 : printPet({ ...noPet, others }).length)
}

const noPet: StoredPet = { id: 0, name: '', categoryId: 0, status: undefined }
