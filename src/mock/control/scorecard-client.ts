import { Trail } from './judge-sequence.ts'
import { Tally } from './scorecard-tally.ts'

/** What is kept for one client: its sums, and what its last requests may mean for the next. */
export interface Client {
  readonly tally: Tally
  trail: Trail
}

/** The clients of one world: one for each key, and one for requests without any of them. */
export class Clients {
  readonly #keys: readonly string[]
  readonly #secrets: readonly string[]
  #clients: (Client | undefined)[] = []

  /** @param secrets that no example may show. */
  constructor(keys: readonly string[], secrets: readonly string[]) {
    this.#keys = keys
    this.#secrets = secrets
  }

  /**
   * The client with a key. Where there is one key only, it is everybody.
   *
   * @param key its place among the keys, or -1.
   */
  of(key: number): Client {
    const index = this.#keys.length === 1 ? 0 : key === -1 ? this.#keys.length : key
    const known = this.#clients[index]
    if (known !== undefined) return known
    const client = { tally: new Tally(this.#secrets), trail: new Trail() }
    this.#clients[index] = client
    return client
  }

  /** The sums of each key, in their order, and of requests without any of them. */
  tallies(): { ofKeys: (Tally | undefined)[]; ofOthers: Tally | undefined } {
    const ofKeys = this.#keys.map((_, index) => this.#clients[index]?.tally)
    return { ofKeys, ofOthers: this.#clients[this.#keys.length]?.tally }
  }

  /** What came before means nothing for what comes next. */
  restart(): void {
    for (const client of this.#clients) if (client !== undefined) client.trail = new Trail()
  }

  forget(): void {
    this.#clients = []
  }
}
