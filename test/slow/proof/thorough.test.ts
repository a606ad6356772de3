/** The depth `thorough` finds known escapes of the standard depth, and reports no conforming variant. */
import { describe, expect, test } from 'vitest'
import { brokenServers } from '../../proof/broken/catalog.ts'
import { knownEscapes } from '../../proof/broken/known-escapes.ts'
import { verifyBroken } from '../../proof/broken/verify-broken.ts'
import { byLevel, sample } from '../../support/level.ts'
import { conformingVariants, randomVariant } from '../../support/variants/catalog.ts'
import { suitsSlowNetwork } from '../../support/variants/random-variant.ts'
import { violationsIn, onSlowNetwork, verifyVariant } from '../../support/verify-variant.ts'
import { idsOf } from '../../support/verdicts.ts'

/** Runs for each of them, of which all but one must find it. */
const runs = byLevel({ usual: 4, slow: 8, all: 20 })
const seeds = Array.from({ length: runs }, (_, seed) => seed + 1)

describe(`in at least ${runs - 1} of ${runs} runs it finds`, () => {
  test.each(brokenServers.filter(({ id }) => Object.hasOwn(knownEscapes, id)))(
    '$id',
    async (server) => {
      const found: number[] = []
      for (const seed of seeds) {
        const report = await verifyBroken(server, { depth: 'thorough', seed })
        const violated = idsOf(report, 'violated')
        if (report.verdict === 'violates' && violated.some((id) => server.breaks.includes(id)))
          found.push(seed)
      }
      expect(found.length, `seeds ${found.join()}`).toBeGreaterThanOrEqual(runs - 1)
    },
  )
})

/** Tests one in so many variants. */
const every = { usual: 40, slow: 24, all: 1 }
const thorough = { depth: 'thorough', maxDurationMs: 86_400_000 } as const

describe('conforming variants pass, each with its own seed:', () => {
  const all = conformingVariants.map((variant, place) => ({ ...variant, seed: place }))
  test.concurrent.each(sample(all, every))('$id', async (variant) => {
    for (const report of await verifyVariant(variant, 1, 'in-process', {
      ...thorough,
      seed: variant.seed,
    })) {
      expect(violationsIn(report)).toEqual([])
      // A limiter that resets connections ends a run of so many requests early; a key may end, too.
      if (
        variant.id !== 'rate-limit-connections' &&
        variant.verifyOptions?.expectNotVerified !== true
      )
        expect(report.verdict).toBe('conforms')
    }
  })
})

describe('random combinations pass, also on a slow network with concurrent writers:', () => {
  const random = Array.from({ length: 60 }, (_, seed) => randomVariant(1_000 + seed))
  const busy = random.filter(({ options }) => suitsSlowNetwork(options))
  const some = [
    ...random.slice(0, 48),
    ...busy.map((variant) => ({ ...onSlowNetwork(variant, 850), id: `slow ${variant.id}` })),
  ]
  test.concurrent.each(sample(some, every))('$id', async (variant) => {
    for (const report of await verifyVariant(variant, 1, 'in-process', thorough))
      expect(violationsIn(report)).toEqual([])
  })
})
