/** Names whose letters can be changed without a quote or an escape in JSON, and are enough to tell many apart. */
const usable = /^(?=(?:.*[a-z]){3})[\p{L}\p{N} '.-]{3,60}$/iu

/** So many letters at the end of a name tell it from the others of a run. */
const counting = 3

/** The names of the pets that a run creates. */
export class Names {
  readonly #prefix: string
  readonly #runId: string
  readonly #made = new Set<string>()
  #template: string | undefined
  #count = 0

  /** @param runId letters. */
  constructor(runId: string) {
    this.#runId = runId
    this.#prefix = `Petkit ${runId}`
  }

  /** A name that no other pet has: short, of letters and spaces, recognisable. */
  next(isTaken: (name: string) => boolean): string {
    let name: string
    do {
      this.#count += 1
      name = this.#template === undefined ? `${this.#prefix} ${this.#letters()}` : this.#inTheFormOf(this.#template)
    } while (this.#template !== undefined && (this.#made.has(name) || isTaken(name)) && this.#count < 10_000)
    this.#made.add(name)
    return name
  }

  /** Whether a pet with this name is the run's own. */
  owns(name: string): boolean {
    return name.includes(this.#prefix) || this.#made.has(name)
  }

  /**
   * From now on, names have the form of one of these: its length, its words, its capitals. Where a target refuses names
   * such as the run's, those that it shows tell what it takes.
   *
   * @returns false when none of them can serve.
   */
  follow(shown: readonly string[]): boolean {
    const letters = (name: string): number => name.replace(/[^a-z]/gi, '').length
    const [best] = shown.filter((name) => usable.test(name)).sort((a, b) => letters(b) - letters(a))
    this.#template = best
    return best !== undefined
  }

  /** Back to the form that the run began with. */
  unfollow(): void {
    this.#template = undefined
  }

  #letters(): string {
    const index = this.#count - 1
    return String.fromCharCode(65 + (Math.floor(index / 26) % 26), 97 + (index % 26))
  }

  /** The last letters count, and those before them are of the run. */
  #inTheFormOf(template: string): string {
    const places = template.replace(/[^a-z]/gi, '').length
    let place = 0
    return template.replace(/[a-z]/gi, (letter) => {
      const fromEnd = places - 1 - place
      const own =
        fromEnd < counting
          ? String.fromCharCode(97 + (Math.floor(this.#count / 26 ** fromEnd) % 26))
          : (this.#runId[place % this.#runId.length] ?? 'a')
      place += 1
      return letter === letter.toLowerCase() ? own.toLowerCase() : own.toUpperCase()
    })
  }
}
