/** A project in which petstore-kit is installed, and a shell in it, as a user has them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterAll, inject } from 'vitest'
import { Arrivals } from '../support/arrivals.ts'
import { environment } from '../support/environment.ts'
import { makeFolder } from '../support/folder.ts'

type Environment = Readonly<Record<string, string>>

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

/** A command that runs until it is stopped. */
export interface Background {
  stdout: () => string
  stderr: () => string
  /** Resolves with the groups of a pattern when the output matches it. Rejects if the command ends first. */
  says: (pattern: RegExp) => Promise<string[]>
  /** Sends SIGINT, as Ctrl-C does, or another signal, and resolves with the exit code; null where the signal ended it. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

const endings: (() => unknown)[] = []
// Registered while the file is collected: within a test, Vitest would not run it.
afterAll(async () => {
  for (const end of endings.toReversed()) await end()
})

/** Has something end after the tests of the file; it may be called within a test. */
export const whenOver = (end: () => unknown): void => void endings.push(end)

/** Every user has a folder; the installed packages are those of one `npm install`. */
export class Project {
  readonly folder = makeFolder({}, whenOver)
  readonly #env: Environment

  constructor(env: Environment = {}) {
    this.#env = env
    const installed = inject('project')
    cpSync(join(installed, 'package.json'), join(this.folder, 'package.json'))
    symlinkSync(join(installed, 'node_modules'), join(this.folder, 'node_modules'))
  }

  /** Writes files: strings as they are, other values as JSON. */
  write(files: Readonly<Record<string, unknown>>): void {
    for (const [name, content] of Object.entries(files)) {
      const path = join(this.folder, name)
      mkdirSync(join(path, '..'), { recursive: true })
      writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
    }
  }

  /** Runs a line in a shell to its end. */
  async run(line: string, env: Environment = {}): Promise<Finished> {
    const { child, texts } = this.#spawn(line, env)
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, ...texts }
  }

  /** Starts a line in a shell, and stops it after the tests. */
  start(line: string, env: Environment = {}): Background {
    const { child, texts, arrivals } = this.#spawn(`exec ${line}`, env)
    const closed = once(child, 'close').then(([code]) => code as number | null)
    const stop = (signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> => {
      child.kill(signal)
      return closed
    }
    whenOver(() => stop())
    const ended = closed.then((code) => {
      throw new Error(`${line} ended with ${code}:\n${texts.stdout}${texts.stderr}`)
    })
    ended.catch(() => {})
    return {
      stdout: () => texts.stdout,
      stderr: () => texts.stderr,
      says: (pattern) =>
        Promise.race([
          arrivals.until(() => pattern.exec(texts.stdout + texts.stderr)?.slice(1)),
          ended,
        ]),
      stop,
    }
  }

  #spawn(
    line: string,
    env: Environment,
  ): { child: ChildProcess; texts: { stdout: string; stderr: string }; arrivals: Arrivals } {
    const child = spawn('sh', ['-c', line], {
      cwd: this.folder,
      env: environment({
        ...this.#env,
        PATH: `${join(this.folder, 'node_modules/.bin')}:${process.env['PATH']}`,
        ...env,
      }),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const texts = { stdout: '', stderr: '' }
    const arrivals = new Arrivals()
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        texts[name] += text
        arrivals.notice()
      })
    }
    return { child, texts, arrivals }
  }
}

/** Starts the mock, and returns what its greeting says. */
export async function startMock(
  project: Project,
  options = '',
  env: Environment = {},
): Promise<Background & { url: string; control: string; console: string }> {
  const mock = project.start(`petstore mock --port 0 ${options}`, env)
  const [url = ''] = await mock.says(/Base URL +(\S+)\n/)
  const [console = ''] = await mock.says(/Console +(\S+)\n/)
  await mock.says(/Ctrl-C/)
  return { ...mock, url, console, control: new URL('/_petstore', url).href }
}

/** Lines of a text that match a pattern, trimmed. */
export const linesOf = (text: string, pattern: RegExp): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => pattern.test(line))
