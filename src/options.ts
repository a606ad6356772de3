import { UsageError } from './errors.ts'

/** One option of a command: its flag, its environment variable and its line of help come from here. */
export interface Flag {
  /** Without the dashes: `base-path`. */
  name: string
  /** What stands for the value in the help: `PORT`. A flag without one is a switch. */
  value?: string
  /** The environment variable that gives the value where the flag is not there. */
  env?: string
  /** The default, as the help shows it. */
  default?: string
  /** May come more than once; the environment variable then holds values with commas between them. */
  repeatable?: true
  help: string
}

/** The flags and words of a command line. */
export interface Parsed {
  words: string[]
  /** Whether a switch is on. */
  has(name: string): boolean
  /** The value of a flag, from the command line alone. */
  given(name: string): string | undefined
  /** The value of a flag, from the command line or the environment. */
  text(name: string): string | undefined
  /** All values of a repeatable flag. */
  list(name: string): string[]
  /** The value of a flag as an integer. */
  integer(name: string): number | undefined
  /** The value of a flag that counts seconds, in milliseconds. */
  milliseconds(name: string): number | undefined
}

/**
 * Reads a command line against a table of flags: `--name value`, `--name=value`, and `--` before words that begin with a
 * dash.
 *
 * @throws {UsageError} for an unknown flag, a flag without its value, or a switch with one
 */
export function parseFlags(
  flags: readonly Flag[],
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Parsed {
  const words: string[] = []
  const found = new Map<string, string[]>()
  const rest = [...args]
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--') words.push(...rest.splice(0))
    else if (!arg.startsWith('-') || arg === '-') words.push(arg)
    else {
      const { name, value } = readFlag(flags, arg, rest)
      found.set(name, [...(found.get(name) ?? []), value])
    }
  }
  const given = new Map([...found].map(([name, values]) => [name, values.at(-1)]))
  for (const { name, value, env: variable, repeatable } of flags) {
    const preset = variable === undefined ? undefined : env[variable]
    if (found.has(name) || preset === undefined || preset === '') continue
    if (value === undefined && ['0', 'false', 'no'].includes(preset.toLowerCase())) continue
    found.set(name, repeatable ? preset.split(',').map((part) => part.trim()) : [preset])
  }
  for (const [name, values] of found) {
    if (values.length > 1 && !flags.find((flag) => flag.name === name)?.repeatable) {
      throw new UsageError(`--${name} was given ${values.length} times; give it once`)
    }
  }
  const text = (name: string): string | undefined => found.get(name)?.at(-1)
  const numeric = (name: string, pattern: RegExp, kind: string): number | undefined => {
    const value = text(name)
    if (value === undefined) return undefined
    if (!pattern.test(value)) throw new UsageError(`--${name} takes ${kind}, not ${JSON.stringify(value)}`)
    return Number(value)
  }
  return {
    words,
    has: (name) => found.has(name),
    given: (name) => given.get(name),
    text,
    list: (name) => found.get(name) ?? [],
    integer: (name) => numeric(name, /^-?\d{1,15}$/, 'an integer'),
    milliseconds(name) {
      const seconds = numeric(name, /^\d{1,9}(\.\d{1,3})?$/, 'a number of seconds')
      return seconds === undefined ? undefined : Math.round(seconds * 1000)
    },
  }
}

function readFlag(flags: readonly Flag[], arg: string, rest: string[]): { name: string; value: string } {
  const [, name = '', inline] = /^--?([^=]*)(?:=([\s\S]*))?$/.exec(arg) ?? []
  const flag = flags.find((candidate) => candidate.name === name)
  if (!flag || !arg.startsWith('--')) {
    const near = nearest(
      name,
      flags.map((candidate) => candidate.name),
    )
    throw new UsageError(
      `unknown option ${arg.split('=', 1)[0]}${near === undefined ? '' : `; did you mean --${near}?`}`,
    )
  }
  if (flag.value === undefined) {
    if (inline !== undefined) throw new UsageError(`--${name} takes no value`)
    return { name, value: 'true' }
  }
  const value = inline ?? rest.shift()
  if (value === undefined || (inline === undefined && value.startsWith('--'))) {
    throw new UsageError(`--${name} needs a value: --${name} ${flag.value}`)
  }
  return { name, value }
}

/** The word that differs least from `word`, if any differs by few letters. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: distance(word, candidate) }))
    .filter((entry) => entry.distance <= 2 && entry.distance < word.length)
    .sort((a, b) => a.distance - b.distance)
  return best?.candidate
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

/** The help of a command's flags, a line or two each. */
export function showFlags(flags: readonly Flag[]): string {
  const left = flags.map(({ name, value }) => `--${name}${value === undefined ? '' : ` ${value}`}`)
  const width = Math.max(...left.map((text) => text.length))
  return flags
    .map(({ help, default: fallback, env, repeatable }, index) => {
      const more = [
        ...(repeatable ? ['repeatable'] : []),
        ...(fallback === undefined ? [] : [`default ${fallback}`]),
        ...(env === undefined ? [] : [`or ${env}`]),
      ]
      return `  ${(left[index] ?? '').padEnd(width)}  ${help}${more.length === 0 ? '' : ` (${more.join(', ')})`}`
    })
    .join('\n')
}
