import { relative, sep } from 'node:path'
import type { Baseline, HttpArchive, Report, Reporter, VerifyInput } from '../../contract/index.ts'
import type { Shown } from '../../contract/judge/catalog.ts'
import { headerVariable } from '../../contract/http/curl.ts'
import { keyCommandVariable } from '../../contract/report/words.ts'
import { UsageError } from '../../errors.ts'
import { issuesOf, toSentence } from '../../validate.ts'
import type { Parsed } from '../../options.ts'
import { shellFile } from '../../report/shell.ts'
import { count, toInertJson } from '../../report/text.ts'
import {
  type Command,
  type Console,
  createProgress,
  note,
  readInFlags,
  theWord,
  wantsColor,
  widthOf,
  notWritten,
} from '../command.ts'
import { type FoundDeployment, reportersOf } from '../deployments.ts'
import {
  filesOf,
  type Output,
  prepareOutputs,
  readOutputs,
  writeOutputs,
  writeStepSummary,
} from '../outputs.ts'
import { reachedBy } from './reached.ts'
import { verifyFlags } from './verify-flags.ts'
import { readRecording } from './recording.ts'
import { readRunOptions, type RunOptions } from './verify-options.ts'
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
  exitCodes: {
    0: 'no requirement is violated, and at least one is verified; with --depth smoke: its checks finished and found no violation',
    1: 'a requirement is violated, or with --expect-profile: unspecified behavior has changed',
    3: 'nothing could be verified (unreachable, key rejected), or less than --strict or --min-verified requires',
    4: notWritten,
  },
  async run(console, flags) {
    if (flags.has('list')) {
      await console.print((await import('../../contract/index.ts')).listSuite())
      return 0
    }
    const target = theWord(
      flags,
      'one base URL (petstore compare takes two)',
      'petstore verify http://127.0.0.1:4010/v1',
    )
    return verify(console, flags, target)
  },
}

/** @param replay of a report: its options, and how the result is shown */
export async function verify(
  console: Console,
  flags: Parsed,
  target: string,
  replay?: Pick<VerifyInput, 'onlyFailed' | 'times'> & {
    show: (report: Report, run: RunOptions) => string
  },
): Promise<number> {
  const contract = await import('../../verify/index.ts')
  const run = await readRunOptions(console, flags, target)
  const { input, deployment } = run
  const { show, ...more } = replay ?? {}
  const isWhole = show === undefined
  const options = {
    ...input,
    ...more,
    ...(await readVerdictOptions(flags, isWhole ? deployment : undefined)),
  }
  readInFlags(flags, () => contract.checkOptions(options))
  const configured =
    isWhole && deployment !== undefined && !flags.has('reporter')
      ? await reportersOf(deployment, console.folder)
      : undefined
  const text: Reporter = isWhole ? contract.toText : (report) => show(report, run)
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
  const recording = await readRecording(flags)
  const logFile = flags.text('log')
  const logs: Output<HttpArchive>[] =
    logFile === undefined
      ? []
      : [
          {
            name: 'log',
            file: logFile,
            isPrivate: true,
            render: toInertJson,
            describe: ({ log }) => count(log.entries.length, 'request'),
          },
        ]
  await prepareOutputs([...outputs, ...recording, ...logs])
  let archive: HttpArchive | undefined
  let shown: Shown = { listed: [], created: [] }
  const onShown = flags.has('save') ? (found: Shown): void => void (shown = found) : undefined
  const stop = new AbortController()
  void console.interrupted.then(() => stop.abort())
  const progress = createProgress(console)
  const result = await contract.verify({
    ...options,
    onProgress: progress.show,
    onFailing: (soFar) => progress.note(contract.toFailingLine(soFar)),
    onShown,
    onLog: logs.length > 0 ? (log) => void (archive = log) : undefined,
    signal: stop.signal,
  })
  progress.end()
  const report = { ...result, reached: reachedBy(flags, deployment?.name) }
  let code = await writeOutputs(console, outputs, report, report.exitCode, flags.has('verbose'))
  // Otherwise the verdict would be in files only.
  if (outputs.every(({ file }) => file !== undefined)) {
    const color = wantsColor(console, console.terminal.stderr)
    const width = console.terminal.stderr ? widthOf(console) : undefined
    const shown = { color, files: filesOf(outputs), program: invocationIn(console.env), width }
    note(console, contract.toOverview(report, shown))
  }
  const hasCommands =
    report.findings.length > 0 || (report.depth === 'smoke' && report.exitCode !== 3)
  const unset = hasCommands ? unsetVariables(flags, input) : []
  if (unset.length > 0)
    note(console, `export ${unset.join(' ')}  # then the commands of the report work`)
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
  const key = keyFile === undefined ? '...' : `"$(cat ${shellFile(keyFile)})"`
  return [
    ...(keyVariable === undefined ? [`PETSTORE_API_KEY=${key}`] : []),
    ...(flags.has('key-command') ? [`${keyCommandVariable}=...`] : []),
    ...Object.keys(headers).flatMap((name) =>
      name in headerVariables ? [] : [`${headerVariable(name)}=...`],
    ),
  ]
}

async function readVerdictOptions(
  flags: Parsed,
  deployment: FoundDeployment | undefined,
): Promise<Partial<VerifyInput>> {
  const baseline = flags.text('baseline') ?? deployment?.baseline
  const expected = flags.text('expect-profile')
  const least = flags.text('min-verified') ?? deployment?.minVerified
  return {
    baseline: baseline === undefined ? undefined : await readBaselineFile(baseline),
    expectProfile:
      expected === undefined
        ? undefined
        : Object.fromEntries(await (await import('./profile-command.ts')).readOptions(expected)),
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
