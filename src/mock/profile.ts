import { didYouMean, type Issue, UsageError } from '../errors.ts'
import { type Choice, type ChoiceId, choices, type Profile } from '../spec/choices.ts'
import { told } from './told.ts'
import { createRandom } from './random.ts'

const table: readonly Choice[] = choices

/** The option that the mock takes at each point that the specification leaves open, until its user chooses another. */
export const defaultProfile: Readonly<Profile> = Object.freeze(
  Object.fromEntries(table.map((choice) => [choice.id, choice.default])) as Profile,
)

/**
 * A whole profile from the few choices that were made.
 *
 * @param mistakes receives one sentence for each choice or option that the table does not have.
 */
export function completeProfile(chosen: Partial<Record<ChoiceId, string>>, mistakes: Issue[]): Readonly<Profile> {
  const profile: Profile = { ...defaultProfile }
  for (const [id, value] of Object.entries(chosen)) {
    if (value === undefined) continue
    const choice = table.find((candidate) => candidate.id === id)
    if (choice === undefined) mistakes.push({ path: 'profile', message: unknownChoice(id) })
    else if (isLawful(choice, value)) profile[choice.id as ChoiceId] = value
    else mistakes.push({ path: 'profile', message: unknownOption(choice, value) })
  }
  return Object.freeze(profile)
}

/** Any status of a client error, as an option. */
export const anyRefusal = /^4[0-9]{2}$/

/** Whether each status of a client error is an option of a choice: where requests may be refused at all. */
export function takesAnyRefusal({ options }: Choice): boolean {
  return options.some(({ value }) => value === '400')
}

/** Whether a deployment may do so. */
function isLawful(choice: Choice, value: unknown): boolean {
  if (typeof value !== 'string') return false
  if (choice.free !== undefined || choice.options.some((option) => option.value === value)) return true
  return anyRefusal.test(value) && takesAnyRefusal(choice)
}

/**
 * Takes over what a run of the suite has observed: the profile of a report, or a profile by itself. What it could not
 * tell is left out, and so is what the mock cannot do.
 *
 * @returns the choices, and the ids of those that were left out because the mock cannot do what was observed
 * @throws {UsageError} when the value is neither
 */
export function readProfile(value: unknown, source: string): { profile: Partial<Profile>; leftOut: string[] } {
  const { profile = value } = (value ?? {}) as { profile?: unknown }
  const entries = typeof profile === 'object' && profile !== null ? Object.entries(profile) : []
  const known = entries.flatMap(([id, option]) => {
    const choice = table.find((candidate) => candidate.id === id)
    return choice === undefined ? [] : [{ choice, option: option as unknown }]
  })
  if (known.length === 0) throw new UsageError(`${source} is neither a profile nor a report: it holds no choice`)
  const observed = known.filter(({ option }) => option !== 'unknown')
  return {
    profile: Object.fromEntries(
      observed
        .filter(({ choice, option }) => isLawful(choice, option))
        .map(({ choice, option }) => [choice.id, option]),
    ),
    leftOut: observed.filter(({ choice, option }) => !isLawful(choice, option)).map(({ choice }) => choice.id),
  }
}

/** Codes that deployments might use, for a profile that is drawn. */
const codes = ['error', 'E_PETSTORE', 'petstore/problem', '1000']

/**
 * Draws an option for each choice: another lawful deployment for each seed. The key may always create pets, because
 * permissions belong to a key and not to a deployment.
 *
 * @param seed an integer
 */
export function varyProfile(seed: number): Profile {
  const random = createRandom(seed)
  const draw = (values: readonly string[]): string => values[Math.floor(random.next() * values.length)] ?? ''
  const drawn = table.map((choice): [string, string] => {
    if (choice.id === 'auth.write-permission') return [choice.id, choice.default]
    return [choice.id, draw(choice.free === undefined ? choice.options.map(({ value }) => value) : codes)]
  })
  return Object.fromEntries(drawn) as Profile
}

function unknownOption(choice: Choice, value: unknown): string {
  if (choice.free !== undefined) return `${choice.id} must be ${choice.free}, as a text, not ${told(value)}`
  const names = choice.options.map((option) => option.value)
  return `${choice.id} has no option ${told(value)}${didYouMean(String(value), names) || `; it takes ${names.join(', ')}`}`
}

function unknownChoice(id: string): string {
  return `there is no choice ${JSON.stringify(id)}${didYouMean(
    id,
    table.map((choice) => choice.id),
  )}`
}
