#!/usr/bin/env node
import { fstatSync, ftruncateSync, writeFileSync } from 'node:fs'
import { isatty } from 'node:tty'
import type { Command, Console } from './cli/command.ts'
import { asStarted } from './cli/invocation.ts'
import { UsageError } from './errors.ts'

/** Lines of the help. What they are about is loaded on demand, so that the mock starts fast. */
type Table<Module> = Readonly<Record<string, readonly [about: string, load: () => Promise<Module>]>>

const commands: Table<{ command: Command }> = {
  mock: ['run the Pet Store Service in memory', () => import('./cli/mock/mock-command.ts')],
  exec: ['run a command against its own mock', () => import('./cli/exec/exec-command.ts')],
  health: ['check that a mock is ready', () => import('./cli/mock/health-command.ts')],
  proxy: [
    'judge the traffic between clients and a deployment',
    () => import('./cli/proxy/proxy-command.ts'),
  ],
  judge: [
    'judge traffic that was recorded as an HTTP archive',
    () => import('./cli/proxy/judge-command.ts'),
  ],
  key: ['create the key of a sandbox', () => import('./cli/mock/key-command.ts')],
  verify: [
    'check a deployment against the specification',
    () => import('./cli/verify/verify-command.ts'),
  ],
  replay: ['re-run the failed checks of a report', () => import('./cli/verify/replay-command.ts')],
  report: [
    'show a JSON report again, such as as HTML',
    () => import('./cli/verify/report-command.ts'),
  ],
  baseline: [
    'create a file of known failures from a report',
    () => import('./cli/verify/baseline-command.ts'),
  ],
  compare: [
    'show the differences between two deployments',
    () => import('./cli/verify/compare-command.ts'),
  ],
  history: [
    'show how the results of a deployment change over time',
    () => import('./cli/verify/history-command.ts'),
  ],
  profile: [
    'list unspecified behavior, or compare two profiles',
    () => import('./cli/verify/profile-command.ts'),
  ],
  explain: [
    'explain an id of a report, a scorecard or a list',
    () => import('./cli/explain-command.ts'),
  ],
  scorecard: [
    'show how well the clients of a mock follow the contract',
    () => import('./cli/scorecard/scorecard-command.ts'),
  ],
  openapi: [
    'print the OpenAPI document of the interface',
    () => import('./cli/mock/openapi-command.ts'),
  ],
  init: ['write a configuration and a workflow for verify', () => import('./cli/init-command.ts')],
}

/** Other words of `petstore help`. */
const topics: Table<{ show: (console: Console) => string }> = {
  rules: ['the fields of rules: errors, delays and faults', () => import('./cli/rules-topic.ts')],
}

/** What other tools call them. */
const otherNames: Readonly<Record<string, string>> = {
  serve: 'mock',
  server: 'mock',
  start: 'mock',
  run: 'mock',
  test: 'verify',
  check: 'verify',
}

const linesOf = (table: Table<unknown>): string =>
  Object.entries(table)
    .map(([name, [about]]) => `  ${name.padEnd(9)}  ${about}`)
    .join('\n')

const usage = `Usage: petstore COMMAND [options]

Commands:
${linesOf(commands)}

Topics of petstore help:
${linesOf(topics)}

petstore help COMMAND shows the options of a command;
petstore --version the version.
docs/reference/messages.md in the package explains messages.
`

const start = `The mock server and the contract test suite of the Pet Store Service.

  Develop without a key   petstore mock
  Verify a deployment     petstore verify URL
  Score your requests     petstore key NAME
                          petstore scorecard --sandbox NAME

petstore --help lists all commands.
`

const isHelp = (word: string | undefined): boolean =>
  word !== undefined && ['help', '--help', '-h'].includes(word)
const isVersion = (word: string): boolean => word === '--version' || word === '-v'

async function main([first, ...rest]: readonly string[]): Promise<number> {
  if (isHelp(first) && rest[0] !== undefined && Object.hasOwn(topics, rest[0])) {
    const [, loadTopic] = topics[rest[0]] ?? []
    await print((await loadTopic?.())?.show(toConsole([])) ?? '')
    return 0
  }
  // `petstore help mock` is `petstore mock --help`.
  const [name, ...args] =
    isHelp(first) && rest[0] !== undefined ? [rest[0], '--help'] : [first, ...rest]
  if (name === undefined || isHelp(name)) {
    await print(asStarted(name === undefined ? start : usage, process.env))
    return name === undefined ? 2 : 0
  }
  // Arguments after -- belong to another command.
  const own = args.slice(0, args.includes('--') ? args.indexOf('--') : args.length)
  const [, load] = (Object.hasOwn(commands, name) && commands[name]) || []
  if (isVersion(name) || (load !== undefined && own.some(isVersion))) {
    await print(`${(await import('./spec/version.ts')).version}\n`)
    return 0
  }
  if (load === undefined) {
    const { didYouMean } = await import('./errors.ts')
    const meant = Object.hasOwn(topics, name)
      ? `petstore help ${name}`
      : Object.hasOwn(otherNames, name)
        ? otherNames[name]
        : undefined
    const hint =
      meant === undefined
        ? didYouMean(name, [...Object.keys(commands), 'help', '--version']) || '.'
        : `; did you mean ${meant}?`
    output('stderr').write(
      `petstore: there is no command ${JSON.stringify(name)}${hint} See ${asStarted('petstore --help', process.env)}.\n`,
    )
    return 2
  }
  boundLookups()
  const [{ runCommand }, { command }] = await Promise.all([import('./cli/command.ts'), load()])
  return runCommand(command, toConsole(args))
}

/** Resolves at the first signal; a second one ends the process at once. */
function awaitSignal(): Promise<void> {
  return new Promise((resolve) => {
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const
    const stop = (): void => {
      for (const signal of signals) process.off(signal, stop)
      resolve()
    }
    for (const signal of signals) process.on(signal, stop)
  })
}

/** Bytes on stderr that wait for the reader of a pipe: the rest of a log must not fill the memory. */
const maxUnread = 2 ** 22

/** @throws {UsageError} when it has been removed since the shell entered it */
function workingFolder(): string {
  try {
    return process.cwd()
  } catch (cause) {
    throw new UsageError('the working folder does not exist any more; change to another one', {
      cause,
    })
  }
}

function toConsole(args: readonly string[]): Console {
  let interrupted: Promise<void> | undefined
  return {
    args,
    env: environment,
    folder: workingFolder(),
    print,
    notify(text) {
      const stream = output('stderr')
      if (stream.writableLength <= maxUnread) stream.write(text)
    },
    terminal: { stdout: isatty(1), stderr: isatty(2) },
    columns: () => (isatty(1) ? output('stdout').columns : undefined),
    get interrupted() {
      return (interrupted ??= awaitSignal())
    },
  }
}

/**
 * The environment as the user has set it, also for the programs that a command starts. Names come from options, so that
 * it inherits nothing: `constructor` is no variable.
 */
const environment = Object.assign(Object.create(null) as NodeJS.ProcessEnv, process.env)

/** For glibc: it waits for minutes where a configuration says so, and no process can end during a lookup. */
function boundLookups(): void {
  if (process.platform === 'linux') process.env['RES_OPTIONS'] ??= 'timeout:2 attempts:2'
}

let isClosed = false

/**
 * Writes to stdout. A reader that has seen enough, such as head, closes the pipe, and a terminal may be gone: that is no
 * error, and what remains to be done is done.
 *
 * @throws {OutputError} when stdout cannot be written; a file is then as long as before
 */
async function print(text: string): Promise<void> {
  if (isClosed) return
  const before = fstatSync(1)
  try {
    // A stream does not report what a full disk did not take.
    if (before.isFile()) writeFileSync(1, text)
    else
      await new Promise<void>((resolve, reject) => {
        output('stdout').write(text, (error) => (error ? reject(error) : resolve()))
      })
  } catch (error) {
    isClosed = true
    const { code } = error as NodeJS.ErrnoException
    if (before.isFile()) ftruncateSync(1, before.size)
    else if (code === 'EPIPE' || code === 'EIO') return
    throw new (await import('./cli/files.ts')).OutputError('stdout', error)
  }
}

/** Creates an output stream lazily, which saves start-up time. */
function output(name: 'stdout' | 'stderr'): NodeJS.WriteStream {
  const stream = process[name]
  // The write callback reports errors of stdout; those of stderr cannot be shown.
  return stream.listenerCount('error') > 0 ? stream : stream.on('error', () => {})
}

/** How long the process may live when all is done. */
const exitMs = 500

/** A command that waits for a promise that nothing can settle ends here: it must not look like success. */
function endEarly(): void {
  output('stderr').write(
    'petstore: the command ended early: it waits for something that cannot come, such as a top-level await in the module of --pets-from\n',
  )
  process.exitCode = 3
}

async function run(): Promise<void> {
  process.once('beforeExit', endEarly)
  try {
    process.exitCode = await main(process.argv.slice(2))
  } catch (error) {
    const { toFailure } = await import('./cli/command.ts')
    const { code, text } = toFailure(error, process.env)
    output('stderr').write(text)
    process.exitCode = code
  } finally {
    process.off('beforeExit', endEarly)
  }
  // A lookup at a name server that does not respond keeps the process alive, and cannot be cancelled.
  setInterval(() => {
    if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit()
  }, exitMs).unref()
}

// Without a top-level await, the command can be bundled as CommonJS, which Node loads faster.
void run()
