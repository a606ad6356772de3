/** What arrives bit by bit, such as the text of a connection, and who waits for some of it. */
export class Arrivals {
  readonly #looks = new Set<() => void>()

  /** Something has arrived. */
  readonly notice = (): void => {
    for (const look of this.#looks) look()
  }

  /** What is looked for, once it is found. */
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
