import { describe, expect, test } from 'vitest'
import { deviations } from '../../../src/mock/index.ts'
import { seenBy as table } from '../../../src/contract/seen-by.ts'
import { falselyVerified, isByChance, sampled } from '../prove/selections.ts'
import { byLevel } from '../../support/level.ts'
import { proveDeviation } from '../prove/targets.ts'
import { verifyMock } from '../../support/verify-in-process.ts'

test('there are at least 120 deviations', () => {
  expect(deviations.length).toBeGreaterThanOrEqual(120)
})

/** One in so many pairs of a deviation and a selection is tried; `npm run prove` tries them all. */
const step = byLevel({ usual: 4800, slow: 40, all: 20 })

describe('each deviation is caught, its clause is named, and no selection calls one verified that it breaks', () => {
  test.concurrent.each(deviations.map((deviation, place) => [deviation.id, deviation, place] as const))(
    '%s',
    { timeout: 300_000 },
    async (id, deviation, place) => {
      const { report, seenBy = [] } = await proveDeviation(deviation)
      const violated = report.clauses.filter(({ verdict }) => verdict === 'violated').map(({ id }) => id)
      expect(violated).toContain(deviation.clause)
      expect(report.exitCode).toBe(1)
      for (const [clause, checks] of isByChance(id) ? [] : seenBy)
        expect(table[clause]?.split(' ')).toEqual(expect.arrayContaining([...checks]))
      for (const part of isByChance(id) ? [] : sampled(place, step)) {
        const partial = await verifyMock({ pets: deviation.pets ?? 130, deviations: [id] }, part)
        expect(falselyVerified(report, partial), JSON.stringify(part)).toEqual([])
      }
    },
  )
})
