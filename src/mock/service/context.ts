import type { Profile } from '../../spec/behaviors.ts'
import { printPet, printWithLink, type StoredPet } from '../pets/pet.ts'
import type { SandboxClock } from './clock.ts'
import type { MockReply } from './message.ts'
import { createReadCredential } from './authenticate.ts'
import { createProblems, createReplies, ifPresent } from './replies.ts'
import { createNewPetBehaviors } from './new-pet.ts'
import { createReadListQuery, type ListQuery } from './parameters.ts'
import type { Random } from '../pets/seed.ts'
import { createRoutes } from './route.ts'
import type { Rules } from '../rules/rules.ts'
import type { Store } from '../pets/store.ts'

/** The parts of a sandbox that outlive a change of its settings. */
interface SandboxParts {
  readonly store: Store
  readonly clock: SandboxClock
  readonly rules: Rules
  readonly random: Random
  readonly hasCapacity: () => boolean
}

/** What operations need of a sandbox: its pets, and the behavior that its settings choose. */
export type Context = ReturnType<typeof createContext>

/** "Deprecation is announced on the operation itself." The date is not shown; RFC 9745 requires one in the past. */
const deprecatedSince = '@1764892800' // 5 December 2025
const removedOn = 'Thu, 05 Dec 2030 00:00:00 GMT'

/** What the service needs of the settings of its sandbox. */
interface ServiceSettings {
  readonly profile: Readonly<Profile>
  readonly basePath: string
  readonly corsOrigins: readonly string[]
  readonly keys: readonly string[]
  /** The number of initial pets. */
  readonly pets: number
  /** Whether a request may choose its response with the header `Prefer`. */
  readonly overrides: boolean
}

export function createContext(settings: ServiceSettings, parts: SandboxParts) {
  const { profile, basePath, keys } = settings
  const replies = createReplies(profile)
  const print = { present: printWithLink(basePath), absent: printPet }[profile['pet.extra-fields']]
  const order = orders[profile['list.order']]
  const firstPets = (most: number, { status }: Partial<ListQuery> = {}) =>
    order(parts.store.list(status), most, parts.random)
  return {
    ...parts,
    settings,
    profile,
    findRoute: createRoutes(basePath),
    /** How the key of a request compares with those of the sandbox. */
    credentialOf: createReadCredential(keys),
    replies,
    problems: createProblems(profile, replies),
    print,
    readListQuery: createReadListQuery(profile),
    applyBehaviors: createNewPetBehaviors(profile, parts.store),
    firstPets,
    pageOf: createPages(profile['list.order'], parts.store, (query) => ({
      ...replies.json(200, `[${firstPets(query.limit, query).map(print).join(',')}]`),
      reason: 'list.success',
    })),
    /** Headers of a 201 with a Location, not frozen: V8 copies them in a fifth of the time. */
    createdHeaders: { ...replies.jsonHeaders({ location: '' }) },
    petHeaders: replies.jsonHeaders({
      ...ifPresent(profile['get.deprecation-header'], { deprecation: deprecatedSince }),
      ...ifPresent(profile['get.sunset-header'], { sunset: removedOn }),
    }),
  }
}

type PageOf = (query: ListQuery) => MockReply

const orders: Readonly<Record<Profile['list.order'], typeof draw>> = {
  'oldest-first': (list, limit) => list.slice(0, limit),
  'newest-first': (list, limit) => (limit > 0 ? list.slice(-limit).toReversed() : []),
  'by-name': firstByName,
  shuffled: draw,
}

/** Characters of cached pages: some of each sandbox in use. There are 404 pages, and one may take 64 MiB. */
const maxCached = 2 ** 18

/** Caches pages until a pet changes. */
function createPages(order: Profile['list.order'], store: Store, toPage: PageOf): PageOf {
  const cache = new Map<string, MockReply>()
  let version = store.version
  let cached = 0
  /** The page of a query, which is made anew after a change. */
  return (query) => {
    if (order === 'shuffled' || version !== store.version || cached > maxCached) {
      cache.clear()
      cached = 0
    }
    version = store.version
    const key = Object.values(query).join(' ')
    const known = cache.get(key)
    if (known !== undefined) return known
    const reply = toPage(query)
    if (reply.body.length > maxCached) return reply
    cached += reply.body.length
    cache.set(key, reply)
    return reply
  }
}

/** Sorts few of many pets, since each creation changes the list. Equal names stay in creation order. */
function firstByName(list: readonly StoredPet[], limit: number): StoredPet[] {
  const sorted = (pets: StoredPet[]): StoredPet[] =>
    pets.toSorted((one, two) => compareCodePoints(one.name, two.name)).slice(0, limit)
  let first: StoredPet[] = []
  let last: string | undefined
  for (const pet of list) {
    if (last !== undefined && compareCodePoints(pet.name, last) >= 0) continue
    first.push(pet)
    if (first.length < 2 * limit) continue
    first = sorted(first)
    last = first.at(-1)?.name
  }
  return sorted(first)
}

/** The first elements of a Fisher-Yates shuffle, which only stores the elements that it moves. */
function draw(list: readonly StoredPet[], limit: number, random: Random): readonly StoredPet[] {
  const moved = new Map<number, number>()
  return Array.from({ length: Math.min(limit, list.length) }, (_, place) => {
    const other = place + Math.floor(random.next() * (list.length - place))
    const drawn = moved.get(other) ?? other
    moved.set(other, moved.get(place) ?? place)
    return list[drawn] as StoredPet
  })
}

/** Compares by Unicode code points. JavaScript compares code units, whose order differs above U+D7FF. */
function compareCodePoints(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length)
  let at = 0
  while (at < shorter && left.charCodeAt(at) === right.charCodeAt(at)) at += 1
  if (at === shorter) return left.length - right.length
  // Two surrogate pairs may differ only in their second half.
  const before = left.charCodeAt(at - 1)
  if (before >= 0xd800 && before <= 0xdbff) at -= 1
  return (left.codePointAt(at) as number) - (right.codePointAt(at) as number)
}
