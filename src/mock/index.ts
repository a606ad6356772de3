/** The mock: the Pet Store Service in memory, for tests and front ends. */

import { defects } from './defects/index.ts'
import { createMock as createMockWith, type Mock } from './sandbox/mock.ts'
import type { MockOptions } from './sandbox/types.ts'
import type { KeptSandbox } from './sandbox/autosave.ts'
import { type RunningMock, startMock as startMockWith, type StartOptions } from './start.ts'

/**
 * A mock of the Pet Store Service, without a server: requests are given to `handle` as plain data.
 *
 * @throws {UsageError} when options are wrong; the message has a line for each mistake.
 * @example
 * const mock = createMock({ pets: 3 })
 * const reply = await mock.handle({
 *   method: 'GET',
 *   target: '/v1/pets?limit=2',
 *   headers: { authorization: `Bearer ${defaultKey}` },
 *   body: '',
 * })
 * reply.status // 200
 * JSON.parse(reply.body) // [{ id: 1, name: 'Tuffy the Chartreux', ... }, { id: 2, ... }]
 */
export function createMock(options: MockOptions = {}): Mock {
  return createMockWith(options, defects)
}

/**
 * Starts a mock of the Pet Store Service as an HTTP server.
 *
 * @throws {UsageError} when options are wrong, or when it cannot listen there.
 * @example
 * const mock = await startMock({ pets: 30 })
 * const reply = await fetch(`${mock.url}/pets`, { headers: { authorization: `Bearer ${defaultKey}` } })
 * await reply.json() // 20 pets
 * await mock.close()
 */
export async function startMock(options: StartOptions = {}): Promise<RunningMock> {
  return startMockWith(options, defects)
}

export type { Mock, KeptSandbox, RunningMock, StartOptions }
export type {
  Journal,
  JournalEntry,
  JournalFilter,
  JournalSummary,
  ResponseSource,
} from './journal/entry.ts'
export type * from './sandbox/types.ts'
export { defaultKey, defaultProfile } from './sandbox/settings.ts'
export { sandboxKey } from './service/sandbox-key.ts'
export { readProfile, varyProfile } from './sandbox/profile.ts'
export { defects } from './defects/index.ts'
export type { RuleFunction, RuleRequest } from './rules/rule.ts'
export type {
  Delay,
  DefectId,
  Fault,
  PetPatch,
  Rule,
  RuleCondition,
  RuleInForce,
  RulePatch,
  RuleReply,
  RuleStep,
  TextMatcher,
} from './schemas/schemas.gen.ts'
export type { Defect } from './defects/defect.ts'
export type { PetInput } from './pets/pet.ts'
export type { MockReply } from './service/message.ts'
export type { RequestIssue } from './scorecard/scorecard.ts'
export type { Coverage, Scorecard, ScorecardIssue } from './scorecard/scorecard.gen.ts'
export { scorecardReporters } from './scorecard/reporters.ts'
