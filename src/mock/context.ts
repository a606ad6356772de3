import type { JsonValue } from '../json.ts'
import type { Profile } from '../spec/choices.ts'
import type { SandboxClock } from './clock.ts'
import { type ApplyCreationRules, createCreationRules } from './creation-rules.ts'
import type { MockReply } from './message.ts'
import { createPages, type PageOf } from './pages.ts'
import { createReadListQuery, type ReadListQuery } from './parameters.ts'
import { createProblems, type Problems } from './problems.ts'
import type { Random } from './random.ts'
import { createReplies, type Replies } from './replies.ts'
import type { Rules } from './rules.ts'
import type { Settings } from './types.ts'
import type { Store } from './store.ts'
import type { Visibility } from './visibility.ts'

/** What of a sandbox stays when its settings change. */
export interface Lasting {
  readonly store: Store
  readonly visibility: Visibility
  readonly clock: SandboxClock
  readonly rules: Rules
  /** Of lists without an order. */
  readonly random: Random
  /** Whether there is capacity for another pet. */
  readonly hasCapacity: () => boolean
}

/** What a deviation remembers, as a plain value. */
export type Memory = Record<string, JsonValue>

/** All that the operations need of one sandbox: its pets, and how this deployment shows them. */
export interface Context extends Lasting {
  settings: Settings
  profile: Readonly<Profile>
  replies: Replies
  problems: Problems
  readListQuery: ReadListQuery
  applyCreationRules: ApplyCreationRules
  pageOf: PageOf
  /** Headers of a creation that is answered with the location of the pet. */
  createdHeaders: MockReply['headers']
  /** Headers of each answer of getPet. */
  petHeaders: MockReply['headers']
  /** Of the deviation that this context is for. */
  memory: Memory
}

/** "Deprecation is announced on the operation itself." The day is not shown; RFC 9745 wants one that has passed. */
const deprecatedSince = '@1764892800' // 5 December 2025
const removedOn = 'Thu, 05 Dec 2030 00:00:00 GMT'

/** A sandbox as these settings show it. */
export function createContext(settings: Settings, lasting: Lasting): Context {
  const { profile } = settings
  const { store, random } = lasting
  const replies = createReplies(profile)
  return {
    ...lasting,
    settings,
    profile,
    replies,
    problems: createProblems(profile, replies),
    readListQuery: createReadListQuery(profile),
    applyCreationRules: createCreationRules(profile, store, lasting.visibility),
    pageOf: createPages(profile['list.order'], store, random, (text) =>
      Object.freeze({ ...replies.json(200, text), reason: 'list.success' }),
    ),
    createdHeaders: replies.jsonHeaders({ location: '' }),
    petHeaders: replies.jsonHeaders({
      ...(profile['get.deprecation-header'] === 'present' && { deprecation: deprecatedSince }),
      ...(profile['get.sunset-header'] === 'present' && { sunset: removedOn }),
    }),
    memory: {},
  }
}
