import type { ClauseId } from '../spec/clauses.ts'
import type { Session } from './session.ts'

/**
 * When a check runs. The stages follow one another; the checks of one stage run side by side.
 *
 * - `survey`: the widest lists, so that later responses can be held against them
 * - `read`: the catalog as it is found
 * - `access`: requests without a valid key
 * - `create`: ordinary and unusual creations
 * - `refuse`: creations that must be refused
 * - `compare`: what the responses say of each other
 * - `observe`: requests that the specification leaves open
 * - `remain`: what must still be so at the end
 */
export type Stage = 'survey' | 'read' | 'access' | 'create' | 'refuse' | 'compare' | 'observe' | 'remain'

/** One requirement as requests and expectations. */
export interface Check {
  /** Never reused: `list-pets.default-limit`. */
  id: string
  /** What it does, in one sentence. */
  title: string
  stage: Stage
  /** The clauses that it verifies, in the order in which it can. */
  clauses: readonly ClauseId[]
  /** Pets that it creates on a target that keeps the contract. */
  writes: number
  /** Set when it sends POST requests that the target has to refuse. */
  sendsInvalidBodies?: true
  /** Checks whose requests and responses it judges besides its own: where it is carried out again, they are, too. */
  dependsOn?: readonly string[]
  /**
   * Carries it out. On return, the clauses are verified but for those that it recorded as violated or left open.
   *
   * @throws {Violated} when an expectation does not hold
   * @throws {NotVerified} when the target gives no occasion
   */
  run(session: Session): Promise<void>
}
