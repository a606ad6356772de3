/** Long work in parts, so that it blocks other requests for a few milliseconds only. */

/** Work that may pause at each `yield`. */
export type Sliced<Result> = Generator<void, Result, void>

/** How long the event loop may be blocked. */
const sliceMs = 5
/** Tests may replace the timers of the host, and would stop the work forever. */
const later = setTimeout

/** Carries out work, and lets others have their turn every few milliseconds. */
export async function inSlices<Result>(work: Sliced<Result>): Promise<Result> {
  for (;;) {
    const until = performance.now() + sliceMs
    do {
      const { done, value } = work.next()
      if (done === true) return value
    } while (performance.now() < until)
    await new Promise<void>((resolve) => void later(resolve, 0))
  }
}

/** Pets in parts, or whatever else is too much for one string or one write. */
export const chunksOf = <Item>(items: readonly Item[], size = 1_000): (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, chunk) =>
    items.slice(chunk * size, (chunk + 1) * size),
  )
