/** Profiles: one option for each unspecified behavior. A mock without one loads none of this. */

import { didYouMean, fail, formatValue, UsageError } from '../../errors.ts'
import { type Behavior, type BehaviorId, behaviors, type Profile } from '../../spec/behaviors.ts'
import { issuesOf, maxIssues } from '../../validate.ts'
import { Random } from '../pets/seed.ts'
import { defaultProfile } from './settings.ts'
import { validators } from '../schemas/validators.gen.ts'

const all: readonly Behavior[] = behaviors

const isOption = (id: string, option: unknown): boolean =>
  issuesOf(validators.SettingsPatch, { profile: { [id]: option } }).length === 0

const optionsOf = (id: string): string[] =>
  all.find((behavior) => behavior.id === id)?.options.map(({ value }) => value) ?? []

/** An option that no deployment has. Error codes are free: the mock may not support one that was observed. */
function isMistaken(id: string, option: unknown): boolean {
  const isFree = all.some((one) => one.id === id && one.free)
  return !isFree && option !== 'unknown' && !optionsOf(id).includes(String(option))
}

/**
 * Reads a profile, or the profile in a report of the suite. Of several candidates, it takes the default or the first one.
 * Behaviors that were not observed are omitted.
 *
 * @returns the profile, and the ids of behaviors that the mock cannot show as observed.
 * @throws {UsageError} when the value is neither a profile nor a report, or when a profile names an unknown behavior or option. The
 * report of another version may name one.
 */
export function readProfile(
  value: unknown,
  source: string,
): { profile: Partial<Profile>; leftOut: string[] } {
  const { profile = value, candidates } = (value ?? {}) as {
    profile?: unknown
    candidates?: unknown
  }
  const left = (candidates ?? {}) as Readonly<Record<string, readonly unknown[]>>
  const optionOf = (id: string): unknown => {
    const options = left[id]
    if (!Array.isArray(options) || options.includes(defaultProfile[id as BehaviorId]))
      return 'unknown'
    return options.find((option) => isOption(id, option)) ?? 'unknown'
  }
  const ids = Object.keys(defaultProfile)
  const known = Object.entries(typeof profile === 'object' ? (profile ?? {}) : {}).filter(([id]) =>
    Object.hasOwn(defaultProfile, id),
  )
  if (known.length === 0)
    throw new UsageError(`${source} is neither a profile nor a report of petstore verify`)
  const foreignIds =
    profile === value ? Object.keys(profile as object).filter((id) => !ids.includes(id)) : []
  if (foreignIds.length > 0)
    throw new UsageError(
      foreignIds.slice(0, maxIssues).map((id) => ({
        path: '',
        message: `${source} names the unknown behavior ${formatValue(id)}${didYouMean(id, ids)}`,
      })),
    )
  const mistaken = profile === value ? known.filter(([id, option]) => isMistaken(id, option)) : []
  if (mistaken.length > 0)
    throw new UsageError(
      mistaken.slice(0, maxIssues).map(([id, option]) => {
        const options = optionsOf(id).join(', ')
        return {
          path: '',
          message: `${source}: ${id} has no option ${formatValue(option)}; it has ${options}`,
        }
      }),
    )
  const observed = known
    .map(([id, option]) => [id, option === 'unknown' ? optionOf(id) : option] as const)
    .filter(([, option]) => option !== 'unknown')
  return {
    profile: Object.fromEntries(observed.filter(([id, option]) => isOption(id, option))),
    leftOut: observed.filter(([id, option]) => !isOption(id, option)).map(([id]) => id),
  }
}

/** Error codes that deployments might use. */
const codes = ['error', 'E_PETSTORE', 'petstore/problem', '1000']

/**
 * Picks a random option for each unspecified behavior. The key may always create pets, since permissions belong to a key
 * and not to a deployment.
 *
 * @param seed an integer
 */
export function varyProfile(seed: number): Profile {
  if (!Number.isSafeInteger(seed))
    fail(`The seed must be an integer, but was ${formatValue(seed)}.`)
  const random = new Random(seed)
  const draw = (values: readonly string[]): string =>
    values[Math.floor(random.next() * values.length)] ?? ''
  const drawn = all.map((behavior): [string, string] => {
    if (behavior.id === 'auth.write-permission') return [behavior.id, behavior.default]
    return [
      behavior.id,
      draw(behavior.free === undefined ? behavior.options.map(({ value }) => value) : codes),
    ]
  })
  return Object.fromEntries(drawn) as Profile
}
