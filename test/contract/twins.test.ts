import { describe, expect, test } from 'vitest'
import { verify } from '../../src/contract/index.ts'
import type { Report } from '../../src/contract/index.ts'
import { lawfulTwins, randomTwin } from '../twins/catalogue.ts'
import type { LawfulTwin } from '../twins/lawful-twin.ts'

/** What an accusation says, so that a failing test shows it. */
const accusations = ({ findings }: Report): string[] =>
  findings.map(
    ({ clause, message, expected, actual }) => `${clause}: ${message} expected ${expected}, actual ${actual}`,
  )

async function verifyTwice({ start, verifyOptions }: LawfulTwin): Promise<Report[]> {
  const twin = await start()
  const options = {
    baseUrl: twin.url,
    apiKey: twin.key,
    settleMs: verifyOptions?.settleMs ?? 1_500,
    categoryId: verifyOptions?.categoryId,
    now: verifyOptions?.now,
  }
  try {
    return [await verify(options), await verify(options)]
  } finally {
    await twin.close()
  }
}

describe('lawful twins are not accused', () => {
  test.concurrent.each(lawfulTwins.map((twin) => [twin.id, twin] as const))(
    '%s',
    { timeout: 120_000 },
    async (_, twin) => {
      for (const report of await verifyTwice(twin)) {
        expect(accusations(report)).toEqual([])
        expect(report.verdict).toBe('conforms')
      }
    },
  )
})

describe('random lawful combinations are not accused', () => {
  const seeds = Array.from({ length: 40 }, (_, index) => index)
  test.concurrent.each(seeds)('seed %i', { timeout: 120_000 }, async (seed) => {
    for (const report of await verifyTwice(randomTwin(seed))) expect(accusations(report)).toEqual([])
  })
})
