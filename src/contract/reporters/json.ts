import { inertJson } from '../../report/inert.ts'
import type { Report } from '../report.ts'

/** The report as JSON, as `petstore-kit/report.schema.json` describes it. */
export function toJson(report: Report): string {
  return toInertJson(report)
}

/** JSON in which whatever a terminal would obey or an editor would not show is written as an escape. */
export const toInertJson = (value: object): string => `${inertJson(JSON.stringify(value, null, 2))}\n`
