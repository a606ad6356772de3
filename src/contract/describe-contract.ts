import { requirements, type Requirement } from '../spec/requirements.ts'
import type { VerifyInput } from './session/options.ts'
import { groupsOf } from './reporters/groups.ts'
import { outcomeOf } from './reporters/junit.ts'
import type { Report } from './report/report.ts'
import { verify } from './suite/verify.ts'

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

/** `describeContract` of `src/verify/index.ts`, without a conforming service unless it is given. */
export function describeContract(target: VerifyInput | Report, { describe, it }: TestApi): void {
  const reported = 'requirements' in target ? target : undefined
  let run: Promise<Report> | undefined
  const report = (): Promise<Report> =>
    (run ??= reported ? Promise.resolve(reported) : verify(target as VerifyInput))
  const { skip: defineSkipped } = it as TestApi['it'] & { skip?: TestApi['it'] }
  const define = (requirement: Requirement): void => {
    const known = reported && outcomeIn(reported, requirement)
    // A report is known before the tests run.
    if (defineSkipped && known?.tag === 'skipped') {
      defineSkipped(`${nameOf(requirement)} (${known.message})`, async () => {})
      return
    }
    const test = async (...[context]: unknown[]): Promise<void> => {
      const { tag, message = '', body = message } = outcomeIn(await report(), requirement) ?? {}
      if (tag === 'failure') throw new Error(body)
      if (tag === 'skipped' && !reported) skip(context as TestContext | undefined, message)
    }
    it(nameOf(requirement), test, timeoutMs)
  }
  const expectVerdict = async (): Promise<void> => {
    const { exitCode, reason, drift = [] } = await report()
    if (drift.length > 0) {
      throw new Error(
        `drift: ${drift.map((one) => `${one.id} is ${one.actual}, not ${one.expected}`).join('; ')}`,
      )
    }
    if (exitCode === 3) throw new Error(`not verified: ${reason ?? 'too little could be verified'}`)
  }
  const all: readonly Requirement[] = requirements
  describe('the contract of the Pet Store Service', () => {
    it('the run of the contract suite reaches a verdict', expectVerdict, timeoutMs)
    for (const section of new Set(all.map((requirement) => requirement.section))) {
      describe(section, () => {
        for (const requirement of all.filter((one) => one.section === section)) define(requirement)
      })
    }
  })
}

const nameOf = ({ id, reading }: Requirement): string => `${id}: ${reading}`

function outcomeIn(report: Report, { id }: Requirement): ReturnType<typeof outcomeOf> {
  const result = report.requirements.find((requirement) => requirement.id === id)
  if (!result)
    throw new Error(
      `the report has no requirement ${id}; it comes from another version of petstore-kit`,
    )
  return outcomeOf(report, result, groupsOf(report, report.findings))
}

function skip(context: TestContext | undefined, reason: string): void {
  if (typeof context?.skip === 'function') context.skip(reason)
  else {
    throw new TypeError(
      `${reason}. This test runner cannot skip a test that runs; give describeContract a report: ` +
        'describeContract(await verify(options), { describe, it })',
    )
  }
}
