import { describe, expect, test } from 'vitest'
import { verify } from '../../src/contract/index.ts'
import { defaultKey, defects, startMock } from '../../src/mock/index.ts'
import { byLevel } from '../support/level.ts'
import { violationsIn, verifyVariant } from '../support/verify-variant.ts'
import { neighborVariants } from '../support/variants/neighbor-variants.ts'
import { conformingVariants } from '../support/variants/catalog.ts'
import { idsOf } from '../support/verdicts.ts'

/** The proof runs in process; a sample of it also runs over sockets. For broken connections see test/proof/broken. */
const step = byLevel({ usual: 128, slow: 18, all: 4 })

describe('over sockets, the suite also finds', () => {
  test.concurrent.each(defects.filter((_, place) => place % step === 5))(
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
  const sample = [
    ...conformingVariants.filter(
      ({ options }, place) => options === undefined || place % step === 5,
    ),
    ...neighborVariants.filter((_, place) => place % (5 * step) === 35),
  ]
  test.concurrent.each(sample)('$id', async (variant) => {
    const [report] = await verifyVariant(variant, 1, 'over-sockets')
    expect(report && violationsIn(report)).toEqual([])
  })
})
