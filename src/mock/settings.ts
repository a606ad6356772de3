import { UsageError } from '../errors.ts'
import type { ChoiceId, Profile } from '../spec/choices.ts'
import type { CollectionClass } from './collection.ts'
import { type DeviationId, deviations, isDeviationId } from './deviations.ts'
import { completeProfile } from './profile.ts'

/** The API key of a mock whose user chose none. */
export const defaultKey = 'petstore-test-key'

/** What `createMock` takes. Everything has a default. */
export interface MockOptions {
  /** Chooses the seeded pets: the same seed, the same pets, on every machine. A safe integer; 1 by default. */
  seed?: number
  /** How many pets there are at the start: 0 to 10,000,000; 100 by default. They have the ids 1, 2, 3 and so on. */
  pets?: number
  /** The API keys that are let in: printable ASCII without spaces. `defaultKey` alone by default. */
  keys?: readonly string[]
  /** The path of the base address: `/v1` by default. Empty, or with a slash at its start and none at its end. */
  basePath?: string
  /** What the specification leaves open: an option for any of the choices in the table. Defaults are in the table. */
  profile?: Partial<Record<ChoiceId, string>>
  /** Ways in which the mock shall break the contract, by id. None by default. */
  deviations?: readonly DeviationId[]
  /** The class of @msw/data, for `mock.pets` where the mock cannot load it by itself: in a browser. */
  Collection?: CollectionClass
  /** The clock: an instant that stands still, or a function. The system's by default. */
  now?: Date | string | (() => Date)
}

/** The options of a mock, checked and complete. */
export interface Settings {
  readonly seed: number
  readonly pets: number
  readonly keys: readonly string[]
  readonly basePath: string
  readonly profile: Readonly<Profile>
  readonly deviations: readonly DeviationId[]
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const mostPets = 10_000_000
const names = ['seed', 'pets', 'keys', 'basePath', 'profile', 'deviations', 'Collection', 'now']

/**
 * Checks options once.
 *
 * @param known names of further options that the caller checks.
 * @param mistakes found by the caller.
 * @throws {UsageError} that tells all mistakes together.
 */
export function readSettings(options: MockOptions, known: readonly string[] = [], mistakes: string[] = []): Settings {
  const all = [...names, ...known]
  for (const name of Object.keys(options)) {
    if (!all.includes(name)) mistakes.push(`There is no option ${JSON.stringify(name)}. There are ${all.join(', ')}.`)
  }
  const { seed = 1, pets = 100, keys = [defaultKey], basePath = '/v1', profile = {}, now } = options
  const chosen = options.deviations ?? []
  if (!Number.isSafeInteger(seed)) mistakes.push(`seed must be an integer, and was ${told(seed)}.`)
  if (!isCount(pets, mostPets)) mistakes.push(`pets must be an integer from 0 to ${mostPets}, and was ${told(pets)}.`)
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every(isKey)) {
    mistakes.push('keys must be a list of API keys: at least one, each of printable ASCII without spaces.')
  }
  if (typeof basePath !== 'string' || !/^(\/[\w.~-]+)*$/.test(basePath)) {
    mistakes.push(`basePath must be a path such as /v1, without a slash at its end, and was ${told(basePath)}.`)
  }
  const clock = toClock(now)
  if (clock === undefined)
    mistakes.push(`now must be a Date, a date such as 2030-12-05, or a function, and was ${told(now)}.`)
  const isProfile = typeof profile === 'object' && profile !== null && !Array.isArray(profile)
  if (!isProfile) mistakes.push(`profile must be an object of choices and options, and was ${told(profile)}.`)
  const complete = completeProfile(isProfile ? profile : {}, mistakes)
  if (!Array.isArray(chosen)) mistakes.push(`deviations must be a list of ids, and was ${told(chosen)}.`)
  else for (const id of chosen as readonly unknown[]) if (!isDeviationId(id)) mistakes.push(unknownDeviation(id))
  if (mistakes.length > 0) throw new UsageError(mistakes.join('\n'))
  return Object.freeze({
    seed,
    pets,
    keys: Object.freeze([...keys]),
    basePath,
    profile: complete,
    deviations: Object.freeze([...chosen]),
    now: clock as () => number,
  })
}

/** Whether a value is an integer from 0 to `most`. */
export function isCount(value: unknown, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most
}

/** A value in a message. */
export function told(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

function isKey(key: unknown): boolean {
  return typeof key === 'string' && /^[\x21-\x7e]+$/.test(key)
}

function toClock(now: MockOptions['now']): (() => number) | undefined {
  if (now === undefined) return Date.now
  if (typeof now === 'function') return () => now().getTime()
  const instant = now instanceof Date ? now.getTime() : typeof now === 'string' ? Date.parse(now) : Number.NaN
  return Number.isNaN(instant) ? undefined : () => instant
}

function unknownDeviation(id: unknown): string {
  const group = String(id).split('.')[0]
  const near = deviations.filter((deviation) => deviation.id.split('.')[0] === group)
  const groups = [...new Set(deviations.map((deviation) => deviation.id.split('.')[0]))]
  const hint =
    near.length > 0
      ? `There are ${near.map((deviation) => deviation.id).join(', ')}.`
      : `They begin with ${groups.map((name) => `${name}.`).join(', ')}.`
  return `deviations: there is no deviation ${told(id)}. ${hint}`
}
