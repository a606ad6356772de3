import type { Profile } from '../spec/choices.ts'
import type { WorldClock } from './clock.ts'
import { type ApplyCreationRules, createCreationRules } from './creation-rules.ts'
import type { MockReply } from './message.ts'
import { createOrder } from './order.ts'
import { keepPages, type PageOf } from './pages.ts'
import { createReadListQuery, type ReadListQuery } from './parameters.ts'
import { formatWithLink, type PetFormat, plainFormat } from './pet-text.ts'
import { createProblems, type Problems } from './problems.ts'
import type { Random } from './random.ts'
import { createReplies, type Replies } from './replies.ts'
import type { Rules } from './rules.ts'
import type { Settings } from './settings.ts'
import type { Store } from './store.ts'
import { createVisibility, type Visibility } from './visibility.ts'

/** What a world keeps when its settings change. */
export interface Lasting {
  readonly store: Store
  readonly clock: WorldClock
  readonly rules: Rules
  /** Of lists without an order. */
  readonly random: Random
  /** Bytes that pets may take beside those at the start. */
  readonly roomForPets: number
}

/** All that the operations need of one catalogue: its pets, and how this deployment shows them. */
export interface World extends Lasting {
  settings: Settings
  profile: Readonly<Profile>
  replies: Replies
  problems: Problems
  readListQuery: ReadListQuery
  applyCreationRules: ApplyCreationRules
  pageOf: PageOf
  visibility: Visibility
  /** Headers of a creation that is answered with the location of the pet. */
  createdHeaders: MockReply['headers']
  /** Headers of each answer of getPet. */
  petHeaders: MockReply['headers']
}

/** "Deprecation is announced on the operation itself." The day is not shown; RFC 9745 wants one that has passed. */
const deprecatedSince = '@1764892800' // 5 December 2025
const removedOn = 'Thu, 05 Dec 2030 00:00:00 GMT'

/** How a deployment with these settings writes pets. */
export function formatOf({ profile, basePath }: Settings): PetFormat {
  return profile['pet.extra-members'] === 'present' ? formatWithLink(basePath) : plainFormat
}

/** A catalogue as these settings show it. */
export function createWorld(settings: Settings, lasting: Lasting): World {
  const { profile } = settings
  const { store, random } = lasting
  const replies = createReplies(profile)
  const visibility = createVisibility(profile['create.visibility'] === 'delayed', store, lasting.clock.elapsed)
  const order = profile['list.order']
  return {
    ...lasting,
    settings,
    profile,
    replies,
    visibility,
    problems: createProblems(profile, replies),
    readListQuery: createReadListQuery(profile),
    applyCreationRules: createCreationRules(profile, store, visibility),
    pageOf: keepPages({
      store,
      firstPets: createOrder(order, store, random.next),
      growth: order === 'shuffled' ? 'each-request' : order === 'oldest-first' ? 'unless-full' : 'always',
      toReply: (text) => Object.freeze({ ...replies.json(200, text), because: 'list.success' }),
    }),
    createdHeaders: replies.jsonHeaders({ location: '' }),
    petHeaders: replies.jsonHeaders({
      ...(profile['get.deprecation-header'] === 'present' && { deprecation: deprecatedSince }),
      ...(profile['get.sunset-header'] === 'present' && { sunset: removedOn }),
    }),
  }
}
