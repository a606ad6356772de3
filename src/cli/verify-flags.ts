import type { Flag } from '../options.ts'

const target: Flag[] = [
  { name: 'key', value: 'KEY', env: 'PETSTORE_API_KEY', help: 'the API key (redacted in all reports)' },
  { name: 'key-file', value: 'FILE', help: 'a file that holds the API key' },
  { name: 'key-env', value: 'NAME', help: 'the environment variable that holds the API key' },
  {
    name: 'config',
    value: 'FILE',
    help: 'the file that names deployments (default: petstore.config.json, from here upwards)',
  },
  { name: 'header', value: "'NAME: VALUE'", repeatable: true, help: 'a header that a gateway wants with each request' },
  { name: 'ca', value: 'FILE', help: 'PEM certificates to trust besides the usual ones' },
  { name: 'cert', value: 'FILE', help: 'the client certificate (PEM), for a gateway that wants one' },
  { name: 'cert-key', value: 'FILE', help: 'the private key of --cert (PEM)' },
  { name: 'insecure', help: 'trust any certificate' },
]

const writes: Flag[] = [
  {
    name: 'read-only',
    env: 'PETSTORE_READ_ONLY',
    help: 'create no pet; requirements on creation stay unchecked',
  },
  { name: 'allow-writes', help: 'create pets on a target that is not on this machine' },
  {
    name: 'max-writes',
    value: 'N',
    range: [0, 1000],
    help: 'maximum number of pets to create, which stay (default: 25; 3 at --depth smoke, 200 at thorough)',
  },
  {
    name: 'category-id',
    value: 'ID',
    check: (text) => (/^-?\d{1,19}$/.test(text) ? undefined : `takes an integer, not ${JSON.stringify(text)}`),
    help: 'an existing category, for the pets that are created (default: one that the list shows)',
  },
]

const effort: Flag[] = [
  {
    name: 'depth',
    value: 'DEPTH',
    env: 'PETSTORE_DEPTH',
    default: 'standard',
    oneOf: ['smoke', 'standard', 'thorough'],
    help: 'smoke: a sample of the checks; standard: all; thorough: random sequences of requests as well',
  },
  {
    name: 'max-requests',
    value: 'N',
    range: [1, 100_000],
    help: 'maximum number of requests (default: 60 at --depth smoke, 2000 at thorough, otherwise 100000)',
  },
  {
    name: 'seed',
    value: 'N',
    default: '1',
    range: [0, 2_147_483_647],
    help: 'the seed of the random sequences of --depth thorough',
  },
]

const time: Flag[] = [
  { name: 'timeout', value: 'SECONDS', default: '10', range: [0.001, 600], help: 'the time for one request' },
  {
    name: 'settle',
    value: 'SECONDS',
    default: '5',
    range: [0, 600],
    help: 'the consistency window: the time in which a new pet must be visible everywhere',
  },
  { name: 'concurrency', value: 'N', default: '4', range: [1, 64], help: 'concurrent requests' },
  {
    name: 'retry-budget',
    value: 'SECONDS',
    default: '60',
    range: [0, 3600],
    help: 'the time to spend in all on waiting for rate limits and gateways',
  },
  {
    name: 'max-duration',
    value: 'SECONDS',
    env: 'PETSTORE_MAX_DURATION',
    default: '600',
    range: [0.001, 86_400],
    help: 'the time for the whole run, which then ends with what is known',
  },
  {
    name: 'wait-until-ready',
    value: 'SECONDS',
    default: '0',
    range: [0, 3600],
    help: 'the time to wait for a target that does not respond yet',
  },
  {
    name: 'now',
    value: 'DATE',
    help: 'the day that decides whether getPet is removed, and what a baseline excuses (default: today)',
  },
]

const checks: Flag[] = [
  { name: 'only', value: 'ID', repeatable: true, help: 'only this requirement or check; * stands for any text' },
  { name: 'skip', value: 'ID', repeatable: true, help: 'all but this requirement or check; * stands for any text' },
  { name: 'only-failed', value: 'REPORT', help: 're-run only the failed checks of a JSON report' },
  {
    name: 'times',
    value: 'N',
    default: '3',
    range: [1, 20],
    help: 'with --only-failed, the number of runs, to distinguish failing from flaky',
  },
  { name: 'list', help: 'list the requirements and checks; sends nothing' },
]

const verdict: Flag[] = [
  { name: 'strict', help: 'exit with 3 when a requirement could not be checked' },
  {
    name: 'min-verified',
    value: 'N[%]',
    env: 'PETSTORE_MIN_VERIFIED',
    help: 'exit with 3 when fewer requirements, or fewer of those that apply, could be checked',
  },
  {
    name: 'expect-profile',
    value: 'FILE',
    help: 'exit with 1 when unspecified behavior is not that of this profile, or of this JSON report',
  },
  { name: 'baseline', value: 'FILE', help: 'known failures, which do not fail the run until they expire' },
]

const output: Flag[] = [
  {
    name: 'reporter',
    value: 'NAME[=FILE]',
    default: 'text',
    repeatable: true,
    help: 'how to report, on stdout or into a file: text, json, junit, markdown, github, sarif or html',
  },
  {
    name: 'history',
    value: 'DIR',
    env: 'PETSTORE_HISTORY',
    help: 'append the run to a file of this folder, and say what changed since the last one',
  },
  { name: 'verbose', help: 'also list what was verified' },
]

const recording: Flag[] = [
  {
    name: 'save',
    value: 'FILE',
    help: 'write the pets that responses showed to this file; petstore mock --data reads it',
  },
  {
    name: 'save-profile',
    value: 'FILE',
    help: 'write the observed options to this file; petstore mock --profile reads it',
  },
  {
    name: 'anonymize',
    help: 'save seeded names in place of those of the pets (default, unless the target is on this machine)',
  },
  { name: 'keep-names', help: 'save the names of the pets of a target that is not on this machine' },
]

const inGroup = (group: string, flags: readonly Flag[]): Flag[] => flags.map((flag) => ({ ...flag, group }))

export const verifyFlags: Flag[] = [
  ...inGroup('Target', target),
  ...inGroup('Depth', effort),
  ...inGroup('Writes', writes),
  ...inGroup('Time', time),
  ...inGroup('Checks', checks),
  ...inGroup('Verdict', verdict),
  ...inGroup('Recording', recording),
  ...inGroup('Output', output),
]

/** The options of `petstore replay`. */
export const replayFlags: Flag[] = [
  {
    name: 'url',
    group: 'Target',
    value: 'URL',
    help: 'the deployment, by URL or name; needed when the report names one that is neither on this machine nor configured',
  },
  ...verifyFlags.filter(
    ({ name, group }) =>
      !['only', 'skip', 'only-failed', 'list', 'baseline', 'expect-profile', 'history', 'depth', 'seed'].includes(
        name,
      ) && group !== 'Recording',
  ),
]
