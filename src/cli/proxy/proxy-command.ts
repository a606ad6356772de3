import { enumerate } from '../../errors.ts'
import { type Flag, flagsOf } from '../../options.ts'
import { commonFormats } from '../../report/formats.ts'
import { inertLines } from '../../report/text.ts'
import { type Command, theWord, notWritten } from '../command.ts'
import { openInBrowser } from '../mock/mock-command.ts'
import { commonFlags } from '../mock/mock-flags.ts'
import type { RunningProxy } from './proxy-run.ts'
import { logTable } from '../mock/request-log.ts'
import { verifyFlags } from '../verify/verify-flags.ts'

const named = (flags: readonly Flag[], ...names: readonly string[]): Flag[] =>
  names.flatMap((name) => flags.filter((flag) => flag.name === name))

export const proxyFlags: Flag[] = [
  ...flagsOf('Server', {
    'port PORT': {
      option: 'port',
      env: 'PETSTORE_PROXY_PORT',
      default: '4011',
      range: [0, 65_535],
      help: 'the port to listen on; 0 selects a free port',
    },
  }),
  ...named(commonFlags, 'host').map((flag) => ({ ...flag, env: 'PETSTORE_PROXY_HOST' })),
  ...named(commonFlags, 'control-token', 'control-host').map((flag) => ({
    ...flag,
    group: 'Server',
  })),
  ...named(verifyFlags, 'config', 'header', 'header-env', 'ca', 'cert', 'cert-key', 'insecure'),
  ...flagsOf('Target', {
    'timeout DURATION': {
      default: '30s',
      range: [0.001, 600],
      help: 'the time to wait for a response; then the proxy responds 504',
    },
  }),
  ...named(verifyFlags, 'save', 'save-profile', 'keep-names'),
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
      help: `the scorecard of the clients, on stdout or in a file: ${enumerate(commonFormats, 'or')}`,
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

/** Exit codes of commands that judge traffic. */
export const judged = {
  0: 'no response violates a requirement, and at least one was judged',
  1: 'a response violates a requirement, or --fail-on selects another problem that was found',
  4: notWritten,
}

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
  exitCodes: {
    ...judged,
    3: 'the proxy saw nothing that it could judge, or no success of an operation',
  },
  async run(console, flags) {
    const target = theWord(flags, 'one base URL', 'petstore proxy https://staging.example.com/v1')
    const isQuiet = flags.has('quiet')
    const log = console.terminal.stderr && !isQuiet ? 'text' : 'none'
    const { interrupted } = console
    const { openProxy } = await import('./proxy-run.ts')
    const run = await openProxy(console, flags, { target, log })
    const { proxy } = run
    await console.print(isQuiet ? `${proxy.url}\n` : inertLines(greeting(run.baseUrl, proxy)))
    if (flags.has('open')) openInBrowser(console, proxy.consoleUrl)
    await interrupted
    return run.end()
  },
}

function greeting(
  baseUrl: string,
  { url, consoleUrl, controlToken, example }: RunningProxy,
): string {
  return [
    `The proxy is ready. It forwards requests to ${baseUrl} and judges both sides.`,
    '',
    `  Base URL  ${url}`,
    `  Console   ${consoleUrl}${controlToken === undefined ? '' : `, with the token ${controlToken}`}`,
    `  Try it    ${example}`,
    '',
    'Use the base URL in a page, an app or a partner client. Press Ctrl-C to stop the proxy and print the report.',
    '',
  ].join('\n')
}
