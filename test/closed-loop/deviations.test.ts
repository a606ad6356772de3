import { describe, expect, test } from 'vitest'
import { verify } from '../../src/contract/index.ts'
import { defaultKey, deviations, startMock } from '../../src/mock/index.ts'

test('there are at least 40 deviations', () => {
  expect(deviations.length).toBeGreaterThanOrEqual(40)
})

describe('each deviation is caught, and the clause that it breaks is named', () => {
  test.concurrent.each(deviations.map((deviation) => [deviation.id, deviation] as const))(
    '%s',
    { timeout: 60_000 },
    async (_, { id, clause }) => {
      const mock = await startMock({ pets: 130, deviations: [id] })
      try {
        const report = await verify({ baseUrl: mock.url, apiKey: defaultKey, settleMs: 300, timeoutMs: 3_000 })
        const violated = report.clauses.filter(({ verdict }) => verdict === 'violated').map((one) => one.id)
        expect(violated).toContain(clause)
        expect(report.exitCode).toBe(1)
      } finally {
        await mock.close()
      }
    },
  )
})
