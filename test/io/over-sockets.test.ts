import { describe, expect, test } from 'vitest'
import { verify } from '../../src/contract/index.ts'
import { defaultKey, defects, startMock } from '../../src/mock/index.ts'
import { sample } from '../support/level.ts'
import { violationsIn, verifyVariant } from '../support/verify-variant.ts'
import { neighborVariants } from '../support/variants/neighbor-variants.ts'
import { conformingVariants } from '../support/variants/catalog.ts'
import type { ConformingVariant } from '../support/variants/conforming-variant.ts'
import { idsOf } from '../support/verdicts.ts'

/** The proof runs in process; a sample of it also runs over sockets. For broken connections see test/proof/broken. */

describe('over sockets, the suite also finds', () => {
  test.concurrent.each(sample(defects, { usual: 128, slow: 18, all: 4 }))(
    '$id',
    async ({ id, requirement, pets = 130 }) => {
      const mock = await startMock({ pets, defects: [id] })
      try {
        const report = await verify({
          baseUrl: mock.url,
          apiKey: defaultKey,
          settleMs: 600,
          timeoutMs: 2_000,
        })
        expect(idsOf(report, 'violated')).toContain(requirement)
      } finally {
        await mock.close()
      }
    },
  )
})

describe('over sockets, the suite also reports no violation in', () => {
  // On a busy machine, two creations at once take longer than these pets are there, and a first read comes after the order.
  const isFast = ({ id, options }: ConformingVariant): boolean =>
    /-gone-after-(?:100|250)-ms$/.test(id) || (options?.soldAfterMs ?? 0) > 0
  const drawn = sample(
    conformingVariants.filter((variant) => !isFast(variant)),
    { usual: 128, slow: 18, all: 4 },
  )
  const some = [
    // Those that are written with frameworks.
    ...conformingVariants.filter(({ options }) => options === undefined),
    ...drawn.filter(({ options }) => options !== undefined),
    ...sample(neighborVariants, { usual: 640, slow: 90, all: 20 }),
  ]
  test.concurrent.each(some)('$id', async (variant) => {
    const [report] = await verifyVariant(variant, 1, 'over-sockets')
    expect(report && violationsIn(report)).toEqual([])
  })
})
