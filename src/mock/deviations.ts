import type { ClauseId } from '../spec/clauses.ts'
import type { Respond } from './message.ts'
import type { World } from './world.ts'

/** A way to break the contract on purpose. */
export interface Deviation {
  /** Never reused. */
  id: string
  /** The clause that it breaks. */
  clause: ClauseId
  /** What a broken deployment does. */
  description: string
  /** Puts the deviation in front of the service: it may change the request, the pets and the reply. */
  bend(respond: Respond, world: World): Respond
}

export type DeviationId = string

export const deviations: readonly Deviation[] = []

export function isDeviationId(id: string): boolean {
  return deviations.some((deviation) => deviation.id === id)
}
