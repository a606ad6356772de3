import { appendFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { UsageError } from '../errors.ts'
import type { Console } from './console.ts'
import { wantsColor } from './console.ts'
import { makeWritable, writeTextFile } from './files.ts'

/** Makes one text of what a command found out. */
export type Render<Subject> = (subject: Subject, options?: { color?: boolean; verbose?: boolean }) => string

/** Where one reporter writes. */
export interface Output<Subject> {
  name: string
  render: Render<Subject>
  /** undefined is stdout. */
  file: string | undefined
}

/**
 * Reads the values of --reporter, `NAME` or `NAME=FILE`, and makes sure that the files can be written.
 *
 * @throws {UsageError} when a reporter does not exist, a file cannot be written, or two want stdout
 */
export async function openOutputs<Subject>(
  wanted: readonly string[],
  reporters: Readonly<Record<string, Render<Subject>>>,
): Promise<Output<Subject>[]> {
  const outputs = wanted.map((text) => {
    const at = text.indexOf('=')
    const name = at === -1 ? text : text.slice(0, at)
    const file = at === -1 ? undefined : text.slice(at + 1)
    const render = Object.hasOwn(reporters, name) ? reporters[name] : undefined
    if (!render) {
      throw new UsageError(
        `there is no reporter ${JSON.stringify(name)}; there are ${Object.keys(reporters).join(', ')}`,
      )
    }
    if (file === '') throw new UsageError(`--reporter ${name}= names no file`)
    return { name, render, file }
  })
  if (outputs.filter(({ file }) => file === undefined).length > 1) {
    throw new UsageError('only one reporter can have stdout; give the others a file: --reporter json=report.json')
  }
  const files = outputs.flatMap(({ file }) => (file === undefined ? [] : [resolve(file)]))
  const twice = files.find((file, index) => files.indexOf(file) !== index)
  if (twice !== undefined) throw new UsageError(`two reporters write to ${twice}; give each a file of its own`)
  for (const file of files) await makeWritable(file)
  return outputs
}

/** Writes what was found out to each output. */
export async function writeOutputs<Subject>(
  console: Console,
  outputs: readonly Output<Subject>[],
  subject: Subject,
  verbose = false,
): Promise<void> {
  for (const { render, file } of outputs) {
    const color = file === undefined && wantsColor(console, console.terminal.stdout)
    const text = render(subject, { color, verbose })
    if (file === undefined) await console.print(text)
    else await writeTextFile(file, text)
  }
}

/** Adds a summary to the file that GITHUB_STEP_SUMMARY names, if there is one. */
export async function writeStepSummary(console: Console, summary: string): Promise<void> {
  const file = console.env['GITHUB_STEP_SUMMARY']
  if (file === undefined || file === '') return
  // The verdict is there already; a summary that cannot be written must not take its place.
  await appendFile(file, summary).catch((error: NodeJS.ErrnoException) =>
    console.tell(`petstore: GITHUB_STEP_SUMMARY ${file} cannot be written (${error.code})\n`),
  )
}
