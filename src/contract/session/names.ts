/** Names whose letters need no escape in JSON. */
const usable = /^[\p{L}\p{N} '.-]{2,60}$/u
/** The fewest distinct names that a form must allow. */
const enough = 200

/** The kinds of letters and digits, and all of a kind where that is known; of other scripts those that names show. */
const alphabets: readonly (readonly [kind: RegExp, all?: string])[] = [
  [/[a-z]/, 'abcdefghijklmnopqrstuvwxyz'],
  [/[A-Z]/, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
  [/\p{Ll}/u],
  [/\p{Lu}/u],
  [/\p{L}/u],
  [/\d/, '0123456789'],
]

/** Makes the names of the pets of a run, in the form that the target accepts. */
export class Names {
  readonly #prefix: string
  /** Made from the run id. Those of ids that differ in one letter are further apart than a run makes names. */
  readonly number: number
  readonly #made = new Set<string>()
  #template: string | undefined
  /** The name that the run sends in two creations. */
  repeated: string | undefined
  /** What of the template is changed, and the letters of all names that could serve. */
  #changes = /[a-z]/i
  #shown = ''
  #count = 0

  constructor(runId: string) {
    this.#prefix = `Petkit ${runId}`
    this.number = [...runId].reduce((sum, char) => ((sum + char.charCodeAt(0)) * 89) % 1e14, 0)
  }

  /** A short recognizable name that no other pet has. */
  next(isTaken: (name: string) => boolean): string {
    let name: string
    do {
      this.#count += 1
      name =
        this.#template === undefined
          ? `${this.#prefix} ${this.#letters()}`
          : this.#imitation(this.#template)
    } while ((this.#made.has(name) || isTaken(name)) && this.#count < 10_000)
    this.#made.add(name)
    return name
  }

  owns(name: string | null): boolean {
    return name !== null && (name.includes(this.#prefix) || this.#made.has(name))
  }

  /**
   * Makes further names with the length, words, capitals and script of one of these, for a target that restricts names.
   * Without any usable one, names have their initial form again.
   *
   * @param only what may change in a name, such as its digits. Default: letters, or letters and digits where there are few
   * @returns false when none of them is usable
   */
  imitate(shown: readonly string[], only?: RegExp): boolean {
    const serving = shown.filter((name) => usable.test(name))
    this.#shown = serving.join('')
    for (const kind of only ? [only] : [/[a-z]/i, /\p{L}/u, /\p{L}|\d/u]) {
      const changed = (name: string) => [...name].filter((char) => kind.test(char))
      const [best = ''] = serving.toSorted((a, b) => changed(b).length - changed(a).length)
      this.#changes = kind
      this.#template = best
      const count = changed(best).reduce((all, char) => all * this.#lettersLike(char).length, 1)
      if (count >= enough) return true
    }
    this.#template = undefined
    return false
  }

  #letters(): string {
    const index = this.#count - 1
    const round = Math.floor(index / 26 ** 2)
    return String.fromCharCode(
      65 + (Math.floor(index / 26) % 26),
      97 + (index % 26),
      ...(round > 0 ? [96 + round] : []),
    )
  }

  /** Counts in the letters of a name, from the number of the run: runs, also at the same time, hardly make the same names. */
  #imitation(template: string): string {
    let rest = this.number + this.#count
    const chars = [...template]
    for (const [at, char] of [...chars.entries()].toReversed()) {
      if (!this.#changes.test(char)) continue
      const letters = this.#lettersLike(char)
      chars[at] = letters[rest % letters.length] ?? ''
      rest = Math.floor(rest / letters.length)
    }
    return chars.join('')
  }

  #lettersLike(char: string): string[] {
    const [kind, all = this.#shown] = alphabets.find(([of]) => of.test(char)) ?? [/./u]
    return [...new Set(all)].filter(
      (letter) => kind.test(letter) && (all !== this.#shown || letter > '\x7f'),
    )
  }
}
