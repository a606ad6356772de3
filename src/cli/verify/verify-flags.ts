import { bounds, integers } from '../../contract/session/limits.ts'
import { toDuration } from '../../duration.ts'
import { type Flag, flagsOf, type FlagTable, takes } from '../../options.ts'
import { reporterTable } from '../outputs.ts'

/** The flag of an option that is a number, with its default and range. */
function numeric(
  name: string,
  option: keyof typeof integers,
  help: string,
  more: Partial<Flag> = {},
): FlagTable {
  const [fallback, min, max] = integers[option]
  if (!option.endsWith('Ms'))
    return { [`${name} N`]: { default: String(fallback), range: [min, max], help, ...more } }
  const range = [min / 1000, max / 1000] as const
  return {
    [`${name} DURATION`]: { default: toDuration(fallback / 1000), range, help, ...more },
  }
}

const { smoke, standard, thorough } = bounds
const rangeOf = ([, min, max]: readonly [number, number, number]) => [min, max] as const

export const verifyFlags: Flag[] = [
  ...flagsOf('Target', {
    'key KEY': {
      env: 'PETSTORE_API_KEY',
      excludes: ['key-file', 'key-env', 'key-command'],
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
    'key-command COMMAND':
      'a shell command that prints the API key; it runs again when the key has expired',
    'config FILE':
      'the file that names deployments (default: petstore.config.json in this folder or a parent folder)',
    "header 'NAME: VALUE'": {
      repeatable: true,
      help: 'a header to add to each request, for a gateway',
    },
    "header-env 'NAME: VARIABLE'": {
      repeatable: true,
      help: 'a header whose value is in an environment variable, which keeps it out of the list of processes',
    },
    'ca FILE': 'additional certificates to trust (PEM)',
    'cert FILE': {
      needs: 'cert-key FILE',
      help: 'the client certificate (PEM), for a gateway that requires one',
    },
    'cert-key FILE': { needs: 'cert FILE', help: 'the private key of --cert (PEM)' },
    insecure: 'trust any certificate',
  }),
  ...flagsOf('Depth', {
    'depth DEPTH': {
      env: 'PETSTORE_DEPTH',
      default: 'standard',
      oneOf: ['smoke', 'standard', 'thorough'],
      help: 'smoke: a sample of the checks; standard: all checks; thorough: also random sequences of requests',
    },
    'max-requests N': {
      range: rangeOf(integers.maxRequests),
      help: `maximum number of requests (default: ${smoke.maxRequests} with --depth smoke, ${thorough.maxRequests} with thorough, otherwise ${standard.maxRequests})`,
    },
    ...numeric('seed', 'seed', 'the seed of the random sequences of --depth thorough'),
  }),
  ...flagsOf('Writes', {
    'read-only': {
      env: 'PETSTORE_READ_ONLY',
      excludes: ['allow-writes'],
      help: 'create no pets; requirements on creation are not checked',
    },
    'allow-writes': 'create pets even if the target is not on this machine',
    'max-writes N': {
      range: rangeOf(integers.maxWrites),
      help: `maximum number of pets to create; they stay (default: ${standard.maxWrites}; ${smoke.maxWrites} with --depth smoke, ${thorough.maxWrites} with thorough)`,
    },
    'category-id ID': {
      check: takes('an integer', (text) => /^-?\d{1,19}$/.test(text)),
      help: 'an existing category for created pets (default: the category of a listed pet)',
    },
  }),
  ...flagsOf('Time', {
    ...numeric('timeout', 'timeoutMs', 'the timeout of each request'),
    ...numeric(
      'settle',
      'settleMs',
      'the consistency window: the time within which a new pet must be visible everywhere',
    ),
    ...numeric('concurrency', 'concurrency', 'concurrent requests'),
    'rate N/s': {
      env: 'PETSTORE_RATE',
      check: takes('a number of requests per second or minute, such as 5/s or 90/m', (text) =>
        /^\d{1,4}(?:\.\d{1,3})?(?:\/[sm])?$/.test(text),
      ),
      help: 'the highest rate of requests: 5/s or 90/m (default: as fast as the target responds)',
    },
    ...numeric(
      'retry-budget',
      'retryBudgetMs',
      'the total time to wait for rate limits and gateways',
    ),
    ...numeric(
      'max-duration',
      'maxDurationMs',
      'the time limit of the run, which then reports the results so far',
      {
        env: 'PETSTORE_MAX_DURATION',
      },
    ),
    ...numeric(
      'wait-until-ready',
      'waitUntilReadyMs',
      'the time to wait until the service responds with a list, whatever an ingress responds meanwhile',
    ),
    'now DATE':
      'the date for the removal of getPet and the expiry of baseline entries (default: today)',
  }),
  ...flagsOf('Checks', {
    'only ID': {
      repeatable: true,
      help: 'report only this requirement, or those of this check; * matches any text',
    },
    'skip ID': {
      repeatable: true,
      help: 'leave this requirement, or those of this check, out of the report; * matches any text',
    },
    'only-failed REPORT': 'check again whether what a JSON report found is fixed',
    ...numeric(
      'times',
      'times',
      'the number of runs with --only-failed, to distinguish failing from flaky',
      {
        needs: 'only-failed REPORT',
      },
    ),
    list: 'list the requirements and checks without sending requests',
  }),
  ...flagsOf('Verdict', {
    strict: 'exit with 3 if a requirement could not be checked',
    'min-verified N[%]': {
      env: 'PETSTORE_MIN_VERIFIED',
      help: 'exit with 3 if fewer requirements, or a lower percentage of the applicable ones, could be checked',
    },
    'expect-profile FILE':
      'exit with 1 if unspecified behavior differs from this profile or JSON report',
    'baseline FILE': 'a file of known failures, which do not fail the run until they expire',
  }),
  ...flagsOf('Recording', {
    'log FILE':
      'write every request and response to this file (HAR, without secrets), for petstore judge',
    'save FILE': 'write the pets found in responses to this file, for petstore mock --data',
    'save-profile FILE': 'write the observed options to this file, for petstore mock --profile',
    anonymize: {
      needs: 'save FILE',
      excludes: ['keep-names'],
      help: 'replace the names of saved pets with generated names (default, unless the target is on this machine)',
    },
    'keep-names': {
      needs: 'save FILE',
      help: 'keep the names of saved pets even if the target is not on this machine',
    },
  }),
  ...flagsOf('Output', {
    ...reporterTable('the report', 'text, json, junit, markdown, github, sarif or html'),
    'history DIR': {
      env: 'PETSTORE_HISTORY',
      help: 'append the run to a file in this folder, and print what changed since the last run',
    },
    verbose: 'also list what was verified',
  }),
]

/** Flags of `petstore verify` that make no sense for a second run. */
const notAgain = new Set(
  'only skip only-failed list baseline expect-profile history depth seed'.split(' '),
)

export const replayFlags: Flag[] = [
  ...flagsOf('Target', {
    'url URL':
      'the deployment (URL or name); required unless the deployment in the report is on this machine or configured',
  }),
  ...verifyFlags.filter(({ name, group }) => !notAgain.has(name) && group !== 'Recording'),
]
