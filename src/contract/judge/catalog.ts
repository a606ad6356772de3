import type { RequirementId } from '../../spec/requirements.ts'
import { petStatuses } from '../../spec/operations.ts'
import type { ExactPet, Int64, PetStatus } from '../../spec/types.ts'
import { arrivalOf, type Exchange } from '../http/exchange.ts'
import { pageOf, petsOf } from './expect.ts'
import { petFieldNames, type SeenPet } from './shapes.ts'
import { NotVerified, type Violation } from './findings.ts'

export interface Sighting {
  pet: SeenPet
  exchange: Exchange
  /** JSON pointer into the body. */
  pointer: string
}

export const sightingsIn = (
  exchange: Exchange,
  pets: readonly SeenPet[] = petsOf(exchange),
): Sighting[] =>
  pets.map((pet, index) => ({
    pet,
    exchange,
    pointer: exchange.operation === 'listPets' ? `/${index}` : '',
  }))

export const sightingIn = (exchange: Exchange, id: Int64): Sighting | undefined =>
  sightingsIn(exchange).find(({ pet }) => pet.id === id)

export interface PetList {
  exchange: Exchange
  /** The elements whose ids are known. */
  pets: SeenPet[]
  /** The number of all elements. */
  length: number
  /** The limit that was sent. Default: 20. */
  atMost: number
  status: PetStatus | undefined
  /** What selects its pets; empty for a list of all. */
  filter: string
  /** Whether its filter selects a pet. */
  matches(pet: SeenPet): boolean
  /** Whether it must show every pet that matches: it is shorter than its limit. */
  complete: boolean
}

export function toList(exchange: Exchange, pets = petsOf(exchange)): PetList | undefined {
  const { operation, plan, status: httpStatus, content } = exchange
  if (operation !== 'listPets' || httpStatus !== 200) return undefined
  if (content.kind !== 'json' || !Array.isArray(content.value)) return undefined
  const { length } = content.value
  const { atMost, status, filter, matches } = pageOf(plan.path)
  return { exchange, pets, length, atMost, status, filter, matches, complete: length < atMost }
}

/** The lists among some responses. */
export const listsIn = (exchanges: readonly Exchange[]): PetList[] =>
  exchanges.flatMap((exchange) => toList(exchange) ?? [])

/** A pet, and the response that shows it. */
export type Sighted = Pick<Sighting, 'pet' | 'exchange'>

/** A pet of the run, as createPet returned it. */
export type Created = Sighting

/** The path of the longest list, of pets with a status if there is one. */
export const longestList = (status?: PetStatus | null): string =>
  status ? `/pets?status=${status}&limit=100` : '/pets?limit=100'

/** Lists that must show every pet unless they are full. */
export const longestLists = [undefined, ...petStatuses].map(longestList)

/** Every pet that the responses of a run have shown. */
export class ShownCatalog {
  readonly #sightings = new Map<Int64, Sighting[]>()
  /** Computed when it is needed; undefined once another sighting was added. */
  #first: readonly Sighting[] | undefined

  see(pets: readonly SeenPet[], exchange: Exchange): void {
    for (const sighting of sightingsIn(exchange, pets)) {
      const { pet } = sighting
      const known = this.of(pet.id)
      if (known.some((one) => showsAll(one.pet, pet))) continue
      this.#sightings.set(pet.id, [...known, sighting])
      this.#first = undefined
    }
  }

  /** Forgets what was shown of an id before a creation gave it to another pet. */
  renew(id: Int64, creation: Exchange): void {
    this.#sightings.delete(id)
    this.#first = undefined
    this.see(petsOf(creation), creation)
  }

  /** The first sighting of each pet, a whole one if there is any, optionally of some pets. */
  first(matches?: PetList['matches']): readonly Sighting[] {
    this.#first ??= this.all().flatMap(
      (seen) => seen.find(({ pet }) => isWhole(pet)) ?? seen.slice(0, 1),
    )
    return matches ? this.#first.filter(({ pet }) => matches(pet)) : this.#first
  }

  /** How many pets responses had shown before a time of the run, optionally of some. */
  count(matches?: PetList['matches'], before = Infinity): number {
    return this.first(matches).filter(({ exchange }) => arrivalOf(exchange) <= before).length
  }

  /** @throws {NotVerified} when fewer pets are known */
  atLeast(count: number): void {
    const found = this.count()
    if (found < count) throw new NotVerified(`the catalog shows ${found} pets; ${count} are needed`)
  }

  /** The statuses of known pets; `undefined` stands for a pet without status. */
  statuses(): Set<PetStatus | undefined> {
    return statusesOf(this.first().map(({ pet }) => pet))
  }

  /** The distinct sightings of each pet. */
  all(): readonly (readonly Sighting[])[] {
    return [...this.#sightings.values()]
  }

  /** The distinct sightings of one pet, in order. */
  of(id: Int64): readonly Sighting[] {
    return this.#sightings.get(id) ?? []
  }

  contradictions(): [Sighting, Sighting][] {
    return this.first().flatMap((first): [Sighting, Sighting][] => {
      const other = this.of(first.pet.id).find(({ pet }) => !samePet(first.pet, pet))
      return other ? [[first, other]] : []
    })
  }
}

/** Those of a run; one of few requests leaves some out. */
export const widePaths = (isSmoke: boolean): readonly string[] =>
  isSmoke ? [...longestLists.slice(0, 1), ...longestLists.slice(-1)] : longestLists

/** Two pets with the same id: the exchanges show the first and the new one. */
export function repeatedId(id: Int64, first: Exchange, second: Exchange): Violation {
  const isConcurrent = first.operation === 'createPet' && second.sentAt < arrivalOf(first)
  return {
    requirement: 'pet.id.unique',
    message: `A new pet got the id ${id}, which another pet has${isConcurrent ? ' (both were sent at the same time)' : ''}.`,
    pointer: '/id',
    expected: 'an id that no other pet has',
    actual: String(id),
    exchanges: [first, second],
    unless: { idReused: true },
  }
}

/** A pet that no response has shown, not even one before its id was given to the next one. */
export function neverStored(id: Int64, first: Exchange, second: Exchange): Violation {
  return {
    ...repeatedId(id, first, second),
    requirement: 'create.stored',
    alsoBreaks: ['pet.id.unique'],
    message: `Pet ${id} was created, but no response shows it, and a later new pet got its id.`,
    expected: 'a pet that is stored',
    actual: `another pet with the id ${id}`,
  }
}

export const statusesOf = (pets: readonly SeenPet[]): Set<PetStatus | undefined> =>
  new Set(pets.flatMap(({ status }) => (status === null ? [] : [status])))

/** Whether all values of a pet are valid. */
export const isWhole = (pet: SeenPet): pet is ExactPet =>
  petFieldNames.every((name) => pet[name] !== null)

/** @throws {NotVerified} when each of some pets has an invalid value, which nothing was compared with */
export function expectWhole(pets: readonly SeenPet[]): void {
  if (pets.length > 0 && !pets.some(isWhole))
    throw new NotVerified('each Pet that was compared has an invalid value')
}

const showsAll = (a: SeenPet, b: SeenPet): boolean =>
  petFieldNames.every((name) => b[name] === null || a[name] === b[name])

/** The fields in which two Pets differ; an invalid value is no other one. */
const changedFields = (a: SeenPet, b: SeenPet) =>
  petFieldNames.filter((name) => a[name] !== b[name] && a[name] !== null && b[name] !== null)

/** Whether two Pets have the same four fields, as far as both show them. */
export const samePet = (a: SeenPet, b: SeenPet): boolean => changedFields(a, b).length === 0

/** Whether two Pets are the same, whatever their statuses. */
export const sameButStatus = (a: SeenPet, b: SeenPet): boolean => samePet({ ...a, status: null }, b)

/** Whether two Pets differ in their statuses alone; none at all is no other one. */
export const hasOtherStatus = (a: SeenPet, b: SeenPet): boolean =>
  a.status !== undefined && b.status !== undefined && changedFields(a, b).join() === 'status'

/** The fields in which two Pets differ: `status "sold" instead of "pending"`; undefined where there are none. */
export function changes(before: SeenPet, after: SeenPet): string | undefined {
  const parts = changedFields(before, after).map(
    (name) => `${name} ${showField(after[name])} instead of ${showField(before[name])}`,
  )
  return parts.length === 0 ? undefined : parts.join(', ')
}

function showField(value: Int64 | string | null | undefined): string {
  if (value === undefined) return 'absent'
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

/** The fields that were sent, as far as the created Pet must have them. */
export type SentFields = { [name in 'name' | 'categoryId' | 'status']?: ExactPet[name] | undefined }

export function compareWithSent(
  exchange: Exchange,
  pet: Omit<SeenPet, 'id'>,
  sent: SentFields,
): Violation[] {
  const { categoryId = 0 } = sent
  const isLarge = BigInt.asIntN(32, BigInt(categoryId)) !== BigInt(categoryId)
  const requirements: Record<keyof SentFields, readonly [RequirementId, ...RequirementId[]]> = {
    name: ['create.success'],
    categoryId: isLarge ? ['create.exact', 'create.success'] : ['create.success'],
    status: ['create.status', 'create.success'],
  }
  const changed = (Object.keys(requirements) as (keyof typeof requirements)[]).filter(
    (name) => sent[name] !== undefined && pet[name] !== null && sent[name] !== pet[name],
  )
  return changed.map((name) => {
    const [requirement, ...alsoBreaks] = requirements[name]
    const [expected, actual] = [showField(sent[name]), showField(pet[name])]
    return {
      requirement,
      alsoBreaks,
      message: `Created Pet: \`${name}\` is ${aroundDifference(actual, expected)}, sent as ${aroundDifference(expected, actual)}.`,
      way: `Created Pet: \`${name}\` is not as sent`,
      pointer: `/${name}`,
      expected,
      actual,
      ...(pet[name] === undefined && { kind: 'absent' }),
      exchanges: [exchange],
      cause: `${name} changed`,
    }
  })
}

/** Shortens a long text to the part where it begins to differ from another one. */
function aroundDifference(text: string, other: string): string {
  const [chars, others] = [[...text], [...other]]
  if (chars.length <= 40) return text
  const from = Math.max(0, chars.findIndex((char, index) => char !== others[index]) - 12)
  const part = chars.slice(from, from + 34).join('')
  return `${from > 0 ? '…' : ''}${part}${chars.length > from + 34 ? '…' : ''}`
}

export interface Shown {
  /** In list order, as far as lists have shown it. */
  listed: ExactPet[]
  /** New pets that no list has shown, oldest first. */
  created: ExactPet[]
}

/** @param pets as they were last shown; lists and created pets are in the order of their responses */
export function toShown(
  pets: Iterable<ExactPet>,
  lists: readonly PetList[],
  created: Iterable<Pick<Created, 'pet'>>,
): Shown {
  const latest = new Map([...pets].map((pet) => [pet.id, pet]))
  const order = new Set<Int64>()
  // The longest unfiltered list comes first: pets missing from it come later, even if it is full.
  const isWider = (a: PetList, b: PetList): number =>
    Number(a.filter !== '') - Number(b.filter !== '') || b.pets.length - a.pets.length
  for (const { pets: shown } of lists.toReversed().sort(isWider))
    for (const { id } of shown) order.add(id)
  const newIds = [...created].map(({ pet }) => pet.id).filter((id) => !order.has(id))
  for (const id of latest.keys()) if (!newIds.includes(id)) order.add(id)
  const toPets = (ids: Iterable<Int64>): ExactPet[] =>
    [...ids].flatMap((id) => latest.get(id) ?? [])
  return { listed: toPets(order), created: toPets(newIds) }
}
