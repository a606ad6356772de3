import { spawn } from 'node:child_process'
import { networkInterfaces } from 'node:os'
import { UsageError } from '../../errors.ts'
import { isLoopback } from '../../option-checks.ts'
import { hostInUrl } from '../../mock/control/guard.ts'
import type { Suite } from '../../mock/control/routes/suite-runs.ts'
import type { RunningMock } from '../../mock/index.ts'
import type { Parsed } from '../../options.ts'
import { shellQuote } from '../../report/shell.ts'
import { count, inertLines } from '../../report/text.ts'
import { type Command, type Console, note, wantsColor, warn } from '../command.ts'
import { keyVariable, mockFlags } from './mock-flags.ts'
import { runMock } from './mock-run.ts'
import { failureLine, startLine, stopLine, toJsonConsole } from './request-log.ts'
import { invocationIn } from '../invocation.ts'

export const command: Command = {
  usage: ['petstore mock [options]'],
  about: 'Runs the Pet Store Service in memory until it is stopped with Ctrl-C.',
  flags: mockFlags,
  examples: [
    'petstore mock --port 0 --pets 20',
    'petstore mock --delay 100-300 --rate-limit 10/1s',
    'petstore mock --profile staging.json --state petstore-state',
  ],
  notes: `With --log json, everything goes to stdout as lines of JSON: start, requests, changes by the control
API, notices, the stop, and an error that ends the mock.`,
  exitCodes: {
    0: 'the mock was stopped',
    4: 'the mock was stopped, but its pets, state or log could not be written',
  },
  run: serve,
}

/** Characters of the log that wait for the reader of a pipe, such as `less`: the rest must not fill the memory. */
const maxUnread = 2 ** 22

async function serve(terminal: Console, flags: Parsed): Promise<number> {
  const [word] = flags.words
  if (word !== undefined) {
    const hint = /^\d{1,5}$/.test(word) ? `; did you mean --port ${word}?` : ''
    throw new UsageError(`petstore mock takes options only, not ${JSON.stringify(word)}${hint}`)
  }
  if (flags.has('list-defects')) {
    await terminal.print(await listDefects())
    return 0
  }
  const isQuiet = flags.has('quiet')
  let isLogged = true
  let unread = 0
  const fail = (why: string): void => {
    if (isLogged) warn(onStderr, `${why}; the mock continues`)
    isLogged = false
  }
  const write = (text: string): void => {
    if (unread > maxUnread) return fail('stdout is not read, so that lines of the log are dropped')
    unread += text.length
    const done = terminal.print(text).catch((error: Error) => fail(error.message))
    void done.then(() => (unread -= text.length))
  }
  const log = flags.text('log') ?? (terminal.terminal.stdout && !isQuiet ? 'text' : 'none')
  const isJson = log === 'json'
  // The log itself cannot say that it is not read.
  const onStderr = isJson ? toJsonConsole(terminal, terminal.notify) : terminal
  const console = isJson ? toJsonConsole(terminal, write) : terminal
  try {
    const isSaved = await serveUntilStopped(console, flags, { log, isQuiet, write })
    return isSaved && isLogged ? 0 : 4
  } catch (error) {
    if (!isJson) throw error
    const { code, line } = failureLine(error, terminal.env)
    await terminal.print(line)
    return code
  }
}

/** Returns whether everything is saved at the end. */
async function serveUntilStopped(
  console: Console,
  flags: Parsed,
  { log, isQuiet, write }: { log: string; isQuiet: boolean; write: (text: string) => void },
): Promise<boolean> {
  const color = wantsColor(console, console.terminal.stdout)
  const suite = async (): Promise<Suite> =>
    (await import('../verify/suite.ts')).createSuite(console, flags.has('console-runs'))
  const { interrupted } = console
  const { mock, input, overwritten, end } = await runMock(
    console,
    flags,
    { usual: log, color, columns: console.columns, write },
    suite,
  )
  let isSaved = false
  try {
    if (log === 'json') write(startLine(mock))
    else if (isQuiet) await console.print(`${mock.url}\n`)
    else
      await console.print(
        inertLines(
          `${await greeting(mock, input.keys, flags, invocationIn(console.env))}${log === 'text' ? '\n' : ''}`,
        ),
      )
    for (const warning of warnings(mock, flags, overwritten)) note(console, warning)
    if (flags.has('open') && mock.consoleUrl !== undefined) openInBrowser(console, mock.consoleUrl)
    await interrupted
    await drain(console, mock, Number(flags.milliseconds('drain')))
  } finally {
    isSaved = await end()
  }
  if (log === 'json') write(stopLine(isSaved))
  return isSaved
}

/** Leaves load balancers the time to notice that this mock is about to stop. */
async function drain(console: Console, mock: RunningMock, ms: number): Promise<void> {
  if (ms === 0) return
  mock.drain()
  note(
    console,
    `The mock is not ready from now on, and stops in ${ms / 1_000} s. A second signal ends it at once.`,
  )
  await new Promise((resolve) => setTimeout(resolve, ms))
}

async function listDefects(): Promise<string> {
  const { defects } = await import('../../mock/defects/index.ts')
  return defects
    .map(({ id, requirement, description }) => `${id}\n  breaks ${requirement}: ${description}\n`)
    .join('')
}

/** Names that sandboxes may have. */
const namesHint = (names: boolean | readonly string[]): string =>
  typeof names === 'boolean' ? '' : `; NAME is ${names.join(' or ')}`

async function greeting(
  mock: RunningMock,
  keys: readonly string[],
  flags: Parsed,
  program: string,
): Promise<string> {
  const { url, settings, controlUrl, consoleUrl } = mock
  // A key of the environment may be a secret, as a token is.
  const isPrinted = !flags.has('key') || flags.given('key') !== undefined
  const [key = ''] = keys
  const header = 'Authorization: Bearer '
  const changed = settingsOf(flags)
  if (flags.has('vary') || flags.has('profile')) changed.push(await countOptions(settings.profile))
  // PowerShell 5 has another curl, and cmd.exe takes double quotes only.
  const [curl, quote] =
    process.platform === 'win32' ? ['curl.exe', JSON.stringify] : ['curl', shellQuote]
  const ofVariable = process.platform === 'win32' ? `$env:${keyVariable}` : `$${keyVariable}`
  return [
    `The Pet Store mock is ready, with ${count(mock.catalog.size, 'pet')}.`,
    '',
    `  Base URL  ${url}`,
    ...networkUrls(flags.text('host') ?? '', url).map((one) => `  Network   ${one}`),
    `  API key   ${isPrinted ? keys.join(', ') : `from ${keyVariable}`}`,
    ...(settings.sandboxes
      ? [
          `  Sandbox   ${program} key NAME creates a key with its own copy of the pets${namesHint(settings.sandboxes)}`,
        ]
      : []),
    ...(consoleUrl === undefined ? [] : [`  Console   ${consoleUrl}`]),
    ...(controlUrl === undefined ? [] : [`  Control   ${controlUrl}${tokenHint(mock, flags)}`]),
    `  Try it    ${curl} -H ${isPrinted ? quote(header + key) : `"${header}${ofVariable}"`} ${quote(`${url}/pets?limit=3`)}`,
    ...(changed.length === 0 ? [] : ['', ...changed]),
    '',
    'Press Ctrl-C to stop.',
    '',
  ].join('\n')
}

/** The base URL by the addresses at which other machines reach a mock that listens on all of them. */
function networkUrls(host: string, url: string): string[] {
  const [isOnIpv4, isOnIpv6] = [['0.0.0.0', '::'].includes(host), host === '::']
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(
      ({ internal, family, scopeid = 0 }) =>
        // A link-local address needs a zone, which URLs do not have.
        !internal && scopeid === 0 && (family === 'IPv6' ? isOnIpv6 : isOnIpv4),
    )
    .map(({ address }) => url.replace(new URL(url).hostname, hostInUrl(address)))
}

/** A token that the user set is not printed. */
function tokenHint({ controlToken }: RunningMock, flags: Parsed): string {
  if (controlToken === undefined) return ''
  return flags.has('control-token')
    ? ', with the token that was set'
    : `, with the token ${controlToken}`
}

/** Uses the desktop's default browser; prints the URL without one. */
export function openInBrowser(console: Console, url: string): void {
  const commands: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
    darwin: ['open', url],
    win32: ['cmd', '/c', 'start', '', url],
  }
  const [command, ...args] = commands[process.platform] ?? ['xdg-open', url]
  const child = spawn(command, args, { stdio: 'ignore', detached: true, env: console.env })
  child.on('error', () => note(console, `No browser could be started; the console is at ${url}`))
  child.unref()
}

/** What the flags and the environment change, by the groups of the help. */
function settingsOf(flags: Parsed): string[] {
  return ['Data', 'Behavior', 'Faults'].flatMap((group) => {
    const set = mockFlags.filter((flag) => flag.group === group && flags.has(flag.name))
    const words = set.flatMap(({ name, value }) =>
      value === undefined ? [`--${name}`] : flags.list(name).map((text) => `--${name} ${text}`),
    )
    return words.length === 0 ? [] : [`  ${group.padEnd(8)}  ${words.join(' ')}`]
  })
}

/** Only counts the differences: listing all options would scroll the URL away. */
async function countOptions(profile: Readonly<Record<string, string>>): Promise<string> {
  const { defaultProfile } = await import('../../mock/sandbox/settings.ts')
  const all = Object.entries(defaultProfile)
  const differing = all.filter(([id, option]) => profile[id] !== option).length
  return `  Options   ${differing} of ${all.length} differ from the defaults; GET /_petstore/settings shows them`
}

function warnings(mock: RunningMock, flags: Parsed, overwritten: string | undefined): string[] {
  const isTokenUnseen =
    mock.controlToken !== undefined &&
    (flags.has('quiet') || flags.text('log') === 'json') &&
    !flags.has('control-token')
  return [
    ...(isLoopback(String(flags.text('host')))
      ? []
      : [
          `Other machines can reach this mock. Only its key protects its data${flags.has('key') ? '.' : ', and the default key is public: set one with --key.'}`,
        ]),
    ...(isTokenUnseen ? [`The token of the control API is ${mock.controlToken}`] : []),
    ...(overwritten !== undefined && !flags.has('data')
      ? [`${overwritten} exists and will be overwritten; --data ${overwritten} starts from it.`]
      : []),
  ]
}
