import { setImmediate as nextTurn } from 'node:timers/promises'
import { sleep, type RunClock } from '../../src/contract/http/waiting.ts'

/** Idle turns of the event loop after which all tasks are considered waiting. */
const quietTurns = 10

/** A clock that is stopped while any task is active, and jumps to the next timer when all tasks wait. */
export class VirtualClock implements RunClock {
  #now = Date.UTC(2026, 10, 20, 12)
  readonly #waiting = new Set<{ at: number; act: () => void }>()
  /** Counts reads of the clock, and timers that were set or cleared. */
  #activity = 0
  #runs = false

  /** Each read advances the clock by a microsecond, so that all times are distinct. */
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
