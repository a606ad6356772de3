/** All checks of the adapters, without a test runner: `npm run test:matrix` runs them with other versions. */

import { oddSequences, sequences } from './cases.ts'
import { type AdapterClient, type Kit, mswClients, otherClients } from './clients.ts'
import {
  faultChecks,
  type FetchAdapter,
  fetchAdapters,
  mswFetch,
  resendingChecks,
} from './fault-checks.ts'
import { mswChecks } from './msw-checks.ts'
import { runSequence } from './run-sequence.ts'

export interface Result {
  face: string
  /** Number of compared responses, and of checks of faults and base URLs. */
  checked: number
  wrong: { name: string; why: string }[]
}

export const faces = [
  ...new Set([...mswClients, ...otherClients, mswFetch, ...fetchAdapters].map(({ name }) => name)),
]

/**
 * Runs all checks in sequence.
 *
 * @param isWanted selects adapters. Default: all.
 */
export async function runAll(
  kit: Kit,
  isWanted: (adapter: string) => boolean = () => true,
): Promise<Result[]> {
  const results: Result[] = []
  for (const adapter of faces.filter(isWanted)) {
    const result: Result = { face: adapter, checked: 0, wrong: [] }
    const isThis = ({ name }: { name: string }): boolean => name === adapter
    for (const client of [...mswClients, ...otherClients].filter(isThis))
      await runCases(kit, client, result)
    for (const fetcher of [mswFetch, ...fetchAdapters].filter(isThis))
      await runFaults(kit, fetcher, result)
    for (const { name, run } of adapter === mswFetch.name ? mswChecks : [])
      await note(result, name, () => run(kit))
    results.push(result)
  }
  return results
}

async function runCases(kit: Kit, adapter: AdapterClient, result: Result): Promise<void> {
  for (const sequence of [...sequences, ...oddSequences]) {
    result.checked += sequence.cases.length
    try {
      const wrong = await runSequence(kit, adapter, sequence)
      result.wrong.push(
        ...wrong.map((one) => ({
          name: `${sequence.name}: ${one.case}`,
          why: one.wrong.join('; '),
        })),
      )
    } catch (error) {
      result.wrong.push({ name: sequence.name, why: String(error) })
    }
  }
}

async function runFaults(kit: Kit, adapter: FetchAdapter, result: Result): Promise<void> {
  for (const { name, run } of adapter === mswFetch
    ? faultChecks
    : [...faultChecks, ...resendingChecks]) {
    const fetcher = await adapter.open(kit)
    await note(result, name, () => run(fetcher))
    await fetcher.close()
  }
}

async function note(result: Result, name: string, run: () => Promise<void>): Promise<void> {
  result.checked += 1
  try {
    await run()
  } catch (error) {
    result.wrong.push({ name, why: String(error) })
  }
}
