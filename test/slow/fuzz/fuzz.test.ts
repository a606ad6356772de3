/**
 * `npm run fuzz`: hostile bytes over raw sockets. A failure in the drawn cases prints its seed and path;
 * `TEST_SEED=1 TEST_PATH=2:3 npm run fuzz -- -t drawn` repeats it.
 */
import fc from 'fast-check'
import { afterAll, afterEach, expect, test } from 'vitest'

import { longRun } from '../../support/level.ts'
import { anyCase } from './arbitraries.ts'
import { cases, quickCases } from './cases.ts'
import { startSession } from './session.ts'

const { seconds, seed } = longRun({ usual: 5, slow: 20, all: 600 })
const path = process.env['TEST_PATH']

let session = await startSession()
afterAll(() => session.stop())
// The next test gets a new mock.
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await restart()
})
async function restart(): Promise<void> {
  await session.stop()
  session = await startSession()
}
const groups = new Set(quickCases('').map(({ name }) => name.split('/', 1)[0] ?? ''))

// `npm run fuzz -- -t pet-id` runs one group of the corpus.
test.each([...groups])('%s', async (group) => {
  for (const one of quickCases(`${group}/`)) expect(await session.play(one)).toEqual([])
  expect(await session.check()).toEqual([])
})

test(`drawn cases of seed ${seed} for ${seconds} s`, async () => {
  let isBroken = false
  const property = fc.asyncProperty(anyCase, async (one) => {
    if (isBroken) await restart()
    const faults = await session.play(one)
    isBroken = faults.length > 0
    expect(faults).toEqual([])
  })
  const until = path === undefined ? { interruptAfterTimeLimit: seconds * 1_000 } : { path }
  await fc.assert(property, { seed, numRuns: Number.MAX_SAFE_INTEGER, ...until })
  expect(await session.check()).toEqual([])
})

// They wait for time limits of the mock.
test.runIf(seconds >= 90)('clients that send slowly, or stop', async () => {
  const slow = cases.filter((one) => one.slow)
  expect((await Promise.all(slow.map((one) => session.play(one)))).flat()).toEqual([])
  expect(await session.check()).toEqual([])
})
