/** The soak finds what it is for. Long runs are `npm run soak`. */
import { fileURLToPath } from 'node:url'

import { expect, test } from 'vitest'

import { soak } from '../../../scripts/soak.ts'

const hoarding = fileURLToPath(new URL('../fuzz/fixtures/hoarding-mock.mjs', import.meta.url))

test('pets that a mock loses are found', async () => {
  const { faults } = await soak({ seed: 1, requests: 600, flags: ['--deviate', 'create.forgets-previous'] })
  expect(faults.join('\n')).toMatch(/was confirmed and is missing/)
})

test('memory that grows is found', async () => {
  const { faults } = await soak({ seed: 1, requests: 400, cli: hoarding })
  expect(faults.join('\n')).toMatch(/The memory grew by \d+\.\d MiB/)
})
