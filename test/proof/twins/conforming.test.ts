import { describe, expect, test } from 'vitest'
import { lawfulTwins, randomTwin } from '../../support/twins/catalogue.ts'
import { drawOptions } from '../../support/twins/random-twin.ts'
import { byLevel } from '../../support/level.ts'
import { accusations, onSlowNetwork, verifyTwin } from '../../support/verify-twin.ts'

/** One in `step` variants runs `runs` times, with the pets of earlier runs. `npm test` runs each variant once. */
const [step, runs] = byLevel({ usual: [1, 1], slow: [4, 2], all: [1, 5] })

test('conforming variants have unique ids and reasons, and random ones depend only on the seed', () => {
  expect(lawfulTwins.length).toBeGreaterThanOrEqual(65)
  expect(new Set(lawfulTwins.map(({ id }) => id)).size).toBe(lawfulTwins.length)
  for (const { id, silence } of lawfulTwins) {
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    expect(silence).toMatch(/^\S.+\S$/)
  }
  expect(drawOptions(7)).toEqual(drawOptions(7))
  expect(new Set(Array.from({ length: 50 }, (_, seed) => randomTwin(seed).silence)).size).toBe(50)
})

describe('no violation is reported in a conforming variant', () => {
  test.concurrent.each(lawfulTwins.filter((_, place) => place % step === 0))('$id', async (variant) => {
    // After its key has expired, nothing can be verified.
    for (const report of await verifyTwin(variant, variant.options?.keyEndsAfter ? 1 : runs)) {
      expect(accusations(report)).toEqual([])
      expect(report.verdict).toBe('conforms')
    }
  })
})

describe('nor in random combinations of them', () => {
  const seeds = Array.from({ length: byLevel({ usual: 4, slow: 40, all: 40 }) }, (_, index) => index)
  test.concurrent.each(seeds)('seed %i', async (seed) => {
    for (const report of await verifyTwin(randomTwin(seed), runs)) expect(accusations(report)).toEqual([])
  })
})

describe('nor on a slow network, where other clients change pets between two requests', () => {
  const busy = Array.from({ length: 40 }, (_, seed) => randomTwin(seed))
    .filter(({ options }) => options?.changeEveryMs ?? options?.writerEveryMs)
    .slice(0, byLevel({ usual: 1, slow: 40, all: 40 }))
  test.concurrent.each(busy)('$id', async (variant) => {
    for (const report of await verifyTwin(onSlowNetwork(variant, 850))) expect(accusations(report)).toEqual([])
  })
})
