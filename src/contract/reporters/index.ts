import type { Report } from '../report.ts'
import type { Comparison } from '../compare.ts'
import { toComparisonHtml } from './comparison-html.ts'
import { comparisonMarkdown, comparisonText } from './comparison.ts'
import { toGithub } from './github.ts'
import { toHtml } from './html.ts'
import { toInertJson } from '../../report/text.ts'
import { toJunit } from './junit.ts'
import { toMarkdown } from './markdown.ts'
import { toSarif } from './sarif.ts'
import { toText } from './text.ts'

/** Renders a report. */
export type Reporter = (report: Report, options?: { color?: boolean; verbose?: boolean }) => string

export const reporters: Readonly<Record<string, Reporter>> = {
  text: toText,
  json: toInertJson,
  junit: toJunit,
  markdown: toMarkdown,
  github: toGithub,
  sarif: toSarif,
  html: toHtml,
}

export const comparisonReporters: Readonly<
  Record<string, (comparison: Comparison, options?: { color?: boolean; verbose?: boolean }) => string>
> = {
  text: comparisonText,
  markdown: comparisonMarkdown,
  html: toComparisonHtml,
  json: toInertJson,
}
