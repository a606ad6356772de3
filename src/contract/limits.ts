/** Carries out tasks, so many of each kind at once, in the order in which they come. */
export class Limits<Kind> {
  readonly #most: number
  readonly #kinds = new Map<Kind, { underWay: number; waiting: (() => void)[] }>()

  constructor(most: number) {
    this.#most = most
  }

  async of<Result>(kind: Kind, task: () => Promise<Result>): Promise<Result> {
    const its = this.#kinds.get(kind) ?? { underWay: 0, waiting: [] }
    this.#kinds.set(kind, its)
    if (its.underWay < this.#most) its.underWay += 1
    else await new Promise<void>((resolve) => its.waiting.push(resolve))
    try {
      return await task()
    } finally {
      const next = its.waiting.shift()
      if (next) next()
      else its.underWay -= 1
    }
  }
}
