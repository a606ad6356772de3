import type { RunningTwin, Time } from './running-twin.ts'
import { startTwin, type TwinOptions } from './server.ts'

/** Options and expectations of a run of the suite against a variant. */
export interface VerifyHints {
  /** An existing category, for a catalog without pets. */
  categoryId?: number
  /** Upper limit of the delay until a new pet is visible, with a margin (milliseconds). */
  settleMs?: number
  /** Default: standard. */
  depth?: 'smoke' | 'thorough'
  /** The current date for the run. */
  now?: string
  /** Some requirement cannot be tested here; a report that claims to verify all of them would be wrong. */
  expectNotVerified?: true
}

/** A conforming variant; any finding against it is a false alarm. */
export interface LawfulTwin {
  /** Never reused. */
  id: string
  /** The unspecified behavior that allows this variant. */
  silence: string
  /** @param time clock of a run in process; without it, or with a framework, the variant listens on a socket. */
  start: (time?: Time) => Promise<RunningTwin>
  verifyOptions?: VerifyHints
  /** Why a strict reader may consider it violating, if at all. */
  doubt?: string
  /** Its options; absent for a server that is written with a framework. */
  options?: TwinOptions
}

export type Row = readonly [id: string, options: TwinOptions, hints?: VerifyHints & { doubt?: string }]

/** Creates the variants that the same unspecified behavior allows. */
export function toTwins(silence: string, rows: readonly Row[]): LawfulTwin[] {
  return rows.map(([id, options, { doubt, ...hints } = {}]) => ({
    id,
    silence,
    start: (time) => startTwin(options, time),
    options,
    ...(Object.keys(hints).length > 0 && { verifyOptions: hints }),
    ...(doubt !== undefined && { doubt }),
  }))
}
