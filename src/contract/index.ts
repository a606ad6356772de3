/**
 * The contract suite: verifies that a deployment at any base URL keeps the specification.
 *
 * From a request to a report:
 *
 * 1. `checks/`: each check is a requirement as requests and expectations. `runner.ts` runs them stage by stage.
 * 2. A check sees the run through a `Session`, which sends its requests, records what it finds, and may be one of several.
 * 3. `transport.ts` repeats what says nothing about the service: rate limits, gateways, resets. `silence.ts` distinguishes a
 *    kind of request that never gets a response from a target that is down, `key-trial.ts` a key that is no longer accepted
 *    from a 401 that is a violation.
 * 4. Each response is judged alone (`every-response.ts`) and by its request (`expect.ts`), shows options of unspecified
 *    behavior (`observe.ts`), and is added to the `run-log.ts`, from which everything is read that the run knows of the target.
 * 5. A `Violated` is certain. `NotVerified` gives the reason why nothing follows, such as a missing precondition or a quota.
 * 6. What a delay or another client may explain is a suspicion: a row of `suspicions/table.ts`, with a judge that reads the
 *    log and yields the questions that are open. `recheck.ts` runs them once every replica had time; `planner.ts` sends
 *    what they need. `judge/explanations.ts` lists what may be innocent; `status-changes.ts` and `removals.ts` decide what
 *    others did to pets, and `late.ts` says what may be late.
 * 7. `findings.ts` collects all of that: one finding for each requirement and cause.
 * 8. `verdicts.ts` reaches a verdict on each requirement and on the run; `to-report.ts` prints it without secrets.
 * 9. `reporters/` show findings below their probable causes. `compare.ts`, `history.ts` and `baseline.ts` read reports.
 * 10. `thorough/` sends random sequences through the same sessions; `traffic-judge.ts` judges what passes a proxy by 4.
 */

import type { Format } from '../report/formats.ts'
import { toInertJson as toJson } from '../report/text.ts'
import type { Comparison } from './report/report.gen.ts'
import { toComparisonHtml } from './reporters/comparison-html.ts'
import { comparisonMarkdown, comparisonText } from './reporters/comparison.ts'
import { toGithub } from './reporters/github.ts'
import { toHtml } from './reporters/html.ts'
import { toJunit } from './reporters/junit.ts'
import { toSarif } from './reporters/sarif.ts'
import { toFailingLine, toMarkdown, toOverview, toText } from './reporters/text.ts'
import { expectReport, type Reporter } from './report/report.ts'

export { checkOptions, verify } from './suite/verify.ts'
export {
  applyBaseline,
  type Baseline,
  type BaselineTerms,
  readBaseline,
  toBaseline,
} from './report/baseline.ts'
export { type Comparable, compare, compareReports, type CompareTerms } from './suite/compare.ts'
export type { BehaviorChange, Comparison, RequirementChange } from './report/report.gen.ts'
export { describeContract, type TestApi } from './describe-contract.ts'
export { checks, listSuite } from './suite/checks.ts'
export { version } from '../spec/version.ts'
export { comparisonLine } from './reporters/comparison.ts'
export { verdictLine } from './reporters/digest.ts'
export { toFailingLine, toGithub, toHtml, toJson, toJunit, toMarkdown, toOverview, toSarif, toText }
export type { Check, Stage } from './session/session.ts'
export type { VerifyInput, VerifyOptions } from './session/options.ts'
export type {
  BaselineResult,
  RequirementResult,
  RequirementVerdict,
  Finding,
  HttpArchive,
  KnownFailure,
  Rechecked,
  Report,
  ReportedExchange,
  Reporter,
} from './report/report.ts'
export { inert } from '../report/text.ts'

export const reporters: Readonly<Record<string, Reporter>> = {
  text: toText,
  json: (report) => toJson(expectReport(report)),
  junit: toJunit,
  markdown: toMarkdown,
  github: toGithub,
  sarif: toSarif,
  html: toHtml,
} satisfies Record<Format, Reporter>

export const comparisonReporters: Readonly<Record<string, Reporter<Comparison>>> = {
  text: comparisonText,
  markdown: comparisonMarkdown,
  html: toComparisonHtml,
  json: toJson,
}
