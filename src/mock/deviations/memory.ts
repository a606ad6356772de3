/** What deviations remember of the requests before: plain values, so that a saved sandbox goes on as it was. */

import type { JsonValue } from '../../json.ts'
import type { Context } from '../context.ts'
import type { MockReply } from '../message.ts'
import type { When } from './requests.ts'

/** Names that a deviation remembers; the oldest goes. */
const maxNames = 1_000

/** Keeps a value by a name that a client chose. */
export function keep({ memory }: Context, name: string, value: JsonValue): void {
  memory[name] = value
  const names = Object.keys(memory)
  if (names.length > maxNames) delete memory[names[0] as string]
}

/** How often this was called, this time included. */
export function count({ memory }: Context): number {
  const seen = Number(memory['count'] ?? 0) + 1
  memory['count'] = seen
  return seen
}

/** True for each call whose number, counted from 1, is a multiple. */
export const every =
  (multiple: number): When =>
  (_request, context) =>
    count(context) % multiple === 0

/** Keeps a reply, without what is done to it on its way. */
export function remember(context: Context, name: string, { status, headers, body }: MockReply): void {
  keep(context, name, { status, headers, body })
}

/** A reply that was kept. */
export function recall({ memory }: Context, name: string): MockReply | undefined {
  return memory[name] as unknown as MockReply | undefined
}
