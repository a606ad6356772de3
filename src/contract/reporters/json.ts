import type { Report } from '../report.ts'

/** The report as JSON, as `petstore-kit/report.schema.json` describes it. */
export function toJson(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`
}
