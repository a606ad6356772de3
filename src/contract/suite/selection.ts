import { didYouMean, UsageError } from '../../errors.ts'
import { byChance } from '../judge/findings.ts'
import { count } from '../../report/text.ts'
import { type Requirement, requirements, type RequirementId } from '../../spec/requirements.ts'
import { checks, checksOf } from './checks.ts'
import type { Depth } from '../session/limits.ts'
import type { FailedBefore, VerifyOptions } from '../session/options.ts'
import type { Check } from '../session/session.ts'

export const everyResponse = 'every-response'

/** The requirements that a report and its exit code are about. A run is whole, whatever is selected. */
export interface Selection {
  /** @param shownBy the checks that have shown the requirement violated */
  isSelected(requirement: RequirementId, shownBy?: Iterable<string>): boolean
}

/** What a run does, and what its report is about. */
export interface Schedule extends Selection {
  scheduled: readonly Check[]
  /** Pets that the scheduled checks create on a conforming target. */
  writes: number
  /** Why no check of a requirement runs. */
  leftOut: ReadonlyMap<RequirementId, string>
}

const testable: readonly RequirementId[] = (requirements as readonly Requirement[]).flatMap(
  ({ id, untestable }) => (untestable === undefined ? [id as RequirementId] : []),
)

/**
 * Selects requirements by their ids or by checks; `*` matches any text. A check stands for the requirements that it verifies or
 * shows violated.
 *
 * @throws {UsageError} when a pattern matches nothing, or nothing is left that the depth can try
 */
export function select(
  only: readonly string[],
  skip: readonly string[],
  depth: Depth = 'standard',
): Selection {
  const ids = [
    everyResponse,
    byChance,
    ...[...checksOf('thorough'), ...requirements].map(({ id }) => id),
  ]
  for (const pattern of [...only, ...skip]) {
    if (!ids.some((id) => matches(pattern, id))) {
      const hint = ids.some((id) => id.startsWith(`${pattern}.`))
        ? `; did you mean '${pattern}.*'?`
        : didYouMean(pattern, ids) || '; petstore verify --list lists them'
      throw new UsageError(`there is no requirement or check ${JSON.stringify(pattern)}${hint}`)
    }
  }
  const isSkipped = (id: string): boolean => skip.some((pattern) => matches(pattern, id))
  const isOnly = (id: string): boolean => only.some((pattern) => matches(pattern, id))
  const isSelected = (requirement: RequirementId, shownBy: Iterable<string> = []): boolean => {
    const by = [...checking(requirement, checks), ...shownBy]
    return (
      (only.length === 0 || isOnly(requirement) || by.some(isOnly)) &&
      !isSkipped(requirement) &&
      !(by.length > 0 && by.every(isSkipped))
    )
  }
  const selected = testable.filter((requirement) => isSelected(requirement))
  if (selected.length === 0)
    throw new UsageError('--only and --skip leave no requirement to verify')
  if (selected.every((requirement) => checking(requirement, checksOf(depth)).length === 0)) {
    throw new UsageError(`--depth ${depth} tries none of the selected requirements`)
  }
  return { isSelected }
}

/**
 * Selects the violated requirements of a report.
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
  const failing = new Set<RequirementId>(failed.map(({ requirement }) => requirement))
  return { isSelected: (requirement) => failing.has(requirement) }
}

/** Whether every response that keeps a requirement verifies it. */
export const isJudgedByEachResponse = (id: RequirementId): boolean =>
  /^(http\.(media-type|json-body)|error\.|pet\.)/.test(id)

/** The checks of some that verify a requirement. */
const checking = (requirement: RequirementId, some: readonly Check[]): string[] => [
  ...some.filter((check) => check.requirements.includes(requirement)).map(({ id }) => id),
  ...(isJudgedByEachResponse(requirement) ? [everyResponse] : []),
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
  const leftOut = new Map<RequirementId, string>()
  let sum = 0
  for (const check of suite) {
    const writes = writesOf(check, depth)
    const skip = (reason: string): void => {
      for (const requirement of check.requirements) leftOut.set(requirement, reason)
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
