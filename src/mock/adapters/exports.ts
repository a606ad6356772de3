/** What each adapter exports besides its own. */

export { createMock, type Mock } from '../mock.ts'
export type { JournalEntry, JournalFilter } from '../journal/entry.ts'
export type { MockOptions, Rule, RuleFunction, RuleReply, Sandbox, Settings } from '../types.ts'
export { sandboxKey } from '../sandbox/sandbox-key.ts'
export { defaultKey } from '../sandbox/settings.ts'
export type { MockReply } from '../service/message.ts'
export type {
  ErrorBody,
  ExactNewPet,
  ExactPet,
  Int64,
  NewPet,
  Pet,
  Pets,
  PetStatus,
} from '../../spec/types.ts'
