import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Report } from '../contract/index.ts'
import { UsageError } from '../errors.ts'
import { parseJson } from '../json.ts'
import type { Flag, Parsed } from '../options.ts'
import { parseFlags, showFlags } from '../options.ts'
import type { Console } from './console.ts'
import { wantsColor } from './console.ts'

/** The options of `petstore verify`. */
export const verifyFlags: Flag[] = [
  { name: 'key', value: 'KEY', env: 'PETSTORE_API_KEY', help: 'the API key; it stands in no report' },
  { name: 'key-file', value: 'FILE', help: 'a file that holds the API key' },
  {
    name: 'read-only',
    env: 'PETSTORE_READ_ONLY',
    help: 'create no pet; what only a creation shows stays not verified',
  },
  { name: 'allow-writes', help: 'create pets on a target that is not on this machine' },
  { name: 'max-writes', value: 'N', default: '25', help: 'create no more pets than this; they stay for ever' },
  {
    name: 'category-id',
    value: 'ID',
    help: 'a category that exists, for the pets that are created (default: one that the list shows)',
  },
  { name: 'timeout', value: 'SECONDS', default: '10', help: 'the time for one request' },
  { name: 'settle', value: 'SECONDS', default: '5', help: 'the time in which a new pet must be visible everywhere' },
  { name: 'concurrency', value: 'N', default: '4', help: 'requests under way at once' },
  {
    name: 'retry-budget',
    value: 'SECONDS',
    default: '60',
    help: 'the time to spend in all on waiting for rate limits and gateways',
  },
  { name: 'strict', help: 'exit with 3 when any clause could not be verified' },
  { name: 'only', value: 'ID', repeatable: true, help: 'only this clause or check; * stands for any text' },
  { name: 'skip', value: 'ID', repeatable: true, help: 'all but this clause or check; * stands for any text' },
  { name: 'list', help: 'show the clauses and checks, and send nothing' },
  {
    name: 'reporter',
    value: 'NAME[=FILE]',
    default: 'text',
    repeatable: true,
    help: 'how to report: text or json, on stdout or into a file',
  },
  { name: 'verbose', help: 'also list what was verified' },
  { name: 'now', value: 'DATE', help: 'the day that decides whether getPet is removed (default: today)' },
]

const usage = `Usage: petstore verify URL [options]

Verifies that the deployment at a base URL, such as https://staging.example.com/v1,
keeps the contract of the Pet Store Service.

Options:
${showFlags(verifyFlags)}

Exit codes:
  0  no clause is violated, and at least one is verified
  1  a clause is violated
  2  the command line is wrong
  3  nothing could be verified (unreachable, key refused), or --strict and not everything was
`

/** `petstore verify`: prints reports. Returns the exit code. */
export async function verifyCommand(console: Console): Promise<number> {
  if (console.args.includes('--help')) {
    await console.print(usage)
    return 0
  }
  const flags = parseFlags(verifyFlags, console.args, console.env)
  const contract = await import('../contract/index.ts')
  if (flags.has('list')) {
    await console.print(contract.listSuite())
    return 0
  }
  const outputs = readOutputs(flags, contract.reporters)
  const [baseUrl, ...more] = flags.words
  if (baseUrl === undefined)
    throw new UsageError('petstore verify needs the base URL: petstore verify http://127.0.0.1:4010/v1')
  if (more.length > 0) throw new UsageError(`petstore verify takes one base URL, not also ${more.join(' ')}`)
  const apiKey = await readKey(flags)
  const options = {
    baseUrl,
    apiKey,
    readOnly: flags.has('read-only'),
    allowWrites: flags.has('allow-writes'),
    strict: flags.has('strict'),
    only: flags.list('only'),
    skip: flags.list('skip'),
    maxWrites: flags.integer('max-writes'),
    categoryId: readInt64(flags.text('category-id')),
    timeoutMs: flags.milliseconds('timeout'),
    settleMs: flags.milliseconds('settle'),
    concurrency: flags.integer('concurrency'),
    retryBudgetMs: flags.milliseconds('retry-budget'),
    now: flags.text('now'),
  }
  for (const { file } of outputs) if (file !== undefined) await makeWritable(file)
  const stop = new AbortController()
  void console.interrupted.then(() => stop.abort())
  const progress = createProgress(console)
  const report = await contract.verify({ ...options, onProgress: progress.show, signal: stop.signal })
  progress.end()
  for (const { render, file } of outputs) {
    const color = file === undefined && wantsColor(console, console.terminal.stdout)
    const text = render(report, { color, verbose: flags.has('verbose') })
    if (file === undefined) await console.print(text)
    else await writeFile(file, text)
  }
  return report.exitCode
}

type Render = (report: Report, options: { color: boolean; verbose: boolean }) => string

function readOutputs(flags: Parsed, reporters: Record<string, Render>): { render: Render; file: string | undefined }[] {
  const wanted = flags.has('reporter') ? flags.list('reporter') : ['text']
  const outputs = wanted.map((text) => {
    const [name = '', ...rest] = text.split('=')
    const render = Object.hasOwn(reporters, name) ? reporters[name] : undefined
    if (!render)
      throw new UsageError(
        `there is no reporter ${JSON.stringify(name)}; there are ${Object.keys(reporters).join(', ')}`,
      )
    const file = rest.length === 0 ? undefined : rest.join('=')
    if (file === '') throw new UsageError(`--reporter ${name}= names no file`)
    return { render, file }
  })
  if (outputs.filter(({ file }) => file === undefined).length > 1) {
    throw new UsageError('only one reporter can have stdout; give the others a file: --reporter json=report.json')
  }
  return outputs
}

/** Makes the folder of a file, and finds out before any request is sent whether the file can be written. */
async function makeWritable(file: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, '', { flag: 'a' })
  } catch (error) {
    throw new UsageError(`${file} cannot be written (${(error as NodeJS.ErrnoException).code}); name another file`, {
      cause: error,
    })
  }
}

async function readKey(flags: Parsed): Promise<string> {
  const file = flags.text('key-file')
  const key = flags.text('key')
  if (file !== undefined) {
    try {
      return (await readFile(file, 'utf8')).trim()
    } catch (error) {
      throw new UsageError(`the key file ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`, {
        cause: error,
      })
    }
  }
  if (key === undefined)
    throw new UsageError('the API key is missing: set PETSTORE_API_KEY, or give --key or --key-file')
  return key
}

function readInt64(text: string | undefined): number | bigint | undefined {
  if (text === undefined) return undefined
  if (!/^-?\d{1,19}$/.test(text)) throw new UsageError(`--category-id takes an integer, not ${JSON.stringify(text)}`)
  return parseJson(text.replace(/^(-?)0+(?=\d)/, '$1')) as number | bigint
}

/** One line on a terminal that is written over, and nothing in a pipe. */
function createProgress({ terminal, tell }: Console): { show(line: string): void; end(): void } {
  if (!terminal.stderr) return { show() {}, end() {} }
  return {
    show: (line) => tell(`\r\u001b[2K${line}`),
    end: () => tell('\r\u001b[2K'),
  }
}
