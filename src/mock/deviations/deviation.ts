import type { ClauseId } from '../../spec/clauses.ts'
import type { Context } from '../context.ts'
import type { SandboxRespond } from '../message.ts'

/**
 * Wraps the service: it may change the request, the pets and the reply, and keep state in `context.memory`. It is applied
 * again when the settings change.
 */
export type Apply = (respond: SandboxRespond, context: Context) => SandboxRespond

/** A deliberate defect. */
export interface Deviation {
  /** Never reused. */
  id: string
  /** The clause that it breaks. */
  clause: ClauseId
  /** What a deployment with this defect does. */
  description: string
  /** The catalog size that the suite needs to find it. Default: any number from 100 to 150. */
  pets?: number
  apply: Apply
}

/** Deviations by the clause that they break, then by id. */
export type Defects = {
  readonly [Id in ClauseId]?: Readonly<Record<string, readonly [description: string, apply: Apply, pets?: number]>>
}
