/** What each adapter exports besides its own. */

export { createMock, type Mock } from '../sandbox/mock.ts'
export type { JournalEntry, JournalFilter } from '../journal/entry.ts'
export type { MockOptions, Sandbox, Settings } from '../sandbox/types.ts'
export type { RuleFunction } from '../rules/rule.ts'
export type { Rule, RuleReply } from '../schemas/schemas.gen.ts'
export { sandboxKey } from '../service/sandbox-key.ts'
export { defaultKey } from '../sandbox/settings.ts'
export type { MockReply } from '../service/message.ts'
export type * from '../../spec/types.ts'
