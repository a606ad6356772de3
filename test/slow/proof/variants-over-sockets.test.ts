import { spawn } from 'node:child_process'
import { availableParallelism, constants, setPriority } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forAll } from '../../proof/prove/targets.ts'
import { byLevel } from '../../support/level.ts'
import { violationsIn, onSlowNetwork, verifyVariant } from '../../support/verify-variant.ts'
import { conformingVariants, randomVariant } from '../../support/variants/catalog.ts'

/** Tests one in `step` variants, and all written with frameworks; one in `share` of these with each delay. */
const [step, share] = byLevel({ usual: [5, 3], slow: [16, 8], all: [1, 1] })
const variants = [
  ...conformingVariants,
  ...Array.from({ length: 40 }, (_, seed) => randomVariant(seed)),
].filter(({ options }, place) => options === undefined || place % step === 0)
const stop = new AbortController()

// Keep each processor busy.
beforeAll(() => {
  for (let loop = 0; loop < availableParallelism(); loop += 1) {
    const { pid } = spawn(process.execPath, ['-e', 'for (;;);'], {
      stdio: 'ignore',
      signal: stop.signal,
    }).on('error', () => {})
    // Other programs have precedence.
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  }
})

afterAll(() => stop.abort())

test.each(Array.from({ length: byLevel({ usual: 0, slow: 1, all: 5 }) }, (_, round) => round + 1))(
  `none of ${variants.length} conforming variants is reported over sockets on a busy machine: round %i`,
  async () => {
    const reported = await forAll(variants, async (variant) => {
      const [report] = await verifyVariant(variant, 1, 'over-sockets')
      return report === undefined
        ? []
        : violationsIn(report).map((words) => `${variant.id}: ${words}`)
    })
    expect(reported.flat()).toEqual([])
  },
)

test.each([30, 200, 850])('nor in virtual time with a latency of %i ms', async (ms) => {
  const reported = await forAll(
    variants.filter(
      ({ options }, place) => options !== undefined && (place + ms / 10) % share === 0,
    ),
    async (variant) => {
      const [report] = await verifyVariant(onSlowNetwork(variant, ms))
      return report === undefined
        ? []
        : violationsIn(report).map((words) => `${variant.id}: ${words}`)
    },
  )
  expect(reported.flat()).toEqual([])
})
