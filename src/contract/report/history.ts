import { operations } from '../../spec/operations.ts'
import { issuesOf } from '../../validate.ts'
import { daysTo, daysToRemoval } from './baseline.ts'
import type { HistoryEntry } from './report.gen.ts'
import { type RequirementVerdict, observedIn, type Report } from './report.ts'
import { validators } from './validators.gen.ts'

export type { HistoryEntry } from './report.gen.ts'

/** Characters of texts from the target. */
const maxTextLength = 300

/** Makes the line of a run, without requests and responses. */
export function toHistoryEntry(report: Report, name: string): HistoryEntry {
  const {
    startedAt,
    target,
    kit,
    verdict,
    exitCode,
    reason,
    counts,
    latency,
    requirements,
    baseline,
  } = report
  const idsOf = (wanted: RequirementVerdict): string[] =>
    requirements.filter((one) => one.verdict === wanted).map(({ id }) => id)
  return {
    schemaVersion: 1,
    name,
    at: startedAt,
    target,
    kit,
    verdict,
    exitCode,
    ...(reason !== undefined && { reason: reason.slice(0, maxTextLength) }),
    counts,
    ...(latency && { latency }),
    verified: idsOf('verified'),
    violated: idsOf('violated'),
    profile: Object.fromEntries(
      observedIn(report).map(([id, option]) => [id, option.slice(0, maxTextLength)]),
    ),
    ...(baseline && baseline.known.length > 0 && { known: baseline.known }),
  }
}

/** Accepts unknown fields, which a newer kit may record. */
export const isHistoryEntry = (value: unknown): value is HistoryEntry =>
  issuesOf(validators.History, value).every(({ code }) => code === 'closed')

export interface Changed {
  id: string
  at: string
}

/** What a history says about one deployment. */
export interface History {
  name: string
  target: string
  /** At least one; the oldest first. */
  runs: (Pick<
    HistoryEntry,
    'at' | 'kit' | 'verdict' | 'exitCode' | 'reason' | 'counts' | 'latency'
  > & {
    violated: number
  })[]
  /** Violated in the last conclusive run, and since when. */
  regressed: Changed[]
  /** Verified again, and since when. */
  fixed: Changed[]
  /** Changed at least three times. */
  flaky: { id: string; violated: number; of: number }[]
  /** Options that differ from the run before. */
  changed: (Changed & { before: string; after: string })[]
  /** What ends soon or has ended: baseline entries, and getPet. */
  expiring: { id: string; on: string; days: number; ticket?: string }[]
  /** The 95th percentile (ms) of the last run, and the median of the runs before. */
  latency?: { p95: number; before?: number }
  /** Runs without a verdict. */
  inconclusive: number
  /** The versions of petstore-kit; different ones may check different things. */
  kits: string[]
}

/** Days before the end of a baseline entry in which it is shown. */
const nearDays = 30
/** Changes of a flaky requirement; a regression and its fix are two. */
const flakyChanges = 3

/**
 * Summarizes the runs against one deployment. Runs that could not verify a requirement do not count as changes.
 *
 * @param entries at least one
 * @param last the number of latest runs to include
 */
export function toHistory(
  entries: readonly HistoryEntry[],
  { last = 30, now }: { last?: number; now: Date },
): History {
  const kept = sortedRuns(entries).slice(-last)
  const newest = kept.at(-1) as HistoryEntry
  const lines = linesOf(kept)
  const isFlaky = (line: Line): boolean => line.changes.length >= flakyChanges
  const ended = (isViolated: boolean): Changed[] =>
    lines
      .filter((line) => !isFlaky(line) && line.changes.length > 0 && line.isViolated === isViolated)
      .map(({ id, changes }) => ({ id, at: changes.at(-1) as string }))
  const latencies = kept.slice(0, -1).flatMap(({ latency }) => (latency ? [latency.p95] : []))
  const before = latencies.sort((a, b) => a - b)[Math.floor(latencies.length / 2)]
  return {
    name: newest.name,
    target: newest.target,
    runs: kept.map(({ at, kit, verdict, exitCode, reason, counts, latency, violated }) => ({
      at,
      kit,
      verdict,
      exitCode,
      ...(reason !== undefined && { reason }),
      counts,
      ...(latency && { latency }),
      violated: violated.length,
    })),
    regressed: ended(true),
    fixed: ended(false),
    flaky: lines.filter(isFlaky).map(({ id, violated, of }) => ({ id, violated, of })),
    changed: changedOptions(kept),
    expiring: expiringAt(newest, now),
    ...(newest.latency && {
      latency: { p95: newest.latency.p95, ...(before !== undefined && { before }) },
    }),
    inconclusive: kept.filter(({ verdict }) => verdict === 'not-verified').length,
    kits: [...new Set(kept.map(({ kit }) => kit))],
  }
}

/** Sorted by time, without duplicates: merged branches may have the same runs. */
function sortedRuns(entries: readonly HistoryEntry[]): HistoryEntry[] {
  const unique = new Map(entries.map((entry) => [JSON.stringify(entry), entry]))
  return [...unique.values()].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

interface Line {
  id: string
  /** The last conclusive result. */
  isViolated: boolean
  /** The times of changes. */
  changes: string[]
  violated: number
  of: number
}

function linesOf(entries: readonly HistoryEntry[]): Line[] {
  const lines = new Map<string, Line>()
  for (const { at, verified, violated } of entries) {
    for (const id of [...verified, ...violated]) {
      const isViolated = violated.includes(id)
      const line = lines.get(id) ?? { id, isViolated, changes: [], violated: 0, of: 0 }
      if (line.isViolated !== isViolated) line.changes.push(at)
      lines.set(id, {
        ...line,
        isViolated,
        of: line.of + 1,
        violated: line.violated + Number(isViolated),
      })
    }
  }
  return [...lines.values()]
}

function changedOptions(entries: readonly HistoryEntry[]): History['changed'] {
  const options = new Map<string, string>()
  const changes = new Map<string, History['changed'][0]>()
  for (const { at, profile } of entries) {
    for (const [id, after] of Object.entries(profile)) {
      const before = options.get(id)
      if (before !== undefined && before !== after) changes.set(id, { id, at, before, after })
      options.set(id, after)
    }
  }
  return [...changes.values()].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

function expiringAt(newest: HistoryEntry, now: Date): History['expiring'] {
  const entries = (newest.known ?? []).map(({ requirement, expires, ticket }) => ({
    id: `baseline of ${requirement}`,
    on: expires,
    days: daysTo(expires, now),
    ...(ticket !== undefined && { ticket }),
  }))
  const days = newest.verified.includes('get.until-removal') ? daysToRemoval(now) : undefined
  return [
    ...entries.filter((entry) => entry.days <= nearDays),
    ...(days === undefined ? [] : [{ id: 'getPet', on: operations.getPet.removalDate, days }]),
  ]
}

/**
 * `Since the last run: 2 fixed, 1 new`; undefined for the first run. Requirements that were not verified count as unchanged,
 * so a run without a verdict is not compared.
 */
export function sinceLastRun(
  before: readonly HistoryEntry[],
  entry: HistoryEntry,
): string | undefined {
  const runs = sortedRuns(before)
  if (runs.length === 0) return undefined
  if (entry.verdict === 'not-verified') {
    const last = runs.findLast(({ verdict }) => verdict !== 'not-verified')
    if (last === undefined) return 'This run is inconclusive, as all runs before.'
    const verdict = last.verdict === 'conforms' ? 'PASS' : 'FAIL'
    return `This run is inconclusive. Last verdict: ${verdict}, ${last.at.slice(0, 16).replace('T', ' ')} UTC`
  }
  const was = new Map(linesOf(runs).map(({ id, isViolated }) => [id, isViolated]))
  const fixed = entry.verified.filter((id) => was.get(id) === true)
  const fresh = entry.violated.filter((id) => was.get(id) !== true)
  const options = new Map(runs.flatMap(({ profile }) => Object.entries(profile)))
  const changed = Object.entries(entry.profile).filter(
    ([id, option]) => (options.get(id) ?? option) !== option,
  )
  const lost = Object.keys(runs.at(-1)?.profile ?? {}).filter((id) => !(id in entry.profile))
  const named = (ids: readonly string[]): string =>
    ids.length === 0 ? '' : ` (${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ', ...' : ''})`
  const words = [
    ...(fixed.length > 0 ? [`${fixed.length} fixed${named(fixed)}`] : []),
    ...(fresh.length > 0 ? [`${fresh.length} new${named(fresh)}`] : []),
    ...(changed.length > 0 ? [`${changed.length} changed${named(changed.map(([id]) => id))}`] : []),
    ...(lost.length > 0 ? [`${lost.length} no longer observed${named(lost)}`] : []),
  ]
  return `Since the last run: ${words.length > 0 ? words.join(', ') : 'no change'}`
}
