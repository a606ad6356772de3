import type { ClauseId } from '../../spec/clauses.ts'
import type { Context } from '../context.ts'
import type { SandboxRespond } from '../message.ts'

/**
 * Stands in front of the service: it may change the request, the pets and the reply, and remember what it needs.
 * It is applied anew when a mock is reset.
 */
export type Apply = (respond: SandboxRespond, context: Context) => SandboxRespond

/** A way to break the contract on purpose. */
export interface Deviation {
  /** Never reused. */
  id: string
  /** The clause that it breaks. */
  clause: ClauseId
  /** What a deployment does that deviates so. */
  description: string
  /** How many pets a catalog may have for it to show: any number from 100 to 150 unless this is set. */
  pets?: number
  apply: Apply
}

/** Deviations by the clause that they break, then by id. */
export type Defects = {
  readonly [Id in ClauseId]?: Readonly<Record<string, readonly [description: string, apply: Apply, pets?: number]>>
}
