import { setTimeout as sleep } from 'node:timers/promises'

/** The time of a run. Everything that waits, or measures, does so by it. */
export interface Clock {
  /** Milliseconds since 1970, and never fewer than before. */
  now(): number
  /** Resolves after so many milliseconds, or as soon as the signal is aborted. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
}
