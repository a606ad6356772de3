import type { Int64 } from '../../spec/types.ts'
import { arrivalOf, type Exchange } from '../http/exchange.ts'
import {
  ShownCatalog,
  samePet,
  toList,
  type Created,
  type PetList,
  type Sighting,
} from './catalog.ts'
import { isRejection, isSuccess, pageOf, petsOf } from './expect.ts'
import type { SeenPet } from './shapes.ts'

/** The names of the pets of all runs, unless the target accepts no such names. */
export const nameOfRun = /Petkit [\w-]+ \p{L}/u

/** A new pet with an id that was shown before. */
export interface RepeatedId {
  first: Sighting
  second: Created
}

/**
 * The memory of a run: every exchange, in the order of the responses. All that a run knows of the target is read from it;
 * what is read often is kept in an index as exchanges arrive.
 */
export class Log {
  readonly exchanges: Exchange[] = []
  readonly catalog = new ShownCatalog()
  /** The lists that the specification describes, with the valid key. */
  readonly lists: PetList[] = []
  /** The pets of the run, oldest first. One whose id was given to another pet is left out. */
  readonly created: Created[] = []
  readonly #own = new Map<Int64, Created>()
  /** When the run sent the first creation of them. */
  #since = Infinity
  readonly repeatedIds: RepeatedId[] = []
  /** The creations that the target rejected, by the name that was sent. */
  readonly rejected = new Map<string, Exchange>()
  /** The responses of getPet with 200, by the pet that was to be shown. */
  readonly #fetched = new Map<Int64, Exchange[]>()
  /** The questions that were posed, and the responses, by their purposes. */
  readonly posed = new Set<string>()
  readonly #responses = new Map<string, Exchange[]>()
  /** The names of the run: which are its own, and the one that it sends twice: the second pet may overwrite the first. */
  readonly names: { owns(name: string | null): boolean; readonly repeated: string | undefined }
  /** When the last response had arrived. */
  now = 0
  /** The first valid creation that the target accepted. */
  accepted: Exchange | undefined
  /** Pets that the target created, whether it should have or not. */
  writes = 0

  constructor(names: Log['names']) {
    this.names = names
  }

  add(exchange: Exchange): void {
    this.exchanges.push(exchange)
    this.now = Math.max(this.now, arrivalOf(exchange))
    const { purpose } = exchange
    if (purpose !== undefined) this.#responses.set(purpose, [...this.responses(purpose), exchange])
    const pets = petsOf(exchange)
    this.catalog.see(pets, exchange)
    const { operation, plan } = exchange
    if (operation === 'createPet') return this.#addCreation(exchange)
    if (plan.credential !== undefined) return
    const list = toList(exchange, pets)
    if (list && pageOf(plan.path).isDescribed) this.lists.push(list)
    if (plan.pet !== undefined && exchange.status === 200)
      this.#fetched.set(plan.pet, [...this.fetched(plan.pet), exchange])
  }

  #addCreation(exchange: Exchange): void {
    const { status, plan } = exchange
    const { creation } = plan
    if (isSuccess(exchange)) {
      this.writes += 1
      if (creation?.mustFail === false) this.#addCreated(exchange)
    } else if (creation && isRejection(status)) {
      // A name that another pet of the run has may be rejected for that.
      for (const name of creation.names) {
        if (creation.mustFail || !this.created.some(({ pet }) => pet.name === name))
          this.rejected.set(name, exchange)
      }
    }
  }

  #addCreated(exchange: Exchange): void {
    this.accepted ??= exchange
    const [pet] = petsOf({ ...exchange, status: 201 })
    if (pet === undefined) return
    const second: Created = { pet, exchange, pointer: '' }
    const first =
      this.own(pet.id) ??
      this.catalog.of(pet.id).find((one) => arrivalOf(one.exchange) < exchange.sentAt)
    if (first) {
      this.repeatedIds.push({ first, second })
      const place = this.created.indexOf(first)
      if (place >= 0) this.created.splice(place, 1)
      this.catalog.renew(pet.id, exchange)
    }
    this.created.push(second)
    this.#own.set(pet.id, second)
    this.#since = Math.min(...this.created.map((one) => one.exchange.sentAt))
  }

  /**
   * Whether the first pet with an id was never stored: no other response shows its name. That getPet did not find it, or
   * another such pet, before the id was given again shows that the second pet has not replaced it.
   */
  wasNeverStored({ first, second }: RepeatedId): boolean {
    const { pet, exchange } = first
    const isRepeated = pet.name === this.names.repeated
    const shows = (one: Exchange): boolean =>
      one !== exchange &&
      (!isRepeated || arrivalOf(one) <= second.exchange.sentAt) &&
      petsOf(one).some(({ id, name }) => name === pet.name && (!isRepeated || id === pet.id))
    return (
      exchange.operation === 'createPet' &&
      pet.name !== null &&
      this.repeatedIds.some((one) => this.#wasMissing(one)) &&
      !this.exchanges.some(shows)
    )
  }

  #wasMissing({ first: { pet, exchange }, second }: RepeatedId): boolean {
    return (
      exchange.operation === 'createPet' &&
      this.exchanges.some(
        (one) =>
          one.plan.pet === pet.id &&
          one.status === 404 &&
          one.sentAt >= arrivalOf(exchange) &&
          arrivalOf(one) <= second.exchange.sentAt,
      )
    )
  }

  /** Forgets the exchanges and lists from a length on. Returns those exchanges. */
  forget({ exchanges, lists }: { exchanges: number; lists: number }): Exchange[] {
    this.lists.length = lists
    return this.exchanges.splice(exchanges)
  }

  /** The responses to a question, in order. */
  responses(purpose: string): readonly Exchange[] {
    return this.#responses.get(purpose) ?? []
  }

  /** The responses of getPet with 200 for a known pet, in order. */
  fetched(id: Int64): readonly Exchange[] {
    return this.#fetched.get(id) ?? []
  }

  /** Whether getPet has ever returned a pet. */
  get getWorks(): boolean {
    return this.#fetched.size > 0
  }

  /** Whether getPet has shown a pet as createPet returned it; where getPet is gone, whether a list has. */
  wasShownAsCreated({ pet, exchange }: Created): boolean {
    const showsIt = ({ sentAt }: Exchange, pets: readonly SeenPet[]): boolean => {
      const shown = pets.find(({ id }) => id === pet.id)
      return shown !== undefined && sentAt > exchange.sentAt && samePet(shown, pet)
    }
    return this.getWorks
      ? this.fetched(pet.id).some((one) => showsIt(one, petsOf(one)))
      : this.lists.some((list) => showsIt(list.exchange, list.pets))
  }

  /** The pet of the run with an id, if it is one. */
  own(id: Int64): Created | undefined {
    return this.#own.get(id)
  }

  /** Whether a pet is one of the run. */
  isOwn(id: Int64): boolean {
    return this.#own.has(id)
  }

  /** Whether a pet was shown before the run created any. Where it creates none, every pet is old. */
  isOld(id: Int64): boolean {
    return (this.catalog.of(id)[0]?.exchange.sentAt ?? Infinity) < this.#since
  }

  /** Whether responses may not show a pet yet: it is new, or another run has created it, which may just have ended. */
  mayBeLate(id: Int64): boolean {
    return !this.isOld(id) || nameOfRun.test(this.catalog.of(id)[0]?.pet.name ?? '')
  }
}
