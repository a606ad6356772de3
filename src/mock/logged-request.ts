import type { MockReply } from './message.ts'
import type { LoggedRequest, Sandbox } from './types.ts'

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
