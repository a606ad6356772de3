import { UsageError } from '../../errors.ts'
import type { Int64, PetStatus } from '../../spec/types.ts'
import { idSchemes } from './int64.ts'
import { bytesOfTexts, type StoredPet } from './pet.ts'

interface WaitingPet {
  readonly pet: StoredPet
  /** When it was created, by the stopwatch. */
  readonly since: number
}

/** A pet before and after a change. A new pet has no `before`, a removed one no `after`; neither: all were replaced. */
export interface PetChange {
  readonly before?: StoredPet
  readonly after?: StoredPet
}

export interface StoreState<Pets = readonly StoredPet[]> {
  readonly pets: Pets
  /** The count of the next id to assign, unless that id is in `chosen`. */
  readonly nextId: number
  /** Higher ids that were in use. */
  readonly chosen: readonly Int64[]
  readonly waiting: readonly WaitingPet[]
}

/** How long reads lag behind a creation with `create.visibility=delayed`. */
const lagMs = 250
/** New ids do not continue above a larger one: they would soon exceed the safe integers. */
const maxFollowedId = 2 ** 52
/** Changes that are recorded for the journal. A request makes fewer. */
const maxChanges = 10
/** No changes. */
export const none: readonly PetChange[] = []
/** The approximate size of a pet without its texts, and of an id that is not assigned. */
const petBytes = 200
const idBytes = 50

/** The pets of a sandbox in the order of creation. Pets are immutable. Ids are never assigned twice. */
export class Store {
  #known = new Map<Int64, StoredPet>()
  /** The latest pets, which are not in the map yet: adding to a large map takes a third of the time of a creation. */
  #latest: StoredPet[] = []
  /** Caches the pets with a status, and all pets. New pets are appended. */
  readonly #lists = new Map<PetStatus | undefined, StoredPet[]>()
  #nextId = 1
  readonly #toId: (count: number) => Int64
  #chosen = new Set<Int64>()

  /** Changes whenever the pets that reads show do. */
  version = 0
  onChange: ((change: PetChange) => void) | undefined
  bytes = 0
  /** The first changes since a request began, which empties them. */
  changes = none
  /** Pets that reads do not show yet. */
  waiting: WaitingPet[] = []

  constructor(pets: readonly StoredPet[], size: keyof typeof idSchemes) {
    this.#toId = idSchemes[size]
    this.replace(pets)
  }

  get #pets(): Map<Int64, StoredPet> {
    for (const pet of this.#latest) this.#known.set(pet.id, pet)
    if (this.#latest.length > 0) this.#latest = []
    return this.#known
  }

  /** Replaces all pets. New ids start above theirs. */
  replace(pets: readonly StoredPet[]): void {
    let highest = 0
    for (const { id } of pets)
      if (typeof id === 'number' && id <= maxFollowedId && id > highest) highest = id
    const chosen = pets.map(({ id }) => id).filter((id) => id > highest)
    this.restore({ pets, nextId: highest + 1, chosen, waiting: [] })
  }

  /** Removes all pets. Their ids are not assigned again. */
  clear(): void {
    this.restore({ ...this.save(), pets: [] })
  }

  save(): StoreState {
    return {
      pets: [...this.#pets.values()],
      nextId: this.#nextId,
      chosen: [...this.#chosen],
      waiting: [...this.waiting],
    }
  }

  restore({ pets, nextId, chosen, waiting }: StoreState): void {
    this.#known = new Map()
    this.#latest = [...pets]
    const all = [...pets, ...waiting.map(({ pet }) => pet)]
    this.bytes = all.reduce((sum, pet) => sum + bytesOf(pet), chosen.length * idBytes)
    this.#nextId = nextId
    this.#chosen = new Set(chosen)
    this.waiting = [...waiting]
    this.#announce({})
  }

  /** Changes whenever the result of `save` does. */
  get stateVersion(): string {
    return [
      this.version,
      this.#nextId,
      this.#chosen.size,
      this.waiting.length,
      this.waiting.at(-1)?.since,
    ].join(' ')
  }

  get size(): number {
    return this.#known.size + this.#latest.length
  }

  list(status?: PetStatus): readonly StoredPet[] {
    let list = this.#lists.get(status)
    if (list === undefined) {
      list = [...this.#known.values(), ...this.#latest]
      if (status !== undefined) list = list.filter((pet) => pet.status === status)
      this.#lists.set(status, list)
    }
    return list
  }

  forgetLists(): void {
    this.#lists.clear()
  }

  some(condition: (pet: StoredPet) => boolean): boolean {
    return this.list().some(condition)
  }

  has(id: Int64): boolean {
    return this.#pets.has(id)
  }

  pet(id: Int64): StoredPet | undefined {
    return this.#pets.get(id)
  }

  /** Makes sure that this id is never assigned. */
  reserve(id: Int64): void {
    if (id < this.#toId(this.#nextId) || this.#chosen.has(id)) return
    this.#chosen.add(id)
    this.bytes += idBytes
  }

  assignId(): Int64 {
    for (; this.#chosen.delete(this.#toId(this.#nextId)); this.#nextId += 1) this.bytes -= idBytes
    this.#nextId += 1
    return this.#toId(this.#nextId - 1)
  }

  /** @throws {UsageError} when its id is taken. */
  insert(pet: StoredPet): void {
    this.#rejectTaken(pet.id)
    this.insertNew(pet)
  }

  /** Inserts a pet whose id was just assigned: no other has it. */
  insertNew(pet: StoredPet): void {
    this.#insert(pet)
    this.#note({ after: pet })
  }

  #insert(pet: StoredPet): void {
    this.#latest.push(pet)
    this.reserve(pet.id)
    this.bytes += bytesOf(pet)
    this.#lists.get(undefined)?.push(pet)
    if (pet.status !== undefined) this.#lists.get(pet.status)?.push(pet)
    this.version += 1
    this.onChange?.({ after: pet })
  }

  /** Moves the latest pets to a position in the order of creation. */
  moveLast(count: number, position: number): void {
    const all = [...this.#pets]
    const latest = all.splice(all.length - count)
    this.#known = new Map(all.toSpliced(Math.max(0, position), 0, ...latest))
    this.#lists.clear()
    this.version += 1
  }

  insertLater(pet: StoredPet, elapsed: number): void {
    this.waiting.push({ pet, since: elapsed })
    this.bytes += bytesOf(pet)
    this.#note({ after: pet })
  }

  /**
   * Shows the pets that have waited long enough; without an argument, all, since changes by users concern all pets. Call it
   * before each read.
   */
  showWaiting(elapsed = Infinity): void {
    const isDue = ({ since }: WaitingPet): boolean => since <= elapsed - lagMs
    const due = this.waiting.filter(isDue)
    if (due.length === 0) return
    this.waiting = this.waiting.filter((one) => !isDue(one))
    // Another pet may have been given its id.
    for (const { pet } of due) {
      this.bytes -= bytesOf(pet)
      if (!this.has(pet.id)) this.#insert(pet)
    }
  }

  /** @throws {UsageError} when the new pet has an id that is taken. */
  update(id: Int64, pet: StoredPet): void {
    const before = this.#pets.get(id)
    if (before === undefined) return
    if (pet.id === id) this.#pets.set(id, pet)
    else {
      this.#rejectTaken(pet.id)
      this.#known = new Map(Array.from(this.#pets, (one) => (one[0] === id ? [pet.id, pet] : one)))
    }
    this.reserve(pet.id)
    this.bytes += bytesOf(pet) - bytesOf(before)
    this.#note({ before, after: pet })
    this.#announce({ before, after: pet })
  }

  remove(id: Int64): boolean {
    const before = this.#pets.get(id)
    if (before === undefined) return false
    this.#pets.delete(id)
    this.bytes -= bytesOf(before)
    this.#note({ before })
    this.#announce({ before })
    return true
  }

  #note(change: PetChange): void {
    const { length } = this.changes
    // A literal takes a third of the memory that an array takes after `push`, and `concat` takes ten times as long.
    if (length < maxChanges) this.changes = length === 0 ? [change] : [...this.changes, change]
  }

  #rejectTaken(id: Int64): void {
    if (this.has(id)) throw new UsageError(`A pet with the id ${id} already exists.`)
  }

  #announce(change: PetChange): void {
    this.version += 1
    this.forgetLists()
    this.onChange?.(change)
  }
}

const bytesOf = (pet: StoredPet): number => petBytes + bytesOfTexts(pet)
