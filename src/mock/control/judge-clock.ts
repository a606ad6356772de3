/** The clock of a world, as far as judging needs it. */
export interface JudgeClock {
  /** Milliseconds since 1970. */
  millis: () => number
  /** Milliseconds since some moment. It moves along when the clock is moved. */
  elapsed: () => number
}

/** Milliseconds in which one request follows from another. */
export const soonMs = 2_000
