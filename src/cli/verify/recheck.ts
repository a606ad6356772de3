import type { Finding, Rechecked, Report } from '../../contract/index.ts'
import { besideWords, command } from '../../contract/report/words.ts'
import { integers } from '../../contract/session/limits.ts'
import { count, inert } from '../../report/text.ts'

const words = {
  fixed: 'FIXED',
  'still-failing': 'STILL FAILING',
  flaky: 'FLAKY',
  'not-verified': 'INCONCLUSIVE',
} as const

const column = 13
const indent = ' '.repeat(column + 2)
const [, , maxTimes] = integers.times

/** What became of the findings of an earlier report, for a terminal. */
export function showRecheck({ target, recheck = [], counts, reason, findings }: Report): string {
  const fails = recheck.some(({ outcome }) => outcome === 'still-failing')
  const hint = fails
    ? 'The failure of another may hide it, or have caused it.'
    : `Findings that occur by chance need more runs: --times ${maxTimes}.`
  return [
    `Re-run of ${count(recheck.length, 'finding')} against ${inert(target)}`,
    `${counts.requests} requests, ${counts.writes} pets created`,
    '',
    ...recheck.flatMap((result) => linesOf(result, findings)),
    ...(reason === undefined ? [] : ['', inert(reason)]),
    ...(recheck.some(({ outcome, runs }) => outcome === 'fixed' && runs < maxTimes)
      ? ['', `A finding is fixed if no run showed it. ${hint}`]
      : []),
    '',
  ].join('\n')
}

/** With the conforming response and the last request of the finding in the run that is reported. */
function linesOf(result: Rechecked, findings: readonly Finding[]): string[] {
  const { requirement, message, outcome } = result
  const shown = findings.filter((one) => one.requirement === requirement)
  const { conforming, exchanges = [] } =
    shown.find((one) => one.message === message) ?? shown[0] ?? {}
  const { curl } = exchanges.at(-1) ?? {}
  return [
    `${words[outcome].padEnd(column)}  ${inert(requirement)}  (${seenWords(result)})`,
    indent + inert(message),
    ...(conforming === undefined
      ? []
      : [`${indent}a conforming service: ${besideWords(conforming)}`]),
    ...(curl === undefined ? [] : [indent + command(curl)]),
  ]
}

function seenWords({ outcome, seen, runs }: Rechecked): string {
  if (runs === 0) return 'no run was conclusive'
  const shown = `seen in ${seen} of ${count(runs, 'run')}`
  return outcome === 'not-verified' ? `${shown}; the others were inconclusive` : shown
}
