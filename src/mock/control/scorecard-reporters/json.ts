import type { ScorecardReporter } from './words.ts'

/**
 * The scorecards as JSON, as `petstore-kit/scorecard.schema.json` describes them. Whatever a terminal would obey or an
 * editor would not show is written as an escape.
 */
export const toJson: ScorecardReporter = (scorecards) => {
  const json = JSON.stringify({ scorecards }, null, 2).replace(
    /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu,
    (char) => char.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
  return `${json}\n`
}
