/** `petstore-kit/fixtures`: pets for tests and stories. The same arguments always make the same pet. */

import { UsageError } from '../../errors.ts'
import { definedIn } from '../../option-checks.ts'
import type { ExactNewPet, ExactPet, Int64, NewPet, Pet, Pets } from '../../spec/types.ts'
import { createSeed } from './seed.ts'

/** Which pet of which seed. */
export interface FixtureOptions {
  /** The number of the pet, from 1, which is also its id; of several, the first. */
  n?: number | undefined
  /** A safe integer, 1 by default: a mock with this seed has the same pets. */
  seed?: number | undefined
}

/** Fields that replace those of a fixture, unless they are undefined. An undefined `status` omits the field. */
export type PetFields<Integer extends Int64 = number> = {
  [Name in keyof Pet<Integer>]?: Pet<Integer>[Name] | undefined
}

const most = 1_000_000

/**
 * One pet: number `n` of the seed, by default the one with the given id, or the first.
 *
 * @param fields replace its own.
 * @throws {UsageError} when `n` or `seed` is out of range.
 * @example
 * buildPet({ status: 'sold' }) // { id: 1, name: 'Tuffy the Chartreux', categoryId: 2, status: 'sold' }
 * buildPet({ id: 7 }) // pet 7 of a mock with seed 1
 */
export function buildPet(fields?: PetFields, options?: FixtureOptions): Pet
export function buildPet(fields: PetFields<Int64>, options?: FixtureOptions): ExactPet
export function buildPet(fields: PetFields<Int64> = {}, options: FixtureOptions = {}): ExactPet {
  const { n = isNumber(fields.id) ? fields.id : 1, seed = 1 } = options
  check({ n, seed })
  return withFields(createSeed(seed)(n), fields)
}

/**
 * Several pets with consecutive ids.
 *
 * @param count 0 to 1,000,000.
 * @param fields replace those of each pet, except the id.
 * @throws {UsageError} when a number is out of range.
 * @example buildPets(2, { status: 'pending' }) // pets 1 and 2
 */
export function buildPets(
  count: number,
  fields?: Omit<PetFields, 'id'>,
  options?: FixtureOptions,
): Pets
export function buildPets(
  count: number,
  fields: Omit<PetFields<Int64>, 'id'>,
  options?: FixtureOptions,
): ExactPet[]
export function buildPets(
  count: number,
  fields: Omit<PetFields<Int64>, 'id'> = {},
  options: FixtureOptions = {},
): ExactPet[] {
  const { n = 1, seed = 1 } = options
  check({ n, seed, count })
  const makePet = createSeed(seed)
  return Array.from({ length: count }, (_, index) =>
    withFields(makePet(n + index), { ...fields, id: n + index }),
  )
}

/**
 * The body of a creation: a pet without an id.
 *
 * @param fields replace its own.
 * @throws {UsageError} when `n` or `seed` is out of range.
 * @example buildNewPet({ name: 'Rex' }) // { name: 'Rex', categoryId: 2, status: 'sold' }
 */
export function buildNewPet(fields?: Omit<PetFields, 'id'>, options?: FixtureOptions): NewPet
export function buildNewPet(
  fields: Omit<PetFields<Int64>, 'id'>,
  options?: FixtureOptions,
): ExactNewPet
export function buildNewPet(
  fields: Omit<PetFields<Int64>, 'id'> = {},
  options: FixtureOptions = {},
): ExactNewPet {
  const { id: _, ...pet } = buildPet(fields, options)
  return pet
}

function withFields(pet: Pet, fields: PetFields<Int64>): ExactPet {
  const whole: ExactPet = { ...pet, ...definedIn(fields) }
  if ('status' in fields && fields.status === undefined) delete whole.status
  return whole
}

const isNumber = (id: unknown): id is number => Number.isSafeInteger(id) && (id as number) >= 1

function check({ n, seed, count = 0 }: { n: number; seed: number; count?: number }): void {
  const mistakes: string[] = []
  if (!isNumber(n)) mistakes.push(`n must be an integer from 1, but was ${String(n)}.`)
  if (!Number.isSafeInteger(seed))
    mistakes.push(`seed must be an integer, but was ${String(seed)}.`)
  if (!Number.isInteger(count) || count < 0 || count > most) {
    mistakes.push(
      `The number of pets must be an integer from 0 to ${most}, but was ${String(count)}.`,
    )
  }
  if (mistakes.length > 0) throw new UsageError(mistakes.join('\n'))
}
