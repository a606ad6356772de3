import { describe, expect, test } from 'vitest'
import { sample } from '../../support/level.ts'
import { neighborVariants } from '../../support/variants/neighbor-variants.ts'
import { violationsIn, verifyVariant } from '../../support/verify-variant.ts'

describe('no violation is reported while others use the deployment', () => {
  const chosen = sample(neighborVariants, { usual: 153, slow: 9, all: 1 })
  test.concurrent.each(chosen)('$id', async (variant) => {
    const [report] = await verifyVariant(variant)
    expect(report && violationsIn(report)).toEqual([])
  })
})

const sweeps = [
  'swept-after-1100-ms-latency-100-120',
  'swept-every-5000-ms-latency-100-120',
  'swept-by-name-at-access-55-latency-0-1',
  'swept-by-name-at-access-75-latency-0-0',
]

test.each(sample(sweeps, { usual: 4, slow: 1, all: 1 }))(
  'a sweep of the pets of a run leaves what depends on them not verified: %s',
  async (sweep) => {
    const swept = neighborVariants.find(({ id }) => id === sweep)
    const [report] = swept ? await verifyVariant(swept) : []
    const { verdict, open } = report?.requirements.find(({ id }) => id === 'create.stored') ?? {}
    expect(verdict).toBe('not-verified')
    expect(open?.map(({ reason }) => reason).join()).toContain('a job that removes test pets')
    // Each pet that is gone poses no questions of its own.
    expect(report?.counts.requests).toBeLessThan(550)
  },
)
