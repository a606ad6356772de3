import { describe, expect, test } from 'vitest'
import { verify } from '../../src/contract/index.ts'
import { brokenServers, type BrokenServer } from './catalogue.ts'

/** Demands that a run sees the fault and names a clause that it breaks. */
async function expectCaught({ start, breaks, verdict = 'violates' }: BrokenServer): Promise<void> {
  const server = await start()
  try {
    const report = await verify({
      baseUrl: server.url,
      apiKey: server.key,
      settleMs: 600,
      timeoutMs: 1_500,
      retryBudgetMs: 3_000,
    })
    const violated = report.clauses.filter((clause) => clause.verdict === 'violated').map(({ id }) => id)
    expect(report.verdict, `${report.reason ?? ''} ${violated.join()}`).toBe(verdict)
    if (verdict === 'violates') {
      expect(
        violated.filter((id) => breaks.includes(id)),
        `${violated.join()} of ${breaks.join()}`,
      ).not.toEqual([])
    }
  } finally {
    await server.close()
  }
}

describe('the catalogue of broken servers', () => {
  test('has at least 160, each with an id of its own, a sentence, and the clauses that it breaks', () => {
    expect(brokenServers.length).toBeGreaterThanOrEqual(160)
    expect(new Set(brokenServers.map(({ id }) => id)).size).toBe(brokenServers.length)
    for (const { id, description, breaks, verdict } of brokenServers) {
      expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      expect(description).toMatch(/^\S.+\S$/)
      expect(breaks.length > 0).toBe(verdict === undefined)
    }
  })
})

describe('a run finds the fault of', () => {
  test.concurrent.each(brokenServers)('$id', expectCaught, 40_000)
})
