import type { FuzzCase } from '../scenario.ts'
import { bodyCases } from './bodies.ts'
import { control } from './control.ts'
import { credentials } from './credentials.ts'
import { framing } from './framing.ts'
import { headers } from './headers.ts'
import { noise } from './noise.ts'
import { pacing } from './pacing.ts'
import { preferences } from './preferences.ts'
import { requestLines } from './request-lines.ts'
import { storms } from './storms.ts'
import { targets } from './targets.ts'

/** All ways to be hostile. */
export const fuzzCases: readonly FuzzCase[] = [
  ...requestLines,
  ...headers,
  ...credentials,
  ...targets,
  ...bodyCases,
  ...framing,
  ...pacing,
  ...preferences,
  ...control,
  ...noise,
  ...storms,
]
