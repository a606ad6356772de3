/** Waits for parts of data that arrives in pieces, such as the text of a connection. */
export class Arrivals {
  readonly #looks = new Set<() => void>()

  /** Call it when data has arrived. */
  readonly notice = (): void => {
    for (const look of this.#looks) look()
  }

  /** Resolves with the first result of `find` that is not undefined. */
  until<Found>(find: () => Found | undefined): Promise<Found> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = find()
        if (found === undefined) return
        this.#looks.delete(look)
        resolve(found)
      }
      this.#looks.add(look)
      look()
    })
  }
}
