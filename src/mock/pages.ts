import { limits } from '../spec/operations.ts'
import type { PetStatus } from '../spec/types.ts'
import { compareCodePoints } from './code-points.ts'
import type { MockReply } from './message.ts'
import type { StoredPet } from './pet-text.ts'
import type { Random } from './random.ts'
import type { Store } from './store.ts'

/** A page of the list as a reply. */
export type PageOf = (limit: number, status: PetStatus | undefined) => MockReply

/** The first pets with a status, at most `limit`. */
type FirstPets = (limit: number, status: PetStatus | undefined) => readonly { readonly pet: StoredPet }[]

interface KeptPage {
  reply: MockReply
  epoch: number
  /** How many pets there were; -1 of a page that no new pet changes. */
  size: number
}

/**
 * Pages in one of the orders of the choice `list.order`. Each is kept as long as it is true: there are 404, for 101 limits,
 * 0 among them, by three statuses and none.
 */
export function createPages(order: string, store: Store, random: Random, toReply: (text: string) => MockReply): PageOf {
  const firstPets = createOrder(order, store, random)
  const lists = new Map<PetStatus | undefined, (KeptPage | undefined)[]>()

  return (limit, status) => {
    let list = lists.get(status)
    if (list === undefined) {
      list = Array.from({ length: limits.maximum + 1 }, () => undefined)
      lists.set(status, list)
    }
    const kept = list[limit]
    if (kept !== undefined && kept.epoch === store.epoch && (kept.size === -1 || kept.size === store.size)) {
      return kept.reply
    }
    const pets = firstPets(limit, status)
    const reply = toReply(`[${pets.map(({ pet }) => store.text(pet.id)).join(',')}]`)
    if (order !== 'shuffled') {
      const isFull = order === 'oldest-first' && pets.length === limit
      list[limit] = { reply, epoch: store.epoch, size: isFull ? -1 : store.size }
    }
    return reply
  }
}

function createOrder(order: string, store: Store, random: Random): FirstPets {
  if (order === 'newest-first') {
    return (limit, status) => (limit === 0 ? [] : store.list(status).slice(-limit).toReversed())
  }
  if (order === 'shuffled') return (limit, status) => draw(store.list(status), limit, random)
  if (order !== 'by-name') return (limit, status) => store.list(status).slice(0, limit)
  const sorted = new WeakMap<object, { length: number; pets: ReturnType<FirstPets> }>()
  return (limit, status) => {
    const list = store.list(status)
    let known = sorted.get(list)
    if (known?.length !== list.length) {
      // A sort keeps equal names in the order of creation.
      known = { length: list.length, pets: list.toSorted((one, two) => compareCodePoints(one.pet.name, two.pet.name)) }
      sorted.set(list, known)
    }
    return known.pets.slice(0, limit)
  }
}

/** The beginning of a shuffled list, by Fisher and Yates; of the rest only what was moved is known. */
function draw<Item>(list: readonly Item[], limit: number, random: Random): Item[] {
  const moved = new Map<number, number>()
  return Array.from({ length: Math.min(limit, list.length) }, (_, place) => {
    const other = place + Math.floor(random.next() * (list.length - place))
    const drawn = moved.get(other) ?? other
    moved.set(other, moved.get(place) ?? place)
    return list[drawn] as Item
  })
}
