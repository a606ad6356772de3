import { type Choice, type ChoiceId, choices, type Profile } from '../spec/choices.ts'

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
export function completeProfile(chosen: Partial<Record<ChoiceId, string>>, mistakes: string[]): Readonly<Profile> {
  const profile: Profile = { ...defaultProfile }
  for (const [id, value] of Object.entries(chosen)) {
    if (value === undefined) continue
    const choice = table.find((candidate) => candidate.id === id)
    if (choice === undefined) mistakes.push(unknownChoice(id))
    else if (isLawful(choice, value)) profile[choice.id as ChoiceId] = value
    else mistakes.push(`profile: ${id} cannot be ${JSON.stringify(value)}. It takes ${optionsOf(choice)}.`)
  }
  return Object.freeze(profile)
}

function isLawful(choice: Choice, value: unknown): boolean {
  if (typeof value !== 'string') return false
  return choice.free !== undefined || choice.options.some((option) => option.value === value)
}

function optionsOf(choice: Choice): string {
  return choice.free === undefined
    ? choice.options.map((option) => option.value).join(', ')
    : `${choice.free}, as a text`
}

function unknownChoice(id: string): string {
  const group = id.split('.')[0]
  const near = table.filter((choice) => choice.id.split('.')[0] === group)
  return `profile: there is no choice ${JSON.stringify(id)}. There are ${(near.length > 0 ? near : table)
    .map((choice) => choice.id)
    .join(', ')}.`
}
