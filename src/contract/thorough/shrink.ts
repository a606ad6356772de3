import { simpler, type SequenceStep } from './grammar.ts'

/**
 * Looks for a shorter sequence that fails in the same way: with fewer steps, then with simpler ones.
 *
 * @param fails runs a sequence and returns whether it fails; undefined to stop
 */
export async function shrink(
  steps: readonly SequenceStep[],
  fails: (steps: readonly SequenceStep[]) => Promise<boolean | undefined>,
): Promise<readonly SequenceStep[]> {
  let shortest = steps
  const take = async (shorter: readonly SequenceStep[]): Promise<boolean | undefined> => {
    const result = await fails(shorter)
    if (result) shortest = shorter
    return result
  }
  for (let size = Math.ceil(shortest.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    // From the end: a failure usually needs the first steps.
    for (let at = shortest.length - size; at >= 0; at -= size) {
      const shorter = shortest.filter((_, place) => place < at || place >= at + size)
      if (shorter.length > 0 && (await take(shorter)) === undefined) return shortest
    }
  }
  for (let at = 0; at < shortest.length; at += 1) {
    const step = shortest[at] as SequenceStep
    for (const other of simpler(step)) {
      const result = await take(shortest.with(at, other))
      if (result === undefined) return shortest
      if (result) {
        at -= 1
        break
      }
    }
  }
  return shortest
}
