import { inspect } from 'node:util'
import { expectNone, fail, type Issue, UsageError } from '../errors.ts'
import { type Flag, type Parsed, parseFlags, showFlags } from '../options.ts'
import { columns, inert, inertLines, painter, reflow, wrap } from '../report/text.ts'
import { asStarted, invocationIn } from './invocation.ts'

/** The process as a command sees it. */
export interface Console {
  args: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  /** The working directory. */
  folder: string
  /** Writes to stdout; resolves when the text is written. */
  print(text: string): Promise<void>
  /** Writes to stderr as it is. */
  notify(text: string, isProblem?: boolean): void
  terminal: { stdout: boolean; stderr: boolean }
  columns?: (() => number | undefined) | undefined
  /** Resolves at the first SIGINT, SIGTERM, SIGHUP or SIGBREAK. Until this is read once, a signal ends the process. */
  interrupted: Promise<void>
}

/** Exit code 4 of commands that have other codes, too. */
export const notWritten = 'an output could not be written; 1 takes precedence over 4, and 4 over 3'

export interface Command {
  usage: readonly string[]
  about: string
  flags: readonly Flag[]
  examples: readonly string[]
  /** One more section of the help. */
  notes?: string
  /** What each means; 2 by default that the command line or a file is wrong. */
  exitCodes: { readonly [code: number]: string }
  /** The error without `--`, whose following arguments belong to another command. Default: they are own ones. */
  passesOn?: string
  /** Returns the exit code. */
  run(console: Console, flags: Parsed): Promise<number>
}

/** Runs a command, or shows its help. Throws a UsageError when its command line is wrong. */
export async function runCommand(command: Command, console: Console): Promise<number> {
  const { args, env } = console
  const end = args.indexOf('--')
  // Arguments after -- belong to another command.
  const own = end === -1 ? args : args.slice(0, end)
  if (own.includes('--help') || own.includes('-h')) {
    await console.print(showHelp(command, console))
    return 0
  }
  // Without it, the options of the other command would be read as own ones.
  if (command.passesOn !== undefined && end === -1) throw new UsageError(command.passesOn)
  return command.run(
    console,
    parseFlags(command.flags, command.passesOn === undefined ? args : own, env),
  )
}

export function showHelp(
  { usage, about, flags, examples, notes, exitCodes }: Command,
  console: Console,
): string {
  const paint = painter(wantsColor(console, console.terminal.stdout))
  const width = widthOf(console)
  const text = [
    `Usage: ${usage.join('\n       ')}`,
    reflow(about, width),
    ...(flags.length === 0 ? [] : [showFlags(flags, width, paint)]),
    `${paint('bold', 'Examples:')}\n${examples.map((line) => `  ${line}`).join('\n')}`,
    ...(notes === undefined ? [] : [reflow(notes, width)]),
    reflow(
      `Exit codes:\n${columns(Object.entries({ 2: 'the command line or a file is wrong', ...exitCodes })).join('\n')}`,
      width,
    ),
    '',
  ]
    .join('\n\n')
    .replace(/(?<!\n)\n+$/, '\n')
  return asStarted(text, console.env)
}

export function toFailure(
  error: unknown,
  env: Console['env'] = {},
): { code: number; text: string } {
  const isExpected = error instanceof UsageError
  // An unexpected error must not exit with the code of a violation.
  const code = !isExpected ? 3 : 'exitCode' in error ? Number(error.exitCode) : 2
  const text = isExpected
    ? error.message
    : `an unexpected error, which is a defect of petstore-kit: ${inspect(error)}`
  // Escapes control characters: names may come from files of others.
  const lines = text.split('\n').map((line) => `${inert(prefixed(line, env))}\n`)
  return { code, text: lines.join('') }
}

/** Says which program a line is from, unless the line begins with a command of it. */
function prefixed(line: string, env: Console['env']): string {
  const shown = asStarted(line, env)
  return shown.startsWith(`${invocationIn(env)} `) ? shown : `petstore: ${shown}`
}

/** The columns of texts: those of a terminal, within limits, or 80. Narrow ones wrap by themselves. */
export const widthOf = ({ columns }: Pick<Console, 'columns'>): number =>
  Math.min(120, Math.max(60, columns?.() ?? 80))

/** `NO_COLOR` and `FORCE_COLOR` override the terminal. */
export function wantsColor({ env }: Pick<Console, 'env'>, isTerminal: boolean): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false
  if (env['FORCE_COLOR'] !== undefined) return !['0', 'false'].includes(env['FORCE_COLOR'])
  return isTerminal && env['TERM'] !== 'dumb'
}

/** Writes a line to stderr, with control characters escaped: names may come from files of others. */
export const note = (
  { notify, env }: Pick<Console, 'notify' | 'env'>,
  text: string,
  isProblem = false,
): void => notify(inertLines(`${asStarted(text, env)}\n`), isProblem)

export const warn = (console: Pick<Console, 'notify' | 'env'>, problem: string): void =>
  note(console, prefixed(problem, console.env), true)

interface Progress {
  show(line: string): void
  /** Writes lines that stay, above the status line. */
  note(text: string): void
  end(): void
}

/** A status line that is overwritten on a terminal; nothing in a pipe. */
export function createProgress(console: Console): Progress {
  const { terminal, env, notify } = console
  const add = (text: string): void => note(console, text)
  if (!terminal.stderr || env['TERM'] === 'dumb') return { show() {}, note: add, end() {} }
  let shown = ''
  const clear = (): void => notify('\r\u001b[2K')
  const show = (line: string): void => {
    // A line that wraps could not be overwritten.
    const [first = '', ...rest] = wrap(inert(line), widthOf(console) - 2)
    shown = rest.length === 0 ? first : `${first.slice(0, widthOf(console) - 2)}…`
    notify(`\r\u001b[2K${shown}`)
  }
  return {
    show,
    note(text) {
      clear()
      add(text)
      show(shown)
    },
    end: clear,
  }
}

/** @throws {UsageError} for several words; its message repeats only the file of a report: others may be a key whose flag is missing */
export function onlyWord({ words }: Parsed, takes: string): string | undefined {
  const file = words.find((word) => /\.(?:xml|html|md|sarif)$/.test(word))
  const hint = file === undefined ? '' : `; to write ${file}, give --reporter NAME=${file}`
  if (words.length > 1) throw new UsageError(`${takes}, but got ${words.length} words${hint}`)
  return words[0]
}

/** The only word of a command that needs one. */
export function theWord(flags: Parsed, what: string, example: string): string {
  const command = example.split(' ', 2).join(' ')
  return onlyWord(flags, `${command} takes ${what}`) ?? fail(`${command} needs ${what}: ${example}`)
}

/** @throws {UsageError} unless the text is a URL for HTTP, without a user name and a password */
export function readMockUrl(text: string, command: string): URL {
  if (/^(?:localhost|[\w.-]+:\d+|127\.[\d.]+)(?:[:/].*)?$/.test(text)) {
    throw new UsageError(`${JSON.stringify(text)} is not a URL; did you mean http://${text}?`)
  }
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '')
    return url
  const isName = command === 'petstore scorecard' && /^[\w.-]+$/.test(text)
  const hint = isName ? `; did you mean --sandbox ${text}?` : ''
  throw new UsageError(
    `${command} takes the URL of a mock: ${command} http://127.0.0.1:4010/v1${hint}`,
  )
}

const maxShown = 20

/** @throws {UsageError} in terms of flags, when `read` throws one about options of the library, or adds issues */
export function readInFlags<Value>(flags: Parsed, read: (issues: Issue[]) => Value): Value {
  const issues: Issue[] = []
  try {
    const value = read(issues)
    expectNone(issues)
    return value
  } catch (error) {
    return throwInFlags(error, flags)
  }
}

/** Throws an error again: issues of library options in terms of flags, unless `inFile` words those of a file. */
export function throwInFlags(
  error: unknown,
  flags: Parsed,
  inFile: (issue: Issue) => Issue | undefined = () => undefined,
): never {
  if (!(error instanceof UsageError)) throw error
  const shown = error.issues
    .slice(0, maxShown)
    .map((issue) => inFile(issue) ?? toFlag(issue, flags))
  const more = error.issues.length - shown.length
  throw new UsageError([
    ...shown,
    ...(more === 0 ? [] : [{ path: '', message: `and ${more} more` }]),
  ])
}

function toFlag({ path, message }: Issue, flags: Parsed): Issue {
  const [option = '', ...parts] = path.split('/')
  if (option === 'baseUrl') return { path: 'the base URL', message }
  const [flag] = flags.flagsOf(option)
  if (flag === undefined) return { path, message }
  const { name, listedBy } = flag
  const hasNoHint = /^(there is no|is unknown)/.test(message) && !message.includes('did you mean')
  return {
    path: [`--${name}`, ...parts].join(' '),
    message:
      hasNoHint && listedBy !== undefined
        ? `${message.replace(/\.$/, '')}; ${listedBy} lists them`
        : message,
  }
}
