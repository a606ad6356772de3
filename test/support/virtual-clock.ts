import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../src/contract/waiting.ts'

/** Turns of the event loop in which nothing happens, after which everybody waits. */
const quietTurns = 10

/** A clock that stands still while anybody works, and jumps to the next moment that somebody waits for. */
export class VirtualClock implements Clock {
  #now = Date.UTC(2026, 10, 20, 12)
  readonly #sleepers = new Set<{ at: number; wake: () => void }>()
  /** How often somebody looked at the clock, began to wait or ended it. */
  #activity = 0
  #runs = false

  /** Each look takes a microsecond, so that no two moments are one. */
  now(): number {
    this.#activity += 1
    this.#now += 0.001
    return this.#now
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#activity += 1
        this.#sleepers.delete(sleeper)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const sleeper = { at: this.#now + ms, wake }
      if (signal?.aborted) return resolve()
      signal?.addEventListener('abort', wake)
      this.#activity += 1
      this.#sleepers.add(sleeper)
      void this.#run()
    })
  }

  async #run(): Promise<void> {
    if (this.#runs) return
    this.#runs = true
    while (this.#sleepers.size > 0) {
      const before = this.#activity
      let turns = 0
      while (turns < quietTurns && this.#activity === before) {
        await nextTurn()
        turns += 1
      }
      if (this.#activity !== before) continue
      const [first] = [...this.#sleepers].toSorted((a, b) => a.at - b.at)
      this.#now = Math.max(this.#now, first?.at ?? 0)
      first?.wake()
    }
    this.#runs = false
  }
}
