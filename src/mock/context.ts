import type { JsonValue } from '../json.ts'
import { printPet, printWithLink } from './catalog.ts'
import { createCreationRules } from './choices.ts'
import type { SandboxClock } from './clock.ts'
import { createProblems, createReplies, ifPresent } from './errors.ts'
import { createFirstPets, createPages } from './pages.ts'
import { createReadListQuery } from './parameters.ts'
import type { Random } from './random.ts'
import { createRoutes } from './route.ts'
import type { Rules } from './rules.ts'
import type { Store } from './store.ts'
import type { Settings } from './types.ts'

/** What of a sandbox stays when its settings change. */
export interface Lasting {
  readonly store: Store
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
export type Context = ReturnType<typeof createContext>

/** "Deprecation is announced on the operation itself." The day is not shown; RFC 9745 wants one that has passed. */
const deprecatedSince = '@1764892800' // 5 December 2025
const removedOn = 'Thu, 05 Dec 2030 00:00:00 GMT'

/** A sandbox as these settings show it. */
export function createContext(settings: Settings, lasting: Lasting) {
  const { profile, basePath } = settings
  const replies = createReplies(profile)
  const print = { present: printWithLink(basePath), absent: printPet }[profile['pet.extra-members']]
  const firstPets = createFirstPets(profile['list.order'], lasting)
  const memory: Memory = {}
  return {
    ...lasting,
    settings,
    profile,
    findRoute: createRoutes(basePath),
    replies,
    problems: createProblems(profile, replies),
    /** How this deployment writes pets. */
    print,
    readListQuery: createReadListQuery(profile),
    applyCreationRules: createCreationRules(profile, lasting.store),
    firstPets,
    pageOf: createPages(profile['list.order'], { ...lasting, firstPets, print }, (text) => ({
      ...replies.json(200, text),
      reason: 'list.success',
    })),
    /** Headers of a creation that is responded to with the location of the pet. */
    createdHeaders: replies.jsonHeaders({ location: '' }),
    /** Headers of each response of getPet. */
    petHeaders: replies.jsonHeaders({
      ...ifPresent(profile['get.deprecation-header'], { deprecation: deprecatedSince }),
      ...ifPresent(profile['get.sunset-header'], { sunset: removedOn }),
    }),
    /** Of the deviation that this context is for. */
    memory,
  }
}
