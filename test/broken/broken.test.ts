import { describe, expect, test } from 'vitest'
import { verify } from '../../src/contract/index.ts'
import { brokenServers, type BrokenServer } from './catalogue.ts'
import { falselyVerified, isByChance, parts } from '../prove/selections.ts'
import { knownEscapes } from './known-escapes.ts'

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

const isKnown = ({ id }: BrokenServer): boolean => Object.hasOwn(knownEscapes, id)

describe('a run finds the fault of', () => {
  test.concurrent.each(brokenServers.filter((server) => !isKnown(server)))('$id', expectCaught, 40_000)
})

/** Few servers, and one part of the suite for each: the other pairs are no different. */
const every = 15
const pairs = brokenServers
  .filter(({ id }) => !isByChance(id))
  .flatMap((server, place) => (place % every === 0 ? [{ ...server, part: parts[(place * 7) % parts.length] }] : []))

test.concurrent.each(pairs)(
  'no part of the suite calls verified what $id breaks',
  async ({ start, part }) => {
    const run = async (more: typeof part) => {
      const { url, key, close } = await start()
      const options = { baseUrl: url, apiKey: key, settleMs: 600, timeoutMs: 1_500, retryBudgetMs: 3_000 }
      try {
        return await verify({ ...options, ...more })
      } finally {
        await close()
      }
    }
    expect(falselyVerified(await run(undefined), await run(part)), JSON.stringify(part)).toEqual([])
  },
  80_000,
)

test('all but one in ten are found, and the list of the others names servers that there are', () => {
  const known = brokenServers.filter(isKnown)
  expect(known.map(({ id }) => id).toSorted()).toEqual(Object.keys(knownEscapes).toSorted())
  expect(known.length).toBeLessThan(brokenServers.length / 10)
})

describe('a run ends in good order at', () => {
  test.concurrent.each(brokenServers.filter(isKnown))(
    '$id',
    async ({ start }) => {
      const server = await start()
      try {
        const report = await verify({ baseUrl: server.url, apiKey: server.key, settleMs: 600, timeoutMs: 1_500 })
        expect(report.verdict).not.toBe('not-verified')
      } finally {
        await server.close()
      }
    },
    40_000,
  )
})
