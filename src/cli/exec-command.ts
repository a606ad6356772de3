import { UsageError } from '../errors.ts'
import { inertLines } from '../report/inert.ts'
import type { RunningMock } from '../mock/start.ts'
import { type Flag, parseFlags, showFlags } from '../options.ts'
import { type Child, createChild, exitCodeOf, NotStarted } from './child-process.ts'
import { type Console, wantsColor } from './console.ts'
import { createLog, readLogFormat } from './log-format.ts'
import { sharedMockFlags } from './mock-flags.ts'
import { type MockInput, readMockOptions } from './mock-options.ts'
import { readSave, runMock, start } from './run-mock.ts'

/** The options of `petstore exec`. */
export const execFlags: Flag[] = [
  ...sharedMockFlags.map((flag) => (flag.name === 'port' ? { ...flag, default: '0' } : flag)),
  {
    name: 'log',
    value: 'FORMAT',
    env: 'PETSTORE_MOCK_LOG',
    help: 'print a line for each request on stderr: text, json or none (default: none)',
  },
  { name: 'verify', help: 'first verify that the mock keeps the contract, and run nothing when it does not' },
]

const usage = (): string => `Usage: petstore exec [options] -- COMMAND [ARGUMENT...]

Runs a command against a mock of its own, which ends with the command. The command finds in
its environment PETSTORE_BASE_URL, PETSTORE_API_KEY, PETSTORE_CONTROL_URL, and
PETSTORE_CONTROL_TOKEN if the control API wants one. Signals are passed on to it.

No shell reads the command: for one, run it, as in petstore exec -- sh -c 'a && b'. On
Windows, a command that is a script needs its interpreter: petstore exec -- cmd /c npx ...

Options:
${showFlags(execFlags)}

Exit codes:
  that of the command, or 128 and the number of the signal that ended it; besides,
  1    the mock does not keep the contract (--verify)
  2    the command line, or a file that it names, is wrong
  4    the command ended with 0, and the pets could not be saved
  126  the command cannot be executed
  127  the command was not found
`

/** `petstore exec`: runs a command against a mock. Returns the exit code of the command. */
export async function execCommand(console: Console): Promise<number> {
  const end = console.args.indexOf('--')
  const own = end === -1 ? console.args : console.args.slice(0, end)
  const [command, ...args] = end === -1 ? [] : console.args.slice(end + 1)
  if (own.includes('--help')) {
    await console.print(usage())
    return 0
  }
  const flags = parseFlags(execFlags, own, console.env)
  if (flags.words.length > 0) {
    throw new UsageError('petstore exec needs -- before the command: petstore exec --pets 30 -- npm test')
  }
  if (command === undefined || command === '') {
    throw new UsageError('petstore exec needs a command behind --: petstore exec -- npm test')
  }
  const log = readLogFormat(flags, 'none')
  const input = await readMockOptions(console, flags, 0)
  const child = createChild()
  try {
    if (flags.has('verify') && !(await isFit(console, input))) return exitCodeOfEnd(child, 1)
    const save = await readSave(flags.text('save'))
    const onRequest = await createLog(log, wantsColor(console, console.terminal.stderr), console.tell)
    const { mock, end } = await runMock(console, input, { save, onRequest })
    if (child.signal() !== undefined) {
      await mock.close()
      return exitCodeOfEnd(child, 1)
    }
    try {
      const code = await child.run(command, args, environment(console, mock, input))
      return (await end()) ? code : code || 4
    } catch (error) {
      await mock.close()
      if (!(error instanceof NotStarted)) throw error
      console.tell(inertLines(`petstore: ${error.message}\n`))
      return error.exitCode
    }
  } finally {
    child.release()
  }
}

/** A signal that came before the command ran has taken its place. */
function exitCodeOfEnd(child: Child, otherwise: number): number {
  const signal = child.signal()
  return signal === undefined ? otherwise : exitCodeOf(signal)
}

/** What the command finds in its environment; what the mock does not have is not inherited either. */
function environment({ env }: Console, mock: RunningMock, { keys }: MockInput): Console['env'] {
  return {
    ...env,
    PETSTORE_BASE_URL: mock.url,
    PETSTORE_API_KEY: keys[0],
    PETSTORE_CONTROL_URL: mock.controlUrl,
    PETSTORE_CONTROL_TOKEN: mock.controlToken,
  }
}

/** Verifies a mock with the same options, so that the one of the command is untouched. Says why when it is not fit. */
async function isFit(console: Console, input: MockInput): Promise<boolean> {
  const { createProgress } = await import('./progress.ts')
  const { toText, verify } = await import('../contract/index.ts')
  const stop = new AbortController()
  void console.interrupted.then(() => stop.abort())
  const mock = await start(input, { port: 0, control: false })
  const progress = createProgress(console)
  try {
    const report = await verify({
      baseUrl: mock.url,
      apiKey: mock.key,
      allowWrites: true,
      now: mock.clock.now(),
      onProgress: progress.show,
      signal: stop.signal,
    })
    progress.end()
    if (report.exitCode === 0) return true
    console.tell(toText(report, { color: wantsColor(console, console.terminal.stderr) }))
    const what = report.exitCode === 1 ? 'does not keep the contract' : 'could not be verified'
    console.tell(`petstore: the mock ${what}, so the command was not run\n`)
    return false
  } finally {
    await mock.close()
  }
}
