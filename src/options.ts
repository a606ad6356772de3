import { parseArgs } from 'node:util'
import { readDuration, toDuration } from './duration.ts'
import { expectNone, type Issue, nearest } from './errors.ts'
import { formatNames } from './report/formats.ts'
import { type Paint, wrap } from './report/text.ts'

/** An option of a command: the source of its flag, its environment variable and its help. */
export interface Flag {
  /** Without the dashes: `base-path`. */
  name: string
  /** The heading in the help. */
  group: string
  /** The placeholder of the value in the help: `PORT`. A flag without one is a switch. */
  value?: string
  /** The environment variable that applies without the flag. */
  env?: string
  /** The value without the flag and its variable. */
  default?: string
  /** The range of a number: an integer, or seconds when `value` is `DURATION`. */
  range?: readonly [min: number, max: number]
  oneOf?: readonly string[]
  /** Returns a message about an invalid value, to follow `--name`. */
  check?: (value: string) => string | undefined
  /** May be given several times; the environment variable then holds a comma-separated list. */
  repeatable?: true
  /** A flag of the same command that must be set as well: `data FILE`. */
  needs?: string
  /** The option of the command's function that takes its value. A switch `no-NAME` sets it to false. */
  option?: string
  /** An option that it takes part in: `mock-options.ts` and `verify-options.ts` make its value of several flags or of a file. */
  partOf?: string
  /** The command that lists the values. */
  listedBy?: string
  /** Its name in a configuration, which applies without the flag and its variable. */
  config?: string
  /** The JSON Schema of `config`, where the placeholder, `oneOf` and `range` do not say it. */
  configSchema?: object
  /** Makes the value of `option` of a text that `check` accepts. Default: as `value`, `range` and `repeatable` say. */
  read?: (value: string) => unknown
  /** Flags that cannot be combined with it. One on the command line overrides one in the environment. */
  excludes?: readonly string[]
  /** Why they cannot be combined. */
  reason?: string
  /**
   * What the commands that a run prints next need it for: the verdict, or access to the target and the permission to write,
   * which no report may give by itself. Default: neither.
   */
  decides?: 'verdict' | 'access' | undefined
  /** What stands in a printed command for a value that may be a secret: another flag, and the name of a variable. */
  shown?: (value: string) => readonly [name: string, value: string] | undefined
  help: string
}

/** Flags by their signatures, `port PORT` or `quiet`: what the help says, or more. */
export type FlagTable<Option extends string = never, Config extends string = never> = Readonly<
  Record<
    string,
    | string
    | (Omit<Flag, 'name' | 'value' | 'group' | 'option' | 'partOf' | 'config'> & {
        option?: Option
        partOf?: Option
        config?: Config
      })
  >
>

/** The flags of a table, under one heading of the help. */
export function flagsOf(group: string, table: FlagTable<string, string>): Flag[] {
  return Object.entries(table).map(([signature, more]) => {
    const [, name = '', value] = /^(\S+)(?: (.+))?$/.exec(signature) ?? []
    const rest = typeof more === 'string' ? { help: more } : more
    return { name, group, ...(value !== undefined && { value }), ...rest }
  })
}

/** A check of values, with the words for a wrong one: `takes an integer, not "x"`. */
export const takes =
  (what: string, isRight: (value: string) => boolean) =>
  (value: string): string | undefined =>
    isRight(value) ? undefined : `takes ${what}, not ${JSON.stringify(value)}`

/** The flags and words of a command line. */
export type Parsed = ReturnType<typeof parseFlags>

/**
 * Parses a command line: `--name value`, `--name=value`, and `--` before words that begin with a dash.
 *
 * @throws {UsageError} that lists all mistakes: unknown and repeated flags, missing, unexpected and invalid values
 */
export function parseFlags(
  flags: readonly Flag[],
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
) {
  const { words, found, issues } = readArgs(flags, args)
  const given = new Map([...found].map(([name, values]) => [name, values.at(-1)]))
  for (const { name, value, env: variable, repeatable } of flags) {
    const preset = variable === undefined ? undefined : env[variable]
    if (found.has(name) || preset === undefined || preset === '') continue
    if (value === undefined && ['0', 'false', 'no'].includes(preset.toLowerCase())) continue
    found.set(name, repeatable ? preset.split(',').map((part) => part.trim()) : [preset])
  }
  for (const flag of flags)
    issues.push(...issuesOf(flag, found.get(flag.name) ?? [], given.has(flag.name)))
  dropOverridden(flags, found, given)
  issues.push(...contradictions(flags, found))
  expectNone(issues)

  const defaults = new Map(flags.map((flag) => [flag.name, flag.default]))
  const text = (name: string): string | undefined => found.get(name)?.at(-1) ?? defaults.get(name)
  const number = (name: string): number | undefined => {
    const value = text(name)
    return value === undefined ? undefined : Number.parseFloat(value)
  }
  const list = (name: string): string[] => found.get(name) ?? [defaults.get(name) ?? []].flat()
  return {
    words,
    /** The flags that an option comes from. */
    flagsOf: (option: string): readonly Flag[] =>
      flags.filter((flag) => flag.option === option || flag.partOf === option),
    /** Whether a switch is on, or a value is given on the command line or in the environment. */
    has: (name: string) => found.has(name),
    /** The value of a flag, from the command line only. */
    given: (name: string) => given.get(name),
    /** The value of a flag, from the command line or the environment, or its default. */
    text,
    /** All values of a repeatable flag, or its default. */
    list,
    integer: number,
    /** The value of a flag that is a duration. */
    milliseconds(name: string) {
      const value = text(name)
      return value === undefined ? undefined : readDuration(value, 's')
    },
    /**
     * The values of all flags that name an option, by these names; without those that are not set and have no default.
     *
     * @param configured applies where neither the command line nor the environment says something
     */
    options(configured: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
      const values: Record<string, unknown> = {}
      for (const flag of flags) {
        const { name, option, config = '' } = flag
        if (option === undefined) continue
        const { [config]: preset } = configured
        const isPreset = preset !== undefined && !found.has(name)
        const texts = isPreset ? [`${preset as number | string}`] : list(name)
        // Of a configuration, a number without a unit is seconds, too.
        const value = isPreset && !isDuration(flag) ? preset : valueOf(flag, texts)
        if (value !== undefined) values[option] = value
      }
      return values
    },
  }
}

const isDuration = ({ value }: Flag): boolean => value === 'DURATION'

/** The value of a flag's option; undefined without a text. */
function valueOf(flag: Flag, texts: readonly string[]): unknown {
  const { name, value, range, repeatable, read = (text: string): unknown => text } = flag
  const text = texts.at(-1)
  if (text === undefined) return undefined
  if (value === undefined) return !name.startsWith('no-')
  if (repeatable) return texts.map(read)
  if (isDuration(flag)) return readDuration(text, 's')
  return range === undefined ? read(text) : Number.parseFloat(text)
}

/** Removes flags of the environment that exclude one of the command line, or are excluded by one. */
function dropOverridden(
  flags: readonly Flag[],
  found: Map<string, unknown>,
  given: Map<string, unknown>,
): void {
  for (const { name, excludes = [] } of flags) {
    for (const other of excludes) {
      if (given.has(name) && !given.has(other)) found.delete(other)
      if (given.has(other) && !given.has(name)) found.delete(name)
    }
  }
}

function contradictions(flags: readonly Flag[], found: ReadonlyMap<string, unknown>): Issue[] {
  const issues: Issue[] = []
  for (const { name, needs = '', excludes = [], reason } of flags.filter((flag) =>
    found.has(flag.name),
  )) {
    const [needed] = needs.split(' ')
    const isMissing = flags.some((flag) => flag.name === needed && !found.has(needed))
    if (isMissing) issues.push({ path: `--${name}`, message: `needs --${needs}` })
    for (const other of excludes.filter((excluded) => found.has(excluded))) {
      const message = `--${name} and --${other} cannot be combined${reason === undefined ? '' : `: ${reason}`}`
      issues.push({ path: '', message })
    }
  }
  return issues
}

function readArgs(flags: readonly Flag[], args: readonly string[]) {
  const options = Object.fromEntries(
    flags.map(({ name, value }) => [
      name,
      { type: value === undefined ? 'boolean' : 'string' } as const,
    ]),
  )
  const { tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    tokens: true,
    allowPositionals: true,
  })
  const words: string[] = []
  const found = new Map<string, string[]>()
  const issues: Issue[] = []
  let lastShort = -1
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue, index } = token
    const flag = rawName.startsWith('--')
      ? flags.find((candidate) => candidate.name === name)
      : undefined
    if (flag === undefined) {
      // Report only the first letter of -kKEY: the rest may be a secret.
      if (index !== lastShort) issues.push({ path: '', message: unknown(flags, rawName) })
      if (!rawName.startsWith('--')) lastShort = index
    } else if (flag.value === undefined && inlineValue)
      issues.push({ path: rawName, message: 'takes no value' })
    else if (flag.value === undefined) found.set(name, ['true'])
    else if (value === undefined || (!inlineValue && value.startsWith('--'))) {
      issues.push({ path: rawName, message: `needs a value: ${rawName} ${flag.value}` })
    } else found.set(name, [...(found.get(name) ?? []), value])
  }
  return { words, found, issues }
}

/** Options of other tools, and their names here. */
const otherNames: Record<string, string> = {
  output: 'reporter json=FILE',
  format: 'reporter',
  ...Object.fromEntries(formatNames.map((name) => [name, `reporter ${name}=FILE`])),
}

function unknown(flags: readonly Flag[], rawName: string): string {
  const near = similarTo(rawName.replace(/^--?/, ''), flags, rawName.startsWith('--'))
  return `there is no option ${rawName}; ${near === undefined ? '--help lists all options' : `did you mean --${near}?`}`
}

function similarTo(word: string, flags: readonly Flag[], isLong: boolean): string | undefined {
  const names = flags.map(({ name }) => name)
  if (names.includes(word)) return word
  if (!isLong) return names.find((name) => name.startsWith(word))
  const other = Object.hasOwn(otherNames, word) ? otherNames[word] : undefined
  const isThere = other !== undefined && names.includes(other.replace(/ .*/, ''))
  if (isThere) return other
  return nearest(word, names) ?? names.find((name) => name.startsWith(`${word}-`))
}

function issuesOf(flag: Flag, values: string[], given: boolean): Issue[] {
  const { name, repeatable, env } = flag
  const path = given || env === undefined ? `--${name}` : env
  if (values.length > 1 && !repeatable) {
    return [{ path, message: `is given ${values.length} times; give it once` }]
  }
  const check = checkOf(flag)
  return values.flatMap((text) => {
    const message = check?.(text)
    return message === undefined ? [] : [{ path, message }]
  })
}

function checkOf(flag: Flag): Flag['check'] {
  const { value = '', range, oneOf, check = namesFile } = flag
  if (oneOf)
    return takes(`${oneOf.slice(0, -1).join(', ')} or ${oneOf.at(-1)}`, (text) =>
      oneOf.includes(text),
    )
  if (range === undefined) return check === namesFile && !files.test(value) ? undefined : check
  const [min, max] = range
  const isWithin = (number: number): boolean => number >= min && number <= max
  if (isDuration(flag))
    return takes(
      `a duration from ${toDuration(min)} to ${toDuration(max)}, such as 10s or 5m`,
      (text) => isWithin(Number(readDuration(text, 's')) / 1000),
    )
  return takes(
    `an integer from ${min} to ${max}`,
    (text) => /^-?\d{1,16}$/.test(text) && isWithin(Number.parseFloat(text)),
  )
}

/** The placeholders of files and folders. */
const files = /^(?:FILE|DIR|REPORT)$/

/** An empty name is mostly an unset variable, and `-` a stream to other tools. */
const namesFile = (text: string): string | undefined =>
  text.trim() === ''
    ? 'needs the name of a file, and got an empty text'
    : text === '-'
      ? 'takes the name of a file, not "-"; /dev/stdin and /dev/stdout are streams, and ./- is a file'
      : undefined

/** The help of a command's flags, in groups, wrapped. */
export function showFlags(flags: readonly Flag[], width: number, paint: Paint): string {
  const groups = [...new Set(flags.map(({ group }) => group))]
  const left = Math.min(26, Math.max(...flags.map((flag) => signature(flag).length))) + 4
  const shown = groups
    .map((group) => {
      const own = flags.filter((flag) => flag.group === group)
      return [
        paint('bold', `${group}:`),
        ...own.flatMap((flag) => showFlag(flag, left, width, paint)),
      ].join('\n')
    })
    .join('\n\n')
  return flags.some(({ value }) => value?.endsWith('DURATION'))
    ? `${shown}\n\n${wrap(durationHelp, width).join('\n')}`
    : shown
}

const durationHelp = 'DURATION: 500ms, 10s, 5m, 2h or 1d; a number without a unit is seconds.'

const signature = ({ name, value }: Flag): string =>
  `--${name}${value === undefined ? '' : ` ${value}`}`

function showFlag(flag: Flag, left: number, width: number, paint: Paint): string[] {
  const { help, default: fallback, env, repeatable } = flag
  const extras = [
    ...(repeatable ? ['repeatable'] : []),
    ...(fallback === undefined ? [] : [`default ${fallback}`]),
  ]
  const text = extras.length === 0 ? help : `${help} (${extras.join(', ')})`
  const indent = ' '.repeat(left)
  const first = `  ${signature(flag)}`
  const isLong = first.length + 2 > left
  return [
    ...(isLong ? [first] : []),
    ...wrap(text, Math.max(left + 24, width), isLong ? indent : first.padEnd(left), indent),
    ...(env === undefined ? [] : [indent + paint('dim', `or ${env}`)]),
  ]
}
