import { clauses, type Clause } from '../spec/clauses.ts'
import type { VerifyInput } from './options.ts'
import { groupLines, groupsOf } from './reporters/groups.ts'
import type { ClauseResult, Report } from './report.ts'
import { verify } from './runner.ts'

/** What vitest and node:test hand to a test that runs. */
interface TestContext {
  skip(reason?: string): void
}

/** `describe` and `it` of vitest, node:test or Jest. */
export interface TestApi {
  describe(name: string, define: () => void): unknown
  it(name: string, run: () => Promise<void>, timeoutMs?: number): unknown
}

/** Milliseconds that the first test, which waits for the whole run, may take. */
const timeoutMs = 600_000

/**
 * Defines a test for each clause: it passes when the clause is verified, fails with the finding's text when it is
 * violated, and is skipped with the reason when it could not be verified. One test more fails with the reason of a run
 * that comes to no verdict: a wrong address, say, so that a run of nothing but skipped tests does not pass.
 *
 * The run starts with the first test. Jest cannot skip a test that runs: give it a report instead of options.
 *
 * @param target options as `verify` takes them, or the report of a run
 * @example
 * import { describe, it } from 'node:test'
 * describeContract({ baseUrl, apiKey }, { describe, it })
 * @example
 * // Jest, in a file that is an ES module
 * describeContract(await verify({ baseUrl, apiKey }), { describe, it })
 */
export function describeContract(target: VerifyInput | Report, { describe, it }: TestApi): void {
  const reported = 'clauses' in target ? target : undefined
  let run: Promise<Report> | undefined
  const report = (): Promise<Report> => (run ??= 'clauses' in target ? Promise.resolve(target) : verify(target))
  const { skip: defineSkipped } = it as TestApi['it'] & { skip?: TestApi['it'] }
  const define = (clause: Clause): void => {
    const { verdict, reason = verdict } = reported ? resultOf(reported, clause) : {}
    // A report is known before the tests run.
    if (defineSkipped && (verdict === 'not-verified' || verdict === 'not-applicable')) {
      defineSkipped(`${nameOf(clause)} (${reason})`, async () => {})
      return
    }
    const test = async (...[context]: unknown[]): Promise<void> => {
      const open = judge(await report(), clause)
      if (open !== undefined && !reported) skip(context as TestContext | undefined, open)
    }
    it(nameOf(clause), test, timeoutMs)
  }
  const expectVerdict = async (): Promise<void> => {
    const { exitCode, reason, drift = [] } = await report()
    if (drift.length > 0) {
      throw new Error(`drift: ${drift.map((one) => `${one.id} is ${one.actual}, not ${one.expected}`).join('; ')}`)
    }
    if (exitCode === 3) throw new Error(`not verified: ${reason ?? 'too little could be verified'}`)
  }
  const all: readonly Clause[] = clauses
  describe('the contract of the Pet Store Service', () => {
    it('the run of the contract suite reaches a verdict', expectVerdict, timeoutMs)
    for (const section of new Set(all.map((clause) => clause.section))) {
      describe(section, () => {
        for (const clause of all.filter((one) => one.section === section)) define(clause)
      })
    }
  })
}

const nameOf = ({ id, reading }: Clause): string => `${id}: ${reading}`

function resultOf(report: Report, { id }: Clause): ClauseResult {
  const result = report.clauses.find((clause) => clause.id === id)
  if (!result) throw new Error(`the report has no clause ${id}; it comes from another version of petstore-kit`)
  return result
}

/** Returns why a test is to be skipped; throws when the clause is violated. */
function judge(report: Report, clause: Clause): string | undefined {
  const { verdict, reason } = resultOf(report, clause)
  if (verdict !== 'violated') return verdict === 'verified' ? undefined : (reason ?? verdict)
  const findings = report.findings.filter(
    (finding) => finding.clause === clause.id || finding.alsoBreaks.some((id) => id === clause.id),
  )
  const known = findings.filter((finding) => finding.known !== undefined)
  if (known.length === findings.length && known.length > 0) {
    return `known: ${known[0]?.known?.reason} (until ${known[0]?.known?.expires})`
  }
  const groups = groupsOf(report, findings)
  throw new Error(groups.map((group) => [group.clause, ...groupLines(group)].join('\n')).join('\n\n'))
}

function skip(context: TestContext | undefined, reason: string): void {
  if (typeof context?.skip === 'function') context.skip(reason)
  else {
    throw new TypeError(
      `not verified: ${reason}. This test runner cannot skip a test that runs; give describeContract a report: ` +
        'describeContract(await verify(options), { describe, it })',
    )
  }
}
