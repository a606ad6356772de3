const units = { ms: 1, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const

/**
 * Milliseconds of `500ms`, `10 s`, `1.5m`, `2h` or `7d`; undefined for anything else.
 *
 * @param unit of a number without one; by default, such a number is no duration
 */
export function readDuration(text: string, unit?: keyof typeof units): number | undefined {
  const [, number, given = unit] =
    /^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|min|[smhd])?$/.exec(text.trim()) ?? []
  return number === undefined || given === undefined
    ? undefined
    : Math.round(Number(number) * units[given as keyof typeof units])
}

/** Seconds in the largest unit in which they are an integer: `10m`. */
export function toDuration(seconds: number): string {
  const ms = Math.round(seconds * 1000)
  const [name, size] = (['d', 'h', 'm', 's'] as const)
    .map((unit) => [unit, units[unit]] as const)
    .find(([, milliseconds]) => ms > 0 && ms % milliseconds === 0) ?? ['ms', 1]
  return ms === 0 ? '0s' : `${ms / size}${name}`
}
