import type { SandboxClock } from './clock.ts'
import type { StoredPet } from './pet-text.ts'
import type { Store } from './store.ts'

/** How long reads lag behind a creation where the profile says so: milliseconds. */
const lagMs = 250

/** A pet that reads do not show yet, and when it was created by the stopwatch. */
export interface WaitingPet {
  readonly pet: StoredPet
  readonly since: number
}

/** Shows new pets later, as behind a replica. */
export class Visibility {
  readonly #store: Store
  readonly #clock: SandboxClock
  #waiting: readonly WaitingPet[] = []

  constructor(store: Store, clock: SandboxClock) {
    this.#store = store
    this.#clock = clock
  }

  /** The pets that reads do not show yet. */
  get waiting(): readonly WaitingPet[] {
    return this.#waiting
  }

  /** Shows a pet in a while. */
  delay(pet: StoredPet): void {
    this.#waiting = [...this.#waiting, { pet, since: this.#clock.elapsed() }]
  }

  /** Shows what has waited long enough; to be called before each read. */
  settle(): void {
    if (this.#waiting.length === 0) return
    const due = this.#clock.elapsed() - lagMs
    this.#show(this.#waiting.filter(({ since }) => since <= due))
    this.#waiting = this.#waiting.filter(({ since }) => since > due)
  }

  /** Shows all that waits: it was confirmed, so that it is among the pets that somebody keeps or changes. */
  flush(): void {
    this.#show(this.#waiting)
    this.#waiting = []
  }

  /** Forgets what waits. */
  reset(waiting: readonly WaitingPet[] = []): void {
    this.#waiting = waiting
  }

  #show(waiting: readonly WaitingPet[]): void {
    // Its id may have been given to another pet by hand.
    for (const { pet } of waiting) if (!this.#store.has(pet.id)) this.#store.insert(pet)
  }
}
