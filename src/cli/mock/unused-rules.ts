import type { LoggedRequest, RunningMock } from '../../mock/index.ts'
import { count } from '../../report/text.ts'

/** Rules that are named; more are counted. */
const maxNamed = 10

/**
 * Remembers which of the rules requests have used, in any sandbox: a reset counts anew, and a sandbox may be gone by the
 * end. `places` has the place of each rule in its file, by its id.
 */
export function watchRules(places: ReadonlyMap<string, string>, mock: () => RunningMock) {
  const unused = new Set(places.keys())
  const sandboxOf = (name: string | undefined) =>
    name === undefined || !mock().sandboxes.has(name) ? mock() : mock().sandboxes.get(name)
  const look = (name: string | undefined): void => {
    for (const { id, used } of sandboxOf(name).rules()) if (used > 0) unused.delete(id)
  }
  return {
    onRequest({ rule, sandbox }: LoggedRequest): void {
      if (rule !== undefined && unused.size > 0) look(sandbox)
    },
    /** A line for each rule that no request has used, with the nearest request. None without any request. */
    async lines(): Promise<string[]> {
      const all = [
        mock(),
        ...mock()
          .sandboxes.list()
          .map(({ name }) => sandboxOf(name)),
      ]
      const [busiest] = all.toSorted((one, other) => sizeOf(other) - sizeOf(one))
      const pending = busiest?.pendingRules().filter(({ id }) => unused.has(id)) ?? []
      if (busiest === undefined || sizeOf(busiest) === 0 || pending.length === 0) return []
      const { withNearest } = await import('../../mock/journal/nearest.ts')
      const found = await withNearest(busiest, pending.slice(0, maxNamed))
      const lines = found.map(
        ({ id, nearest }) =>
          `${places.get(id)}: no request used ${id}.${nearest === undefined ? '' : ` ${nearest.message}`}`,
      )
      const left = pending.length - found.length
      return left > 0 ? [...lines, `No request used ${count(left, 'more rule')}.`] : lines
    },
  }
}

const sizeOf = ({ journal }: Pick<RunningMock, 'journal'>): number => journal.range.last
