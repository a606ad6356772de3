import { describe, expect, test } from 'vitest'
import { deviations } from '../../src/mock/index.ts'
import { proveDeviation } from '../prove/targets.ts'

test('there are at least 120 deviations', () => {
  expect(deviations.length).toBeGreaterThanOrEqual(120)
})

describe('each deviation is caught, and the clause that it breaks is named', () => {
  test.concurrent.each(deviations.map((deviation) => [deviation.id, deviation] as const))(
    '%s',
    { timeout: 60_000 },
    async (_, deviation) => {
      const { report } = await proveDeviation(deviation)
      const violated = report.clauses.filter(({ verdict }) => verdict === 'violated').map(({ id }) => id)
      expect(violated).toContain(deviation.clause)
      expect(report.exitCode).toBe(1)
    },
  )
})
