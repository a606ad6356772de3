/** One mistake in what was given. */
export interface Issue {
  /** Where it is: an option, or a path into it such as `rules/0/reply/status`. Empty where no option has it. */
  path: string
  /** What is wrong: a sentence, or the end of one that begins with the path. */
  message: string
}

/** A mistake in how the kit was called: options, flags, files. The command line prints the message and exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly code = 'USAGE'
  /** All mistakes; the message has a line for each. */
  readonly issues: readonly Issue[]

  constructor(issues: string | readonly Issue[], options?: ErrorOptions) {
    super(typeof issues === 'string' ? issues : issues.map((issue) => sentenceOf(issue)).join('\n'), options)
    this.issues = typeof issues === 'string' ? [{ path: '', message: issues }] : issues
  }
}

/** An issue as a line of text. */
export function sentenceOf({ path, message }: Issue): string {
  if (path === '') return message
  return /^(?:must|has|holds|needs|takes|does|is|cannot) /.test(message) ? `${path} ${message}` : `${path}: ${message}`
}

/** A value in a message. */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  // An object may have no text, or a long one.
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object'
  return typeof value === 'function' ? 'a function' : String(value)
}

/** `; did you mean NAME?` where one of the names is nearly the word, or nothing. */
export function didYouMean(word: string, names: readonly string[]): string {
  const near = nearest(word, names)
  return near === undefined ? '' : `; did you mean ${near}?`
}

/** The name that differs least from a word, if any differs by few letters or has only more at its end. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const most = Math.min(word.length - 1, Math.max(2, Math.floor(word.length / 6)))
  const [best] = names
    .map((name) => ({
      name,
      // The beginning of a longer name counts, but less than a whole one.
      letters: Math.min(
        distance(word, name),
        word.length < 8 ? Infinity : distance(word, name.slice(0, word.length)) + 0.5,
      ),
    }))
    .filter(({ letters }) => letters <= most)
    .sort((a, b) => a.letters - b.letters)
  return best?.name
}

/** How many letters must be put in, taken out or changed to make one word of the other (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, charA] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, charB] of [...b].entries()) {
      const change = (row[j] ?? 0) + (charA === charB ? 0 : 1)
      next.push(Math.min(change, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
