import type { ClauseId } from '../../spec/clauses.ts'
import type { Context } from '../context.ts'
import type { MockReply, SandboxRequest, SandboxRespond } from '../message.ts'

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

/** The service behind a deviation, which adds its id to the replies that it changed, or whose request or pets it did. */
export function withDefect({ id, apply }: Deviation, service: SandboxRespond, context: Context): SandboxRespond {
  const { store } = context
  let inner: { request: SandboxRequest; reply: MockReply; version: number }[] = []
  const deviating = apply((request) => {
    const reply = service(request)
    inner = [{ request, reply, version: store.version }]
    return reply
  }, context)
  return (request) => {
    inner = []
    const reply = deviating(request)
    const [passed] = inner
    const isSame = passed?.request === request && passed.reply === reply && passed.version === store.version
    return isSame ? reply : { ...reply, defects: [...(passed?.reply.defects ?? []), id] }
  }
}
