import { UsageError } from '../errors.ts'
import type { ClauseId } from '../spec/clauses.ts'
import type { VerifyInput } from './options.ts'
import type { Finding, Report } from './report.ts'
import { verify } from './runner.ts'

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
  /** 0 everything is fixed, 1 something fails or is flaky, 3 something could not be told. */
  exitCode: 0 | 1 | 3
  /** Why nothing could be told. */
  reason?: string
}

/** What `replay` takes: as `verify`, but the target may come from the report, and it looks several times. */
export type ReplayInput = Omit<VerifyInput, 'baseUrl' | 'only' | 'skip'> & { baseUrl?: string; times?: number }

/**
 * Runs again only what failed in a report.
 *
 * @param input `times` is how often it looks; default 3
 * @throws {UsageError} when the report has no findings, or an option is wrong
 */
export async function replay(report: Report, { baseUrl = report.target, times = 3, ...input }: ReplayInput): Promise<Replay> {
  if (report.findings.length === 0) throw new UsageError('the report has no findings, so there is nothing to replay')
  if (!Number.isInteger(times) || times < 1 || times > 20) throw new UsageError('times must be an integer from 1 to 20')
  const only = [...new Set(report.findings.flatMap(({ clause, during }) => [clause, during]))]
  const reports: Report[] = []
  for (let look = 0; look < times; look += 1) reports.push(await verify({ ...input, baseUrl, only }))
  const results = report.findings.map((finding) => judge(finding, reports))
  const outcomes = new Set(results.map(({ outcome }) => outcome))
  const reason = reports[0]?.reason
  return {
    target: baseUrl,
    results,
    exitCode: outcomes.has('still-failing') || outcomes.has('flaky') ? 1 : outcomes.has('not-verified') ? 3 : 0,
    ...(reason !== undefined && { reason }),
  }
}

function judge(finding: Finding, reports: readonly Report[]): Replayed {
  const verdicts = reports.map(({ clauses }) => verdictOf(clauses, finding.clause)).filter((verdict) => verdict !== undefined)
  const seen = verdicts.filter((verdict) => verdict === 'violated').length
  const looks = verdicts.length
  const outcome = looks === 0 ? 'not-verified' : seen === 0 ? 'fixed' : seen === looks ? 'still-failing' : 'flaky'
  return { finding, outcome, seen, looks }
}

/** The verdict of a look that could tell. */
function verdictOf(clauses: Report['clauses'], id: ClauseId): 'verified' | 'violated' | undefined {
  const verdict = clauses.find((clause) => clause.id === id)?.verdict
  return verdict === 'verified' || verdict === 'violated' ? verdict : undefined
}
