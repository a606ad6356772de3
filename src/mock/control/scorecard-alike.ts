import type { Exchange } from './exchange.ts'
import type { Reading } from './judge.ts'
import type { Severity } from '../scorecard/rules.ts'
import type { Client } from './scorecard-client.ts'
import type { ParameterSet } from './scorecard-parameters.ts'

/** Requests that are alike, but for the values in their bodies, and that were answered alike. */
export interface Alike {
  /** Where they lie: see `placeOf`. */
  readonly place: string
  readonly method: string
  /** Of the first of them. */
  readonly target: string
  readonly authorization: string | undefined
  readonly status: number
  readonly isRemoved: boolean
  /** Of the body; none where there is no body. */
  readonly members: ParameterSet
  /** Undefined for what is nobody's request. */
  readonly reading: Reading | undefined
  readonly worst: Severity | undefined
  readonly client: Client
  /** How many came that are not counted yet, and how many of them got a warning for what came before them. */
  count: number
  warned: number
  firstAt: number
  lastAt: number
  /** The next one at the same place, or of all while they are few. */
  next: Alike | undefined
}

/** Kinds of requests that are told apart before they are counted, and the characters that they may take. */
const mostKinds = 96
const mostCharacters = 12_000
const longestTarget = 500
const longestAuthorization = 300

/** So many are looked through one by one: a map would take more than they do. */
const few = 6

/**
 * Requests that came before, so that one that comes again need not be judged again. They lie by target, or in one place
 * for all single pets, of which there may be millions.
 */
export class AlikeRequests {
  readonly #petPrefix: string
  /** Not the prefix alone, which is a target, too: that of a trailing slash. */
  readonly #petPlace: string
  /** All of them, while they are few. */
  #first: Alike | undefined
  /** By place, when they are many. */
  #places: Map<string, Alike> | undefined
  #kinds = 0
  #characters = 0

  /** @param petPrefix what stands before the id of a pet in the path. */
  constructor(petPrefix: string) {
    this.#petPrefix = petPrefix
    this.#petPlace = `${petPrefix}0`
  }

  /** Where requests with this target lie. */
  placeOf(target: string): string {
    const prefix = this.#petPrefix
    const digits = target.length - prefix.length
    if (digits < 1 || digits > 18 || !target.startsWith(prefix)) return target
    for (let at = prefix.length; at < target.length; at += 1) {
      const code = target.charCodeAt(at)
      if (code < 48 || code > 57) return target
    }
    return this.#petPlace
  }

  /** Whether requests for single pets lie there. */
  isOfPets(place: string): boolean {
    return place === this.#petPlace
  }

  /** Those that a request is like. */
  find(
    place: string,
    { method, headers, reply: { status } }: Exchange,
    isRemoved: boolean,
    members: ParameterSet,
  ): Alike | undefined {
    const { authorization } = headers
    let alike = this.#places === undefined ? this.#first : this.#places.get(place)
    for (; alike !== undefined; alike = alike.next) {
      if (
        alike.status === status &&
        alike.place === place &&
        alike.method === method &&
        alike.authorization === authorization &&
        alike.isRemoved === isRemoved &&
        alike.members === members
      ) {
        return alike
      }
    }
    return undefined
  }

  /** Whether a request is short enough to be kept. */
  hasRoomFor({ target, headers }: Exchange): boolean {
    const length = headers['authorization']?.length ?? 0
    return target.length <= longestTarget && length <= longestAuthorization
  }

  /** Whether the next kind of request has no room beside the others. */
  isFull({ target, headers }: Exchange): boolean {
    const length = target.length + (headers['authorization']?.length ?? 0)
    return this.#kinds >= mostKinds || this.#characters + length > mostCharacters
  }

  add(alike: Alike): void {
    this.#kinds += 1
    this.#characters += alike.target.length + (alike.authorization?.length ?? 0)
    if (this.#places === undefined && this.#kinds <= few) {
      alike.next = this.#first
      this.#first = alike
      return
    }
    const places = (this.#places ??= this.#byPlace())
    alike.next = places.get(alike.place)
    places.set(alike.place, alike)
  }

  /** All of them. */
  list(): Alike[] {
    const found: Alike[] = []
    for (const first of this.#places?.values() ?? [this.#first]) {
      for (let alike = first; alike !== undefined; alike = alike.next) found.push(alike)
    }
    return found
  }

  forget(): void {
    this.#first = undefined
    this.#places = undefined
    this.#kinds = 0
    this.#characters = 0
  }

  #byPlace(): Map<string, Alike> {
    const places = new Map<string, Alike>()
    for (const alike of this.list()) {
      alike.next = places.get(alike.place)
      places.set(alike.place, alike)
    }
    this.#first = undefined
    return places
  }
}
