import { expect, test } from 'vitest'

import { seedWordsSource } from '../../scripts/seed-words.ts'

test('the words of the seeded pets are those that the script takes from faker', async () => {
  await expect(seedWordsSource()).toMatchFileSnapshot('../../src/mock/seed-words.ts')
})
