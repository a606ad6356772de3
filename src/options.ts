import { parseArgs, styleText } from 'node:util'
import { type Issue, nearest, UsageError } from './errors.ts'

/** An option of a command: the source of its flag, its environment variable and its help. */
export interface Flag {
  /** Without the dashes: `base-path`. */
  name: string
  /** The heading in the help. */
  group?: string
  /** The placeholder of the value in the help: `PORT`. A flag without one is a switch. */
  value?: string
  /** The environment variable that applies without the flag. */
  env?: string
  /** The default, as the help shows it. */
  default?: string
  /** The range of a number: an integer, or seconds when `value` is `SECONDS`. */
  range?: readonly [min: number, max: number]
  /** The allowed values. */
  oneOf?: readonly string[]
  /** Returns a message about an invalid value, to follow `--name`. */
  check?: (value: string) => string | undefined
  /** May be given several times; the environment variable then holds a comma-separated list. */
  repeatable?: true
  help: string
}

/** The flags and words of a command line. */
export interface Parsed {
  words: string[]
  /** Whether a switch is on. */
  has(name: string): boolean
  /** The value of a flag, from the command line only. */
  given(name: string): string | undefined
  /** The value of a flag, from the command line or the environment. */
  text(name: string): string | undefined
  /** All values of a repeatable flag. */
  list(name: string): string[]
  integer(name: string): number | undefined
  /** The value of a flag in seconds, converted to milliseconds. */
  milliseconds(name: string): number | undefined
}

/**
 * Parses a command line: `--name value`, `--name=value`, and `--` before words that begin with a dash.
 *
 * @throws {UsageError} that lists all mistakes: unknown and repeated flags, missing, unexpected and invalid values
 */
export function parseFlags(
  flags: readonly Flag[],
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Parsed {
  const { words, found, issues } = readArgs(flags, args)
  const given = new Map([...found].map(([name, values]) => [name, values.at(-1)]))
  for (const { name, value, env: variable, repeatable } of flags) {
    const preset = variable === undefined ? undefined : env[variable]
    if (found.has(name) || preset === undefined || preset === '') continue
    if (value === undefined && ['0', 'false', 'no'].includes(preset.toLowerCase())) continue
    found.set(name, repeatable ? preset.split(',').map((part) => part.trim()) : [preset])
  }
  for (const flag of flags) issues.push(...issuesOf(flag, found.get(flag.name) ?? [], given.has(flag.name)))
  if (issues.length > 0) throw new UsageError(issues)

  const text = (name: string): string | undefined => found.get(name)?.at(-1)
  const number = (name: string): number | undefined => {
    const value = text(name)
    return value === undefined ? undefined : Number.parseFloat(value)
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

function readArgs(
  flags: readonly Flag[],
  args: readonly string[],
): { words: string[]; found: Map<string, string[]>; issues: Issue[] } {
  const options = Object.fromEntries(
    flags.map(({ name, value }) => [name, { type: value === undefined ? 'boolean' : 'string' } as const]),
  )
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true, allowPositionals: true })
  const words: string[] = []
  const found = new Map<string, string[]>()
  const issues: Issue[] = []
  let lastShort = -1
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue, index } = token
    const flag = rawName.startsWith('--') ? flags.find((candidate) => candidate.name === name) : undefined
    if (flag === undefined) {
      // Report only the first letter of -kKEY: the rest may be a secret.
      if (index !== lastShort) issues.push({ path: '', message: unknown(flags, rawName) })
      if (!rawName.startsWith('--')) lastShort = index
    } else if (flag.value === undefined && inlineValue) issues.push({ path: rawName, message: 'takes no value' })
    else if (flag.value === undefined) found.set(name, ['true'])
    else if (value === undefined || (!inlineValue && value.startsWith('--'))) {
      issues.push({ path: rawName, message: `needs a value: ${rawName} ${flag.value}` })
    } else found.set(name, [...(found.get(name) ?? []), value])
  }
  return { words, found, issues }
}

/** Options of other tools, and their names here. */
const otherNames: Record<string, string> = { output: 'reporter json=FILE', format: 'reporter', watch: 'watch' }

function unknown(flags: readonly Flag[], rawName: string): string {
  const name = rawName.replace(/^--?/, '')
  const names = flags.map((flag) => flag.name)
  const other = otherNames[name]
  const near = names.includes(name)
    ? name
    : rawName.startsWith('--')
      ? (nearest(name, names) ?? (other !== undefined && names.includes(other.split(' ')[0] ?? '') ? other : undefined))
      : names.find((candidate) => candidate.startsWith(name))
  return `there is no option ${rawName}${near === undefined ? '' : `; did you mean --${near}?`}`
}

function issuesOf(
  { name, value, range, oneOf, check, repeatable, env }: Flag,
  values: string[],
  given: boolean,
): Issue[] {
  const path = given || env === undefined ? `--${name}` : env
  if (values.length > 1 && !repeatable) {
    return [{ path, message: `is given ${values.length} times; give it once` }]
  }
  return values.flatMap((text) => {
    const message =
      (range && rangeIssue(text, value === 'SECONDS', range)) ?? (oneOf && oneOfIssue(text, oneOf)) ?? check?.(text)
    return message === undefined ? [] : [{ path, message }]
  })
}

function rangeIssue(text: string, isSeconds: boolean, [min, max]: readonly [number, number]): string | undefined {
  const pattern = isSeconds ? /^\d{1,9}(\.\d{1,3})?s?$/ : /^-?\d{1,15}$/
  const number = pattern.test(text) ? Number.parseFloat(text) : Number.NaN
  if (number >= min && number <= max) return undefined
  const kind = isSeconds ? 'a number of seconds' : 'an integer'
  return `takes ${kind} from ${min} to ${max}, not ${JSON.stringify(text)}`
}

function oneOfIssue(text: string, values: readonly string[]): string | undefined {
  if (values.includes(text)) return undefined
  return `takes ${values.slice(0, -1).join(', ')} or ${values.at(-1)}, not ${JSON.stringify(text)}`
}

export interface HelpLayout {
  width?: number
  color?: boolean
}

/** The help of a command's flags, in groups, wrapped. */
export function showFlags(flags: readonly Flag[], { width = 100, color = false }: HelpLayout = {}): string {
  const groups = [...new Set(flags.map(({ group = 'Options' }) => group))]
  const left = Math.min(26, Math.max(...flags.map((flag) => signature(flag).length))) + 4
  return groups
    .map((group) => {
      const own = flags.filter((flag) => (flag.group ?? 'Options') === group)
      return `${bold(`${group}:`, color)}\n${own.map((flag) => showFlag(flag, left, { width, color })).join('\n')}`
    })
    .join('\n\n')
}

const signature = ({ name, value }: Flag): string => `--${name}${value === undefined ? '' : ` ${value}`}`

function showFlag(flag: Flag, left: number, { width = 100, color = false }: HelpLayout): string {
  const { help, default: fallback, env, repeatable } = flag
  const extras = [...(repeatable ? ['repeatable'] : []), ...(fallback === undefined ? [] : [`default ${fallback}`])]
  const text = extras.length === 0 ? help : `${help} (${extras.join(', ')})`
  const available = Math.max(24, width - left)
  const first = `  ${signature(flag)}`
  const lines = wrap(text, available)
  const dim = env === undefined ? [] : [color ? styleText('dim', `or ${env}`, plain) : `or ${env}`]
  const head = first.length + 2 > left ? [first, ...lines.map((line) => ' '.repeat(left) + line)] : undefined
  const body = head ?? lines.map((line, at) => (at === 0 ? first.padEnd(left) : ' '.repeat(left)) + line)
  return [...body, ...dim.map((line) => ' '.repeat(left) + line)].join('\n')
}

/** The caller decides about colors. */
const plain = { validateStream: false }

export const bold = (text: string, color: boolean): string => (color ? styleText('bold', text, plain) : text)

/** Wraps a text at `width` characters. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
