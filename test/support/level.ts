/** How much of a large table runs: `npm test` samples it, `npm run test:slow` takes more, `npm run test:all` takes all. */
type Level = 'usual' | 'slow' | 'all'

/** Set by the configurations of Vitest. */
const level = (process.env['TEST_LEVEL'] ?? 'usual') as Level

/** What the level asks for. */
export const byLevel = <Value>(values: Readonly<Record<Level, Value>>): Value => values[level]

/** Every so many of a table, as the level asks for. */
export const sample = <Item>(all: readonly Item[], steps: Readonly<Record<Level, number>>): Item[] =>
  all.filter((_, place) => place % byLevel(steps) === 0)

/** How often a property is tried, given the number of `npm run test:slow`: a fifth in `npm test`, ten times as often before a release. */
export const runs = (slow: number): number => byLevel({ usual: Math.ceil(slow / 5), slow, all: slow * 10 })

/**
 * What properties and long runs draw from: TEST_SEED where it is set. Only a run before a release draws from a new seed
 * each time: a commit must not fail for what an earlier one did.
 */
export const seed = Number(
  process.env['TEST_SEED'] ?? byLevel({ usual: 1, slow: 1, all: Math.floor(Math.random() * 1e6) }),
)

/** How long a run without an end goes on, in seconds: TEST_SECONDS where it is set. */
export const longRun = (seconds: Readonly<Record<Level, number>>) => ({
  seconds: Number(process.env['TEST_SECONDS'] ?? byLevel(seconds)),
  seed,
})
