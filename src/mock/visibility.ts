import type { StoredPet } from './pet-text.ts'
import type { Store } from './store.ts'

/** How long reads lag behind a creation where the profile says so: milliseconds. */
const lagMs = 250

/** When reads begin to show a new pet. */
export interface Visibility {
  /** Adds a pet, now or in a while, and returns its text. */
  add(pet: StoredPet): string
  /** The pets that reads do not show yet. */
  waiting(): readonly StoredPet[]
  /** Shows what has waited long enough; to be called before each read. */
  settle(): void
  /** Shows all that waits. */
  flush(): void
  /** Forgets what waits. */
  reset(): void
}

/** A store that shows new pets at once, or later, as behind a replica. */
export function createVisibility(delayed: boolean, store: Store, elapsed: () => number): Visibility {
  let waiting: { pet: StoredPet; since: number }[] = []
  // Its id may have been given to another pet by hand.
  const show = (pet: StoredPet): void => {
    if (!store.has(pet.id)) store.insert(pet)
  }
  return {
    add(pet) {
      if (!delayed) return store.insert(pet).text
      waiting.push({ pet, since: elapsed() })
      return store.print(pet)
    },
    waiting: () => waiting.map(({ pet }) => pet),
    settle() {
      if (waiting.length === 0) return
      const due = elapsed() - lagMs
      for (const { pet, since } of waiting) if (since <= due) show(pet)
      waiting = waiting.filter(({ since }) => since > due)
    },
    flush() {
      for (const { pet } of waiting) show(pet)
      waiting = []
    },
    reset() {
      waiting = []
    },
  }
}
