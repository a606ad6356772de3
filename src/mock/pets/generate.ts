import { formatValue, type Issue, messageOf } from '../../errors.ts'
import type { ExactNewPet } from '../../spec/types.ts'
import { maxIssues } from '../../validate.ts'
import { idSchemes } from './int64.ts'
import { checkPet, type StoredPet } from './pet.ts'

/**
 * The pets that a function makes, with the ids of pets 1 to `count`. Adds mistakes to `issues`, about twenty at most: none
 * after an exception.
 */
export function generatePets(
  generate: (n: number) => ExactNewPet,
  { count, ids }: { count: number; ids: keyof typeof idSchemes },
  issues: Issue[],
): StoredPet[] {
  const pets: StoredPet[] = []
  for (let n = 1; n <= count; n += 1) {
    const at = `generate(${n})`
    if (issues.length >= maxIssues) {
      issues.push({ path: at, message: 'This pet and later ones were not checked.' })
      break
    }
    let made: unknown
    try {
      made = generate(n)
    } catch (error) {
      issues.push({ path: at, message: `throws an exception: ${messageOf(error)}` })
      break
    }
    const mistake = mistakeIn(made)
    if (mistake !== undefined) {
      issues.push({ path: at, message: mistake })
      continue
    }
    const pet = checkPet({ ...(made as object), id: idSchemes[ids](n) }, at, issues)
    if (pet !== undefined) pets.push(pet)
  }
  return pets
}

/** What is wrong with the value as a whole. */
function mistakeIn(made: unknown): string | undefined {
  if (typeof made !== 'object' || made === null || Array.isArray(made))
    return `must be a NewPet such as { name: 'Rex', categoryId: 1 }, but was ${formatValue(made)}.`
  if ('then' in made)
    return 'must be a NewPet, but was a promise: the function must be synchronous.'
  return 'id' in made
    ? 'must not have an id: the mock assigns the ids, in the order of n.'
    : undefined
}
