import { inertJson } from '../../../report/inert.ts'
import type { ScorecardReporter } from './words.ts'

/**
 * The scorecards as JSON, as `petstore-kit/scorecard.schema.json` describes them. Whatever a terminal would obey or an
 * editor would not show is written as an escape.
 */
export const toJson: ScorecardReporter = (scorecards) => `${inertJson(JSON.stringify({ scorecards }, null, 2))}\n`
