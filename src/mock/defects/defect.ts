import type { JsonValue } from '../../json.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import type { Context } from '../service/context.ts'
import type { MockReply, MockRequest, Respond } from '../service/message.ts'

/** What a defect remembers: plain values. */
export type Memory = Record<string, JsonValue>

export interface DefectContext extends Context {
  readonly memory: Memory
}

/**
 * Wraps the service: it may change the request, the pets and the reply, and keep state in `context.memory`: plain values,
 * which are part of a saved sandbox. It is applied again when the settings change.
 */
export type Apply = (respond: Respond, context: DefectContext) => Respond

export type When = (request: MockRequest, context: DefectContext) => boolean

/** A deliberate defect. */
export interface Defect {
  /** Never reused. */
  id: string
  requirement: RequirementId
  /** What a deployment with this defect does. */
  description: string
  /** The catalog size that the suite needs to find it. Default: any number from 100 to 150. */
  pets?: number
  apply: Apply
}

/** Defects by the requirement that they break, then by id. */
export type Defects = {
  readonly [Id in RequirementId]?: Readonly<
    Record<string, readonly [description: string, apply: Apply, pets?: number]>
  >
}

const maxNames = 1_000
const maxLength = 2 ** 22

/** The approximate characters of what a defect remembers: numbers and replies by names. */
const lengthOf = (memory: Memory): number =>
  Object.entries(memory).reduce(
    (sum, [name, value]) =>
      sum + name.length + ((value as { body?: string } | null)?.body?.length ?? 0),
    0,
  )

/** Stores a value by a name from a request. At most 1,000, and 4 MiB; the oldest are dropped. */
export function keep({ memory }: DefectContext, name: string, value: JsonValue): void {
  memory[name] = value
  const names = Object.keys(memory)
  for (let kept = names.length; kept > maxNames || lengthOf(memory) > maxLength; kept -= 1) {
    delete memory[names[names.length - kept] as string]
  }
}

export function count({ memory }: DefectContext): number {
  const seen = Number(memory['count'] ?? 0) + 1
  memory['count'] = seen
  return seen
}

export const every =
  (multiple: number): When =>
  (_request, context) =>
    count(context) % multiple === 0

/** Stores a reply, without delays and faults. */
export function remember(
  context: DefectContext,
  name: string,
  { status, headers, body }: MockReply,
): void {
  keep(context, name, { status, headers, body })
}

export function recall({ memory }: DefectContext, name: string): MockReply | undefined {
  return memory[name] as unknown as MockReply | undefined
}
