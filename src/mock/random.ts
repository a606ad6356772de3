/** Numbers from 0 to below 1 that look random, the same ones for the same seed. */
export interface Random {
  next: () => number
  /** From the beginning. */
  reset: () => void
}

/** @param seed an integer. */
export function createRandom(seed: number): Random {
  let state = seed | 0
  return {
    /** Mulberry32. */
    next() {
      state = (state + 0x6d2b79f5) | 0
      let bits = Math.imul(state ^ (state >>> 15), state | 1)
      bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61)
      return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
    },
    reset() {
      state = seed | 0
    },
  }
}
