import { describe, expect, test } from 'vitest'
import {
  conformingVariants,
  randomVariant,
  type ConformingVariant,
} from '../../support/variants/catalog.ts'
import { drawOptions, suitsSlowNetwork } from '../../support/variants/random-variant.ts'
import { byLevel, drawn, sample } from '../../support/level.ts'
import {
  violationsIn,
  onSlowNetwork,
  verifyRounds,
  verifyVariant,
} from '../../support/verify-variant.ts'

/** `npm test` takes one in six, and one in eight more of those in which something is visible late. */
const late = sample(
  conformingVariants.filter(({ id }) => /^lag-|-silent$|-late/.test(id)),
  { usual: 8, slow: 1, all: 1 },
)
const some = sample(conformingVariants, { usual: 6, slow: 1, all: 1 })
const chosen = [...new Set([...some, ...late])]
/** Each runs so many times, with the pets of earlier runs; those of `again` at least twice. */
const runs = byLevel({ usual: 1, slow: 1, all: 5 })
const again = sample(chosen, { usual: 16, slow: 8, all: 1 })

test('conforming variants have unique ids and reasons, and random ones depend only on the seed', () => {
  expect(conformingVariants.length).toBeGreaterThanOrEqual(65)
  expect(new Set(conformingVariants.map(({ id }) => id)).size).toBe(conformingVariants.length)
  for (const { id, silence } of conformingVariants) {
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    expect(silence).toMatch(/^\S.+\S$/)
  }
  expect(drawOptions(7)).toEqual(drawOptions(7))
  expect(new Set(Array.from({ length: 50 }, (_, seed) => randomVariant(seed).silence)).size).toBe(
    50,
  )
})

describe('no violation is reported in a conforming variant', () => {
  test.concurrent.each(chosen)('$id', async (variant) => {
    const isExpiring = variant.options?.keyEndsAfter !== undefined
    const times = isExpiring ? 1 : Math.max(runs, again.includes(variant) ? 2 : 1)
    for (const report of await verifyVariant(variant, times)) {
      expect(violationsIn(report)).toEqual([])
      // After its key has expired, nothing can be verified.
      const isOpen = isExpiring || variant.verifyOptions?.expectInconclusive === true
      expect(report.verdict).toBe(isOpen ? 'not-verified' : 'conforms')
    }
  })
})

describe('nor in random combinations of them', () => {
  test.concurrent.each(drawn({ usual: 2, slow: 20, all: 40 }))('seed %i', async (seed) => {
    for (const report of await verifyVariant(randomVariant(seed), runs))
      expect(violationsIn(report)).toEqual([])
  })
})

/** Runs with these ids, unless a row is about ids. */
const [first, second, third] = [{ runId: 'Bcdfgh' }, { runId: 'Qxhqxp' }, { runId: 'Qgflzn' }]
const smoke = { ...first, depth: 'smoke' } as const

describe('nor in runs at the same time, nor in a later one', () => {
  const isReset = (variant: ConformingVariant): boolean => variant.options?.removed != null
  const shared = conformingVariants.filter(
    (one) => one.options && one.options.keyEndsAfter === undefined && !isReset(one),
  )
  test.concurrent.each(sample(shared, { usual: 90, slow: 4, all: 1 }))('$id', async (variant) => {
    for (const report of await verifyRounds(variant, [[first, second], [third]]))
      expect(violationsIn(report)).toEqual([])
  })
})

/** What is shared with other runs: names of one form, creations that meet, pets that are visible late, and a run id. */
const amongRuns: readonly (readonly [
  id: string,
  what: string,
  rounds: Parameters<typeof verifyRounds>[1],
])[] = [
  ['names-numbered', 'two at once', [[second, third]]],
  ['creations-one-at-a-time', 'three at once', [[first, second, third]]],
  ['creations-one-at-a-time-whatever-the-body', 'three at once', [[first, second, third]]],
  ['creations-one-at-a-time-whatever-the-body', 'smoke', Array.from({ length: 12 }, () => [smoke])],
  ['lag-beyond-the-window-filter', 'after a smoke run, read-only', [[smoke], [{ readOnly: true }]]],
  ['cache-60-s-silent', 'after a smoke run', [[smoke], [second]]],
  ['names-unique-409', 'with one id', [[first], [first]]],
  ['creations-one-at-a-time-whatever-the-body', 'with one id', [[first], [first], [first]]],
  // Orders come between reads that wait for a rate limit.
  ['random-17', 'two at once', [[second, third]]],
]

describe('nor where runs share', () => {
  const chosen = sample(amongRuns, { usual: 2, slow: 1, all: 1 })
  test.concurrent.each(chosen)('%s: %s', async (id, _, rounds) => {
    const variant = [...conformingVariants, randomVariant(17)].find((one) => one.id === id)
    for (const report of await verifyRounds(variant as ConformingVariant, rounds))
      expect(violationsIn(report)).toEqual([])
  })
})

describe('nor on a slow network, where other clients change pets between two requests', () => {
  const busy = drawn({ usual: 40, slow: 40, all: 40 })
    .map((nth) => randomVariant(nth))
    .filter(({ options }) => suitsSlowNetwork(options))
    .slice(0, byLevel({ usual: 1, slow: 12, all: 40 }))
  test.concurrent.each(busy)('$id', async (variant) => {
    for (const report of await verifyVariant(onSlowNetwork(variant, 850)))
      expect(violationsIn(report)).toEqual([])
  })
})
