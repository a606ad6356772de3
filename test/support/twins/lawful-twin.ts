import type { RunningTwin, Time } from './running-twin.ts'
import { startTwin, type TwinOptions } from './server.ts'

/** What a run of the suite against a twin should be told, and may expect. */
export interface VerifyHints {
  /** A category that the twin knows, where its catalogue shows none. */
  categoryId?: number
  /** How long a new pet may stay unseen, in milliseconds, with some room. */
  settleMs?: number
  /** Default: standard. */
  depth?: 'smoke' | 'thorough'
  /** The date that the run should take for today. */
  now?: string
  /** Some clause cannot be tested here, whatever a suite does; to call all of them verified would be untrue. */
  expectNotVerified?: true
}

/** A server that keeps the contract and may not be accused. */
export interface LawfulTwin {
  /** Never reused. */
  id: string
  /** Which silence of the specification allows what its id says. */
  silence: string
  /** @param time in which it runs in process, where it can; without it, or with a framework, it listens. */
  start: (time?: Time) => Promise<RunningTwin>
  verifyOptions?: VerifyHints
  /** Why a strict reader may think it unlawful; absent where there is no such doubt. */
  doubt?: string
  /** The options that make it, absent where it is written with a framework. */
  options?: TwinOptions
}

export type Row = readonly [id: string, options: TwinOptions, hints?: VerifyHints & { doubt?: string }]

/** The twins that the same silence of the specification allows. */
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
