import type { Dispatcher } from 'undici'

/** The clock of a variant: milliseconds since 1970, and delays. */
export interface Time {
  now: () => number
  sleep: (ms: number) => Promise<void>
}

/** A variant that listens on a socket or is called in process. */
export interface RunningVariant {
  url: string
  key: string
  /** The only access to a variant in process. */
  dispatcher?: Dispatcher
  close(): Promise<void>
}

/** The default key of all variants. */
export const variantKey = 'Twin-Key_42.abcDEF'
