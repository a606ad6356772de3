import { UsageError } from '../errors.ts'
import type { Waiting } from './catalogue.ts'
import type { Snapshots } from './sandbox.ts'
import type { Store } from './store.ts'
import type { StoreState } from './store-state.ts'
import { told } from './told.ts'

const mostSnapshots = 100
/** Bytes of pets that all snapshots of a world hold together: 64 MiB, but for a single one that is larger. */
const mostBytes = 64 * 2 ** 20

interface Snapshot {
  state: StoreState
  pets: number
  savedAt: string
}

/** The snapshots of a world, which know what they take. */
export interface StoredSnapshots extends Snapshots {
  /** About how many bytes they hold; what they share is counted in each. */
  bytes: () => number
}

/** The snapshots of a store. The oldest go when there are too many. */
export function createSnapshots(store: Store, waiting: Waiting): StoredSnapshots {
  const snapshots = new Map<string, Snapshot>()
  const bytes = (): number => [...snapshots.values()].reduce((sum, { state }) => sum + state.bytes, 0)

  return {
    bytes,
    save(name) {
      if (typeof name !== 'string' || !/^[\w.-]{1,100}$/.test(name)) {
        throw new UsageError(
          `The name of a snapshot is made of 1 to 100 letters, digits, dots, hyphens and underscores, not ${told(name)}.`,
        )
      }
      waiting.show()
      snapshots.delete(name)
      snapshots.set(name, { state: store.save(), pets: store.size, savedAt: new Date().toISOString() })
      for (const oldest of snapshots.keys()) {
        if (snapshots.size <= 1 || (snapshots.size <= mostSnapshots && bytes() <= mostBytes)) break
        snapshots.delete(oldest)
      }
    },
    restore(name) {
      const snapshot = snapshots.get(name)
      if (snapshot === undefined) return false
      waiting.forget()
      store.restore(snapshot.state)
      return true
    },
    delete: (name) => snapshots.delete(name),
    list: () => Array.from(snapshots, ([name, { pets, savedAt }]) => ({ name, pets, savedAt })),
  }
}
