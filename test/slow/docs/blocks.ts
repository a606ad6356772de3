/** The fenced blocks of a page, and a shell that runs its commands as a reader would type them. */
import { spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { start } from '../../io/cli/command.ts'
import { environment } from '../../support/environment.ts'

export const root = fileURLToPath(new URL('../../../', import.meta.url))

/** A fenced block. After the language, its fence may have `no-run REASON`, or `mock OPTIONS` for its mock. */
export interface Block {
  language: string
  /** The reason why it is not run. */
  noRun?: string
  /** Options of the mock that its commands call. */
  mockOptions: string
  text: string
  /** The line of the fence, from 1. */
  line: number
}

export function blocksOf(page: string): Block[] {
  const fences = page.matchAll(/^```(\S+)(?: +(no-run|mock) ([^\n]*))?([^\n]*)\n([^]*?)^```$/gm)
  return [...fences].map(
    ({ index, 1: language = '', 2: how, 3: words = '', 4: rest = '', 5: text = '' }) => {
      const line = page.slice(0, index).split('\n').length
      if (rest !== '')
        throw new Error(
          `line ${line}: a fence has LANGUAGE, LANGUAGE no-run REASON, or LANGUAGE mock OPTIONS`,
        )
      return {
        language,
        text,
        line,
        mockOptions: how === 'mock' ? words : '',
        ...(how === 'no-run' && { noRun: words }),
      }
    },
  )
}

/** The exit code of a command, and its stdout and stderr as a terminal shows them. */
export interface Printed {
  code: number | null
  text: string
}

/** The shell of one page: its folder, and a mock for each set of options of its blocks. */
export class Shell {
  readonly #folder = mkdtempSync(join(tmpdir(), 'petstore-docs-'))
  readonly #page: string
  readonly #mocks = new Map<string, Promise<string>>()

  constructor(page: string) {
    this.#page = page
    const bin = join(this.#folder, 'bin')
    cpSync(join(import.meta.dirname, 'programs'), bin, { recursive: true })
    for (const name of ['petstore', 'npx', 'npm', 'curl']) {
      writeFileSync(
        join(bin, name),
        `#!/bin/sh\nexec '${process.execPath}' '${join(bin, 'program.mjs')}' ${name} "$@"\n`,
      )
      chmodSync(join(bin, name), 0o755)
    }
    // The page of an example runs in a copy of the example.
    const from = dirname(page)
    if (from.startsWith('examples/')) {
      const isOwn = (path: string): boolean => !/node_modules|__pycache__|dist$/.test(path)
      cpSync(join(root, from), join(this.#folder, 'here'), { recursive: true, filter: isOwn })
    } else cpSync(join(root, 'fixtures'), join(this.#folder, 'here/fixtures'), { recursive: true })
  }

  /** Runs commands in the folder of the page. */
  async run(script: string, mockOptions = '', failOnStatus = false): Promise<Printed> {
    const base = await this.#mock(mockOptions)
    const { origin } = new URL(base)
    const child = spawn('sh', ['-e', '-c', toOrigin(script, origin)], {
      cwd: join(this.#folder, 'here'),
      env: environment({
        NO_COLOR: '1',
        PATH: [join(this.#folder, 'bin'), process.env['PATH']].join(delimiter),
        PETSTORE_API_KEY: 'petstore-test-key',
        PETSTORE_STAGING_KEY: 'petstore-test-key',
        PETSTORE_PRODUCTION_KEY: 'petstore-test-key',
        DOCS_ROOT: root,
        DOCS_PAGE: join(root, this.#page),
        DOCS_MOCK: origin,
        DOCS_FAIL: failOnStatus && /^curl /m.test(script) ? '1' : '',
      }),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (more: string) => (text += more))
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    return { code, text: toPage(text, origin) }
  }

  #mock(options: string): Promise<string> {
    const known = this.#mocks.get(options)
    if (known) return known
    const words = options.split(' ').filter((word) => word !== '')
    const save = join(this.#folder, 'saved.json')
    const mock = start(['mock', '--port', '0', '--quiet', '--save', save, ...words]).says(
      /http:\S+/,
    )
    this.#mocks.set(options, mock)
    return mock
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Replaces the deployments of a page by the mock of its shell. */
function toOrigin(script: string, origin: string): string {
  return script.replaceAll(
    /https?:\/\/(?:127\.0\.0\.1:4010|(?:staging|api)\.example\.com)/g,
    origin,
  )
}

/** Replaces output that varies between runs by the text in the pages. */
function toPage(text: string, origin: string): string {
  return text
    .replaceAll('\r', '')
    .replaceAll(origin, 'http://127.0.0.1:4010')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:4010')
    .replaceAll(/\b\d+\.\d s\b/g, '0.2 s')
    .replaceAll(/"startedAt": "[^"]*"/g, '"startedAt": "2026-11-20T12:00:00.000Z"')
    .replaceAll(
      /\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?: to [\d :-]+)? UTC\b/g,
      '2026-11-20 12:00:00 UTC',
    )
    .replaceAll(/\bPetkit [A-Z][a-z]{5}\b/g, 'Petkit Bkqwzt')
}

/** The commands of a `console` block, each with its output. */
export function commandsOf(text: string): { command: string; output: string }[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [, command = '', output = ''] = /^((?:.*\\\n)*.*)\n([^]*)$/.exec(part) ?? []
      return { command, output }
    })
}

export const readPage = (page: string): string => readFileSync(join(root, page), 'utf8')
export const isThere = (path: string): boolean => existsSync(join(root, path))
