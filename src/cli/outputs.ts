import { appendFile, stat, truncate } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Report, Reporter } from '../contract/index.ts'
import { didYouMean, enumerate, UsageError } from '../errors.ts'
import type { FlagTable } from '../options.ts'
import { type Console, note, wantsColor, warn, widthOf } from './command.ts'
import { makeWritable, OutputError, writeTextFile } from './files.ts'
import { invocationIn } from './invocation.ts'

/** The flag of outputs: `subject` is what they show, `names` are those of the reporters. */
export const reporterTable = (subject: string, names: readonly string[]): FlagTable => ({
  'reporter NAME[=FILE]': {
    default: 'text',
    repeatable: true,
    help: `${subject}, on stdout or in a file: ${enumerate(names, 'or')}`,
  },
})

export interface Output<Subject> {
  name: string
  render: Reporter<Subject>
  /** Default: stdout. */
  file: string | undefined
  /** Whether only the owner may read the file. */
  isPrivate?: true
  /** Details for the message on stderr. */
  describe?: (subject: Subject) => string
}

/** Reads the values of --reporter, `NAME` or `NAME=FILE`. Throws a UsageError when one is wrong. */
export function readOutputs<Subject>(
  { terminal }: Pick<Console, 'terminal'>,
  wanted: readonly string[],
  reporters: Readonly<Record<string, Reporter<Subject>>>,
): Output<Subject>[] {
  return wanted.map((text) => {
    const [, name = '', file] = /^([^=]*)(?:=([^]*))?$/.exec(text) ?? []
    const render = Object.hasOwn(reporters, name) ? reporters[name] : undefined
    if (!render) {
      const names = Object.keys(reporters)
      const kind = names.find((one) => name.endsWith(`.${one}`))
      const hint =
        kind === undefined
          ? didYouMean(name === 'md' ? 'markdown' : name, names) ||
            `; there are ${names.join(', ')}`
          : `; did you mean ${kind}=${name}?`
      throw new UsageError(`there is no reporter ${JSON.stringify(name)}${hint}`)
    }
    if (file === undefined && name === 'html' && terminal.stdout) {
      throw new UsageError(
        '--reporter html needs a file on a terminal: --reporter html=report.html',
      )
    }
    if (file === '') throw new UsageError(`--reporter ${name}= needs a file name`)
    if (file === '-')
      throw new UsageError(`--reporter ${name}=- needs a file name; --reporter ${name} is stdout`)
    return { name, render, file }
  })
}

/** Creates folders. Throws a UsageError when several outputs go to one place, or a file could not be written. */
export async function prepareOutputs(
  outputs: readonly Pick<Output<never>, 'file'>[],
): Promise<void> {
  const places = outputs.map(({ file }) => (file === undefined ? 'stdout' : resolve(file)))
  const twice = places.find((place, index) => places.indexOf(place) !== index)
  if (twice === 'stdout') {
    throw new UsageError(
      'only one reporter can write to stdout; give the others a file: --reporter json=report.json',
    )
  }
  if (twice !== undefined)
    throw new UsageError(`two outputs write to ${twice}; give each its own file`)
  for (const { file } of outputs) if (file !== undefined) await makeWritable(file)
}

/** The exit code when an output could not be written: 4, unless a violation made it 1. */
export const unwritten = (code: number): number => (code === 1 ? code : 4)

/** The files of outputs, by the name of the reporter. */
export const filesOf = (
  outputs: readonly Pick<Output<never>, 'name' | 'file'>[],
): Record<string, string> =>
  Object.fromEntries(
    outputs.flatMap(({ name, file }) => (file === undefined ? [] : [[name, file]])),
  )

/** Writes all outputs, reports failures on stderr, and returns the exit code; `code` is the one so far. */
export async function writeOutputs<Subject>(
  console: Console,
  outputs: readonly Output<Subject>[],
  subject: Subject,
  code = 0,
  verbose = false,
): Promise<number> {
  const files = filesOf(outputs)
  let exitCode = code
  for (const { render, file, isPrivate, describe } of outputs) {
    const color = file === undefined && wantsColor(console, console.terminal.stdout)
    const isShown = file === undefined && console.terminal.stdout
    const program = invocationIn(console.env)
    const shown = { color, verbose, files, program, ...(isShown && { width: widthOf(console) }) }
    const text = render(subject, shown)
    try {
      if (file === undefined) await console.print(text)
      else {
        await writeTextFile(file, text, isPrivate)
        note(console, `wrote ${file}${describe === undefined ? '' : `: ${describe(subject)}`}`)
      }
    } catch (error) {
      if (!(error instanceof OutputError)) throw error
      warn(console, error.message)
      exitCode = unwritten(exitCode)
    }
  }
  return exitCode
}

/** With the reporter github: appends the report as Markdown to the file that GITHUB_STEP_SUMMARY names. */
export async function writeStepSummary(
  console: Console,
  outputs: readonly Output<Report>[],
  report: Report,
  code: number,
): Promise<number> {
  const file = console.env['GITHUB_STEP_SUMMARY'] ?? ''
  if (file === '' || outputs.every(({ name }) => name !== 'github')) return code
  const { toMarkdown } = await import('../contract/index.ts')
  const before = await stat(file).catch(() => undefined)
  try {
    await appendFile(file, toMarkdown(report))
    return code
  } catch (error) {
    if (before?.isFile()) await truncate(file, before.size).catch(() => {})
    warn(console, `GITHUB_STEP_SUMMARY ${new OutputError(file, error).message}`)
    return unwritten(code)
  }
}
