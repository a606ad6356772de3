import { checks, type Report } from '../../../src/contract/index.ts'
import { type Clause, type ClauseId, clauses } from '../../../src/spec/clauses.ts'
import { idsOf } from '../../support/verdicts.ts'

/** What `verify` takes to carry out a part of the suite. */
export type Part = { only: string[] } | { skip: string[] }

/** Each check and each requirement alone, and all but each check. */
export const parts: readonly Part[] = [
  ...[...checks.map(({ id }) => id), 'every-response'].flatMap((id) => [{ only: [id] }, { skip: [id] }]),
  ...(clauses as readonly Clause[]).flatMap(({ id, untestable }) => (untestable === undefined ? [{ only: [id] }] : [])),
]

/** What fails now and then, or by what came before, is seen through other checks each time, with the whole suite as well. */
export const isByChance = (id: string): boolean =>
  /one-in|sometimes|parallel|remembered|each-|late-|connection/.test(id)

/** Every so manieth of all pairs of a target, by its place in its list, and a part; each target gets some. */
export const sampled = (place: number, step: number): Part[] =>
  parts.filter((_, index) => (place * parts.length + index) % step === 0)

/** The requirements that a partial run calls verified although the whole run has found them violated. */
export function falselyVerified(whole: Report, part: Report): ClauseId[] {
  const violated = new Set(idsOf(whole, 'violated'))
  return idsOf(part, 'verified').filter((id) => violated.has(id))
}
