import type { Flag } from '../options.ts'

/** What a run needs to reach a deployment and to behave there. */
const runFlags: Flag[] = [
  { name: 'key', value: 'KEY', env: 'PETSTORE_API_KEY', help: 'the API key; it stands in no report' },
  { name: 'key-file', value: 'FILE', help: 'a file that holds the API key' },
  { name: 'key-env', value: 'NAME', help: 'the environment variable that holds the API key' },
  {
    name: 'config',
    value: 'FILE',
    help: 'the file that names deployments (default: petstore.config.json, from here upwards)',
  },
  {
    name: 'read-only',
    env: 'PETSTORE_READ_ONLY',
    help: 'create no pet; what only a creation shows stays not verified',
  },
  { name: 'allow-writes', help: 'create pets on a target that is not on this machine' },
  {
    name: 'max-writes',
    value: 'N',
    default: '25',
    range: [0, 1000],
    help: 'create no more pets than this; they stay for ever',
  },
  {
    name: 'category-id',
    value: 'ID',
    help: 'a category that exists, for the pets that are created (default: one that the list shows)',
  },
  { name: 'timeout', value: 'SECONDS', default: '10', range: [0.001, 600], help: 'the time for one request' },
  {
    name: 'settle',
    value: 'SECONDS',
    default: '5',
    range: [0, 600],
    help: 'the time in which a new pet must be visible everywhere',
  },
  { name: 'concurrency', value: 'N', default: '4', range: [1, 64], help: 'requests under way at once' },
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
    help: 'the time to wait for a target that does not answer yet',
  },
  { name: 'header', value: "'NAME: VALUE'", repeatable: true, help: 'a header that a gateway wants with each request' },
  { name: 'ca', value: 'FILE', help: 'PEM certificates to trust beside the usual ones' },
  { name: 'insecure', help: 'trust any certificate' },
  {
    name: 'now',
    value: 'DATE',
    help: 'the day that decides whether getPet is removed, and what a baseline excuses (default: today)',
  },
]

const reporterFlags: Flag[] = [
  {
    name: 'reporter',
    value: 'NAME[=FILE]',
    default: 'text',
    repeatable: true,
    help: 'how to report, on stdout or into a file: text, json, junit, markdown, github, sarif or html',
  },
  { name: 'verbose', help: 'also list what was verified' },
]

/** The options of `petstore verify`. */
export const verifyFlags: Flag[] = [
  ...runFlags,
  ...reporterFlags,
  { name: 'only', value: 'ID', repeatable: true, help: 'only this clause or check; * stands for any text' },
  { name: 'skip', value: 'ID', repeatable: true, help: 'all but this clause or check; * stands for any text' },
  { name: 'strict', help: 'exit with 3 when any clause could not be verified' },
  {
    name: 'min-verified',
    value: 'N[%]',
    env: 'PETSTORE_MIN_VERIFIED',
    help: 'exit with 3 when fewer requirements, or fewer of those that apply, could be checked',
  },
  { name: 'baseline', value: 'FILE', help: 'known failures, which do not fail the run until they expire' },
  { name: 'list', help: 'show the clauses and checks, and send nothing' },
]

/** The options of `petstore replay`. */
export const replayFlags: Flag[] = [
  ...runFlags,
  {
    name: 'url',
    value: 'URL',
    help: 'the deployment, by URL or name; needed where the report names one that is neither on this machine nor configured',
  },
  {
    name: 'times',
    value: 'N',
    default: '3',
    range: [1, 20],
    help: 'how often to look, to tell what fails from what is flaky',
  },
]
