import { setImmediate as nextTurn } from 'node:timers/promises'
import { sleep, type Clock } from '../../src/contract/waiting.ts'

/** Turns of the event loop in which nothing happens, after which everybody waits. */
const quietTurns = 10

/** A clock that stands still while anybody works, and jumps to the next moment that somebody waits for. */
export class VirtualClock implements Clock {
  #now = Date.UTC(2026, 10, 20, 12)
  readonly #waiting = new Set<{ at: number; act: () => void }>()
  /** How often somebody looked at the clock, began to wait or ended it. */
  #activity = 0
  #runs = false

  /** Each look takes a microsecond, so that no two moments are one. */
  now(): number {
    this.#activity += 1
    this.#now += 0.001
    return this.#now
  }

  after(ms: number, act: () => void): () => void {
    const one = { at: this.#now + ms, act }
    this.#activity += 1
    this.#waiting.add(one)
    void this.#run()
    return () => {
      if (this.#waiting.delete(one)) this.#activity += 1
    }
  }

  sleep(ms: number): Promise<void> {
    return sleep(this, ms)
  }

  async #run(): Promise<void> {
    if (this.#runs) return
    this.#runs = true
    while (this.#waiting.size > 0) {
      const before = this.#activity
      let turns = 0
      while (turns < quietTurns && this.#activity === before) {
        await nextTurn()
        turns += 1
      }
      if (this.#activity !== before) continue
      const [first] = [...this.#waiting].toSorted((a, b) => a.at - b.at)
      if (first === undefined) continue
      this.#now = Math.max(this.#now, first.at)
      this.#activity += 1
      this.#waiting.delete(first)
      first.act()
    }
    this.#runs = false
  }
}
