import { didYouMean, UsageError } from '../../errors.ts'
import { count } from '../../report/text.ts'
import { type Clause, clauses, type ClauseId } from '../../spec/clauses.ts'
import { checks, checksOf } from './checks.ts'
import type { Depth } from '../session/limits.ts'
import type { FailedBefore, VerifyOptions } from '../session/options.ts'
import type { Check } from '../session/session.ts'

export const everyResponse = 'every-response'

/** The requirements that a report and its exit code are about. A run is whole, whatever is selected. */
export interface Selection {
  /** @param shownBy the checks that have shown the clause violated */
  isSelected(clause: ClauseId, shownBy?: Iterable<string>): boolean
}

/** What a run does, and what its report is about. */
export interface Schedule extends Selection {
  scheduled: readonly Check[]
  /** Pets that the scheduled checks create on a conforming target. */
  writes: number
  /** Why no check of a clause runs. */
  leftOut: ReadonlyMap<ClauseId, string>
}

const testable: readonly ClauseId[] = (clauses as readonly Clause[]).flatMap(({ id, untestable }) =>
  untestable === undefined ? [id as ClauseId] : [],
)

/**
 * Selects clauses by their ids or by checks; `*` matches any text. A check stands for the clauses that it verifies or
 * shows violated.
 *
 * @throws {UsageError} when a pattern matches nothing, or nothing is left that the depth can try
 */
export function select(
  only: readonly string[],
  skip: readonly string[],
  depth: Depth = 'standard',
): Selection {
  const ids = [everyResponse, ...[...checksOf('thorough'), ...clauses].map(({ id }) => id)]
  for (const pattern of [...only, ...skip]) {
    if (!ids.some((id) => matches(pattern, id))) {
      throw new UsageError(
        `there is no requirement or check ${JSON.stringify(pattern)}${didYouMean(pattern, ids) || '; petstore verify --list lists them'}`,
      )
    }
  }
  const isSkipped = (id: string): boolean => skip.some((pattern) => matches(pattern, id))
  const isOnly = (id: string): boolean => only.some((pattern) => matches(pattern, id))
  const isSelected = (clause: ClauseId, shownBy: Iterable<string> = []): boolean => {
    const by = [...checking(clause, checks), ...shownBy]
    return (
      (only.length === 0 || isOnly(clause) || by.some(isOnly)) &&
      !isSkipped(clause) &&
      !(by.length > 0 && by.every(isSkipped))
    )
  }
  const selected = testable.filter((clause) => isSelected(clause))
  if (selected.length === 0)
    throw new UsageError('--only and --skip leave no requirement to verify')
  if (selected.every((clause) => checking(clause, checksOf(depth)).length === 0)) {
    throw new UsageError(`--depth ${depth} tries none of the selected requirements`)
  }
  return { isSelected }
}

/**
 * Selects the violated clauses of a report.
 *
 * @throws {UsageError} when nothing failed, or another version made the report
 */
export function selectFailed(failed: readonly FailedBefore[]): Selection {
  if (failed.length === 0)
    throw new UsageError('the report has no findings, so there is nothing to re-run')
  const known = new Set(checksOf('thorough').map(({ id }) => id))
  const other = failed.find(({ during }) => !known.has(during))
  if (other) {
    throw new UsageError(
      `there is no check ${JSON.stringify(other.during)}; the report comes from another version`,
    )
  }
  const failing = new Set<ClauseId>(failed.map(({ clause }) => clause))
  return { isSelected: (clause) => failing.has(clause) }
}

/** Whether every response that keeps a clause verifies it. */
export const isJudgedByEachResponse = (id: ClauseId): boolean =>
  /^(http\.(media-type|json-body)|error\.|pet\.)/.test(id)

/** The checks of some that verify a clause. */
const checking = (clause: ClauseId, some: readonly Check[]): string[] => [
  ...some.filter((check) => check.clauses.includes(clause)).map(({ id }) => id),
  ...(isJudgedByEachResponse(clause) ? [everyResponse] : []),
]

/** Whether a check creates pets, or would on a broken target. */
const isWriting = ({ writes = 0, sendsInvalidBodies }: Check): boolean =>
  writes > 0 || sendsInvalidBodies === true

/** The pets that a check creates on a conforming target. */
const writesOf = ({ writes = 0, smoke }: Check, depth: Depth): number =>
  depth === 'smoke' ? (smoke?.writes ?? writes) : writes

/** Decides which checks may run, before the first request is sent. */
export function schedule(
  selection: Selection,
  { depth, readOnly, maxWrites }: Pick<VerifyOptions, 'depth' | 'readOnly' | 'maxWrites'>,
  suite: readonly Check[] = checksOf(depth),
): Schedule {
  const scheduled: Check[] = []
  const leftOut = new Map<ClauseId, string>()
  let sum = 0
  for (const check of suite) {
    const writes = writesOf(check, depth)
    const skip = (reason: string): void => {
      for (const clause of check.clauses) leftOut.set(clause, reason)
    }
    if (readOnly && isWriting(check)) skip('the run is read-only')
    else if (sum + writes > maxWrites) {
      skip(
        `its check creates ${count(writes, 'pet')}, and --max-writes ${maxWrites} leaves no capacity for that`,
      )
    } else {
      scheduled.push(check)
      sum += writes
    }
  }
  return { ...selection, scheduled, writes: sum, leftOut }
}

function matches(pattern: string, id: string): boolean {
  const parts = pattern.split(/\*+/).map((part) => part.replace(/[.\\^$+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(id)
}
