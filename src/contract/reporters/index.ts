import type { Report } from '../report.ts'
import { toJson } from './json.ts'
import { toText } from './text.ts'

/** Makes one text of a report. */
export type Reporter = (report: Report, options?: { color?: boolean; verbose?: boolean }) => string

/** The reporters by name. */
export const reporters: Readonly<Record<string, Reporter>> = { text: toText, json: toJson }
