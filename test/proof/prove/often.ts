import { defects } from '../../../src/mock/index.ts'
import { verifyMock } from '../../support/verify-in-process.ts'
import type { BrokenServer } from '../broken/catalog.ts'
import { verifyBroken } from '../broken/verify-broken.ts'
import type { Often } from './figures.ts'
import { forAll } from './targets.ts'
import { idsOf, verdictOf } from '../../support/verdicts.ts'

/** The number of runs per fault, each with another run id and with reordered requests. */
export const runs = 20
/** The required number of runs that find it: 95 % at the standard depth, and all at the thorough one. */
const needed = { standard: 19, thorough: runs }

type Depth = 'standard' | 'thorough'
/** Runs once; resolves to whether the fault is found and its requirement reported. */
type Run = (how: { depth: Depth; seed: number; runId: string; jitter: number }) => Promise<boolean>

const letters = 'bcdfghjklmnpqrstvwxz'

async function count(depth: Depth, run: Run): Promise<number> {
  let found = 0
  for (let seed = 1; seed <= runs; seed += 1) {
    const runId = `B${[3, 5, 7, 11, 13].map((by) => letters[(seed * by + by) % letters.length]).join('')}`
    if (await run({ depth, seed, runId, jitter: seed })) found += 1
  }
  return found
}

async function often(id: string, run: Run): Promise<Often> {
  const standard = await count('standard', run)
  return { id, standard, thorough: standard === runs ? runs : await count('thorough', run) }
}

/** Whether a fault is found too rarely. */
export const isSeldom = ({ standard, thorough }: Often): boolean =>
  standard < needed.standard || thorough < needed.thorough

/** How often each defect is found. */
export const defectsOften = (
  some: readonly (typeof defects)[number][] = defects,
): Promise<Often[]> =>
  forAll(some, ({ id, requirement, pets = 130 }) =>
    often(id, async (how) => {
      const report = await verifyMock({ pets, defects: [id] }, how)
      return verdictOf(report, requirement) === 'violated'
    }),
  )

/** How often each broken server is found. */
export const brokenOften = (some: readonly BrokenServer[]): Promise<Often[]> =>
  forAll(some, (server) =>
    often(server.id, async (how) => {
      const report = await verifyBroken(server, how)
      if (report.verdict !== (server.verdict ?? 'violates')) return false
      return (
        report.verdict !== 'violates' ||
        idsOf(report, 'violated').some((id) => server.breaks.includes(id))
      )
    }),
  )
