import { nearest, UsageError } from './errors.ts'

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
  /** Set when the value is a number: an integer, unless it counts seconds. Least and most. */
  range?: readonly [least: number, most: number]
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
 * @throws {UsageError} that tells all mistakes together: an unknown flag, a flag without its value, a switch with one, a
 *   flag that is given twice, a number out of its range
 */
export function parseFlags(
  flags: readonly Flag[],
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Parsed {
  const { words, found, mistakes } = readArgs(flags, args)
  const given = new Map([...found].map(([name, values]) => [name, values.at(-1)]))
  for (const { name, value, env: variable, repeatable } of flags) {
    const preset = variable === undefined ? undefined : env[variable]
    if (found.has(name) || preset === undefined || preset === '') continue
    if (value === undefined && ['0', 'false', 'no'].includes(preset.toLowerCase())) continue
    found.set(name, repeatable ? preset.split(',').map((part) => part.trim()) : [preset])
  }
  for (const flag of flags) mistakes.push(...mistakesOf(flag, found.get(flag.name) ?? [], given.has(flag.name)))
  if (mistakes.length > 0) throw new UsageError(mistakes.join('\n'))

  const text = (name: string): string | undefined => found.get(name)?.at(-1)
  const number = (name: string): number | undefined => {
    const value = text(name)
    return value === undefined ? undefined : Number(value)
  }
  return {
    words,
    has: (name) => found.has(name),
    given: (name) => given.get(name),
    text,
    list: (name) => found.get(name) ?? [],
    integer: number,
    milliseconds(name) {
      const seconds = number(name)
      return seconds === undefined ? undefined : Math.round(seconds * 1000)
    },
  }
}

interface Args {
  words: string[]
  /** The values of each flag; a switch has `true`. */
  found: Map<string, string[]>
  mistakes: string[]
}

function readArgs(flags: readonly Flag[], args: readonly string[]): Args {
  const words: string[] = []
  const found = new Map<string, string[]>()
  const mistakes: string[] = []
  const rest = [...args]
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--') words.push(...rest.splice(0))
    else if (!arg.startsWith('-') || arg === '-') words.push(arg)
    else {
      const [, dashes = '', name = '', inline] = /^(--?)([^=]*)(?:=([^]*))?$/.exec(arg) ?? []
      const flag = dashes === '--' ? flags.find((candidate) => candidate.name === name) : undefined
      if (!flag) mistakes.push(unknown(flags, dashes, name))
      else if (flag.value === undefined && inline !== undefined) mistakes.push(`--${name} takes no value`)
      else {
        const value = flag.value === undefined ? 'true' : (inline ?? nextValue(rest))
        if (value === undefined) mistakes.push(`--${name} needs a value: --${name} ${flag.value}`)
        else found.set(name, [...(found.get(name) ?? []), value])
      }
    }
  }
  return { words, found, mistakes }
}

/** Takes the next argument, unless it is a flag of its own. */
function nextValue(rest: string[]): string | undefined {
  return rest[0]?.startsWith('--') ? undefined : rest.shift()
}

function unknown(flags: readonly Flag[], dashes: string, name: string): string {
  const names = flags.map((flag) => flag.name)
  // What follows the letter of a short option may be a secret: -kKEY.
  const shown = dashes === '--' ? name : name.slice(0, 1)
  const near = names.includes(name) ? name : nearest(name, names)
  return `there is no option ${dashes}${shown}${near === undefined ? '' : `; did you mean --${near}?`}`
}

function mistakesOf(
  { name, value, range, repeatable, env }: Flag,
  values: readonly string[],
  given: boolean,
): string[] {
  if (values.length > 1 && !repeatable) return [`--${name} was given ${values.length} times; give it once`]
  if (range === undefined) return []
  const [least, most] = range
  const pattern = value === 'SECONDS' ? /^\d{1,9}(\.\d{1,3})?$/ : /^-?\d{1,15}$/
  const kind = value === 'SECONDS' ? 'a number of seconds' : 'an integer'
  return values
    .filter((text) => !pattern.test(text) || Number(text) < least || Number(text) > most)
    .map((text) => `${given ? `--${name}` : env} takes ${kind} from ${least} to ${most}, not ${JSON.stringify(text)}`)
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
