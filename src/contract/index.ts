/** The contract suite: verifies that a deployment at any base URL keeps the specification. */

import { toInertJson as toJson } from '../report/text.ts'
import type { Comparison } from './compare.ts'
import { toComparisonHtml } from './reporters/comparison-html.ts'
import { comparisonMarkdown, comparisonText } from './reporters/comparison.ts'
import { toGithub } from './reporters/github.ts'
import { toHtml } from './reporters/html.ts'
import { toJunit } from './reporters/junit.ts'
import { toSarif } from './reporters/sarif.ts'
import { toMarkdown, toText } from './reporters/text.ts'
import { expectReport, type Report } from './report.ts'

export { checkOptions, verify } from './runner.ts'
export { applyBaseline, type Baseline, type BaselineTerms, readBaseline, toBaseline } from './baseline.ts'
export {
  type BehaviorChange,
  type Comparable,
  compare,
  compareReports,
  type Comparison,
  type CompareTerms,
  type RequirementChange,
} from './compare.ts'
export { describeContract, type TestApi } from './describe-contract.ts'
export { checks, listSuite } from './checks/index.ts'
export { version } from '../spec/version.ts'
export { comparisonLine } from './reporters/comparison.ts'
export { toGithub, toHtml, toJson, toJunit, toMarkdown, toSarif, toText }
export type { Check, Stage } from './session.ts'
export type { VerifyInput, VerifyOptions } from './options.ts'
export type {
  BaselineResult,
  ClauseResult,
  ClauseVerdict,
  Finding,
  KnownFailure,
  Rechecked,
  Report,
  ReportedExchange,
} from './report.ts'
export { inert } from '../report/inert.ts'
export { verdictLine } from './reporters/words.ts'

/** Renders a report. */
export type Reporter<Subject = Report> = (
  subject: Subject,
  options?: { color?: boolean; verbose?: boolean; hasHtml?: boolean; target?: string },
) => string

export const reporters: Readonly<Record<string, Reporter>> = {
  text: toText,
  json: (report) => toJson(expectReport(report)),
  junit: toJunit,
  markdown: toMarkdown,
  github: toGithub,
  sarif: toSarif,
  html: toHtml,
}

export const comparisonReporters: Readonly<Record<string, Reporter<Comparison>>> = {
  text: comparisonText,
  markdown: comparisonMarkdown,
  html: toComparisonHtml,
  json: toJson,
}
