import { limits } from '../spec/operations.ts'
import type { PetStatus } from '../spec/types.ts'
import type { MockReply } from './message.ts'
import type { FirstPets } from './order.ts'
import type { Store } from './store.ts'

/** A page of the list as a reply. */
export type PageOf = (limit: number, status: PetStatus | undefined) => MockReply

interface KeptPage {
  reply: MockReply
  epoch: number
  /** How long the store was; a full page of the oldest pets does not care. */
  length: number
}

/**
 * Keeps each page as long as it is true. There are 404: 101 limits, 0 among them, by three statuses and none.
 *
 * @param growth which pages a new pet may change: those that are not full, all of them, or each page at each request.
 */
export function keepPages(options: {
  store: Store
  firstPets: FirstPets
  growth: 'unless-full' | 'always' | 'each-request'
  toReply: (text: string) => MockReply
}): PageOf {
  const { store, firstPets, growth, toReply } = options
  const lists = new Map<PetStatus | undefined, (KeptPage | undefined)[]>()

  return (limit, status) => {
    let list = lists.get(status)
    if (list === undefined) {
      list = Array.from({ length: limits.maximum + 1 }, () => undefined)
      lists.set(status, list)
    }
    const kept = list[limit]
    if (kept !== undefined && kept.epoch === store.epoch && (kept.length === -1 || kept.length === store.length)) {
      return kept.reply
    }
    const pets = firstPets(limit, status)
    const reply = toReply(`[${pets.join(',')}]`)
    if (growth !== 'each-request') {
      const unchanging = growth === 'unless-full' && pets.length === limit
      list[limit] = { reply, epoch: store.epoch, length: unchanging ? -1 : store.length }
    }
    return reply
  }
}
