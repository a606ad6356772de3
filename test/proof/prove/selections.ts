import { checks, type Report } from '../../../src/contract/index.ts'
import { type Clause, type ClauseId, clauses } from '../../../src/spec/clauses.ts'
import { idsOf } from '../../support/verdicts.ts'

/** Options of `verify` for a part of the suite. */
export type Part = { only: string[] } | { skip: string[] }

/** Each single check, each single requirement, and all checks except one. */
export const parts: readonly Part[] = [
  ...[...checks.map(({ id }) => id), 'every-response'].flatMap((id) => [
    { only: [id] },
    { skip: [id] },
  ]),
  ...(clauses as readonly Clause[]).flatMap(({ id, untestable }) =>
    untestable === undefined ? [{ only: [id] }] : [],
  ),
]

/** Intermittent and state-dependent faults may be found by other checks in each run, also in complete runs. */
export const isByChance = (id: string): boolean =>
  /one-in|sometimes|parallel|remembered|each-|late-|connection/.test(id)

/** Samples one in `step` of all pairs of a target, by its place in the list, and a part. */
export const sampled = (place: number, step: number): Part[] =>
  parts.filter((_, index) => (place * parts.length + index) % step === 0)

/** The requirements verified by a partial run but violated in the complete run. */
export function falselyVerified(whole: Report, part: Report): ClauseId[] {
  const violated = new Set(idsOf(whole, 'violated'))
  return idsOf(part, 'verified').filter((id) => violated.has(id))
}
