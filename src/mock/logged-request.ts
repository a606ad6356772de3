import type { MockReply } from './message.ts'
import type { JournalEntry, Sandbox } from './types.ts'

/** A request and its answer as the journal shows them, and what else a log tells. */
export interface LoggedRequest extends JournalEntry {
  /** The sandbox that it went to; undefined for the world of the mock's own keys. */
  sandbox: string | undefined
  /** Milliseconds for which the answer is held back. */
  delayMs?: number
  /** What the client sees in place of the whole answer. */
  fault?: 'reset' | 'silence' | 'truncated-body' | 'slow-body'
}

/** The latest request of a world, which got this reply. */
export function toLogged({ name, journal }: Sandbox, { delayMs, wire = {} }: MockReply): LoggedRequest | undefined {
  const entry = journal.last()
  if (entry === undefined) return undefined
  const fault = faultOf(wire)
  return { ...entry, sandbox: name, ...(delayMs !== undefined && { delayMs }), ...(fault !== undefined && { fault }) }
}

function faultOf(wire: NonNullable<MockReply['wire']>): LoggedRequest['fault'] {
  if (wire.reset) return 'reset'
  if (wire.silent) return 'silence'
  if (wire.bodyMs !== undefined) return 'slow-body'
  return (wire.contentLength ?? 0) > (wire.bytes?.length ?? Infinity) ? 'truncated-body' : undefined
}
