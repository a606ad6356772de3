import { UsageError } from '../errors.ts'
import { inertLines } from '../report/inert.ts'
import type { Scorecard } from '../mock/scorecard/types.ts'
import type { Flag, Parsed } from '../options.ts'
import type { Command, Console } from './command.ts'
import { exitCodeWith, openOutputs, writeOutputs } from './outputs.ts'

/** The options of `petstore scorecard`. */
export const scorecardFlags: Flag[] = [
  {
    name: 'reporter',
    value: 'NAME[=FILE]',
    default: 'text',
    repeatable: true,
    help: 'how to report, on stdout or into a file: text, json, markdown or html',
  },
  {
    name: 'min-score',
    value: 'N',
    range: [0, 100],
    help: 'exit with 1 when a client with requests has a lower score',
  },
  {
    name: 'min-coverage',
    value: 'N',
    range: [0, 100],
    help: 'exit with 3 when a client has tried fewer percent of what there is to try; 20 with --min-score',
  },
  { name: 'sandbox', value: 'NAME', help: 'the scorecard of this sandbox alone' },
  {
    name: 'token',
    value: 'TOKEN',
    env: 'PETSTORE_CONTROL_TOKEN',
    help: 'the token of the control API, when it wants one',
  },
]

/** `petstore scorecard`: prints scorecards. */
export const scorecardCommand: Command = {
  usage: ['petstore scorecard [URL] [options]'],
  about: `Shows how well each client of a running mock keeps the contract of the Pet Store Service:
its requests, what is wrong with them, and how to fix it.

URL is the address of the mock, with or without its base path.
Default: PETSTORE_BASE_URL, or http://127.0.0.1:4010.`,
  flags: scorecardFlags,
  examples: [
    'petstore scorecard',
    'petstore scorecard http://127.0.0.1:4010 --min-score 100',
    'petstore scorecard --sandbox team-a --reporter html=scorecard.html',
  ],
  notes: `Exit codes:
  0  every client has at least --min-score
  1  a client has a lower score than --min-score
  2  the command line is wrong
  3  no mock responded, or it has no requests, or less than --min-coverage,
     or with --min-score: the journal no longer holds all requests
  4  an output could not be written; 1 goes before 4, and 4 before 3 and 0`,
  run: showScorecards,
}

async function showScorecards(console: Console, flags: Parsed): Promise<number> {
  const url = addressOf(flags, console.env)
  const { scorecardReporters } = await import('../mock/scorecard/reporters.ts')
  const wanted = flags.has('reporter') ? flags.list('reporter') : ['text']
  const outputs = await openOutputs<readonly Scorecard[]>(console, wanted, scorecardReporters)
  const asked = await ask(url, flags.text('token'))
  if (typeof asked === 'string') {
    console.notify(inertLines(`petstore: ${asked}\n`))
    // A file that was promised must not look as if all were well, nor be empty.
    const files = outputs.filter(({ file }) => file !== undefined)
    return exitCodeWith(3, await writeOutputs(console, files, []))
  }
  const isWritten = await writeOutputs(console, outputs, asked)
  const { coveredPercent } = await import('../mock/scorecard/coverage.ts')
  const least = flags.integer('min-score')
  const leastCoverage = flags.integer('min-coverage') ?? (least === undefined ? 0 : usualCoverage)
  const code =
    verdict(console, asked, least) ||
    (least === undefined ? 0 : lossVerdict(console, asked)) ||
    coverageVerdict(
      console,
      asked.filter(({ score }) => score !== null).map(({ coverage }) => coveredPercent(coverage)),
      leastCoverage,
    )
  return exitCodeWith(code, isWritten)
}

/** Nobody gains points by sending more. */
function lossVerdict({ notify }: Console, scorecards: readonly Scorecard[]): number {
  const lossy = scorecards.find(({ journal: { kept, received } }) => kept < received)
  if (lossy === undefined) return 0
  const { kept, received } = lossy.journal
  notify(
    `petstore: the journal holds only the last ${kept} of ${received} requests, and a score of them is no score of all; clear it more often (DELETE /_petstore/journal), or run less at once\n`,
  )
  return 3
}

/** Percent that a score needs before it says anything: one list and one creation cover as much. */
const usualCoverage = 20

function coverageVerdict({ notify }: Console, shares: readonly number[], least: number): number {
  const lowest = Math.min(...shares)
  if (lowest >= least) return 0
  notify(
    `petstore: a client has tried ${lowest} % of the operations, responses and parameters, and not ${least} %: its score says little; let it do more, or give another --min-coverage\n`,
  )
  return 3
}

function verdict({ notify }: Console, scorecards: readonly Scorecard[], least: number | undefined): number {
  const scores = scorecards.flatMap(({ score }) => (score === null ? [] : [score]))
  if (scores.length === 0) {
    notify('petstore: nothing was asked of this mock, so that nothing can be said; let your client call it first\n')
    return 3
  }
  const low = scores.filter((score) => least !== undefined && score < least).length
  if (low === 0) return 0
  const clients = scores.length === 1 ? 'client' : 'clients'
  notify(`petstore: ${low} of ${scores.length} ${clients} ${low === 1 ? 'has' : 'have'} less than ${least}\n`)
  return 1
}

/** Where the scorecards of a mock are found. */
function addressOf(flags: Parsed, env: Console['env']): URL {
  const [word, ...more] = flags.words
  // The words are not repeated: one of them may be a token whose flag was forgotten.
  if (more.length > 0) throw new UsageError(`petstore scorecard takes one URL, and got ${flags.words.length} words`)
  const preset = env['PETSTORE_BASE_URL']
  const text = word ?? (preset === undefined || preset === '' ? 'http://127.0.0.1:4010' : preset)
  if (/^(?:localhost|[\w.-]+:\d+|127\.[\d.]+)(?:[:/].*)?$/.test(text)) {
    throw new UsageError(`${JSON.stringify(text)} is no URL; did you mean http://${text}?`)
  }
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new UsageError(
      'petstore scorecard takes the URL of a running mock: petstore scorecard http://127.0.0.1:4010/v1',
    )
  }
  const sandbox = flags.text('sandbox')
  const path = sandbox === undefined ? '/scorecard' : `/sandboxes/${encodeURIComponent(sandbox)}/scorecard`
  return new URL(`/_petstore${path}`, url.origin)
}

/** Milliseconds, and bytes of an answer: that of 10,000 sandboxes is far below. */
const timeoutMs = 30_000
const largestAnswer = 256 * 2 ** 20

/** The scorecards, or why there are none and what to do. */
async function ask(url: URL, token: string | undefined): Promise<Scorecard[] | string> {
  const { Client } = await import('undici')
  const client = new Client(url.origin, {
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: { timeout: timeoutMs },
    maxResponseSize: largestAnswer,
  })
  try {
    const headers = { accept: 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) }
    const { statusCode, body } = await client.request({ method: 'GET', path: url.pathname, headers })
    const text = await body.text()
    return statusCode === 200 ? await read(text, url) : whyRefused(statusCode, text, url)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return `no mock can be reached at ${url.origin} (${code ?? message}); start one with petstore mock, or give its URL`
  } finally {
    await client.destroy()
  }
}

async function read(text: string, url: URL): Promise<Scorecard[] | string> {
  const { readScorecards } = await import('../mock/scorecard/read.ts')
  return readScorecards(parsed(text)) ?? `what answers at ${url.origin} is no mock of this kit: it has no scorecards`
}

function whyRefused(status: number, text: string, url: URL): string {
  if (status === 404) {
    const what = url.pathname.includes('/sandboxes/') ? 'such sandbox' : 'control API'
    return `there is no ${what} at ${url.origin}; is it a mock of this kit, started without --no-control?`
  }
  const answer = parsed(text) as { message?: unknown } | undefined | null
  const said = typeof answer?.message === 'string' ? printable(answer.message) : `it answered ${status}`
  return status === 401
    ? `the control API at ${url.origin} refuses: ${said}; give --token, or set PETSTORE_CONTROL_TOKEN`
    : `the mock at ${url.origin} refuses: ${said}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** What a server says, on one line of a terminal. */
const printable = (text: string): string =>
  text
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .slice(0, 300)
    .replace(/\.$/, '')
