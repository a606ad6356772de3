import type { Report } from '../report.ts'

/** The report as JSON, as `petstore-kit/report.schema.json` describes it. */
export function toJson(report: Report): string {
  return toInertJson(report)
}

/** JSON in which whatever a terminal would obey or an editor would not show is written as an escape. */
export function toInertJson(value: object): string {
  const json = JSON.stringify(value, null, 2).replace(
    /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu,
    (char) => char.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
  return `${json}\n`
}
