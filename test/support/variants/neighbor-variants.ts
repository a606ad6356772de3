import { toVariants, type ConformingVariant, type Row } from './conforming-variant.ts'
import type { VariantOptions } from './settings.ts'

/** What others do, each so many milliseconds. */
const neighbors: Readonly<Record<string, (everyMs: number) => VariantOptions>> = {
  add: (everyMs) => ({ writerEveryMs: everyMs }),
  replace: (everyMs) => ({ writerEveryMs: everyMs, removalEveryMs: everyMs }),
  'replace-alike': (everyMs) => ({
    writerEveryMs: everyMs,
    removalEveryMs: everyMs,
    writersAlike: true,
  }),
  sell: (everyMs) => ({ changeEveryMs: everyMs }),
  rename: (everyMs) => ({ renameEveryMs: everyMs }),
  remove: (everyMs) => ({ removalEveryMs: everyMs }),
  mix: (everyMs) => ({
    writerEveryMs: 4 * everyMs,
    removalEveryMs: 4 * everyMs,
    changeEveryMs: 4 * everyMs,
    renameEveryMs: 4 * everyMs,
  }),
}

const intervals = [5000, 1000, 200, 50, 20]
const latencies = [
  [0, 0],
  [0, 60],
  [100, 120],
  [200, 200],
  [0, 200],
] as const
const sizes = [3, 30, 90, 150]

const orders = ['oldest', 'newest', 'random'] as const

const living = Object.entries(neighbors).flatMap(([what, act]) =>
  intervals.flatMap((everyMs, nth) =>
    latencies.flatMap((latencyMs, second) =>
      sizes.map((pets, third): Row => [
        `others-${what}-every-${everyMs}-ms-${pets}-pets-latency-${latencyMs.join('-')}`,
        { ...act(everyMs), latencyMs, pets, order: orders[(nth + second + third) % 3] ?? 'oldest' },
      ]),
    ),
  ),
)

/** A job that removes the pets of the run, once or at intervals. */
const sweeps = latencies.flatMap((latencyMs, nth) => {
  const row = { latencyMs, pets: sizes[nth % sizes.length] ?? 30 }
  const latency = `latency-${latencyMs.join('-')}`
  return [
    ...[300, 700, 1100, 1500, 2200, 3000, 5000].map((afterMs): Row => {
      const removed = { which: 'own', afterMs, idsReused: false } as const
      return [`swept-after-${afterMs}-ms-${latency}`, { ...row, removed }]
    }),
    ...[3000, 5000, 10_000, 30_000].map((ms): Row => [
      `swept-every-${ms}-ms-${latency}`,
      { ...row, sweepEveryMs: ms },
    ]),
  ]
})

/** A job that removes the pets of the run by how their names begin, and so not all, once. */
const sweepsByName = [25, 35, 45, 55, 65, 75, 85, 98, 110, 125].flatMap((sweepAtAccess): Row[] =>
  (
    [
      [0, 0],
      [0, 1],
    ] as const
  ).map((latencyMs): Row => [
    `swept-by-name-at-access-${sweepAtAccess}-latency-${latencyMs.join('-')}`,
    { sweepAtAccess, latencyMs, pets: 12, order: 'newest' },
  ]),
)

/** Conforming services with others who change their pets, or remove those of the run, while a run is under way. */
export const neighborVariants: readonly ConformingVariant[] = toVariants(
  'exclusive use of the catalog is not specified',
  [...living, ...sweeps, ...sweepsByName],
)
