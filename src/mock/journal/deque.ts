/** How many places of taken items are kept before the others move. */
const maxGap = 1_000

/** A list whose first items are taken as its last ones are added. `shift` of a long array would cost more each time. */
export class Deque<Item> {
  #items: (Item | undefined)[] = []
  #start = 0

  get length(): number {
    return this.#items.length - this.#start
  }

  at(index: number): Item | undefined {
    return this.#items[index < 0 ? this.#items.length + index : this.#start + index]
  }

  /** Adds an item; returns how many there are. */
  push(item: Item): number {
    return this.#items.push(item) - this.#start
  }

  shift(): Item | undefined {
    const first = this.#items[this.#start]
    if (this.length === 0) return undefined
    this.#items[this.#start] = undefined
    this.#start += 1
    if (this.#start >= maxGap) {
      this.#items = this.#items.slice(this.#start)
      this.#start = 0
    }
    return first
  }

  /** A copy. */
  toArray(): Item[] {
    return this.#items.slice(this.#start) as Item[]
  }

  replace(items: readonly Item[]): void {
    this.#items = [...items]
    this.#start = 0
  }
}
