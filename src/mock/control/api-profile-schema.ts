import { type Choice, choices } from '../../spec/choices.ts'
import { anyRefusal, takesAnyRefusal } from '../profile.ts'

const table: readonly Choice[] = choices

/** The schema of a profile: it says what src/mock/profile.ts takes. */
export const profileSchema = {
  description: 'An option for each of these choices: docs/reference/unspecified-behavior.md tells what they mean.',
  type: 'object',
  properties: Object.fromEntries(
    table.map((choice) => [choice.id, { type: 'string', description: choice.question, ...optionsOf(choice) }]),
  ),
  additionalProperties: false,
} as const

function optionsOf(choice: Choice): object {
  if (choice.free !== undefined) return {}
  const named = { enum: choice.options.map(({ value }) => value) }
  return takesAnyRefusal(choice) ? { anyOf: [named, { pattern: anyRefusal.source }] } : named
}
