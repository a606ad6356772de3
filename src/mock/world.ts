import type { Profile } from '../spec/choices.ts'
import { type ApplyCreationRules, createCreationRules } from './creation-rules.ts'
import type { MockReply } from './message.ts'
import { createOrder } from './order.ts'
import { keepPages, type PageOf } from './pages.ts'
import { createReadListQuery, type ReadListQuery } from './parameters.ts'
import { printPet, printPetWithLink } from './pet-text.ts'
import { createProblems, type Problems } from './problems.ts'
import { createRandom } from './random.ts'
import { createReplies, type Replies } from './replies.ts'
import { createSeed } from './seed.ts'
import type { Settings } from './settings.ts'
import { Store } from './store.ts'
import { createVisibility, type Visibility } from './visibility.ts'

/** All that the operations need of one catalogue: its pets, and how this deployment shows them. */
export interface World {
  settings: Settings
  profile: Readonly<Profile>
  store: Store
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
  /** Back to the start. */
  reset(): void
}

/** "Deprecation is announced on the operation itself." The day is not shown; RFC 9745 wants one that has passed. */
const deprecatedSince = '@1764892800' // 5 December 2025
const removedOn = 'Thu, 05 Dec 2030 00:00:00 GMT'

/** A catalogue at its start. */
export function createWorld(settings: Settings): World {
  const { profile, basePath } = settings
  const store = new Store({
    seed: createSeed(settings.seed),
    seeded: settings.pets,
    print: profile['pet.extra-members'] === 'present' ? printPetWithLink(basePath) : printPet,
  })
  const replies = createReplies(profile)
  const random = createRandom(settings.seed)
  const visibility = createVisibility(profile['create.visibility'] === 'delayed', store)
  const order = profile['list.order']
  return {
    settings,
    profile,
    store,
    replies,
    visibility,
    problems: createProblems(profile, replies),
    readListQuery: createReadListQuery(profile),
    applyCreationRules: createCreationRules(profile, store, visibility),
    pageOf: keepPages({
      store,
      firstPets: createOrder(order, store, random.next),
      growth: order === 'shuffled' ? 'each-request' : order === 'oldest-first' ? 'unless-full' : 'always',
      toReply: (text) => Object.freeze(replies.json(200, text)),
    }),
    createdHeaders: replies.jsonHeaders({ location: '' }),
    petHeaders: replies.jsonHeaders({
      ...(profile['get.deprecation-header'] === 'present' && { deprecation: deprecatedSince }),
      ...(profile['get.sunset-header'] === 'present' && { sunset: removedOn }),
    }),
    reset() {
      visibility.reset()
      random.reset()
      store.reset()
    },
  }
}
