import { systemClock, type RunClock } from '../http/waiting.ts'
import { toVerdict, type Rechecked, type Report } from '../report/report.ts'
import {
  resolveOptions,
  type FailedBefore,
  type VerifyInput,
  type VerifyOptions,
} from '../session/options.ts'
import { checks } from './checks.ts'
import { runSuite, type SuiteOutcome } from './runner.ts'
import { select, selectFailed, type Selection } from './selection.ts'

/** `verify` of `src/verify/index.ts`, without a conforming service unless it is given. */
export async function verify(input: VerifyInput): Promise<Report> {
  return verifyBy(systemClock, input)
}

/** `verify` by another clock. */
export async function verifyBy(clock: RunClock, input: VerifyInput): Promise<Report> {
  const { options, selection } = checkOptions(input)
  const failed = options.onlyFailed?.findings
  return failed
    ? rerun(options, selection, failed, clock)
    : (await runSuite(options, selection, clock)).report
}

/**
 * Validates the options of `verify` without sending anything.
 *
 * @throws {UsageError} as `verify` does
 */
export function checkOptions(input: VerifyInput): { options: VerifyOptions; selection: Selection } {
  const options = resolveOptions(input)
  const { onlyFailed, only, skip, depth } = options
  return {
    options,
    selection: onlyFailed ? selectFailed(onlyFailed.findings) : select(only, skip, depth),
  }
}

/** Runs the suite `times` times, and reports what became of the findings of an earlier report. */
async function rerun(
  options: VerifyOptions,
  selection: Selection,
  failed: readonly FailedBefore[],
  clock: RunClock,
): Promise<Report> {
  const until = clock.now() + options.maxDurationMs
  const runs: SuiteOutcome[] = []
  let isShown = false
  const onFailing = (report: Report): void => {
    if (!isShown) options.onFailing?.(report)
    isShown = true
  }
  while (runs.length < options.times && (runs.length === 0 || clock.now() < until)) {
    options.onProgress?.(`run ${runs.length + 1} of ${options.times}`)
    const maxDurationMs = Math.max(1, Math.ceil(until - clock.now()))
    runs.push(await runSuite({ ...options, maxDurationMs, onFailing }, selection, clock))
  }
  const results = failed.map((finding) => becameOf(finding, runs))
  const number = (outcome: Rechecked['outcome']): number =>
    results.filter((one) => one.outcome === outcome).length
  const reports = runs.map(({ report }) => report)
  const shown = reports.reduce((a, b) => (a.findings.length > 0 ? a : b))
  const sum = (name: 'requests' | 'writes'): number =>
    reports.reduce((all, { counts }) => all + counts[name], 0)
  const reason = reports.map((report) => report.reason).find((words) => words !== undefined)
  const violated = number('still-failing') + number('flaky')
  return {
    ...shown,
    ...toVerdict(
      { verified: number('fixed'), violated, notVerified: number('not-verified') },
      {},
      true,
    ),
    ...(reason !== undefined && { reason }),
    counts: { ...shown.counts, requests: sum('requests'), writes: sum('writes') },
    recheck: results,
  }
}

function becameOf(finding: FailedBefore, all: readonly SuiteOutcome[]): Rechecked {
  const { requirement, message } = finding
  const conclusive = all
    .map((run) => shows(finding, run))
    .filter((isShown) => isShown !== undefined)
  const [seen, runs] = [conclusive.filter(Boolean).length, conclusive.length]
  // What kept a whole run from a verdict is said once.
  const [reason] = all.flatMap(({ report }) => {
    const own = report.requirements.find(({ id }) => id === requirement)?.reason
    return own === undefined || own === report.reason ? [] : [own]
  })
  const result = { requirement, message, seen, runs }
  if (seen > 0) return { ...result, outcome: seen === runs ? 'still-failing' : 'flaky' }
  if (runs === all.length) return { ...result, outcome: 'fixed' }
  return { ...result, outcome: 'not-verified', ...(reason !== undefined && { reason }) }
}

/** Whether a run shows a finding; undefined when it was inconclusive. */
function shows(
  { requirement, during }: FailedBefore,
  { report, done, unverifiedBy }: SuiteOutcome,
): boolean | undefined {
  const result = report.requirements.find(({ id }) => id === requirement)
  if (result?.verdict === 'violated') return true
  if (result?.verdict !== 'verified' || report.reason !== undefined || !done.has(during))
    return undefined
  const isOwn = checks.some((one) => one.id === during && one.requirements.includes(requirement))
  const isWhole = isOwn
    ? result.checks.includes(during)
    : ![...unverifiedBy.values()].flat().some(({ check }) => check === during)
  return isWhole ? false : undefined
}
