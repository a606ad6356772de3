import type { Pet } from '../../spec/types.ts'
import { breeds, petNames } from './seed-words.gen.ts'

/** The position of a kind in this list, from 1, is its categoryId. */
const kinds = ['dogs', 'cats', 'birds', 'rabbits', 'fish', 'rodents', 'reptiles', 'horses'] as const

/**
 * Each run of twenty pets, the default page, is dealt from one deck, so that every page shows several kinds of animals and
 * all three statuses with any seed.
 */
const kindDeck = deck(kinds, [5, 4, 2, 2, 2, 2, 1, 2])
const statusDeck = deck(['available', 'pending', 'sold'] as const, [12, 3, 5])

/**
 * Returns a function that makes pet `n` of a seed, from 1. The result depends on nothing else.
 *
 * @param seed any safe integer.
 * @example createSeed(1)(7) // { id: 7, name: 'Gus the Manx', categoryId: 2, status: 'available' }
 */
export function createSeed(seed: number): (n: number) => Required<Pet> {
  const key = mix(Math.trunc(seed / 2 ** 32)) ^ (seed | 0)
  const random = (n: number, purpose: number): number =>
    mix(key ^ mix(Math.imul(n, 0x9e3779b1) ^ purpose))
  const kindOf = dealer(kindDeck, (n) => random(n, 1))
  const statusOf = dealer(statusDeck, (n) => random(n, 2))
  return (n) => {
    const kind = kindOf(n)
    const name = `${pick(petNames, random(n, 3))} the ${pick(breeds[kind], random(n, 4))}`
    return { id: n, name, categoryId: kinds.indexOf(kind) + 1, status: statusOf(n) }
  }
}

function deck<Card>(cards: readonly Card[], counts: readonly number[]): readonly Card[] {
  return cards.flatMap((card, index) => Array<Card>(counts[index] ?? 0).fill(card))
}

/** Shuffles a deck for each run of pets, and caches the last one. */
function dealer<Card>(cards: readonly Card[], random: (n: number) => number): (n: number) => Card {
  let shuffledFor = -1
  let shuffled: Card[] = []
  return (n) => {
    const run = Math.floor((n - 1) / cards.length)
    if (run !== shuffledFor) {
      shuffled = [...cards]
      for (let last = cards.length - 1; last > 0; last -= 1) {
        const other = below(last + 1, random(run * cards.length + last))
        const card = shuffled[last] as Card
        shuffled[last] = shuffled[other] as Card
        shuffled[other] = card
      }
      shuffledFor = run
    }
    return shuffled[(n - 1) % cards.length] as Card
  }
}

const pick = <Item>(items: readonly Item[], random: number): Item =>
  items[below(items.length, random)] as Item

/** Scales 32 random bits to an integer below `count`. */
const below = (count: number, random: number): number => Math.floor((random / 2 ** 32) * count)

/** The finalizer of MurmurHash3: each input bit affects all output bits. */
export function mix(value: number): number {
  let bits = value | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

/** A seeded generator of pseudo-random numbers from 0 to below 1: Mulberry32. */
export class Random {
  /** 32 bits. */
  state: number

  /** @param seed an integer. */
  constructor(seed: number) {
    this.state = seed | 0
  }

  readonly next = (): number => {
    this.state = (this.state + 0x6d2b79f5) | 0
    let bits = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61)
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}
