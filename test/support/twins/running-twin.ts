import type { Dispatcher } from 'undici'

/** What a twin lives by: milliseconds since 1970, and waits. */
export interface Time {
  now: () => number
  sleep: (ms: number) => Promise<void>
}

/** A twin that listens, or is called in process. */
export interface RunningTwin {
  url: string
  key: string
  /** The only way to a twin that is called in process. */
  dispatcher?: Dispatcher
  close(): Promise<void>
}

/** The key of every twin, unless another is asked for. */
export const twinKey = 'Twin-Key_42.abcDEF'
