/** Reproducible random numbers (mulberry32). */
export class SeededRandom {
  #state: number

  /** @param stream selects one of many sequences of the same seed */
  constructor(seed: number, stream: number) {
    this.#state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(stream + 1, 0xc2b2ae35)) >>> 0
    for (let round = 0; round < 4; round += 1) this.below(2)
  }

  /** An integer from 0 to `end` - 1. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * end)
  }

  /** @param items not empty */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item
  }

  shuffle<Item>(items: readonly Item[]): Item[] {
    const shuffled = [...items]
    for (let end = shuffled.length - 1; end > 0; end -= 1) {
      const other = this.below(end + 1)
      ;[shuffled[end], shuffled[other]] = [shuffled[other] as Item, shuffled[end] as Item]
    }
    return shuffled
  }
}
