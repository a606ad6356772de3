import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { UsageError } from '../errors.ts'
import { parseJson } from '../json.ts'

/**
 * Reads a JSON file.
 *
 * @param what what the user calls it: "the baseline"
 * @throws {UsageError} when it cannot be read or is no JSON
 */
export async function readJsonFile(file: string, what: string): Promise<unknown> {
  const text = (await readTextFile(file, what)).replace(/^\uFEFF/, '')
  try {
    return parseJson(text)
  } catch (error) {
    throw new UsageError(`${what} ${file} is no JSON: ${problemOf(error, text)}`, { cause: error })
  }
}

/** What the parser says, without the piece of the text that it quotes: that may be a key in the wrong place. */
function problemOf(error: unknown, text: string): string {
  const words = (error as Error).message.replace(/,? ?(?:\.{3})?"[^]*"(?:\.{3})? is not valid JSON$/, '')
  const [, what = words, position] = /^(.*) in JSON at position (\d+)/.exec(words) ?? []
  if (position === undefined) return what
  const before = text.slice(0, Number(position)).split('\n')
  return `${what}, line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
}

/**
 * Reads a text file.
 *
 * @throws {UsageError} when it cannot be read
 */
export async function readTextFile(file: string, what: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(`${what} ${file} cannot be read (${codeOf(error)})`, { cause: error })
  }
}

/**
 * Makes the folder of a file, and finds out whether the file can be written, before anything else is done.
 *
 * @throws {UsageError} when it cannot
 */
export async function makeWritable(file: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, '', { flag: 'a' })
  } catch (error) {
    throw new UsageError(`${file} cannot be written (${codeOf(error)}); name another file`, { cause: error })
  }
}

/**
 * Writes a text file.
 *
 * @throws {UsageError} when it cannot be written after all
 */
export async function writeTextFile(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text)
  } catch (error) {
    throw new UsageError(`${file} could not be written (${codeOf(error)})`, { cause: error })
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error)
