import { checks as suite } from '../../../src/contract/index.ts'
import { seenBy as table } from '../../../src/contract/seen-by.ts'
import { type ClauseId, clauses } from '../../../src/spec/clauses.ts'

/** The checks that found violations, by requirement. */
export type SeenBy = ReadonlyMap<ClauseId, ReadonlySet<string>>

/** A valid key may be rejected at any request, so any check may find it. */
const atAnyRequest: ReadonlySet<ClauseId> = new Set(['auth.bearer'])

const known = new Set([...suite.map(({ id }) => id), 'every-response'])

/** Generates src/contract/seen-by.ts: the checks that found a violation in any of these runs. */
export function toSeenByTable(runs: readonly SeenBy[]): string {
  const rows = clauses.flatMap(({ id }) => {
    const seen = atAnyRequest.has(id)
      ? suite.map((check) => check.id)
      : runs.flatMap((run) => [...(run.get(id) ?? [])])
    const checks = [...new Set(seen)]
      .filter((check) => known.has(check))
      .toSorted()
      .join(' ')
    if (checks === '') return []
    return `  '${id}': '${checks}',`
  })
  return [
    "import type { ClauseId } from '../spec/clauses.ts'",
    '',
    '/**',
    ' * Written by `npm run prove`: the checks through which a violation of each requirement was seen, or without which it was',
    ' * not, over all deliberate defects of the mock and all broken servers of the tests. `every-response` stands next to the',
    ' * check whose request it judged. A partial run verifies a requirement only where all of them ran.',
    ' */',
    'export const seenBy: Readonly<Partial<Record<ClauseId, string>>> = {',
    ...rows,
    '}',
    '',
  ].join('\n')
}

/** The current table, to be extended. */
export const knownSeenBy: SeenBy = new Map(
  Object.entries(table).map(([id, checks]) => [id as ClauseId, new Set(checks.split(' '))]),
)
