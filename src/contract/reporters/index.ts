import type { Report } from '../report.ts'
import { toGithub } from './github.ts'
import { toHtml } from './html.ts'
import { toInertJson } from '../../report/text.ts'
import { toJunit } from './junit.ts'
import { toMarkdown } from './markdown.ts'
import { toSarif } from './sarif.ts'
import { toText } from './text.ts'

/** Makes one text of a report. */
export type Reporter = (report: Report, options?: { color?: boolean; verbose?: boolean }) => string

/** The reporters by name. */
export const reporters: Readonly<Record<string, Reporter>> = {
  text: toText,
  json: toInertJson,
  junit: toJunit,
  markdown: toMarkdown,
  github: toGithub,
  sarif: toSarif,
  html: toHtml,
}
