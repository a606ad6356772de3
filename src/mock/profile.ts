import { type Issue, UsageError } from '../errors.ts'
import { type Choice, type ChoiceId, choices, type Profile } from '../spec/choices.ts'
import { issuesOf } from '../validate.ts'
import { Random } from './random.ts'
import { defaultProfile as defaults, validators } from './validators.gen.ts'

/** The option that the mock takes for each unspecified behavior, until its user chooses another. */
export const defaultProfile: Readonly<Profile> = Object.freeze({ ...defaults })

/**
 * A whole profile from the few choices that were made.
 *
 * @param issues receives one for each choice or option that the table does not have.
 */
export function completeProfile(chosen: Partial<Record<ChoiceId, string>>, issues: Issue[]): Readonly<Profile> {
  issues.push(...issuesOf(validators.Profile, chosen, { at: 'profile', quotes: true }))
  const made = Object.entries(chosen).filter(([, option]) => option !== undefined)
  return Object.freeze({ ...defaultProfile, ...Object.fromEntries(made) })
}

const isOption = (id: string, option: unknown): boolean => issuesOf(validators.Profile, { [id]: option }).length === 0

/**
 * Takes over what a run of the suite has observed: the profile of a report, or a profile by itself. What it could not
 * tell is left out, and so is what the mock cannot do.
 *
 * @returns the choices, and the ids of those that were left out because the mock cannot do what was observed
 * @throws {UsageError} when the value is neither
 */
export function readProfile(value: unknown, source: string): { profile: Partial<Profile>; leftOut: string[] } {
  const { profile = value } = (value ?? {}) as { profile?: unknown }
  const known = Object.entries(typeof profile === 'object' ? (profile ?? {}) : {}).filter(([id]) =>
    Object.hasOwn(defaultProfile, id),
  )
  if (known.length === 0) throw new UsageError(`${source} is neither a profile nor a report: it holds no choice`)
  const observed = known.filter(([, option]) => option !== 'unknown')
  return {
    profile: Object.fromEntries(observed.filter(([id, option]) => isOption(id, option))),
    leftOut: observed.filter(([id, option]) => !isOption(id, option)).map(([id]) => id),
  }
}

/** Codes that deployments might use, for a profile that is drawn. */
const codes = ['error', 'E_PETSTORE', 'petstore/problem', '1000']

/**
 * Draws an option for each choice: another lawful deployment for each seed. The key may always create pets, reason
 * permissions belong to a key and not to a deployment.
 *
 * @param seed an integer
 */
export function varyProfile(seed: number): Profile {
  const random = new Random(seed)
  const draw = (values: readonly string[]): string => values[Math.floor(random.next() * values.length)] ?? ''
  const drawn = (choices as readonly Choice[]).map((choice): [string, string] => {
    if (choice.id === 'auth.write-permission') return [choice.id, choice.default]
    return [choice.id, draw(choice.free === undefined ? choice.options.map(({ value }) => value) : codes)]
  })
  return Object.fromEntries(drawn) as Profile
}
