import { didYouMean, UsageError } from '../errors.ts'
import { clauses, type ClauseId } from '../spec/clauses.ts'
import type { Check } from './session.ts'
import { count } from '../report/text.ts'
import { checks, checksOf } from './checks/index.ts'
import type { Depth } from './limits.ts'
import type { FailedBefore, VerifyOptions } from './options.ts'
import { seenBy } from './seen-by.ts'

export const everyResponse = 'every-response'
/** The checks that show how large the catalog is. */
export const survey = checks.filter(({ stage }) => stage === 'survey').map(({ id }) => id)

/** The part of the suite that --only and --skip select. */
export interface Selection {
  checks: readonly Check[]
  /** Whether a finding is selected; `during` is the check whose request showed it. */
  isSelected(check: string, clause: ClauseId, during?: string): boolean
  /** In a partial run: the checks that must finish before a clause is verified. */
  needs?(clause: ClauseId): readonly string[]
}

/** What a run does of a selection. */
export interface Schedule extends Selection {
  scheduled: readonly Check[]
  /** Pets that the scheduled checks create on a conforming target. */
  writes: number
  /** Why no check of a clause runs. */
  leftOut: ReadonlyMap<ClauseId, string>
}

/**
 * Selects checks and clauses by id; `*` matches any text. A clause selects every check that can show it violated. A
 * run at the depth `smoke` is always partial.
 *
 * @throws {UsageError} when a pattern matches nothing, or nothing is left
 */
export function select(
  only: readonly string[],
  skip: readonly string[],
  depth: Depth = 'standard',
): Selection {
  const suite = checksOf(depth)
  const ids = [everyResponse, ...[...checks, ...suite, ...clauses].map(({ id }) => id)]
  for (const pattern of [...only, ...skip]) {
    if (!ids.some((id) => matches(pattern, id))) {
      throw new UsageError(
        `there is no requirement or check ${JSON.stringify(pattern)}${didYouMean(pattern, ids) || '; petstore verify --list lists them'}`,
      )
    }
  }
  const isOnly = (...names: string[]): boolean =>
    only.length === 0 || only.some((pattern) => names.some((name) => matches(pattern, name)))
  const isSkipped = (name: string): boolean => skip.some((pattern) => matches(pattern, name))
  const isSelected = (check: string, clause: ClauseId, during = check): boolean =>
    isOnly(check, clause, during) && !isSkipped(check) && !isSkipped(clause)
  const shows = new Set(
    clauses
      .filter(({ id }) => only.length > 0 && isOnly(id) && !isSkipped(id))
      .flatMap(({ id }) => withDependencies(needs(id))),
  )
  const wanted = suite.filter(
    ({ id, clauses: its }) =>
      (isOnly(id, everyResponse) || shows.has(id)) &&
      !isSkipped(id) &&
      !(its.length > 0 && its.every((clause) => isSkipped(clause))),
  )
  if (wanted.length === 0) {
    const of = depth === 'smoke' ? ' at --depth smoke' : ''
    throw new UsageError(`--only and --skip leave nothing to verify${of}`)
  }
  const isPartial = wanted.length < suite.length || depth === 'smoke' || isSkipped(everyResponse)
  // Every response is judged, whichever checks run.
  const needed = (clause: ClauseId): string[] =>
    needs(clause).filter((id) => id !== everyResponse || isSkipped(everyResponse))
  return { checks: wanted, isSelected, ...(isPartial && { needs: needed }) }
}

/**
 * Selects the violated clauses, the checks that showed them, and their dependencies.
 *
 * @throws {UsageError} when nothing failed, or another version made the report
 */
export function selectFailed(failed: readonly FailedBefore[]): Selection {
  if (failed.length === 0)
    throw new UsageError('the report has no findings, so there is nothing to re-run')
  const failing = new Set<ClauseId>(failed.map(({ clause }) => clause))
  const wanted = new Set<Check>()
  const want = (id: string): void => {
    const check = checksOf('thorough').find((one) => one.id === id)
    if (!check)
      throw new UsageError(
        `there is no check ${JSON.stringify(id)}; the report comes from another version`,
      )
    if (wanted.has(check)) return
    wanted.add(check)
    for (const other of check.dependsOn ?? []) want(other)
  }
  for (const { clause, during } of failed) {
    want(during)
    if (isOwnClause(during, clause) || isJudgedByEachResponse(clause)) continue
    // Only the checks of the clause can verify it again.
    for (const { id } of checks.filter(({ clauses: its }) => its.includes(clause))) want(id)
  }
  // Other responses are compared with the longest lists.
  const isNeeded = (check: Check): boolean => wanted.has(check) || check.stage === 'survey'
  return {
    checks: checksOf('thorough').filter(isNeeded),
    isSelected: (_, clause) => failing.has(clause),
  }
}

export const isOwnClause = (id: string, clause: ClauseId): boolean =>
  checks.some((check) => check.id === id && check.clauses.includes(clause))

/** Whether every response that keeps a clause verifies it. */
export const isJudgedByEachResponse = (id: ClauseId): boolean =>
  /^(http\.(media-type|json-body)|error\.|pet\.)/.test(id)

/** The checks of a clause, their dependencies, and every check that was ever seen to show it violated. */
function needs(clause: ClauseId): string[] {
  const own = checks.filter((check) => check.clauses.includes(clause))
  // Comparisons need the longest lists, with new pets among them.
  const compares = own.some(({ stage }) => stage === 'compare' || stage === 'remain')
  return [
    ...new Set([
      ...withDependencies(own.map(({ id }) => id)),
      ...(compares ? [...survey, 'create-pet.ordinary'] : []),
      // The number of new pets decides whether a page leaves one out.
      ...(clause === 'create.listed'
        ? checks.filter(({ writes = 0 }) => writes > 0).map(({ id }) => id)
        : []),
      ...(seenBy[clause]?.split(' ') ?? []),
    ]),
  ]
}

const withDependencies = (ids: readonly string[]): string[] => [
  ...ids,
  ...checks.flatMap(({ id, dependsOn = [] }) => (ids.includes(id) ? dependsOn : [])),
]

/** Whether a check creates pets, or would on a broken target. */
export const isWriting = ({ writes = 0, sendsInvalidBodies }: Check): boolean =>
  writes > 0 || sendsInvalidBodies === true

/** The pets that a check creates on a conforming target. */
export const writesOf = ({ writes = 0, smoke }: Check, depth: Depth): number =>
  depth === 'smoke' ? (smoke?.writes ?? writes) : writes

/** Decides which checks may run, before the first request is sent. */
export function schedule(
  selection: Selection,
  { depth, readOnly, maxWrites }: Pick<VerifyOptions, 'depth' | 'readOnly' | 'maxWrites'>,
): Schedule {
  const scheduled: Check[] = []
  const leftOut = new Map<ClauseId, string>()
  let sum = 0
  for (const check of selection.checks) {
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

export function matches(pattern: string, id: string): boolean {
  const parts = pattern.split(/\*+/).map((part) => part.replace(/[.\\^$+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(id)
}
