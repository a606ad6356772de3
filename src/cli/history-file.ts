import { appendFile, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { HistoryEntry } from '../contract/history.ts'
import { UsageError } from '../errors.ts'
import { inertJson } from '../report/inert.ts'
import { OutputError, reasonNotWritten } from './files.ts'

/** The part of a history that is read, from its end: some thousand runs. */
const maxBytes = 16 * 2 ** 20

/** A deployment name, or a URL in file name form: `127.0.0.1-4010-v1`. */
export const historyName = (target: string): string =>
  target
    .replace(/^[a-z]+:\/\//i, '')
    .replaceAll(/[^\w.-]+/g, '-')
    .replaceAll(/^[.-]+|[.-]+$/g, '')
    .slice(0, 100) || 'deployment'

/** One file per deployment, one line per run, so that branches merge by union. */
export const historyFile = (folder: string, name: string): string => join(folder, `${name}.ndjson`)

export async function historyNames(folder: string): Promise<string[]> {
  const files = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'does not exist' : `cannot be read: ${reasonNotWritten(error, folder)}`
    throw new UsageError(`the history ${folder} ${why}; petstore verify --history ${folder} creates it`)
  })
  return files.flatMap((file) => (file.endsWith('.ndjson') ? [file.slice(0, -'.ndjson'.length)] : [])).sort()
}

/** Reads the runs of a file in order; none if it does not exist. `broken` counts lines that are no runs. */
export async function readHistory(file: string): Promise<{ entries: HistoryEntry[]; broken: number }> {
  const { isHistoryEntry } = await import('../contract/history.ts')
  const lines = (await readEnd(file)).split('\n').filter((line) => line.trim() !== '')
  const entries = lines.flatMap((line): HistoryEntry[] => {
    const value = parse(line)
    return isHistoryEntry(value) ? [value] : []
  })
  return { entries, broken: lines.length - entries.length }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown
  } catch {
    return undefined
  }
}

async function readEnd(file: string): Promise<string> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new UsageError(`the history ${file} cannot be read: ${reasonNotWritten(error, file)}`)
  })
  if (handle === undefined) return ''
  try {
    const { size } = await handle.stat()
    const from = Math.max(0, size - maxBytes)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from)
    const text = buffer.subarray(0, bytesRead).toString('utf8')
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1)
  } finally {
    await handle.close()
  }
}

/**
 * Appends a run in one write, on a new line even if the last one was cut.
 *
 * @throws {OutputError} when it cannot be written
 */
export async function appendHistory(file: string, entry: HistoryEntry): Promise<void> {
  try {
    const isCut = !/(?:^|\n)$/.test(await readEnd(file))
    await appendFile(file, `${isCut ? '\n' : ''}${inertJson(JSON.stringify(entry))}\n`)
  } catch (error) {
    throw error instanceof UsageError ? error : new OutputError(file, error)
  }
}
