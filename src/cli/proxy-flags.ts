import type { Flag } from '../options.ts'
import { sharedMockFlags } from './mock-flags.ts'
import { verifyFlags } from './verify-flags.ts'

const named = (flags: readonly Flag[], names: readonly string[]): Flag[] =>
  names.flatMap((name) => flags.filter((flag) => flag.name === name))

const failures = ['violations', 'issues', 'any', 'none']

/** What a proxy records of the deployment. */
export const recordFlags: Flag[] = named(verifyFlags, ['save', 'save-profile', 'anonymize', 'keep-names'])

/** How a proxy passes requests on. */
export const forwardFlags: Flag[] = [
  ...named(verifyFlags, ['config', 'ca', 'cert', 'cert-key']),
  {
    name: 'timeout',
    value: 'SECONDS',
    default: '30',
    range: [0.001, 600],
    help: 'the time in which a response must begin; then the proxy responds 504',
  },
]

/** What becomes of what was judged. */
export const judgeFlags: Flag[] = [
  {
    name: 'fail-on',
    value: 'WHAT',
    default: 'violations',
    check: (text) =>
      failures.includes(text) ? undefined : `takes ${failures.join(', ')}, not ${JSON.stringify(text)}`,
    help: 'exit with 1 on violations of the deployment, issues of its clients, any of them, or none',
  },
  ...named(verifyFlags, ['reporter']),
  {
    name: 'scorecard',
    value: 'NAME[=FILE]',
    repeatable: true,
    help: 'how to report on the clients, on stdout or into a file: text, json, markdown or html',
  },
  ...named(verifyFlags, ['verbose']),
]

const inGroup = (group: string, flags: readonly Flag[]): Flag[] => flags.map((flag) => ({ ...flag, group }))

/** The options of `petstore proxy`. */
export const proxyFlags: Flag[] = [
  ...inGroup('Server', [
    {
      name: 'port',
      value: 'PORT',
      env: 'PETSTORE_PROXY_PORT',
      default: '4011',
      range: [0, 65_535],
      help: 'the port to listen on; 0 takes a free one',
    },
    ...named(sharedMockFlags, ['host']).map((flag) => ({ ...flag, env: 'PETSTORE_PROXY_HOST' })),
    ...named(sharedMockFlags, ['control-token', 'control-host']),
  ]),
  ...inGroup('Target', forwardFlags),
  ...inGroup('Recording', recordFlags),
  ...inGroup('Verdict', judgeFlags.slice(0, 1)),
  ...inGroup('Output', [
    ...judgeFlags.slice(1),
    {
      name: 'log',
      value: 'FORMAT',
      check: (text) =>
        ['text', 'json', 'none'].includes(text) ? undefined : `takes text, json or none, not ${JSON.stringify(text)}`,
      help: 'print a line for each request on stderr: text, json or none (default: text on a terminal, else none)',
    },
    { name: 'open', help: 'open the console in the browser' },
    { name: 'quiet', help: 'print only the base URL, and no report on stdout' },
  ]),
]
