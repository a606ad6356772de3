/** The contract suite: verifies that a deployment at any base URL keeps the specification. Its way: `docs/project/architecture.md`. */

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
