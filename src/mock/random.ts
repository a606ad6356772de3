/** Numbers from 0 to below 1 that look random, the same ones for the same seed: Mulberry32. */
export class Random {
  /** Where it stands: 32 bits. */
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
