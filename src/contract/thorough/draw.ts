/** Numbers that look random: the same for the same seed and place. */
export class Random {
  #state: number

  /** @param place the number of the sequence that is drawn */
  constructor(seed: number, place: number) {
    this.#state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(place + 1, 0xc2b2ae35)) >>> 0
    for (let round = 0; round < 4; round += 1) this.below(2)
  }

  /** An integer from 0 to below a number (mulberry32). */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * end)
  }

  /** One of the items, of which there is at least one. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item
  }

  /** The items in another order. */
  shuffle<Item>(items: readonly Item[]): Item[] {
    const shuffled = [...items]
    for (let end = shuffled.length - 1; end > 0; end -= 1) {
      const other = this.below(end + 1)
      ;[shuffled[end], shuffled[other]] = [shuffled[other] as Item, shuffled[end] as Item]
    }
    return shuffled
  }
}
