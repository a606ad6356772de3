import { toHistory, type History } from '../contract/history.ts'
import { historyBadge, historyHtml, historyShields, historyText } from '../contract/reporters/history.ts'
import { didYouMean, UsageError } from '../errors.ts'
import type { Flag, Parsed } from '../options.ts'
import { inertLines } from '../report/inert.ts'
import { toInertJson } from '../report/text.ts'
import type { Command, Console } from './command.ts'
import { historyFile, historyNames, readHistory } from './history-file.ts'
import { exitCodeWith, openOutputs, type Render, writeOutputs } from './outputs.ts'

const defaultFolder = 'petstore-history'

export const historyFlags: Flag[] = [
  {
    name: 'history',
    value: 'DIR',
    env: 'PETSTORE_HISTORY',
    default: defaultFolder,
    help: 'the folder that petstore verify --history writes to',
  },
  { name: 'last', value: 'N', default: '30', range: [1, 1000], help: 'the number of runs to show' },
  {
    name: 'reporter',
    value: 'NAME[=FILE]',
    default: 'text',
    repeatable: true,
    help: 'the output, on stdout or in a file: text, html, json, badge (SVG) or shields (JSON for shields.io)',
  },
]

const reporters: Readonly<Record<string, Render<readonly History[]>>> = {
  text: historyText,
  html: historyHtml,
  json: (histories) => toInertJson({ schemaVersion: 1, deployments: histories }),
  badge: historyBadge,
  shields: historyShields,
}

export const historyCommand: Command = {
  usage: ['petstore history [NAME] [options]'],
  about: `Shows the runs that petstore verify --history has recorded: requirements that regressed, were fixed
or are flaky, changed unspecified behavior, approaching expiry dates, and latency. NAME is a
deployment; by default, all are shown. It opens no connections.`,
  flags: historyFlags,
  examples: [
    'petstore history --history reports/history',
    'petstore history staging --last 100 --reporter html=history.html',
    'petstore history staging --reporter badge=contract.svg --reporter shields=contract.json',
  ],
  run,
}

const isHistory = (word: string): Promise<boolean> =>
  historyNames(word).then(
    (names) => names.length > 0,
    () => false,
  )

async function run(console: Console, flags: Parsed): Promise<number> {
  const [wanted, ...more] = flags.words
  if (more.length > 0) throw new UsageError(`petstore history takes one name, but got ${flags.words.length} words`)
  const folder = flags.text('history') ?? defaultFolder
  const isFolder = wanted !== undefined && (await isHistory(wanted))
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
  const outputs = await openOutputs(console, flags.has('reporter') ? flags.list('reporter') : ['text'], reporters)
  const now = new Date()
  const histories: History[] = []
  for (const name of wanted === undefined ? names : [wanted]) {
    const { entries, broken } = await readHistory(historyFile(folder, name))
    if (broken > 0)
      console.notify(inertLines(`${historyFile(folder, name)}: ${broken} lines are not runs and were skipped\n`))
    if (entries.length > 0) histories.push(toHistory(entries, { last: flags.integer('last') ?? 30, now }))
  }
  if (histories.length === 0) throw new UsageError(`the history ${folder} has no runs`)
  return exitCodeWith(0, await writeOutputs(console, outputs, histories))
}
