import type { Report } from '../contract/index.ts'
import { UsageError } from '../errors.ts'
import { type Parsed, parseFlags, showFlags } from '../options.ts'
import { issuesOf, toSentence } from '../validate.ts'
import type { Console } from './console.ts'
import { nameOfDeployment } from './deployments.ts'
import { readJsonFile } from './files.ts'
import { createProgress } from './progress.ts'
import { readRunOptions } from './run-options.ts'
import { replayFlags } from './verify-flags.ts'

const usage = `Usage: petstore replay REPORT [options]

Runs again only what failed in a JSON report of petstore verify, several times, and says
what is fixed, what still fails, and what is flaky.

Options:
${showFlags(replayFlags)}

Exit codes:
  0  everything is fixed
  1  something still fails or is flaky
  2  the command line is wrong
  3  something could not be told
`

/** `petstore replay`: prints what became of each finding. Returns the exit code. */
export async function replayCommand(console: Console): Promise<number> {
  if (console.args.includes('--help')) {
    await console.print(usage)
    return 0
  }
  const flags = parseFlags(replayFlags, console.args, console.env)
  const file = onlyWord(flags.words)
  const contract = await import('../contract/index.ts')
  const report = await readReport(file)
  const { input } = await readRunOptions(console, flags, await targetOf(report, file, console, flags))
  const stop = new AbortController()
  void console.interrupted.then(() => stop.abort())
  const progress = createProgress(console)
  const result = await contract.verify({
    ...input,
    onlyFailed: report,
    times: flags.integer('times') ?? 3,
    onProgress: progress.show,
    signal: stop.signal,
  })
  progress.end()
  await console.print(show(result, contract.inert))
  return result.exitCode
}

/**
 * What to replay against.
 *
 * @throws {UsageError} when only the report, which anybody may have written, names the host that would get the key
 */
async function targetOf({ target }: Report, file: string, console: Console, flags: Parsed): Promise<string> {
  const url = flags.text('url')
  if (url !== undefined) return url
  const name = await nameOfDeployment(target, flags.text('config'), console.folder)
  if (name !== undefined) return name
  const { isLoopback } = await import('../contract/options.ts')
  if (URL.canParse(target) && isLoopback(new URL(target).hostname)) return target
  const shown = JSON.stringify(target)
  throw new UsageError(
    `${file} names ${shown}, which is neither on this machine nor in petstore.config.json; to send the key there, give it with --url`,
  )
}

function onlyWord(words: readonly string[]): string {
  const [file, ...more] = words
  if (file === undefined) throw new UsageError('petstore replay needs a report: petstore replay report.json')
  if (more.length > 0) throw new UsageError(`petstore replay takes one report, and got ${words.length} words`)
  return file
}

/**
 * Reads a JSON report.
 *
 * @throws {UsageError} when the file is none
 */
export async function readReport(file: string): Promise<Report> {
  const [report, { validators }] = await Promise.all([
    readJsonFile(file, 'the report'),
    import('../contract/validators.gen.ts'),
  ])
  // A newer kit may report more.
  const first = issuesOf(validators.Report, report).find(({ code }) => code !== 'closed')
  if (first === undefined) return report as Report
  const reason = toSentence({ ...first, path: first.pointer }, 'it').replace(/\.$/, '')
  throw new UsageError(`${file} is no report of petstore verify --reporter json=FILE: ${reason}`)
}

const words = {
  fixed: 'FIXED',
  'still-failing': 'STILL FAILING',
  flaky: 'FLAKY',
  'not-verified': 'NOT VERIFIED',
} as const

function show({ target, recheck: results = [], counts, reason }: Report, inert: (text: string) => string): string {
  const lines = results.map(({ clause, message, outcome, seen, runs }) => {
    const told = runs === 0 ? 'no run could tell' : `seen in ${seen} of ${runs} ${runs === 1 ? 'run' : 'runs'}`
    const count = outcome === 'not-verified' && runs > 0 ? `${told}; the others could not tell` : told
    return `${words[outcome].padEnd(13)}  ${inert(clause)}  (${count})\n               ${inert(message)}`
  })
  return [
    `Replay of ${results.length} ${results.length === 1 ? 'finding' : 'findings'} against ${inert(target)}`,
    `${counts.requests} requests, ${counts.writes} pets created`,
    '',
    ...lines,
    ...(reason === undefined ? [] : ['', inert(reason)]),
    '',
  ].join('\n')
}
