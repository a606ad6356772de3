import { describe, expect, test } from 'vitest'
import { lawfulTwins, randomTwin } from '../../support/twins/catalogue.ts'
import { drawOptions } from '../../support/twins/random-twin.ts'
import { byLevel } from '../../support/level.ts'
import { accusations, onSlowNetwork, verifyTwin } from '../../support/verify-twin.ts'

/** One in so many variants, and its runs: another one meets the pets of the one before. `npm test` has run each once. */
const [step, runs] = byLevel({ usual: [1, 1], slow: [4, 2], all: [1, 5] })

test('each conforming variant has its own id, and says what allows it; a seed always draws the same one', () => {
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
  test.concurrent.each(lawfulTwins.filter((_, place) => place % step === 0))('$id', async (twin) => {
    // Once its key has ended, nothing can be verified again.
    for (const report of await verifyTwin(twin, twin.options?.keyEndsAfter ? 1 : runs)) {
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
  test.concurrent.each(busy)('$id', async (twin) => {
    for (const report of await verifyTwin(onSlowNetwork(twin, 850))) expect(accusations(report)).toEqual([])
  })
})
