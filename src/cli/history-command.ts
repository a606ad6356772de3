import { toHistory, type History } from '../contract/history.ts'
import { historyBadge, historyHtml, historyShields, historyText } from '../contract/reporters/history.ts'
import { didYouMean, UsageError } from '../errors.ts'
import { type Flag, flagsOf, type Parsed } from '../options.ts'
import { inertLines } from '../report/inert.ts'
import { toInertJson } from '../report/text.ts'
import { type Command, type Console, onlyWord } from './command.ts'
import { historyFile, historyNames, readHistory } from './history-file.ts'
import { exitCodeWith, openOutputs, type Render, reporterTable, writeOutputs } from './outputs.ts'

export const historyFlags: Flag[] = flagsOf('Options', {
  'history DIR': {
    env: 'PETSTORE_HISTORY',
    default: 'petstore-history',
    help: 'the folder that petstore verify --history writes to',
  },
  'last N': { default: '30', range: [1, 1000], help: 'the number of runs to show' },
  ...reporterTable('the output', 'text, html, json, badge (SVG) or shields (JSON for shields.io)'),
})

const reporters: Readonly<Record<string, Render<readonly History[]>>> = {
  text: historyText,
  html: historyHtml,
  json: (histories) => toInertJson({ schemaVersion: 1, deployments: histories }),
  badge: historyBadge,
  shields: historyShields,
}

export const command: Command = {
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
  const wanted = onlyWord(flags, 'petstore history takes one name')
  const folder = String(flags.text('history'))
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
  const outputs = await openOutputs(console, flags.list('reporter'), reporters)
  const now = new Date()
  const histories: History[] = []
  for (const name of wanted === undefined ? names : [wanted]) {
    const { entries, broken } = await readHistory(historyFile(folder, name))
    if (broken > 0)
      console.notify(inertLines(`${historyFile(folder, name)}: ${broken} lines are not runs and were skipped\n`))
    if (entries.length > 0) histories.push(toHistory(entries, { last: Number(flags.integer('last')), now }))
  }
  if (histories.length === 0) throw new UsageError(`the history ${folder} has no runs`)
  return exitCodeWith(0, await writeOutputs(console, outputs, histories))
}
