import { UsageError } from '../errors.ts'
import type { ClauseId } from '../spec/clauses.ts'
import type { Check } from './check.ts'
import { checks } from './checks/index.ts'
import { systemClock } from './clock.ts'
import { isLoopback, resolveOptions } from './options.ts'
import type { VerifyInput, VerifyOptions } from './options.ts'
import { isJudgedByEachAnswer } from './report.ts'
import type { Finding, Report } from './report.ts'
import { carryOutSuite } from './runner.ts'
import type { Selection } from './selection.ts'

/** What became of one finding. */
export interface Replayed {
  finding: Finding
  outcome: 'fixed' | 'still-failing' | 'flaky' | 'not-verified'
  /** How often it showed, of how many looks that could tell. */
  seen: number
  looks: number
}

/** The result of a replay. */
export interface Replay {
  target: string
  results: Replayed[]
  /** Requests sent in all looks. */
  requests: number
  /** Pets created in all looks. They stay. */
  writes: number
  /** 0 everything is fixed, 1 something fails or is flaky, 3 something could not be told. */
  exitCode: 0 | 1 | 3
  /** Why a look could not begin, or not come to its end. */
  reason?: string
}

/**
 * What `replay` takes: as `verify`, but the target may come from the report where it is on this machine, and it looks
 * several times. `maxWrites` and `maxDurationMs` hold for all looks together.
 */
export type ReplayInput = Omit<VerifyInput, 'baseUrl' | 'only' | 'skip' | 'strict' | 'baseline'> & {
  baseUrl?: string | undefined
  times?: number | undefined
}

type Look = Awaited<ReturnType<typeof carryOutSuite>>

/**
 * Runs again only what failed in a report: the checks whose requests showed it, and those that they lean on.
 *
 * @param input `times` is how often it looks; default 3
 * @throws {UsageError} when the report has no findings or is of another version, or an option is wrong
 */
export async function replay(report: Report, input: ReplayInput): Promise<Replay> {
  const { baseUrl = report.target, times = 3, ...rest } = input
  if (!Number.isInteger(times) || times < 1 || times > 20) throw new UsageError('times must be an integer from 1 to 20')
  const selection = selectFailed(report)
  if (input.baseUrl === undefined && !(URL.canParse(baseUrl) && isLoopback(new URL(baseUrl).hostname))) {
    // Anybody may have written the report: the key goes to no host that it alone names.
    throw new UsageError(`the report names ${JSON.stringify(baseUrl)}, which is not on this machine: give baseUrl`)
  }
  const options = resolveOptions({ ...rest, baseUrl })
  const looks = await look(options, selection, times)
  const results = report.findings.map((finding) => judge(finding, looks))
  const outcomes = new Set(results.map(({ outcome }) => outcome))
  const reason = looks.map((one) => one.report.reason).find((words) => words !== undefined)
  const sum = (name: 'requests' | 'writes'): number => looks.reduce((all, one) => all + one.report.counts[name], 0)
  return {
    target: looks[0]?.report.target ?? '',
    results,
    requests: sum('requests'),
    writes: sum('writes'),
    exitCode: outcomes.has('still-failing') || outcomes.has('flaky') ? 1 : outcomes.has('not-verified') ? 3 : 0,
    ...(reason !== undefined && { reason }),
  }
}

/** Looks so many times, but not so often that more pets are created than all looks together may create. */
async function look(options: VerifyOptions, selection: Selection, times: number): Promise<Look[]> {
  const planned = options.readOnly ? 0 : selection.checks.reduce((all, { writes }) => all + writes, 0)
  const looks: Look[] = []
  let left = options.maxWrites
  const until = systemClock.now() + options.maxDurationMs
  while (looks.length < times && (looks.length === 0 || planned <= left)) {
    options.onProgress?.(`look ${looks.length + 1} of ${times}`)
    const maxDurationMs = Math.max(1, Math.ceil(until - systemClock.now()))
    const one = await carryOutSuite({ ...options, maxWrites: left, maxDurationMs }, selection)
    left -= one.report.counts.writes
    looks.push(one)
  }
  return looks
}

/** Selects the clauses that were violated, the checks that showed it, and what these lean on. */
function selectFailed({ findings }: Report): Selection {
  if (findings.length === 0) throw new UsageError('the report has no findings, so there is nothing to replay')
  const asked = new Set<ClauseId>(findings.map(({ clause }) => clause))
  const wanted = new Set<Check>()
  const want = (id: string): void => {
    const check = checks.find((one) => one.id === id)
    if (!check) throw new UsageError(`there is no check ${JSON.stringify(id)}; another version made the report`)
    if (wanted.has(check)) return
    wanted.add(check)
    for (const other of check.leansOn ?? []) want(other)
  }
  for (const { clause, during } of findings) {
    want(during)
    if (isOwnClause(during, clause) || isJudgedByEachAnswer(clause)) continue
    // Only the checks of the clause can tell that it is kept again.
    for (const { id } of checks.filter(({ clauses }) => clauses.includes(clause))) want(id)
  }
  // The widest lists are what other answers are held against.
  const isNeeded = (check: Check): boolean => wanted.has(check) || check.stage === 'survey'
  return { checks: checks.filter(isNeeded), isAsked: (_, clause) => asked.has(clause) }
}

function judge(finding: Finding, all: readonly Look[]): Replayed {
  const told = all.map((one) => tell(finding, one)).filter((shows) => shows !== undefined)
  const seen = told.filter(Boolean).length
  const looks = told.length
  const unseen = looks === all.length ? 'fixed' : 'not-verified'
  const outcome = seen === 0 ? unseen : seen === looks ? 'still-failing' : 'flaky'
  return { finding, outcome, seen, looks }
}

/** Whether a look shows a finding; undefined where the check that had shown it could not tell. */
function tell({ clause, during }: Finding, { report, done, leftOpen }: Look): boolean | undefined {
  const result = report.clauses.find(({ id }) => id === clause)
  if (result?.verdict === 'violated') return true
  if (result?.verdict !== 'verified' || report.reason !== undefined || !done.has(during)) return undefined
  const isWhole = isOwnClause(during, clause)
    ? result.checks.includes(during)
    : ![...leftOpen].some((entry) => entry.startsWith(`${during} `))
  return isWhole ? false : undefined
}

/** Whether a check verifies a clause, if nothing is wrong. */
function isOwnClause(id: string, clause: ClauseId): boolean {
  return checks.some((check) => check.id === id && check.clauses.includes(clause))
}
