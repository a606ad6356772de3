import type { VerifyInput } from '../../contract/index.ts'
import { headerVariable } from '../../contract/http/curl.ts'
import { keyCommandVariable } from '../../contract/report/words.ts'
import { bounds, integers, rates } from '../../contract/session/limits.ts'
import { toDuration } from '../../duration.ts'
import { parseJson } from '../../json.ts'
import type { Deployment } from '../config.gen.ts'
import { type Flag, flagsOf, type FlagTable, takes } from '../../options.ts'
import { formatNames } from '../../report/formats.ts'
import { reporterTable } from '../outputs.ts'

type Table = FlagTable<keyof VerifyInput, keyof Deployment>

/** The flags of a group, and what they decide unless a row says otherwise. */
const tableOf = (group: string, decides: Flag['decides'], table: Table): Flag[] =>
  flagsOf(group, table).map((flag) => ({ decides, ...flag }))

/** The default and range of an option that is an integer, in seconds for a duration. */
function rangeOf(option: keyof typeof integers) {
  const [fallback, least, most] = integers[option]
  return option.endsWith('Ms')
    ? { default: toDuration(fallback / 1000), range: [least / 1000, most / 1000] as const }
    : { default: String(fallback), range: [least, most] as const }
}

const numeric = <Option extends keyof typeof integers>(option: Option) => ({
  option,
  ...rangeOf(option),
})

/** As `numeric`, for an option whose default depends on the depth. */
const byDepth = <Option extends 'maxRequests' | 'maxWrites'>(option: Option) => ({
  option,
  config: option,
  range: rangeOf(option).range,
})

const { smoke, standard, thorough } = bounds

export const verifyFlags: Flag[] = [
  ...tableOf('Target', 'access', {
    'key KEY': {
      partOf: 'apiKey',
      env: 'PETSTORE_API_KEY',
      excludes: ['key-file', 'key-env', 'key-command'],
      shown: () => undefined,
      help: 'the API key (redacted in all reports)',
    },
    'key-file FILE': {
      excludes: ['key-env', 'key-command'],
      help: 'a file that holds the API key',
    },
    'key-env NAME': {
      excludes: ['key-command'],
      help: 'the environment variable that holds the API key',
    },
    'key-command COMMAND': {
      shown: () => ['key-command', `$${keyCommandVariable}`],
      help: 'a shell command that prints the API key; it runs again when the key has expired',
    },
    'config FILE':
      'the file that names deployments (default: petstore.config.json in this folder or a parent folder)',
    "header 'NAME: VALUE'": {
      partOf: 'headers',
      repeatable: true,
      shown: (text) => {
        const [name = ''] = text.split(':')
        return ['header-env', `${name.trim()}: ${headerVariable(name.trim())}`]
      },
      help: 'a header to add to each request, for a gateway',
    },
    "header-env 'NAME: VARIABLE'": {
      repeatable: true,
      help: 'a header whose value is in an environment variable, which keeps it out of the list of processes',
    },
    'ca FILE': { partOf: 'ca', help: 'additional certificates to trust (PEM)' },
    'cert FILE': {
      partOf: 'cert',
      needs: 'cert-key FILE',
      help: 'the client certificate (PEM), for a gateway that requires one',
    },
    'cert-key FILE': {
      partOf: 'certKey',
      needs: 'cert FILE',
      help: 'the private key of --cert (PEM)',
    },
    insecure: { option: 'insecure', help: 'trust any certificate' },
  }),
  ...tableOf('Depth', 'verdict', {
    'depth DEPTH': {
      option: 'depth',
      config: 'depth',
      env: 'PETSTORE_DEPTH',
      default: 'standard',
      oneOf: ['smoke', 'standard', 'thorough'],
      help: 'smoke: a sample of the checks; standard: all checks; thorough: also random sequences of requests',
    },
    'max-requests N': {
      ...byDepth('maxRequests'),
      help: `maximum number of requests (default: ${smoke.maxRequests} with --depth smoke, ${thorough.maxRequests} with thorough, otherwise ${standard.maxRequests})`,
    },
    'seed N': { ...numeric('seed'), help: 'the seed of the random sequences of --depth thorough' },
  }),
  ...tableOf('Writes', 'verdict', {
    'read-only': {
      partOf: 'readOnly',
      env: 'PETSTORE_READ_ONLY',
      excludes: ['allow-writes'],
      help: 'create no pets; requirements on creation are not checked',
    },
    'allow-writes': {
      partOf: 'allowWrites',
      decides: 'access',
      help: 'create pets even if the target is not on this machine',
    },
    'max-writes N': {
      ...byDepth('maxWrites'),
      help: `maximum number of pets to create; they stay (default: ${standard.maxWrites}; ${smoke.maxWrites} with --depth smoke, ${thorough.maxWrites} with thorough)`,
    },
    'category-id ID': {
      option: 'categoryId',
      config: 'categoryId',
      configSchema: { type: 'integer', format: 'int64' },
      read: toInt64,
      check: takes('an integer', (text) => /^-?\d{1,19}$/.test(text)),
      help: 'an existing category for created pets (default: the category of a listed pet)',
    },
  }),
  ...tableOf('Time', 'verdict', {
    'timeout DURATION': {
      ...numeric('timeoutMs'),
      config: 'timeout',
      help: 'the timeout of each request',
    },
    'settle DURATION': {
      ...numeric('settleMs'),
      help: 'the consistency window: the time within which a new pet must be visible everywhere',
    },
    'concurrency N': { ...numeric('concurrency'), help: 'concurrent requests' },
    'rate N/s': {
      option: 'rate',
      config: 'rate',
      configSchema: {
        description: 'As --rate: the highest number of requests per second.',
        type: 'number',
        minimum: rates[0],
        maximum: rates[1],
      },
      read: toRate,
      env: 'PETSTORE_RATE',
      check: takes('a number of requests per second or minute, such as 5/s or 90/m', (text) =>
        /^\d{1,4}(?:\.\d{1,3})?(?:\/[sm])?$/.test(text),
      ),
      help: 'the highest rate of requests: 5/s or 90/m (default: as fast as the target responds)',
    },
    'retry-budget DURATION': {
      ...numeric('retryBudgetMs'),
      help: 'the total time to wait for rate limits and gateways',
    },
    'max-duration DURATION': {
      ...numeric('maxDurationMs'),
      config: 'maxDuration',
      env: 'PETSTORE_MAX_DURATION',
      help: 'the time limit of the run, which then reports the results so far',
    },
    'wait-until-ready DURATION': {
      ...numeric('waitUntilReadyMs'),
      help: 'the time to wait until the service responds with a list, whatever an ingress responds meanwhile',
    },
    'now DATE': {
      option: 'now',
      help: 'the date for the removal of getPet and the expiry of baseline entries (default: today)',
    },
  }),
  ...tableOf('Checks', 'verdict', {
    'only ID': {
      option: 'only',
      repeatable: true,
      help: 'report only this requirement, or those of this check; * matches any text',
    },
    'skip ID': {
      option: 'skip',
      repeatable: true,
      help: 'leave this requirement, or those of this check, out of the report; * matches any text',
    },
    list: {
      decides: undefined,
      help: 'list the requirements and checks without sending requests',
    },
  }),
  ...tableOf('Verdict', 'verdict', {
    strict: { partOf: 'strict', help: 'exit with 3 if a requirement could not be checked' },
    'min-verified N[%]': {
      partOf: 'minVerified',
      env: 'PETSTORE_MIN_VERIFIED',
      help: 'exit with 3 if fewer requirements, or a lower percentage of the applicable ones, could be checked',
    },
    'expect-profile FILE': {
      partOf: 'expectProfile',
      help: 'exit with 1 if unspecified behavior differs from this profile or JSON report',
    },
    'baseline FILE': {
      partOf: 'baseline',
      help: 'a file of known failures, which do not fail the run until they expire',
    },
  }),
  ...tableOf('Recording', undefined, {
    'log FILE':
      'write every request and response to this file (HAR, without secrets), for petstore judge',
    'save FILE': 'write the pets found in responses to this file, for petstore mock --data',
    'save-profile FILE': 'write the observed options to this file, for petstore mock --profile',
    'keep-names': {
      needs: 'save FILE',
      help: 'save the names of pets as they are (default: replace them with generated names)',
    },
  }),
  ...tableOf('Output', undefined, {
    ...reporterTable('the report', formatNames),
    'history DIR': {
      env: 'PETSTORE_HISTORY',
      help: 'append the run to a file in this folder, and print what changed since the last run',
    },
    verbose: 'also list what was verified',
  }),
]

/** Requests per second: `5`, `5/s` or `90/m`. */
function toRate(text: string): number {
  return Number.parseFloat(text) / (text.endsWith('/m') ? 60 : 1)
}

function toInt64(text: string): number | bigint {
  return parseJson(text.replace(/^(-?)0+(?=\d)/, '$1')) as number | bigint
}

/** Flags of `petstore verify` that make no sense for a second run. */
const notAgain = new Set('only skip list baseline expect-profile history depth seed'.split(' '))

export const replayFlags: Flag[] = [
  ...flagsOf('Target', {
    'url URL':
      'the deployment (URL or name); required unless the deployment in the report is on this machine or configured',
  }),
  ...verifyFlags.filter(({ name, group }) => !notAgain.has(name) && group !== 'Recording'),
  ...flagsOf('Checks', {
    'times N': {
      partOf: 'times',
      ...rangeOf('times'),
      help: 'the number of runs, to distinguish failing from flaky',
    },
  }),
]
