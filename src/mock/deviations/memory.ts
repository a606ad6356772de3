/** The state of deviations: plain values, which are part of a saved sandbox. */

import type { JsonValue } from '../../json.ts'
import type { Context } from '../context.ts'
import type { MockReply } from '../message.ts'
import type { When } from './requests.ts'

const maxNames = 1_000

/** Stores a value by a name from a request. At most 1,000; the oldest is dropped. */
export function keep({ memory }: Context, name: string, value: JsonValue): void {
  memory[name] = value
  const names = Object.keys(memory)
  if (names.length > maxNames) delete memory[names[0] as string]
}

/** Counts calls, this one included. */
export function count({ memory }: Context): number {
  const seen = Number(memory['count'] ?? 0) + 1
  memory['count'] = seen
  return seen
}

/** True for every nth call. */
export const every =
  (multiple: number): When =>
  (_request, context) =>
    count(context) % multiple === 0

/** Stores a reply, without delays and faults. */
export function remember(context: Context, name: string, { status, headers, body }: MockReply): void {
  keep(context, name, { status, headers, body })
}

export function recall({ memory }: Context, name: string): MockReply | undefined {
  return memory[name] as unknown as MockReply | undefined
}
