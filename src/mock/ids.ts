import type { Int64 } from '../spec/types.ts'

/** Which ids come next, as it is kept. */
export interface IdsState {
  readonly next: number
  readonly chosen: ReadonlySet<Int64>
}

/** Assigns ids: 1, 2, 3 and so on, never one that was in use. */
export class Ids {
  #next = 1
  /** Ids that somebody chose before they were assigned. */
  readonly #chosen = new Set<Int64>()

  /** The id that is assigned next, if nobody has it. */
  get next(): number {
    return this.#next
  }

  /** Starts again at this id, with nothing chosen. */
  startAt(next: number): void {
    this.#next = next
    this.#chosen.clear()
  }

  /** Never assigns this id, which somebody is about to use. */
  reserve(id: Int64): void {
    if (id >= this.#next) this.#chosen.add(id)
  }

  /** The next id that nobody chose and nobody has. */
  assign(isTaken: (id: Int64) => boolean): number {
    while ((this.#chosen.size > 0 && this.#chosen.has(this.#next)) || isTaken(this.#next)) this.#next += 1
    const id = this.#next
    this.#next += 1
    return id
  }

  save(): IdsState {
    return { next: this.#next, chosen: new Set(this.#chosen) }
  }

  restore({ next, chosen }: IdsState): void {
    this.startAt(next)
    for (const id of chosen) this.#chosen.add(id)
  }
}
