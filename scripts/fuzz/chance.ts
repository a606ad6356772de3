/** Pseudo-random draws: the same seed, the same draws, on every machine. */
export interface Chance {
  /** An integer from 0 to `end` - 1. */
  below: (end: number) => number
  /** An integer from `from` to `to`. */
  between: (from: number, to: number) => number
  /** Whether something of this probability happens. */
  happens: (probability: number) => boolean
  pick: <Item>(items: readonly Item[]) => Item
  shuffle: <Item>(items: readonly Item[]) => Item[]
  bytes: (count: number) => Buffer
  /** Lower-case letters. */
  letters: (count: number) => string
}

/** Draws from a seed of any text, so that each case has a sequence of its own, whatever was drawn before it. */
export function createChance(seed: string): Chance {
  let state = hash(seed)
  // mulberry32
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number): number => Math.floor(next() * end)
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item
  return {
    below,
    pick,
    between: (from, to) => from + below(to - from + 1),
    happens: (probability) => next() < probability,
    shuffle(items) {
      const shuffled = [...items]
      for (let last = shuffled.length - 1; last > 0; last -= 1) {
        const other = below(last + 1)
        const moved = shuffled[last] as (typeof shuffled)[number]
        shuffled[last] = shuffled[other] as (typeof shuffled)[number]
        shuffled[other] = moved
      }
      return shuffled
    },
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => below(256))),
    letters: (count) => Array.from({ length: count }, () => pick([...'abcdefghijklmnopqrstuvwxyz'])).join(''),
  }
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193)
  return value
}
