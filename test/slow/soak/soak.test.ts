/** `npm run soak`: a mixed load of all operations, errors, faults, sandboxes and resets. */
import { fileURLToPath } from 'node:url'

import { expect, test } from 'vitest'

import { longRun } from '../../support/level.ts'
import { mebibytes } from '../../support/machines.ts'
import { soak } from './soak.ts'

const { seconds, seed } = longRun({ usual: 5, slow: 20, all: 600 })

test(`loses no pets and leaks no memory in ${seconds} s of seed ${seed}`, async () => {
  const { requests, created, audits, broken, memory, faults } = await soak({ seconds, seed })
  console.log(
    `soak: ${requests} requests, ${created} creations confirmed and found in ${audits} audits, ${broken} broken on ` +
      `purpose, memory from ${mebibytes(memory[0] ?? 0)} to ${mebibytes(memory.at(-1) ?? 0)}`,
  )
  expect(faults).toEqual([])
})

const hoarding = fileURLToPath(new URL('../fuzz/fixtures/hoarding-mock.mjs', import.meta.url))

test('finds pets that a mock loses', async () => {
  const { faults } = await soak({
    seed: 1,
    requests: 600,
    flags: ['--defect', 'create.forgets-previous'],
  })
  expect(faults.join('\n')).toMatch(/was confirmed and is missing/)
})

test('finds a memory leak', async () => {
  const { faults } = await soak({ seed: 1, requests: 400, cli: hoarding })
  expect(faults.join('\n')).toMatch(/The memory grew by \d+\.\d MiB/)
})
