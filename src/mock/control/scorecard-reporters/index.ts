import { toHtml } from './html.ts'
import { toJson } from './json.ts'
import { toJunit } from './junit.ts'
import { toMarkdown } from './markdown.ts'
import { toText } from './text.ts'
import type { ScorecardReporter } from './words.ts'

/** What makes a text of scorecards, by name. */
export const scorecardReporters = {
  text: toText,
  json: toJson,
  junit: toJunit,
  markdown: toMarkdown,
  html: toHtml,
} as const satisfies Record<string, ScorecardReporter>

export type { ScorecardReporter } from './words.ts'
