import { spawn } from 'node:child_process'
import { availableParallelism, constants, setPriority } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forAll } from '../../proof/prove/targets.ts'
import { byLevel } from '../../support/level.ts'
import { accusations, onSlowNetwork, verifyTwin } from '../../support/verify-twin.ts'
import { lawfulTwins, randomTwin } from '../../support/twins/catalogue.ts'

/** One in so many, and each that a framework makes; one in so many of these with each delay. */
const [step, share] = byLevel({ usual: [5, 3], slow: [5, 3], all: [1, 1] })
const twins = [...lawfulTwins, ...Array.from({ length: 40 }, (_, seed) => randomTwin(seed))].filter(
  ({ options }, place) => options === undefined || place % step === 0,
)
const stop = new AbortController()

// Each processor has something else to do.
beforeAll(() => {
  for (let loop = 0; loop < availableParallelism(); loop += 1) {
    const { pid } = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore', signal: stop.signal }).on(
      'error',
      () => {},
    )
    // Whoever else works on this machine goes before.
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  }
})

afterAll(() => stop.abort())

test.each(Array.from({ length: byLevel({ usual: 0, slow: 1, all: 5 }) }, (_, round) => round + 1))(
  `no conforming variant of ${twins.length} is accused over sockets, on a busy machine: round %i`,
  async () => {
    const accused = await forAll(twins, async (twin) => {
      const [report] = await verifyTwin(twin, 1, 'over-sockets')
      return report === undefined ? [] : accusations(report).map((words) => `${twin.id}: ${words}`)
    })
    expect(accused.flat()).toEqual([])
  },
)

test.each([30, 200, 850])('nor in virtual time, where each request takes %i ms', async (ms) => {
  const accused = await forAll(
    twins.filter(({ options }, place) => options !== undefined && (place + ms / 10) % share === 0),
    async (twin) => {
      const [report] = await verifyTwin(onSlowNetwork(twin, ms))
      return report === undefined ? [] : accusations(report).map((words) => `${twin.id}: ${words}`)
    },
  )
  expect(accused.flat()).toEqual([])
})
