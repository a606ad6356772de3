import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { basename, delimiter, resolve } from 'node:path'
import { isatty } from 'node:tty'
import { UsageError } from '../../errors.ts'
import type { RunningMock } from '../../mock/index.ts'
import { type Flag, flagsOf, type Parsed } from '../../options.ts'
import { type Command, type Console, wantsColor, warn } from '../command.ts'
import { reasonOf } from '../files.ts'
import { mockFlagsOf, commonFlags } from '../mock/mock-flags.ts'
import { runMock } from '../mock/mock-run.ts'
import { proxyFlags } from '../proxy/proxy-command.ts'
import { logTable } from '../mock/request-log.ts'

/** Flags that mocks and proxies share, and flags of a proxy that are useless here. */
const ofBoth = new Set([
  'port',
  'host',
  'control-token',
  'control-host',
  'save',
  'log',
  'log-bodies',
  'proxy',
])
const notHere = new Set(['open', 'quiet'])

const ofProxy: Flag[] = [
  ...flagsOf('Proxy', {
    'proxy TARGET':
      'run the command against a proxy of this deployment (URL or name) instead of a mock',
  }),
  ...proxyFlags.filter(({ name }) => !ofBoth.has(name) && !notHere.has(name)),
].map((flag) => ({ ...flag, group: 'Proxy' }))

const execFlags: Flag[] = [
  ...commonFlags.map((flag) => (flag.name === 'port' ? { ...flag, default: '0' } : flag)),
  ...ofProxy,
  ...mockFlagsOf(
    'Output',
    logTable('print a line for each request on stderr: text, json or none (default: none)'),
  ),
]

const noDashes = 'petstore exec needs -- before the command: petstore exec --pets 30 -- npm test'

export const command: Command = {
  usage: ['petstore exec [options] -- COMMAND [ARGUMENT...]'],
  about: `Starts a mock, runs a command against it, and stops the mock. With --proxy, it starts a
proxy for a deployment instead and judges the traffic; see petstore proxy --help. The command
gets the environment variables PETSTORE_BASE_URL, PETSTORE_API_KEY, PETSTORE_CONTROL_URL and,
if the control API needs a token, PETSTORE_CONTROL_TOKEN. Signals are passed on to it.

The command does not run in a shell. For several commands, run them with sh -c.`,
  flags: execFlags,
  examples: [
    'petstore exec -- npm test',
    'petstore exec --pets 30 --log text -- npx playwright test',
    'petstore exec --proxy staging --reporter html=report.html -- npx playwright test',
  ],
  notes:
    'The exit code is that of the command, or 128 plus the number of the signal that ended it, or one of these.',
  exitCodes: {
    1: 'the command exited with 0, but --proxy found a problem (see --fail-on)',
    3: 'the command exited with 0, but --proxy saw nothing that it could judge, or no success of an operation',
    4: 'the command exited with 0, but the pets or a report could not be written',
    126: 'the command cannot be executed',
    127: 'the command was not found',
  },
  passesOn: noDashes,
  run: execute,
}

async function execute(console: Console, flags: Parsed): Promise<number> {
  const [command, ...args] = console.args.slice(console.args.indexOf('--') + 1)
  if (flags.words.length > 0) throw new UsageError(noDashes)
  if (command === undefined || command === '') {
    throw new UsageError('petstore exec needs a command after --: petstore exec -- npm test')
  }
  const target = flags.text('proxy')
  const isMock = target === undefined
  const useless = execFlags.find(
    ({ name, group }) =>
      flags.given(name) !== undefined && !ofBoth.has(name) && (group === 'Proxy') === isMock,
  )
  if (useless !== undefined) {
    throw new UsageError(
      `--${useless.name} is an option of a ${isMock ? 'proxy: it needs --proxy TARGET' : 'mock, and --proxy runs no mock'}`,
    )
  }
  const child = createChild()
  try {
    const { variables, end, close } = await (isMock
      ? openMock(console, flags)
      : openTarget(console, flags, target))
    try {
      const early = child.signal()
      const env = { ...console.env, ...variables }
      const code = early === undefined ? await child.run(command, args, env) : exitCodeOf(early)
      if (code instanceof Error) {
        const isFound = (code as NodeJS.ErrnoException).code !== 'ENOENT'
        const problem = isFound ? `cannot be executed: ${reasonOf(code)}` : 'was not found'
        warn(console, `the command ${JSON.stringify(command)} ${problem}`)
        return isFound ? 126 : 127
      }
      const verdict = await end()
      return code || verdict
    } finally {
      await close()
    }
  } finally {
    child.release()
  }
}

/** Environment variables of the command; undefined ones are removed. */
const variablesOf = (
  { url, controlUrl, controlToken }: Pick<RunningMock, 'url' | 'controlUrl' | 'controlToken'>,
  key: string | undefined,
): Console['env'] => ({
  PETSTORE_BASE_URL: url,
  PETSTORE_API_KEY: key,
  PETSTORE_CONTROL_URL: controlUrl,
  PETSTORE_CONTROL_TOKEN: controlToken,
})

async function openTarget(console: Console, flags: Parsed, target: string) {
  // stdout belongs to the command.
  const onStderr: Console = {
    ...console,
    print: async (text) => console.notify(text),
    terminal: { ...console.terminal, stdout: console.terminal.stderr },
  }
  const { openProxy } = await import('../proxy/proxy-run.ts')
  const { proxy, key, end } = await openProxy(onStderr, flags, {
    target,
    log: 'none',
    isForCommand: true,
  })
  return { variables: variablesOf(proxy, key), end, close: proxy.close }
}

async function openMock(console: Console, flags: Parsed) {
  const color = wantsColor(console, console.terminal.stderr)
  const { mock, input, end, close } = await runMock(console, flags, {
    usual: 'none',
    color,
    write: console.notify,
  })
  return {
    variables: variablesOf(mock, input.keys[0]),
    end: async () => ((await end()) ? 0 : 4),
    close,
  }
}

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/** Forwards signals of this process to the command instead of ending. */
function createChild() {
  let child: ChildProcess | undefined
  let unheard: NodeJS.Signals | undefined
  const hear = (signal: NodeJS.Signals): void => {
    if (child === undefined) unheard ??= signal
    else if (!isFromKeyboard(signal)) child.kill(signal)
  }
  for (const signal of passedOn) process.on(signal, hear)
  return {
    /** Runs the command. Returns its exit code, 128 plus the signal that ended it, or the error of its start. */
    async run(
      command: string,
      args: readonly string[],
      env: Console['env'],
    ): Promise<number | Error> {
      const [file, words, options] =
        process.platform === 'win32' ? onWindows(command, args, env) : [command, args, {}]
      try {
        const started = spawn(file, words, { ...options, env, stdio: 'inherit' })
        child = started
        await once(started, 'spawn')
        // A signal that could not be sent is no reason to give up.
        started.on('error', () => {})
        return await new Promise((resolve) => {
          started.once('exit', (code, signal) => resolve(code ?? exitCodeOf(signal ?? 'SIGKILL')))
        })
      } catch (error) {
        return error as Error
      }
    },
    /** The first signal that came before the command ran. */
    signal: () => unheard,
    release(): void {
      for (const signal of passedOn) process.off(signal, hear)
    },
  }
}

/** The arguments of `spawn` on Windows, where a command file, such as npm.cmd, needs cmd.exe. */
export function onWindows(
  command: string,
  args: readonly string[],
  env: Console['env'],
): Parameters<typeof spawn> {
  const path = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? ''
  const folders = basename(command) === command ? ['.', ...path.split(delimiter)] : ['']
  const endings = /\.(?:exe|com|bat|cmd)$/i.test(command) ? [''] : ['.com', '.exe', '.bat', '.cmd']
  const files = folders.flatMap((folder) =>
    endings.map((ending) => resolve(folder, command + ending)),
  )
  const found = files.find((file) => existsSync(file)) ?? command
  if (!/\.(?:bat|cmd)$/i.test(found)) return [command, args, {}]
  const quoted = args
    .map((word) => ` "${word.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/(?<!\\)\\+$/, '$&$&')}"`)
    .join('')
  const escaped = quoted.replaceAll(/[()[\]%!^"`<>&|;,*?]/g, '^$&')
  return [
    'cmd.exe',
    ['/d', '/s', '/c', `""${found}"${escaped}"`],
    { windowsVerbatimArguments: true },
  ]
}

/** As a shell reports the signal that ended a command. */
const exitCodeOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

/**
 * A terminal sends the signals of its keyboard to the command itself. Forwarding them would interrupt it twice, which
 * many programs take as a request to end at once.
 */
function isFromKeyboard(signal: NodeJS.Signals): boolean {
  return (signal === 'SIGINT' || signal === 'SIGQUIT') && [0, 1, 2].some((stream) => isatty(stream))
}
