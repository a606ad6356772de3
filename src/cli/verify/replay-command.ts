import type { Finding, Rechecked, Report } from '../../contract/index.ts'
import {
  consequenceWords,
  type Group,
  groupsOf,
  kindLines,
} from '../../contract/reporters/groups.ts'
import { besideWords, command as curlOf, optionWords } from '../../contract/report/words.ts'
import { integers } from '../../contract/session/limits.ts'
import { UsageError } from '../../errors.ts'
import { isLoopback } from '../../option-checks.ts'
import type { Parsed } from '../../options.ts'
import { count, inert } from '../../report/text.ts'
import { type Command, type Console, note, theWord, notWritten } from '../command.ts'
import { nameOfDeployment } from '../deployments.ts'
import { withReported } from './reached.ts'
import { readReport, verify } from './verify-command.ts'
import { replayFlags } from './verify-flags.ts'
import type { RunOptions } from './verify-options.ts'

export const command: Command = {
  usage: ['petstore replay REPORT [options]'],
  about: `Verifies the deployment in a JSON report of petstore verify several times and shows which
findings are fixed, which still fail, and which are flaky. It has the options of the run in the
report, except those that give access to the deployment: key, certificates, headers, --allow-writes.`,
  flags: replayFlags,
  examples: [
    'petstore replay report.json',
    'petstore replay report.json --times 10',
    'petstore replay report.json --url staging',
  ],
  exitCodes: {
    0: 'everything is fixed',
    1: 'something still fails or is flaky',
    3: 'something could not be checked',
    4: notWritten,
  },
  async run(console, given) {
    const file = theWord(given, 'one report', 'petstore replay report.json')
    const report = await readReport(file)
    const { reached } = report
    const flags = reached ? withReported(console, replayFlags, given, reached) : given
    const url = flags.text('url')
    const target = url ?? (await targetOf(report, file, console, flags))
    const missed = Object.entries(reached?.access ?? {}).filter(([name]) => !flags.has(name))
    if (url === undefined && missed.length > 0)
      note(
        console,
        `${file}: the run had ${optionWords(Object.fromEntries(missed))}, which only the command line can give`,
      )
    return verify(console, flags, target, {
      onlyFailed: report,
      times: flags.integer('times'),
      show: (now, run) => showRecheck(report, now, run),
    })
  },
}

/**
 * The target of a re-run: as the run reached it, by name or by URL. No report alone may name it: anybody may have written
 * that, and the target gets the key.
 */
async function targetOf(
  { target, reached }: Report,
  file: string,
  console: Console,
  flags: Parsed,
): Promise<string> {
  const name = await nameOfDeployment(
    target,
    flags.text('config'),
    console.folder,
    reached?.deployment,
  )
  const isOwn = URL.canParse(target) && isLoopback(new URL(target).hostname)
  const wasNamed = reached === undefined || reached.deployment !== undefined
  if (name !== undefined && wasNamed) return name
  if (name !== undefined || isOwn) return target
  const shown = JSON.stringify(target)
  throw new UsageError(
    `${file} names ${shown}, which is neither on this machine nor in petstore.config.json; to send the key there, give it with --url`,
  )
}

/** The worst first. */
const words = {
  'still-failing': 'STILL FAILING',
  flaky: 'FLAKY',
  'not-verified': 'INCONCLUSIVE',
  fixed: 'FIXED',
} as const

const column = 13
const indent = ' '.repeat(column + 2)
const [, , maxTimes] = integers.times

/** What became of the causes in an earlier report, for a terminal. */
function showRecheck(before: Report, now: Report, { readOnlyBy }: RunOptions): string {
  const { target, recheck = [], counts, reason, findings } = now
  const results = Object.keys(words).flatMap((name) =>
    recheck.filter(({ outcome }) => outcome === name),
  )
  const resultOf = (one: Finding): Rechecked | undefined =>
    results.find(({ requirement }) => requirement === one.requirement)
  const gone = before.findings.filter((one) =>
    findings.every(({ requirement }) => requirement !== one.requirement),
  )
  const groups = Object.keys(words).flatMap((outcome) =>
    groupsOf(
      now,
      [...findings, ...gone].filter((one) => resultOf(one)?.outcome === outcome),
    ),
  )
  const has = (name: keyof typeof words): boolean => recheck.some(({ outcome }) => outcome === name)
  const hint = has('still-failing')
    ? 'The failure of another may hide it, or have caused it.'
    : `Findings that occur by chance need more runs: --times ${maxTimes}.`
  return [
    `Re-run of ${count(groupsOf(now, before.findings).length, 'cause')} against ${inert(target)}`,
    `${counts.requests} requests, ${counts.writes} pets created`,
    '',
    ...groups.flatMap((group) => linesOf(group, resultOf(group.cases[0]))),
    ...(reason === undefined ? [] : ['', inert(reason)]),
    ...(reason === undefined && readOnlyBy !== undefined && has('not-verified')
      ? ['', `The run is read-only (${inert(readOnlyBy)}); --allow-writes also checks creations.`]
      : []),
    ...(recheck.some(({ outcome, runs }) => outcome === 'fixed' && runs < maxTimes)
      ? ['', `A finding is fixed if no run showed it. ${hint}`]
      : []),
    '',
  ].join('\n')
}

/** With the conforming response and the requests of the same finding, if a run showed it. */
function linesOf(group: Group, result: Rechecked | undefined): string[] {
  if (result === undefined) return []
  const { requirement, cases } = group
  const [{ message, conforming, exchanges }] = cases
  const also = [...kindLines(group, Infinity, ''), consequenceWords(group)].filter(Boolean)
  const shown = [
    ...(conforming ? [`a conforming service: ${besideWords(conforming)}`] : []),
    ...exchanges.map(({ curl }) => curlOf(curl)),
  ]
  return [
    `${words[result.outcome].padEnd(column)}  ${inert(requirement)}  (${seenWords(result)})`,
    ...[inert(message), ...also, ...(result.seen > 0 ? shown : [])].map((line) => indent + line),
  ]
}

function seenWords({ outcome, seen, runs, reason }: Rechecked): string {
  const why = reason === undefined ? '' : `: ${inert(reason)}`
  if (runs === 0) return `no run was conclusive${why}`
  const shown = `seen in ${seen} of ${count(runs, 'run')}`
  return outcome === 'not-verified' ? `${shown}; the others were inconclusive${why}` : shown
}
