#!/usr/bin/env node
import { fstatSync, ftruncateSync, writeFileSync } from 'node:fs'
import { isatty } from 'node:tty'
import type { Console } from './cli/console.ts'

const usage = `Usage: petstore COMMAND [options]

Commands:
  mock        run the Pet Store Service in memory
  exec        run a command against a mock of its own
  key         make the key of a sandbox
  verify URL  verify that a deployment keeps the contract
  replay      look again at what a report found
  baseline    make a file of known failures from a report
  profile     show what the specification leaves open, or compare two deployments
  scorecard   show how well the clients of a mock keep the contract

petstore COMMAND --help shows the options of a command; petstore --version the version.
`

/** Each command is loaded only when it is called, so that the mock starts at once. */
const commands: Record<string, () => Promise<(console: Console) => Promise<number>>> = {
  mock: async () => (await import('./cli/mock-command.ts')).mockCommand,
  exec: async () => (await import('./cli/exec-command.ts')).execCommand,
  key: async () => (await import('./cli/key-command.ts')).keyCommand,
  verify: async () => (await import('./cli/verify-command.ts')).verifyCommand,
  replay: async () => (await import('./cli/replay-command.ts')).replayCommand,
  profile: async () => (await import('./cli/profile-command.ts')).profileCommand,
  baseline: async () => (await import('./cli/baseline-command.ts')).baselineCommand,
  scorecard: async () => (await import('./cli/scorecard-command.ts')).scorecardCommand,
}

async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    await print(usage)
    return name === undefined ? 2 : 0
  }
  if (name === '--version' || name === '-v') {
    await print(`${(await import('./spec/version.ts')).version}\n`)
    return 0
  }
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!load) {
    const { nearest } = await import('./errors.ts')
    const near = nearest(name, Object.keys(commands))
    output('stderr').write(
      `petstore: there is no command ${JSON.stringify(name)}${near === undefined ? '.' : `; did you mean ${near}?`} See petstore --help.\n`,
    )
    return 2
  }
  const interrupted = new Promise<void>((resolve) => {
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
    const stop = (): void => {
      // A second one, whichever it is, ends the process at once.
      for (const signal of signals) process.off(signal, stop)
      resolve()
    }
    for (const signal of signals) process.on(signal, stop)
  })
  // What stands behind -- is not for the kit.
  const own = args.slice(0, args.includes('--') ? args.indexOf('--') : args.length)
  const run = await load()
  return run({
    args: own.includes('-h') ? ['--help'] : args,
    env: process.env,
    folder: process.cwd(),
    print,
    tell: (text) => void output('stderr').write(text),
    terminal: { stdout: isatty(1), stderr: isatty(2) },
    interrupted,
  })
}

/** Whether stdout takes no more text. */
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
    // A stream passes over in silence what a full disk did not take of a file.
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

const outputs = new Set<string>()

/** An output, made when it is needed: it takes longer than one thinks. */
function output(name: 'stdout' | 'stderr'): NodeJS.WriteStream {
  const stream = process[name]
  if (outputs.has(name)) return stream
  outputs.add(name)
  // The callback of a write to stdout has the error, too; one of stderr cannot be told to anybody.
  return stream.on('error', () => {})
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const { inspect } = await import('node:util')
  const isMistake = error instanceof Error && error.name === 'UsageError'
  const isOutput = error instanceof Error && error.name === 'OutputError'
  // A defect of the kit is no violation of the contract: its exit code must not say so.
  const text =
    isMistake || isOutput ? error.message : `an unexpected error, which is a defect of petstore-kit: ${inspect(error)}`
  // Names in a file that somebody else wrote must not move the cursor.
  const { inert } = await import('./report/inert.ts')
  const lines = text.split('\n').map((line) => `petstore: ${inert(line)}\n`)
  output('stderr').write(lines.join(''))
  process.exitCode = isMistake ? 2 : isOutput ? 4 : 3
}
