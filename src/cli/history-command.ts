import { appendFile, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isHistoryEntry, sinceLastRun, toHistory, toHistoryEntry } from '../contract/history.ts'
import type { History, HistoryEntry } from '../contract/history.ts'
import type { Report, Reporter } from '../contract/index.ts'
import { historyBadge, historyHtml, historyText } from '../contract/reporters/history.ts'
import { didYouMean, UsageError } from '../errors.ts'
import { flagsOf, type Parsed } from '../options.ts'
import { inertJson } from '../report/inert.ts'
import { toInertJson } from '../report/text.ts'
import { tryParseJson } from '../validate.ts'
import { type Command, type Console, note, onlyWord, warn } from './command.ts'
import { makeWritable, OutputError, reasonNotWritten } from './files.ts'
import { openOutputs, reporterTable, unwritten, writeOutputs } from './outputs.ts'

const reporters: Readonly<Record<string, Reporter<readonly History[]>>> = {
  text: historyText,
  html: historyHtml,
  json: (histories) => toInertJson({ schemaVersion: 1, deployments: histories }),
  badge: historyBadge,
}

export const command: Command = {
  usage: ['petstore history [NAME] [options]'],
  about: `Shows the runs that petstore verify --history has recorded: requirements that regressed, were fixed
or are flaky, changed unspecified behavior, approaching expiry dates, and latency. NAME is a
deployment; by default, all are shown. It opens no connections.`,
  flags: flagsOf('Options', {
    'history DIR': {
      env: 'PETSTORE_HISTORY',
      default: 'petstore-history',
      help: 'the folder that petstore verify --history writes to',
    },
    'last N': { default: '30', range: [1, 1000], help: 'the number of runs to show' },
    ...reporterTable('the output', 'text, html, json or badge (SVG)'),
  }),
  examples: [
    'petstore history --history reports/history',
    'petstore history staging --last 100 --reporter html=history.html',
    'petstore history staging --reporter badge=contract.svg',
  ],
  run,
}

async function run(console: Console, flags: Parsed): Promise<number> {
  const wanted = onlyWord(flags, 'petstore history takes one name')
  const folder = String(flags.text('history'))
  const isFolder = wanted !== undefined && (await historyNames(wanted).catch(() => [])).length > 0
  const names = isFolder ? await historyNames(folder).catch(() => []) : await historyNames(folder)
  if (isFolder && !names.includes(wanted)) {
    throw new UsageError(`${wanted} is a folder, not a deployment; did you mean --history ${wanted}?`)
  }
  if (names.length === 0)
    throw new UsageError(`the history ${folder} has no runs; petstore verify --history ${folder} adds some`)
  if (wanted !== undefined && !names.includes(wanted)) {
    throw new UsageError(
      `the history ${folder} has no deployment ${JSON.stringify(wanted)}${didYouMean(wanted, names) || `; it has ${names.join(', ')}`}`,
    )
  }
  const outputs = await openOutputs(console, flags.list('reporter'), reporters)
  const now = new Date()
  const histories: History[] = []
  for (const name of wanted === undefined ? names : [wanted]) {
    const { entries, broken } = await readHistory(historyFile(folder, name))
    if (broken > 0) note(console, `${historyFile(folder, name)}: ${broken} lines are not runs and were skipped`)
    if (entries.length > 0) histories.push(toHistory(entries, { last: Number(flags.integer('last')), now }))
  }
  if (histories.length === 0) throw new UsageError(`the history ${folder} has no runs`)
  return writeOutputs(console, outputs, histories)
}

/** Checks that a history can be written. Returns what appends a run, says what changed, and returns the exit code. */
export async function openHistory(
  console: Console,
  folder: string,
  target: string,
): Promise<(report: Report, code: number) => Promise<number>> {
  const name = historyName(target)
  const file = historyFile(folder, name)
  await makeWritable(file)
  return async (report, code) => {
    const entry = toHistoryEntry(report, name)
    try {
      const change = sinceLastRun((await readHistory(file)).entries, entry)
      await appendHistory(file, entry)
      note(console, change ?? `The first run of ${file}`)
      return code
    } catch (error) {
      warn(console, (error as Error).message)
      return unwritten(code)
    }
  }
}

/** The part of a history that is read, from its end: some thousand runs. */
const maxBytes = 16 * 2 ** 20

/** A deployment name, or a URL in file name form: `127.0.0.1-4010-v1`. */
const historyName = (target: string): string =>
  target
    .replace(/^[a-z]+:\/\//i, '')
    .replaceAll(/[^\w.-]+/g, '-')
    .replaceAll(/^[.-]+|[.-]+$/g, '')
    .slice(0, 100) || 'deployment'

/** One file per deployment, one line per run, so that branches merge by union. */
const historyFile = (folder: string, name: string): string => join(folder, `${name}.ndjson`)

async function historyNames(folder: string): Promise<string[]> {
  const files = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'does not exist' : `cannot be read: ${reasonNotWritten(error, folder)}`
    throw new UsageError(`the history ${folder} ${why}; petstore verify --history ${folder} creates it`)
  })
  return files.flatMap((file) => (file.endsWith('.ndjson') ? [file.slice(0, -'.ndjson'.length)] : [])).sort()
}

/** Reads the runs of a file in order; none if it does not exist. `broken` counts lines that are no runs. */
async function readHistory(file: string): Promise<{ entries: HistoryEntry[]; broken: number }> {
  const lines = (await readEnd(file)).split('\n').filter((line) => line.trim() !== '')
  const entries = lines.flatMap((line): HistoryEntry[] => {
    const value = tryParseJson(line)
    return isHistoryEntry(value) ? [value] : []
  })
  return { entries, broken: lines.length - entries.length }
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

/** Appends a run in one write, on a new line even if the last one was cut. Throws an OutputError when it cannot. */
async function appendHistory(file: string, entry: HistoryEntry): Promise<void> {
  try {
    const isCut = !/(?:^|\n)$/.test(await readEnd(file))
    await appendFile(file, `${isCut ? '\n' : ''}${inertJson(JSON.stringify(entry))}\n`)
  } catch (error) {
    throw error instanceof UsageError ? error : new OutputError(file, error)
  }
}
