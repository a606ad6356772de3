import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { type Command, runCommand, toFailure } from '../../../src/cli/command.ts'
import { Arrivals } from '../../support/arrivals.ts'
import { environment } from '../../support/environment.ts'

const folder = fileURLToPath(new URL('../../../src/cli/', import.meta.url))
const load = async (path: string): Promise<[string, Command]> => {
  const { command } = (await import(join(folder, path))) as { command: Command }
  return [basename(path, '-command.ts'), command]
}
const modules = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('-command.ts'),
)

export const commands: Record<string, Command> = Object.fromEntries(
  await Promise.all(modules.map(load)),
)

/** The built command. */
export const cli = fileURLToPath(new URL('../../../dist/bin/petstore.js', import.meta.url))

/** The output of a command, and its exit code. */
export interface Result {
  code: number | null
  stdout: string
  stderr: string
}

/** The text on stderr without what a red run that takes more than two seconds prints before its end. */
export const withoutProgress = (stderr: string): string =>
  stderr.replace(/^FAIL so far .*\n.*\n/, '')

interface Settings {
  env?: Record<string, string>
  cwd?: string
  terminal?: { stdout: boolean; stderr: boolean }
}

/** The output of a command so far. */
class Written {
  readonly texts = { stdout: '', stderr: '' }
  readonly #arrivals = new Arrivals()
  readonly stdout = (): string => this.texts.stdout
  readonly stderr = (): string => this.texts.stderr

  add(name: 'stdout' | 'stderr', text: string): void {
    this.texts[name] += text
    this.#arrivals.notice()
  }

  /** Resolves when the output matches a pattern. */
  readonly says = (pattern: RegExp, name: 'stdout' | 'stderr' = 'stdout'): Promise<string> =>
    this.#arrivals.until(() => pattern.exec(this.texts[name])?.[0])
}

/** A command that runs in this process. */
export interface Running extends Pick<Written, 'stdout' | 'stderr' | 'says'> {
  /** Has the effect of a first signal. */
  interrupt: () => void
  ended: Promise<Result>
}

/** Starts a command in this process, and interrupts it after the test. */
export function start(
  [name = '', ...args]: readonly string[],
  { env = {}, cwd, terminal = { stdout: false, stderr: false } }: Settings = {},
): Running {
  const written = new Written()
  let interrupt: () => void = () => {}
  const before = process.cwd()
  if (cwd !== undefined) process.chdir(cwd)
  const running = runCommand(commands[name] as Command, {
    args,
    env,
    folder: process.cwd(),
    print: async (text) => written.add('stdout', text),
    notify: (text) => written.add('stderr', text),
    terminal,
    interrupted: new Promise((resolve) => (interrupt = resolve)),
  })
  const ended = running
    .catch((error: unknown) => {
      const { code, text } = toFailure(error)
      written.add('stderr', text)
      return code
    })
    .then((code) => ({ code, ...written.texts }))
  onTestFinished(async () => {
    process.chdir(before)
    interrupt()
    await ended
  })
  const { stdout, stderr, says } = written
  return { stdout, stderr, says, interrupt, ended }
}

/** Runs a command to its end in this process. */
export const run = (args: readonly string[], settings?: Settings): Promise<Result> =>
  start(args, settings).ended

export interface Process extends Pick<Written, 'stdout' | 'stderr' | 'says'> {
  child: ChildProcessWithoutNullStreams
  ended: Promise<Result & { signal: NodeJS.Signals | null }>
}

/** Starts `petstore` in a separate process, and kills it after the test. */
export function startProcess(args: readonly string[], { env = {}, cwd }: Settings = {}): Process {
  const child = spawn(process.execPath, [cli, ...args], { env: environment(env), cwd })
  const written = new Written()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => written.add(name, text))
  }
  const ended = new Promise<Result & { signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, ...written.texts }))
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const { stdout, stderr, says } = written
  return { child, stdout, stderr, says, ended }
}

/** Runs `petstore` to its end in a separate process. */
export function runProcess(args: readonly string[], settings?: Settings): Process['ended'] {
  const { child, ended } = startProcess(args, settings)
  child.stdin.end()
  return ended
}

export async function startMockCommand(...args: string[]): Promise<Running & { url: string }> {
  const command = start(['mock', '--port', '0', '--quiet', ...args])
  const printed = await Promise.race([command.says(/^https?:\S+\n/), command.ended])
  if (typeof printed !== 'string') throw new Error(`it did not start: ${printed.stderr}`)
  return { ...command, url: printed.trim() }
}

/** Runs a rejected command line, and returns its messages; nothing else may be printed. */
export async function mistakeOf(args: readonly string[], settings: Settings = {}): Promise<string> {
  const { code, stdout, stderr } = await run(args, { cwd: '/', ...settings })
  if (code !== 2 || stdout !== '') throw new Error(`it found no mistake: ${stdout}`)
  const lines = stderr.trimEnd().split('\n')
  const twice = lines.find((line) => line.startsWith('petstore: petstore '))
  if (twice !== undefined) throw new Error(`it names the program twice: ${twice}`)
  return lines.map((line) => line.replace(/^petstore: /, '')).join('\n')
}
