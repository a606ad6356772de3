/** The contract suite: verifies that a deployment at any base URL keeps the specification. */

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
export { comparisonReporters, reporters, type Reporter } from './reporters/index.ts'
export { comparisonLine } from './reporters/comparison.ts'
export { toGithub } from './reporters/github.ts'
export { toHtml } from './reporters/html.ts'
export { toInertJson as toJson } from '../report/text.ts'
export { toJunit } from './reporters/junit.ts'
export { toMarkdown } from './reporters/markdown.ts'
export { toSarif } from './reporters/sarif.ts'
export { toText, type TextOptions } from './reporters/text.ts'
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
