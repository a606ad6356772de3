import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { type Command as CliCommand, type Console, runCommand } from '../../src/cli/command.ts'
import { UsageError } from '../../src/errors.ts'

/** The command as it is installed. */
const cli = fileURLToPath(new URL('../../dist/bin/petstore.js', import.meta.url))

/** A command that ended, or will. */
export interface Command {
  child: ChildProcessWithoutNullStreams
  /** What it has written so far. */
  stdout: () => string
  stderr: () => string
  /** Resolves when a pattern is found in stdout. */
  says: (pattern: RegExp) => Promise<string>
  ended: Promise<Result>
}

export interface Result {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

interface Settings {
  env?: Record<string, string>
  cwd?: string
}

/** Starts `petstore` with these arguments; it is killed when the test is over. */
export function start(args: readonly string[], { env = {}, cwd }: Settings = {}): Command {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(PETSTORE_|NO_COLOR|FORCE_COLOR|GITHUB_|NODE_OPTIONS)/.test(name),
  )
  const child = spawn(process.execPath, [cli, ...args], { env: { ...Object.fromEntries(own), ...env }, cwd })
  const written = { stdout: '', stderr: '' }
  const waiting = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text
      for (const look of waiting) look()
    })
  }
  const ended = new Promise<Result>((resolve) => {
    child.once('close', (code, signal) => {
      resolve({ code, signal, ...written })
      for (const look of waiting) look()
    })
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    child,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const [found] = pattern.exec(written.stdout) ?? []
          if (found !== undefined) resolve(found)
          else if (child.exitCode !== null)
            reject(new Error(`it ended without saying ${String(pattern)}: ${written.stderr}`))
          else return
          waiting.delete(look)
        }
        waiting.add(look)
        look()
      }),
    ended,
  }
}

/** Runs `petstore` to its end. */
export function run(args: readonly string[], settings?: Settings): Promise<Result> {
  const { child, ended } = start(args, settings)
  child.stdin.end()
  return ended
}

/** Starts a mock on a free port, and tells its base URL. */
export async function startMockCommand(...args: string[]): Promise<Command & { url: string }> {
  const command = start(['mock', '--port', '0', '--quiet', ...args])
  const url = (await command.says(/^http:\S+\n/)).trim()
  return { ...command, url }
}

/** A folder of the test's own. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-kit-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Calls a command that makes a mistake, without a process of its own, and returns its message. */
export async function mistakeOf(
  command: CliCommand,
  args: readonly string[],
  { env = {}, cwd = '/', terminal = false }: Settings & { terminal?: boolean } = {},
): Promise<string> {
  const printed: string[] = []
  const write = (text: string): void => void printed.push(text)
  const console: Console = {
    args,
    env,
    folder: cwd,
    print: async (text) => write(text),
    notify: write,
    terminal: { stdout: terminal, stderr: false },
    interrupted: new Promise(() => {}),
  }
  try {
    await runCommand(command, console)
  } catch (error) {
    if (error instanceof UsageError && printed.length === 0) return error.message
    throw error
  }
  throw new Error(`it found no mistake, and said: ${printed.join('')}`)
}
