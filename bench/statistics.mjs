/** The median, the least and the greatest of some numbers, or undefined when there are none. */
export function summary(numbers) {
  if (numbers.length === 0) return undefined
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  return { median, least: sorted[0], greatest: sorted.at(-1) }
}

/** The ratio of two rows of numbers, round by round, and its spread. What the floor did not measure has no ratio. */
export function ratio(above, below) {
  const pairs = above.map((number, round) => [number, below[round]])
  return summary(pairs.filter(([a, b]) => a !== undefined && b > 0).map(([a, b]) => a / b))
}
