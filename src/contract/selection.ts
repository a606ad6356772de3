import { UsageError } from '../errors.ts'
import { clauses } from '../spec/clauses.ts'
import type { ClauseId } from '../spec/clauses.ts'
import type { Check } from './check.ts'
import { checks } from './checks/index.ts'

/** What --only and --skip leave of the suite. */
export interface Selection {
  checks: readonly Check[]
  /** Whether what a check finds about a clause is wanted. */
  isAsked(check: string, clause: ClauseId): boolean
}

/**
 * Selects checks and clauses by id; `*` stands for any text.
 *
 * @throws {UsageError} when a pattern names nothing, or when nothing is left
 */
export function select(only: readonly string[], skip: readonly string[]): Selection {
  const ids = [...checks.map(({ id }) => id), 'every-response', ...clauses.map(({ id }) => id)]
  for (const pattern of [...only, ...skip]) {
    if (!ids.some((id) => matches(pattern, id))) {
      throw new UsageError(`no clause and no check is called ${pattern}; petstore verify --list shows them all`)
    }
  }
  const isAsked = (check: string, clause: ClauseId): boolean =>
    (only.length === 0 || only.some((pattern) => matches(pattern, check) || matches(pattern, clause))) &&
    !skip.some((pattern) => matches(pattern, check) || matches(pattern, clause))
  const isWanted = ({ id, clauses: its }: Check): boolean =>
    its.length === 0
      ? (only.length === 0 || only.some((pattern) => matches(pattern, id))) &&
        !skip.some((pattern) => matches(pattern, id))
      : its.some((clause) => isAsked(id, clause))
  const wanted = checks.filter(isWanted)
  if (wanted.length === 0 && !clauses.some(({ id }) => isAsked('every-response', id))) {
    throw new UsageError('--only and --skip leave nothing to verify')
  }
  return { checks: wanted, isAsked }
}

function matches(pattern: string, id: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.\\^$+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(id)
}
