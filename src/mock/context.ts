import type { JsonValue } from '../json.ts'
import type { Profile } from '../spec/choices.ts'
import type { PetStatus } from '../spec/types.ts'
import { type PrintPet, printPet, printWithLink, type StoredPet } from './catalog.ts'
import { createCreationRules } from './choices.ts'
import type { SandboxClock } from './clock.ts'
import type { MockReply } from './message.ts'
import { createProblems, createReplies, ifPresent } from './errors.ts'
import { createReadListQuery } from './parameters.ts'
import type { Random } from './seed.ts'
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

/** A page of the list as a reply. */
export type PageOf = (limit: number, status: PetStatus | undefined) => MockReply

/** The first pets in the order of the list. */
export type FirstPets = (most: number, status?: PetStatus) => readonly StoredPet[]

type Order = (list: readonly StoredPet[], limit: number, random: Random) => readonly StoredPet[]

const orders: Readonly<Record<Profile['list.order'], Order>> = {
  'oldest-first': (list, limit) => list.slice(0, limit),
  'newest-first': (list, limit) => (limit > 0 ? list.slice(-limit).toReversed() : []),
  // A sort keeps equal names in the order of creation.
  'by-name': (list, limit) => list.toSorted((one, two) => compareCodePoints(one.name, two.name)).slice(0, limit),
  shuffled: draw,
}

/** The pets in one of the orders of the choice `list.order`. */
export function createFirstPets(
  order: Profile['list.order'],
  { store, random }: { store: Store; random: Random },
): FirstPets {
  return (most, status) => orders[order](store.list(status), most, random)
}

/** Pages of the list. Each is kept while no pet changes: at most 404. */
export function createPages(
  order: Profile['list.order'],
  { store, firstPets, print }: { store: Store; firstPets: FirstPets; print: PrintPet },
  toReply: (text: string) => MockReply,
): PageOf {
  const kept = new Map<string, MockReply>()
  let version = store.version
  return (limit, status) => {
    if (order === 'shuffled' || version !== store.version) kept.clear()
    version = store.version
    const name = `${limit} ${status}`
    let reply = kept.get(name)
    if (reply === undefined) {
      reply = toReply(`[${firstPets(limit, status).map(print).join(',')}]`)
      kept.set(name, reply)
    }
    return reply
  }
}

/** The beginning of a shuffled list, by Fisher and Yates; of the rest only what was moved is known. */
function draw(list: readonly StoredPet[], limit: number, random: Random): StoredPet[] {
  const moved = new Map<number, number>()
  return Array.from({ length: Math.min(limit, list.length) }, (_, place) => {
    const other = place + Math.floor(random.next() * (list.length - place))
    const drawn = moved.get(other) ?? other
    moved.set(other, moved.get(place) ?? place)
    return list[drawn] as StoredPet
  })
}

/** Compares two texts by their Unicode code points, which the code units of JavaScript do not above U+D7FF. */
export function compareCodePoints(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length)
  let at = 0
  while (at < shorter && left.charCodeAt(at) === right.charCodeAt(at)) at += 1
  if (at === shorter) return left.length - right.length
  // Two pairs may differ in their second half alone.
  const before = left.charCodeAt(at - 1)
  if (before >= 0xd800 && before <= 0xdbff) at -= 1
  return (left.codePointAt(at) as number) - (right.codePointAt(at) as number)
}
