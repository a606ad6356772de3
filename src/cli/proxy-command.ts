import type { Report } from '../contract/report.ts'
import { fail, type Issue, UsageError } from '../errors.ts'
import type { Scorecard } from '../mock/scorecard/scorecard.gen.ts'
import { type Flag, flagsOf, type Parsed } from '../options.ts'
import { inertLines } from '../report/inert.ts'
import { type Command, type Console, onlyWord, throwInFlags, wantsColor, warn } from './command.ts'
import { openInBrowser } from './mock-command.ts'
import { sharedMockFlags } from './mock-flags.ts'
import { prepareOutputs, readOutputs, writeOutputs, writeStepSummary } from './outputs.ts'
import type { RunningProxy } from './proxy-run.ts'
import { readRecording } from './recording.ts'
import { createLog, logTable } from './request-log.ts'
import { verifyFlags } from './verify-flags.ts'

const named = (flags: readonly Flag[], ...names: readonly string[]): Flag[] =>
  names.flatMap((name) => flags.filter((flag) => flag.name === name))

export const proxyFlags: Flag[] = [
  ...flagsOf('Server', {
    'port PORT': {
      env: 'PETSTORE_PROXY_PORT',
      default: '4011',
      range: [0, 65_535],
      help: 'the port to listen on; 0 selects a free port',
    },
  }),
  ...named(sharedMockFlags, 'host').map((flag) => ({ ...flag, env: 'PETSTORE_PROXY_HOST' })),
  ...named(sharedMockFlags, 'control-token', 'control-host').map((flag) => ({ ...flag, group: 'Server' })),
  ...named(verifyFlags, 'config', 'ca', 'cert', 'cert-key'),
  ...flagsOf('Target', {
    'timeout SECONDS': {
      default: '30',
      range: [0.001, 600],
      help: 'the time to wait for a response; then the proxy responds 504',
    },
  }),
  ...named(verifyFlags, 'save', 'save-profile', 'anonymize', 'keep-names'),
  ...flagsOf('Verdict', {
    'fail-on WHAT': {
      default: 'violations',
      oneOf: ['violations', 'issues', 'any', 'none'],
      help: 'exit with 1 for violations of the deployment, issues of its clients, any of them, or none',
    },
  }),
  ...named(verifyFlags, 'reporter'),
  ...flagsOf('Output', {
    'scorecard NAME[=FILE]': {
      repeatable: true,
      help: 'the scorecard of the clients, on stdout or in a file: text, json, markdown or html',
    },
  }),
  ...named(verifyFlags, 'verbose'),
  ...flagsOf('Output', {
    ...logTable(
      'print a line for each request on stderr: text, json or none (default: text on a terminal, otherwise none)',
    ),
    open: 'open the console in the browser',
    quiet: 'print only the base URL, and no report on stdout',
  }),
]

export const command: Command = {
  usage: ['petstore proxy URL [options]', 'petstore proxy DEPLOYMENT [options]'],
  about: `Forwards requests to a deployment unchanged until it is stopped with Ctrl-C, and judges both
sides: responses by the requirements that verify checks, requests by the rules of the scorecard.
Clients use it by changing only their base URL. Keys are never stored. The deployment is a base
URL, such as https://staging.example.com/v1, or a name in petstore.config.json.`,
  flags: proxyFlags,
  examples: [
    'petstore proxy https://staging.example.com/v1',
    'petstore exec --proxy staging -- npx playwright test',
    'petstore proxy staging --save pets.json --save-profile profile.json',
  ],
  notes: `Exit codes:
  0  no response violates a requirement, and at least one was judged
  1  a response violates a requirement, or --fail-on selects another problem that was found
  2  the command line is wrong
  3  the proxy saw nothing that it could judge
  4  an output could not be written; 1 takes precedence over 4, and 4 over 3`,
  async run(console, flags) {
    const missing = 'petstore proxy needs the base URL: petstore proxy https://staging.example.com/v1'
    const target = onlyWord(flags, 'petstore proxy takes one base URL') ?? fail(missing)
    const isQuiet = flags.has('quiet')
    const log = console.terminal.stderr && !isQuiet ? 'text' : 'none'
    const { interrupted } = console
    const run = await openProxy(console, flags, { target, log })
    const { proxy } = run
    await console.print(isQuiet ? `${proxy.url}\n` : inertLines(greeting(run.baseUrl, proxy)))
    if (flags.has('open')) openInBrowser(console, proxy.consoleUrl)
    await interrupted
    return run.end()
  },
}

/** Starts the proxy of a command line. `log` is the default of --log; with `isForCommand`, a command gets the key. */
export async function openProxy(
  console: Console,
  flags: Parsed,
  { target, log, isForCommand = false }: { target: string; log: string; isForCommand?: boolean },
) {
  const [
    { keyEnvOf, proxiesOf, readDeployment, readCertificateFiles },
    { readBaseUrl },
    { findProxy, readCertificates, readPrivateKey },
    { reporters },
    { scorecardReporters },
  ] = await Promise.all([
    import('./verify-options.ts'),
    import('../contract/options.ts'),
    import('../contract/connection.ts'),
    import('../contract/index.ts'),
    import('../mock/scorecard/reporters.ts'),
  ])
  const deployment = await readDeployment(console, flags, target)
  const remedy = 'give its base URL, and set PETSTORE_API_KEY'
  const keyEnv = isForCommand ? keyEnvOf(deployment, remedy) : ''
  const issues: Issue[] = []
  const baseUrl = readBaseUrl(deployment?.baseUrl ?? target, issues)
  const certificates = await readCertificateFiles(flags)
  readCertificates(certificates.ca, issues)
  readCertificates(certificates.cert, issues, 'cert')
  readPrivateKey(certificates.certKey, issues)
  if (issues.length > 0) throwInFlags(new UsageError(issues))
  const isDefault = !['reporter', 'scorecard', 'quiet'].some((name) => flags.has(name))
  // Its default is for runs without any of these flags.
  const wanted = flags.has('reporter') || isDefault ? flags.list('reporter') : []
  const outputs = readOutputs<Report>(console, wanted, reporters)
  const cards = readOutputs<readonly Scorecard[]>(console, flags.list('scorecard'), scorecardReporters)
  const url = new URL(baseUrl)
  const recording = await readRecording(flags, url)
  await prepareOutputs([...outputs, ...cards, ...recording])
  if (isDefault) {
    // After the report, on stdout as well.
    const render: typeof scorecardReporters.text = (...card) => `\nClients\n\n${scorecardReporters.text(...card)}`
    cards.push({ name: 'text', render, file: undefined })
  }
  const color = wantsColor(console, console.terminal.stderr)
  const onRequest = createLog(flags, { usual: log, color, write: console.notify })
  const { startProxy } = await import('./proxy-run.ts')
  const started = startProxy({
    target: url,
    proxy: findProxy(url, proxiesOf(console)),
    ...certificates,
    timeoutMs: Number(flags.milliseconds('timeout')),
    port: Number(flags.integer('port')),
    host: String(flags.text('host')),
    controlToken: flags.text('control-token'),
    controlHosts: flags.list('control-host'),
    onRequest,
  })
  const proxy = await started.catch(throwInFlags)
  return {
    proxy,
    baseUrl,
    /** The environment variable with the key of the deployment, for a command. */
    keyEnv,
    /** Stops the proxy and writes the reports. Returns the exit code. */
    async end(): Promise<number> {
      await proxy.close()
      const reason = proxy.hasJudged() ? undefined : 'no request to the interface got a response to judge'
      const report = proxy.report(reason)
      const scorecards = await proxy.scorecards()
      const hasIssues = scorecards.some(({ issues }) => issues.some(({ severity }) => severity === 'violation'))
      const found = [...(report.verdict === 'violates' ? ['violations'] : []), ...(hasIssues ? ['issues'] : [])]
      const failsOn = String(flags.text('fail-on'))
      const isFailed = failsOn === 'any' ? found.length > 0 : found.includes(failsOn)
      const verdict = isFailed ? 1 : 0
      let code = reason === undefined ? verdict : 3
      code = await writeOutputs(console, outputs, report, code, flags.has('verbose'))
      if (scorecards.some(({ requests }) => requests > 0)) code = await writeOutputs(console, cards, scorecards, code)
      code = await writeStepSummary(console, outputs, report, code)
      if (reason === undefined) return writeOutputs(console, recording, { shown: proxy.shown(), report }, code)
      warn(console, `${reason}. Let a client call the proxy:\n  ${tryIt(proxy)}`)
      return code
    },
  }
}

const tryIt = ({ url }: RunningProxy): string =>
  `curl -H "Authorization: Bearer $PETSTORE_API_KEY" '${url}/pets?limit=3'`

function greeting(baseUrl: string, proxy: RunningProxy): string {
  const { url, consoleUrl, controlToken } = proxy
  return [
    `The proxy is ready. It forwards requests to ${baseUrl} and judges both sides.`,
    '',
    `  Base URL  ${url}`,
    `  Console   ${consoleUrl}${controlToken === undefined ? '' : `, with the token ${controlToken}`}`,
    `  Try it    ${tryIt(proxy)}`,
    '',
    'Use the base URL in a page, an app or a partner client. Press Ctrl-C to stop the proxy and print the report.',
    '',
  ].join('\n')
}
