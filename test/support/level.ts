/** Share of a large table to run: a sample in `npm test`, more in `npm run test:slow`, all in `npm run test:all`. */
type Level = 'usual' | 'slow' | 'all'

/** Set by the Vitest configurations. */
const level = (process.env['TEST_LEVEL'] ?? 'usual') as Level

/** Selects the value for the current level. */
export const byLevel = <Value>(values: Readonly<Record<Level, Value>>): Value => values[level]

/** Runs of a property: `slow` in `npm run test:slow`, a fifth in `npm test`, ten times as many before a release. */
export const runs = (slow: number): number =>
  byLevel({ usual: Math.ceil(slow / 5), slow, all: slow * 10 })

/**
 * Seed of samples, properties and long runs; TEST_SEED overrides it. `.ci/run` draws one, as does a run before a release;
 * `npm test` keeps its own, so that a test fails for what was changed.
 */
export const seed = Number(
  // All workers inherit it.
  (process.env['TEST_SEED'] ??= String(
    byLevel({ usual: 1, slow: 1, all: 1 + Math.floor(Math.random() * 1e6) }),
  )),
)

/** Takes every n-th item of a table, from where the seed says: over many runs, all of them. The level selects n. */
export function sample<Item>(all: readonly Item[], steps: Readonly<Record<Level, number>>): Item[] {
  const step = byLevel(steps)
  return all.filter((_, place) => place % step === (seed - 1) % step)
}

/** So many numbers, from 0 or where the seed says, for what is made by a number. */
export const drawn = (counts: Readonly<Record<Level, number>>): number[] =>
  Array.from({ length: byLevel(counts) }, (_, nth) => seed - 1 + nth)

/** Duration of an open-ended run in seconds; TEST_SECONDS overrides it. */
export const longRun = (seconds: Readonly<Record<Level, number>>) => ({
  seconds: Number(process.env['TEST_SECONDS'] ?? byLevel(seconds)),
  seed,
})
