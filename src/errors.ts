/** A mistake in options, flags, files or requests. */
export interface Issue {
  /** An option, or a path into it such as `rules/0/reply/status`. Empty when it concerns no single option. */
  path: string
  /** A sentence, or the end of one that begins with the path. */
  message: string
}

/** Invalid options, flags or files. The command line prints the message and exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly code = 'USAGE'
  /** All mistakes; the message has a line for each. */
  readonly issues: readonly Issue[]

  constructor(issues: string | readonly Issue[], options?: { cause?: unknown }) {
    super(
      typeof issues === 'string' ? issues : issues.map((issue) => sentenceOf(issue)).join('\n'),
      options,
    )
    this.issues =
      typeof issues === 'string'
        ? issues.split('\n').map((message) => ({ path: '', message }))
        : issues
  }
}

/** For an expression without which nothing can go on. */
export function fail(message: string): never {
  throw new UsageError(message)
}

/** @throws {UsageError} that lists all mistakes, if there are any */
export function expectNone(issues: readonly Issue[]): void {
  if (issues.length > 0) throw new UsageError(issues)
}

export function sentenceOf({ path, message }: Issue): string {
  if (path === '') return message
  return /^(?:must|has|holds|needs|takes|throws|is|cannot) /.test(message)
    ? `${path} ${message}`
    : `${path}: ${message}`
}

/** A value for a message. */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  // `String(object)` may throw.
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? 'a list' : 'an object'
  return typeof value === 'function' ? 'a function' : String(value)
}

/** The message of what was thrown, which need not be an Error. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : formatValue(thrown)

/** `; did you mean NAME?`, or an empty string when no name is similar. */
export function didYouMean(word: string, names: readonly string[]): string {
  const near = nearest(word, names)
  return near === undefined ? '' : `; did you mean ${near}?`
}

/** Finds options that do not exist, which JavaScript would ignore. Throws a UsageError for a value without options. */
export function unknownOptions(given: object, names: readonly string[]): string[] {
  expectObject(given)
  const unknown = Object.keys(given).filter((name) => !names.includes(name))
  const all = `. The options are ${names.join(', ')}.`
  return unknown.map(
    (name) => `Unknown option ${JSON.stringify(name)}${didYouMean(name, names) || all}`,
  )
}

/** @throws {UsageError} for anything that holds no options, which only JavaScript can pass */
export function expectObject(given: unknown): void {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given)
  if (isObject && !('then' in given)) return
  throw new UsageError(
    `Options must be an object, not ${isObject ? 'a promise: await it' : formatValue(given)}.`,
  )
}

/** The name that is most similar to a word, if any is a close match. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  // A request may name a megabyte.
  if (word.length > 100) return undefined
  const most = Math.min(Math.floor(word.length / 2), Math.max(2, Math.floor(word.length / 6)))
  const [best] = names
    .map((name) => ({
      name,
      // The beginning of a longer name matches, too, with a lower rank.
      letters: Math.min(
        distance(word, name),
        word.length < 8 ? Infinity : distance(word, name.slice(0, word.length)) + 0.5,
      ),
    }))
    // Of a short word, two other letters make another word, unless it begins alike.
    .filter(
      ({ name, letters }) =>
        letters <= most && (letters < 2 || word.length > 5 || name[0] === word[0]),
    )
    .sort((a, b) => a.letters - b.letters)
  return best?.name
}

/** The Levenshtein distance. */
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

/** A copy of what `JSON.stringify` takes. A text that is a part of a longer one keeps all of that in memory. */
export const detach = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value

/** `a, b and c`. Intl.ListFormat would load tables for 15 ms, while a request waits. */
export const enumerate = (items: readonly string[], word: 'and' | 'or'): string =>
  [...(items.length > 1 ? [items.slice(0, -1).join(', ')] : []), ...items.slice(-1)].join(
    ` ${word} `,
  )
