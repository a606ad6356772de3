import { expect, test } from 'vitest'

import { seedWords } from '../../../scripts/seed-words.ts'
import { breeds, petNames } from '../../../src/mock/seed-words.ts'

test('the words of the seeded pets are those that the script takes from faker', () => {
  expect({ petNames, breeds }).toEqual(seedWords())
})
