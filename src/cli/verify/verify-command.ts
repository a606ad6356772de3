import { relative, sep } from 'node:path'
import type { Baseline, HttpArchive, Report, Reporter, VerifyInput } from '../../contract/index.ts'
import type { Shown } from '../../contract/judge/catalog.ts'
import { headerVariable } from '../../contract/http/curl.ts'
import { fail, UsageError } from '../../errors.ts'
import { issuesOf, toSentence } from '../../validate.ts'
import type { Parsed } from '../../options.ts'
import { shellWord } from '../../report/shell.ts'
import { count } from '../../report/text.ts'
import {
  type Command,
  checkInFlags,
  type Console,
  createProgress,
  note,
  onlyWord,
  wantsColor,
  widthOf,
} from '../command.ts'
import { type FoundDeployment, nameOfDeployment, reportersOf } from '../deployments.ts'
import {
  filesOf,
  type Output,
  prepareOutputs,
  readOutputs,
  writeOutputs,
  writeStepSummary,
} from '../outputs.ts'
import { replayFlags, verifyFlags } from './verify-flags.ts'
import { readRecording } from './recording.ts'
import { readRunOptions } from './verify-options.ts'
import { invocationIn } from '../invocation.ts'

export const command: Command = {
  usage: ['petstore verify URL [options]', 'petstore verify DEPLOYMENT [options]'],
  about: `Checks a deployment against the specification of the Pet Store Service and reports every
violation. The deployment is a base URL, such as https://staging.example.com/v1, or a name
in petstore.config.json.`,
  flags: verifyFlags,
  examples: [
    'petstore verify http://127.0.0.1:4010/v1 --key petstore-test-key',
    'petstore verify https://staging.example.com/v1 --read-only --reporter html=report.html',
    'petstore verify staging --baseline known.json --reporter junit=report.xml --strict',
  ],
  notes: `Exit codes:
  0  no requirement is violated, and at least one is verified; with --depth smoke: its
     checks finished and found no violation
  1  a requirement is violated, or with --expect-profile: unspecified behavior has changed
  2  the command line is wrong
  3  nothing could be verified (unreachable, key rejected), or less than --strict or
     --min-verified requires
  4  an output could not be written; 1 takes precedence over 4, and 4 over 3`,
  async run(console, flags) {
    if (flags.has('list')) {
      await console.print((await import('../../contract/index.ts')).listSuite())
      return 0
    }
    const target = onlyWord(
      flags,
      'petstore verify takes one base URL (petstore compare takes two)',
    )
    const failed = flags.text('only-failed')
    if (failed !== undefined) return verifyAgain(console, flags, failed, target)
    const missing = 'petstore verify needs the base URL: petstore verify http://127.0.0.1:4010/v1'
    return verify(console, flags, target ?? fail(missing))
  },
}

export const replayCommand: Command = {
  usage: ['petstore replay REPORT [options]'],
  about: `Verifies the deployment in a JSON report of petstore verify several times and shows which
findings are fixed, which still fail, and which are flaky. Same as petstore verify --only-failed
REPORT.`,
  flags: replayFlags,
  examples: [
    'petstore replay report.json',
    'petstore replay report.json --times 10',
    'petstore replay report.json --url staging',
  ],
  notes: `Exit codes:
  0  everything is fixed
  1  something still fails or is flaky
  2  the command line is wrong
  3  something could not be checked
  4  an output could not be written; 1 takes precedence over 4, and 4 over 3`,
  run(console, flags) {
    const missing = 'petstore replay needs a report: petstore replay report.json'
    const file = onlyWord(flags, 'petstore replay takes one report') ?? fail(missing)
    return verifyAgain(console, flags, file, flags.text('url'))
  },
}

async function verifyAgain(
  console: Console,
  flags: Parsed,
  file: string,
  target: string | undefined,
): Promise<number> {
  const onlyFailed = await readReport(file)
  const deployment = target ?? (await targetOf(onlyFailed, file, console, flags))
  return verify(console, flags, deployment, { onlyFailed, times: flags.integer('times') })
}

async function verify(
  console: Console,
  flags: Parsed,
  target: string,
  more: Partial<VerifyInput> = {},
) {
  const contract = await import('../../verify/index.ts')
  const { showRecheck } = await import('./recheck.ts')
  const { input, deployment } = await readRunOptions(console, flags, target)
  const isWhole = more.onlyFailed === undefined
  const options = {
    ...input,
    ...more,
    ...(await readVerdictOptions(flags, isWhole ? deployment : undefined)),
  }
  checkInFlags(flags, () => contract.checkOptions(options))
  const isConfigured = isWhole && deployment !== undefined && !flags.has('reporter')
  const configured = isConfigured ? await reportersOf(deployment, console.folder) : undefined
  const again = {
    target: (deployment?.name ?? input.baseUrl) + flagsAgain(flags),
    program: invocationIn(console.env),
  }
  const text: Reporter = (report, shown) =>
    isWhole ? contract.toText(report, { ...shown, ...again }) : showRecheck(report)
  const github: Reporter = (report, shown) =>
    contract.toGithub(report, { ...shown, ...placeOf(console, deployment) })
  const outputs = readOutputs(console, configured ?? flags.list('reporter'), {
    ...contract.reporters,
    text,
    github,
  })
  const history = isWhole && flags.text('history')
  const name = deployment?.name ?? input.baseUrl
  const record = history
    ? await import('./history-command.ts').then(({ openHistory }) =>
        openHistory(console, history, name),
      )
    : undefined
  const recording = await readRecording(flags, new URL(input.baseUrl))
  const logFile = flags.text('log')
  const logs: Output<HttpArchive>[] =
    logFile === undefined
      ? []
      : [{ name: 'log', file: logFile, isPrivate: true, render: toHar, describe: entriesOf }]
  await prepareOutputs([...outputs, ...recording, ...logs])
  let archive: HttpArchive | undefined
  let shown: Shown = { listed: [], created: [] }
  const onShown = flags.has('save') ? (found: Shown): void => void (shown = found) : undefined
  const stop = new AbortController()
  void console.interrupted.then(() => stop.abort())
  const progress = createProgress(console)
  const report = await contract.verify({
    ...options,
    onProgress: progress.show,
    onFailing: (soFar) => progress.note(contract.toFailingLine(soFar)),
    onShown,
    onLog: logs.length > 0 ? (log) => void (archive = log) : undefined,
    signal: stop.signal,
  })
  progress.end()
  let code = await writeOutputs(console, outputs, report, report.exitCode, flags.has('verbose'))
  // Otherwise the verdict would be in files only.
  if (outputs.every(({ file }) => file !== undefined)) {
    const color = wantsColor(console, console.terminal.stderr)
    const width = console.terminal.stderr ? widthOf(console) : undefined
    const shown = { color, files: filesOf(outputs), ...again, ...(width && { width }) }
    note(console, contract.toOverview(report, shown))
  }
  const unset = report.findings.length > 0 ? unsetVariables(flags, input) : []
  if (unset.length > 0)
    note(console, `export ${unset.join(' ')}  # then the curl commands of the report work`)
  if (record) code = await record(report, code)
  code = await writeStepSummary(console, outputs, report, code)
  if (archive) code = await writeOutputs(console, logs, archive, code)
  // A run without a verdict has nothing worth saving.
  return report.exitCode === 3 ? code : writeOutputs(console, recording, { shown, report }, code)
}

/** Where the deployment is named, as GitHub has it: by its path in the repository. */
function placeOf(
  { env, folder }: Console,
  deployment: FoundDeployment | undefined,
): Parameters<Reporter>[1] {
  if (deployment === undefined) return {}
  const path = relative(env['GITHUB_WORKSPACE'] || folder, deployment.file).replaceAll(sep, '/')
  return { place: { file: path, line: deployment.line } }
}

/** The assignments without which the variables in the curl commands of a report have no value. */
function unsetVariables(
  flags: Parsed,
  { keyVariable, headers = {}, headerVariables = {} }: VerifyInput,
): string[] {
  const keyFile = flags.text('key-file')
  const key = keyFile === undefined ? '...' : `"$(cat ${shellWord(keyFile)})"`
  return [
    ...(keyVariable === undefined ? [`PETSTORE_API_KEY=${key}`] : []),
    ...Object.keys(headers).flatMap((name) =>
      name in headerVariables ? [] : [`${headerVariable(name)}=...`],
    ),
  ]
}

const toHar = (archive: HttpArchive): string => `${JSON.stringify(archive, null, 2)}\n`
const entriesOf = ({ log }: HttpArchive): string => count(log.entries.length, 'request')

/** The permission and the certificates of a run, which the next one needs as well. */
function flagsAgain(flags: Parsed): string {
  const switches = ['read-only', 'allow-writes', 'insecure'].filter((name) => flags.has(name))
  const files = ['config', 'key-file', 'ca', 'cert', 'cert-key'].filter((name) => flags.has(name))
  const words = [
    ...files.map((name) => `${name} ${shellWord(flags.text(name) ?? '')}`),
    ...flags.list('header-env').map((text) => `header-env ${shellWord(text)}`),
  ]
  return [...switches, ...words].map((word) => ` --${word}`).join('')
}

async function readVerdictOptions(
  flags: Parsed,
  deployment: FoundDeployment | undefined,
): Promise<Partial<VerifyInput>> {
  const baseline = flags.text('baseline') ?? deployment?.baseline
  const expected = flags.text('expect-profile')
  const least = flags.text('min-verified') ?? deployment?.minVerified
  return {
    ...(baseline !== undefined && { baseline: await readBaselineFile(baseline) }),
    ...(expected !== undefined && { expectProfile: await readProfileFile(expected) }),
    strict: flags.has('strict'),
    // A number of requirements, or a percentage.
    minVerified: /^\d+$/.test(String(least)) ? Number(least) : least,
  }
}

// Only runs with such a file load the parser of files.
async function readBaselineFile(file: string): Promise<Baseline> {
  const { readBaseline } = await import('../../contract/report/baseline.ts')
  const { readJsonFile } = await import('../json-file.ts')
  return readBaseline((await readJsonFile(file, 'the baseline')).value, file)
}

async function readProfileFile(file: string): Promise<Record<string, string>> {
  const { readOptions } = await import('./profile-command.ts')
  return Object.fromEntries(await readOptions(file))
}

/** The target of a re-run. No report alone may name it: anybody may have written that, and the target gets the key. */
async function targetOf(
  { target }: Report,
  file: string,
  console: Console,
  flags: Parsed,
): Promise<string> {
  const name = await nameOfDeployment(target, flags.text('config'), console.folder)
  if (name !== undefined) return name
  const { isLoopback } = await import('../../contract/session/options.ts')
  if (URL.canParse(target) && isLoopback(new URL(target).hostname)) return target
  const shown = JSON.stringify(target)
  throw new UsageError(
    `${file} names ${shown}, which is neither on this machine nor in petstore.config.json; to send the key there, give it with --url`,
  )
}

/** @throws {UsageError} when the file is no JSON report */
export async function readReport(file: string): Promise<Report> {
  const { validators } = await import('../../contract/report/validators.gen.ts')
  const { readJsonFile } = await import('../json-file.ts')
  const { value } = await readJsonFile(file, 'the report')
  // A newer kit may report more fields.
  const first = issuesOf(validators.Report, value).find(({ code }) => code !== 'closed')
  if (first !== undefined) {
    const reason = toSentence({ ...first, path: first.pointer }, 'it').replace(/\.$/, '')
    throw new UsageError(
      `${file} is not a report of petstore verify --reporter json=FILE: ${reason}`,
    )
  }
  return value as unknown as Report
}
