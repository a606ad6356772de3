import { spawn } from 'node:child_process'

/** A command and its arguments. */
export type Command = readonly [string, ...string[]]

export interface Where {
  cwd: string
  env?: Readonly<Record<string, string>>
}

/** A command ended with another exit code than 0. */
class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
}

/** The environment without what npm, which runs this script, says to the commands below it. */
function cleanEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|PETSTORE_|NODE_OPTIONS$|VITE|INIT_CWD)/i.test(name)),
  )
}

/**
 * Runs a command to its end, and returns what it printed on stdout.
 *
 * @throws {CommandFailed} with all that it printed.
 */
export function run([program, ...args]: Command, { cwd, env = {} }: Where): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...cleanEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stdout = ''
    let all = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      all += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => (all += text))
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (code === 0) resolve(stdout)
      else reject(new CommandFailed(`${program} ${args.join(' ')} ended with ${code ?? signal}:\n${all.trimEnd()}`))
    })
  })
}

/** A command that runs until it is stopped. */
export interface Running {
  /** The first line that it prints. */
  line: Promise<string>
  /** Ends it and all that it started. */
  stop: () => Promise<void>
}

/** Starts a command that is stopped later. */
export function start([program, ...args]: Command, { cwd, env = {} }: Where): Running {
  // A group of its own: what stands between us and the command may not pass a signal on.
  const child = spawn(program, args, {
    cwd,
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let all = ''
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const line = new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      all += text
      const [, first] = /^(http.*)\n/m.exec(all) ?? []
      if (first !== undefined) resolve(first)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => (all += text))
    child.once('error', reject)
    void closed.then(() => reject(new CommandFailed(`${program} ${args.join(' ')} ended early:\n${all}`)))
  })
  return {
    line,
    async stop() {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
      await closed
    },
  }
}
