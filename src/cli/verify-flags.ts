import { bounds, integers } from '../contract/limits.ts'
import type { Flag } from '../options.ts'

/** The flag of an option that is a number, with its default and range; milliseconds are given in seconds. */
function numeric(name: string, option: keyof typeof integers, help: string): Flag {
  const [fallback, min, max] = integers[option]
  const [value, unit] = option.endsWith('Ms') ? (['SECONDS', 1000] as const) : (['N', 1] as const)
  return { name, value, default: String(fallback / unit), range: [min / unit, max / unit], help }
}

const { smoke, standard, thorough } = bounds

const target: Flag[] = [
  { name: 'key', value: 'KEY', env: 'PETSTORE_API_KEY', help: 'the API key (redacted in all reports)' },
  { name: 'key-file', value: 'FILE', help: 'a file that holds the API key' },
  { name: 'key-env', value: 'NAME', help: 'the environment variable that holds the API key' },
  {
    name: 'config',
    value: 'FILE',
    help: 'the file that names deployments (default: petstore.config.json in this folder or a parent folder)',
  },
  { name: 'header', value: "'NAME: VALUE'", repeatable: true, help: 'a header to add to each request, for a gateway' },
  { name: 'ca', value: 'FILE', help: 'additional certificates to trust (PEM)' },
  { name: 'cert', value: 'FILE', help: 'the client certificate (PEM), for a gateway that requires one' },
  { name: 'cert-key', value: 'FILE', help: 'the private key of --cert (PEM)' },
  { name: 'insecure', help: 'trust any certificate' },
]

const writes: Flag[] = [
  {
    name: 'read-only',
    env: 'PETSTORE_READ_ONLY',
    help: 'create no pets; requirements on creation are not checked',
  },
  { name: 'allow-writes', help: 'create pets even if the target is not on this machine' },
  {
    name: 'max-writes',
    value: 'N',
    range: [integers.maxWrites[1], integers.maxWrites[2]],
    help: `maximum number of pets to create; they stay (default: ${standard.maxWrites}; ${smoke.maxWrites} with --depth smoke, ${thorough.maxWrites} with thorough)`,
  },
  {
    name: 'category-id',
    value: 'ID',
    check: (text) => (/^-?\d{1,19}$/.test(text) ? undefined : `takes an integer, not ${JSON.stringify(text)}`),
    help: 'an existing category for created pets (default: the category of a listed pet)',
  },
]

const effort: Flag[] = [
  {
    name: 'depth',
    value: 'DEPTH',
    env: 'PETSTORE_DEPTH',
    default: 'standard',
    oneOf: ['smoke', 'standard', 'thorough'],
    help: 'smoke: a sample of the checks; standard: all checks; thorough: also random sequences of requests',
  },
  {
    name: 'max-requests',
    value: 'N',
    range: [integers.maxRequests[1], integers.maxRequests[2]],
    help: `maximum number of requests (default: ${smoke.maxRequests} with --depth smoke, ${thorough.maxRequests} with thorough, otherwise ${standard.maxRequests})`,
  },
  numeric('seed', 'seed', 'the seed of the random sequences of --depth thorough'),
]

const time: Flag[] = [
  numeric('timeout', 'timeoutMs', 'the timeout of each request'),
  numeric('settle', 'settleMs', 'the consistency window: the time within which a new pet must be visible everywhere'),
  numeric('concurrency', 'concurrency', 'concurrent requests'),
  numeric('retry-budget', 'retryBudgetMs', 'the total time to wait for rate limits and gateways'),
  {
    ...numeric('max-duration', 'maxDurationMs', 'the time limit of the run, which then reports the results so far'),
    env: 'PETSTORE_MAX_DURATION',
  },
  numeric('wait-until-ready', 'waitUntilReadyMs', 'the time to wait until the target responds'),
  {
    name: 'now',
    value: 'DATE',
    help: 'the date for the removal of getPet and the expiry of baseline entries (default: today)',
  },
]

const checks: Flag[] = [
  { name: 'only', value: 'ID', repeatable: true, help: 'check only this requirement or check; * matches any text' },
  { name: 'skip', value: 'ID', repeatable: true, help: 'skip this requirement or check; * matches any text' },
  { name: 'only-failed', value: 'REPORT', help: 're-run only the failed checks of a JSON report' },
  numeric('times', 'times', 'the number of runs with --only-failed, to distinguish failing from flaky'),
  { name: 'list', help: 'list the requirements and checks without sending requests' },
]

const verdict: Flag[] = [
  { name: 'strict', help: 'exit with 3 if a requirement could not be checked' },
  {
    name: 'min-verified',
    value: 'N[%]',
    env: 'PETSTORE_MIN_VERIFIED',
    help: 'exit with 3 if fewer requirements, or a lower percentage of the applicable ones, could be checked',
  },
  {
    name: 'expect-profile',
    value: 'FILE',
    help: 'exit with 1 if unspecified behavior differs from this profile or JSON report',
  },
  { name: 'baseline', value: 'FILE', help: 'a file of known failures, which do not fail the run until they expire' },
]

const output: Flag[] = [
  {
    name: 'reporter',
    value: 'NAME[=FILE]',
    default: 'text',
    repeatable: true,
    help: 'the report, on stdout or in a file: text, json, junit, markdown, github, sarif or html',
  },
  {
    name: 'history',
    value: 'DIR',
    env: 'PETSTORE_HISTORY',
    help: 'append the run to a file in this folder, and print what changed since the last run',
  },
  { name: 'verbose', help: 'also list what was verified' },
]

const recording: Flag[] = [
  {
    name: 'save',
    value: 'FILE',
    help: 'write the pets found in responses to this file, for petstore mock --data',
  },
  {
    name: 'save-profile',
    value: 'FILE',
    help: 'write the observed options to this file, for petstore mock --profile',
  },
  {
    name: 'anonymize',
    help: 'replace the names of saved pets with generated names (default, unless the target is on this machine)',
  },
  { name: 'keep-names', help: 'keep the names of saved pets even if the target is not on this machine' },
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
    help: 'the deployment (URL or name); required unless the deployment in the report is on this machine or configured',
  },
  ...verifyFlags.filter(
    ({ name, group }) =>
      !['only', 'skip', 'only-failed', 'list', 'baseline', 'expect-profile', 'history', 'depth', 'seed'].includes(
        name,
      ) && group !== 'Recording',
  ),
]
