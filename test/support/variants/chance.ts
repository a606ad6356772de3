/** Returns the next pseudorandom number in [0, 1). */
export type Chance = () => number

/** Creates a mulberry32 generator: the same seed gives the same sequence on every machine. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function pick<Item>(items: readonly Item[], chance: Chance): Item {
  return items[Math.floor(chance() * items.length)] as Item
}

/** The first `count` items of a shuffled copy. */
export function draw<Item>(items: readonly Item[], count: number, chance: Chance): Item[] {
  const left = [...items]
  const drawn: Item[] = []
  while (drawn.length < count && left.length > 0) {
    const place = Math.floor(chance() * left.length)
    drawn.push(left[place] as Item)
    left[place] = left.at(-1) as Item
    left.pop()
  }
  return drawn
}
