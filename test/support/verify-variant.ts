import { type Report, verify, type VerifyInput } from '../../src/contract/index.ts'
import type { ConformingVariant } from './variants/conforming-variant.ts'
import { startVariant, type VariantOptions } from './variants/server.ts'
import { carryOutAt } from './verify-in-process.ts'
import { VirtualClock } from './virtual-clock.ts'

type Where = 'in-process' | 'over-sockets'

/**
 * Verifies a conforming variant several times in sequence.
 *
 * @param where `in-process` also uses virtual time, except for variants that are written with a framework.
 */
export const verifyVariant = (
  variant: ConformingVariant,
  times = 1,
  where: Where = 'in-process',
  more: Partial<VerifyInput> = {},
): Promise<Report[]> =>
  verifyRounds(
    variant,
    Array.from({ length: times }, () => [more]),
    where,
  )

/** Verifies a conforming variant in rounds, with the pets of the runs before. The runs of a round begin at the same time. */
export async function verifyRounds(
  { start, options: made, verifyOptions }: ConformingVariant,
  rounds: readonly (readonly Partial<VerifyInput>[])[],
  where: Where = 'in-process',
): Promise<Report[]> {
  const clock = new VirtualClock()
  const isInProcess = where === 'in-process' && made !== undefined
  const variant = await start(
    isInProcess ? { now: () => clock.now(), sleep: (ms) => clock.sleep(ms) } : undefined,
  )
  const { url: baseUrl, key: apiKey, dispatcher, close } = variant
  const input = {
    baseUrl,
    apiKey,
    settleMs: verifyOptions?.settleMs ?? 1_500,
    categoryId: verifyOptions?.categoryId,
    now: verifyOptions?.now,
    depth: verifyOptions?.depth,
  }
  const run = (more: Partial<VerifyInput>): Promise<Report> =>
    dispatcher === undefined
      ? verify({ ...input, ...more })
      : carryOutAt(clock, { ...input, ...more, dispatcher })
  const reports: Report[] = []
  try {
    for (const round of rounds) reports.push(...(await Promise.all(round.map(run))))
    return reports
  } finally {
    await close()
  }
}

/** Formats the findings of a report for the output of a failing test. */
export const violationsIn = ({ findings }: Report): string[] =>
  findings.map(
    ({ requirement, message, expected, actual }) =>
      `${requirement}: ${message} expected ${expected}, actual ${actual}`,
  )

/** Adds latency (`ms`, up to a fifth more), and delays status changes so that none happens within a few requests. */
export function onSlowNetwork(variant: ConformingVariant, ms: number): ConformingVariant {
  const { soldAfterMs = 0, statusAfterMs = 0 } = variant.options ?? {}
  const later = (after: number): number => after && Math.max(after, 5 * ms)
  const statuses = { soldAfterMs: later(soldAfterMs), statusAfterMs: later(statusAfterMs) }
  const options: VariantOptions = { ...variant.options, latencyMs: [ms, ms * 1.2], ...statuses }
  return { ...variant, options, start: (time) => startVariant(options, time) }
}
