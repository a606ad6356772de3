import type { ClauseId } from '../../spec/clauses.ts'
import type { SandboxRespond } from '../message.ts'
import type { Context } from '../context.ts'

/**
 * Stands in front of the service: it may change the request, the pets and the reply, and remember what it needs.
 * A mock that is reset puts it up anew.
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
