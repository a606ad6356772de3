import type { RunningVariant, Time } from './running-variant.ts'
import { startVariant, type VariantOptions } from './server.ts'

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
  /** The run is too short to decide, so that it is inconclusive. */
  expectInconclusive?: true
}

/** A conforming variant; any finding against it is a false alarm. */
export interface ConformingVariant {
  /** Never reused. */
  id: string
  /** The unspecified behavior that allows this variant. */
  silence: string
  /** @param time clock of a run in process; without it, or with a framework, the variant listens on a socket. */
  start: (time?: Time) => Promise<RunningVariant>
  verifyOptions?: VerifyHints
  /** Why a strict reader may consider it violating, if at all. */
  doubt?: string
  /** Its options; absent for a server that is written with a framework. */
  options?: VariantOptions
}

export type Row = readonly [
  id: string,
  options: VariantOptions,
  hints?: VerifyHints & { doubt?: string },
]

/** Creates the variants that the same unspecified behavior allows. */
export function toVariants(silence: string, rows: readonly Row[]): ConformingVariant[] {
  return rows.map(([id, options, { doubt, ...hints } = {}]) => ({
    id,
    silence,
    start: (time) => startVariant(options, time),
    options,
    ...(Object.keys(hints).length > 0 && { verifyOptions: hints }),
    ...(doubt !== undefined && { doubt }),
  }))
}
