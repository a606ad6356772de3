import { existsSync } from 'node:fs'
import { appendFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  isHistoryEntry,
  sinceLastRun,
  toHistory,
  toHistoryEntry,
} from '../../contract/report/history.ts'
import type { History, HistoryEntry } from '../../contract/report/history.ts'
import type { Report, Reporter } from '../../contract/index.ts'
import { historyHtml, historyText } from '../../contract/reporters/history.ts'
import { didYouMean, UsageError } from '../../errors.ts'
import { flagsOf, type Parsed } from '../../options.ts'
import { count, inertJson, toInertJson } from '../../report/text.ts'
import { tryParseJson } from '../../validate.ts'
import { type Command, type Console, note, onlyWord, warn } from '../command.ts'
import { makeWritable, OutputError, readTextFile, reasonOf } from '../files.ts'
import { prepareOutputs, readOutputs, reporterTable, unwritten, writeOutputs } from '../outputs.ts'

const reporters: Readonly<Record<string, Reporter<readonly History[]>>> = {
  text: historyText,
  html: historyHtml,
  json: (histories) => toInertJson({ schemaVersion: 1, deployments: histories }),
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
    ...reporterTable('the output', Object.keys(reporters)),
  }),
  examples: [
    'petstore history --history reports/history',
    'petstore history staging --last 100 --reporter html=history.html',
    'petstore history --reporter json',
  ],
  exitCodes: {
    0: 'the runs were shown',
    4: 'an output could not be written',
  },
  run,
}

async function run(console: Console, flags: Parsed): Promise<number> {
  const wanted = onlyWord(flags, 'petstore history takes one name')
  const folder = String(flags.text('history'))
  const isFolder = wanted !== undefined && (await historyNames(wanted).catch(() => [])).length > 0
  const names = isFolder ? await historyNames(folder).catch(() => []) : await historyNames(folder)
  if (isFolder && !names.includes(wanted)) {
    throw new UsageError(
      `${wanted} is a folder, not a deployment; did you mean --history ${wanted}?`,
    )
  }
  if (names.length === 0)
    throw new UsageError(
      `the history ${folder} has no runs; petstore verify --history ${folder} adds some`,
    )
  if (wanted !== undefined && !names.includes(wanted)) {
    throw new UsageError(
      `the history ${folder} has no deployment ${JSON.stringify(wanted)}${didYouMean(wanted, names) || `; it has ${names.join(', ')}`}`,
    )
  }
  const outputs = readOutputs(console, flags.list('reporter'), reporters)
  await prepareOutputs(outputs)
  const now = new Date()
  const histories: History[] = []
  for (const name of wanted === undefined ? names : [wanted]) {
    const { entries, broken } = toEntries(await readText(historyFile(folder, name)))
    if (broken > 0)
      note(console, `${historyFile(folder, name)}: skipped ${count(broken, 'line')} without a run`)
    if (entries.length > 0)
      histories.push(toHistory(entries, { last: Number(flags.integer('last')), now }))
  }
  if (histories.length === 0) throw new UsageError(`the history ${folder} has no runs`)
  return writeOutputs(console, outputs, histories)
}

/** Checks that a history can be written. Returns what appends a run, says what changed, and returns the exit code. */
export async function openHistory(console: Console, folder: string, target: string) {
  const name = historyName(target)
  const file = historyFile(folder, name)
  await makeWritable(file)
  return async (report: Report, code: number): Promise<number> => {
    const entry = toHistoryEntry(report, name)
    try {
      const text = await readText(file)
      // On a new line even if the last one was cut.
      const start = text === '' || text.endsWith('\n') ? '' : '\n'
      const line = `${start}${inertJson(JSON.stringify(entry))}\n`
      await appendFile(file, line).catch((error: unknown) => {
        throw new OutputError(file, error)
      })
      note(console, sinceLastRun(toEntries(text).entries, entry) ?? `The first run of ${file}`)
      return code
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      warn(console, error.message)
      return unwritten(code)
    }
  }
}

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
    const why = error.code === 'ENOENT' ? 'does not exist' : `cannot be read: ${reasonOf(error)}`
    throw new UsageError(
      `the history ${folder} ${why}; petstore verify --history ${folder} creates it, or name another folder with --history`,
    )
  })
  return files
    .flatMap((file) => (file.endsWith('.ndjson') ? [file.slice(0, -'.ndjson'.length)] : []))
    .sort()
}

const readText = async (file: string): Promise<string> =>
  existsSync(file) ? readTextFile(file, 'the history') : ''

/** The runs of a history in order. `broken` counts lines that are no runs. */
function toEntries(text: string): { entries: HistoryEntry[]; broken: number } {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const entries = lines.map((line) => tryParseJson(line)).filter((value) => isHistoryEntry(value))
  return { entries, broken: lines.length - entries.length }
}
