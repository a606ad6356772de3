import type { Flag } from '../options.ts'

/** Where the mock listens. */
const listening: Flag[] = [
  {
    name: 'port',
    value: 'PORT',
    env: 'PETSTORE_MOCK_PORT',
    default: '4010',
    range: [0, 65_535],
    help: 'the port to listen on; 0 takes a free one',
  },
  { name: 'host', value: 'ADDRESS', env: 'PETSTORE_MOCK_HOST', default: '127.0.0.1', help: 'the address to listen on' },
]

/** What there is at the start, and what stays. */
const state: Flag[] = [
  {
    name: 'seed',
    value: 'N',
    env: 'PETSTORE_MOCK_SEED',
    default: '1',
    range: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    help: 'which pets there are at the start: the same seed, the same pets',
  },
  {
    name: 'pets',
    value: 'N',
    env: 'PETSTORE_MOCK_PETS',
    default: '100',
    range: [0, 100_000],
    help: 'how many pets there are at the start',
  },
  {
    name: 'data',
    value: 'FILE',
    env: 'PETSTORE_MOCK_DATA',
    help: 'start with the pets of this file, a JSON array, in place of --pets',
  },
  {
    name: 'save',
    value: 'FILE',
    env: 'PETSTORE_MOCK_SAVE',
    help: 'write the pets to this file at the end, and when the control API is asked to; --data reads it',
  },
]

const service: Flag[] = [
  {
    name: 'key',
    value: 'KEY',
    env: 'PETSTORE_API_KEY',
    default: 'petstore-test-key',
    repeatable: true,
    help: 'an API key that is let in',
  },
  {
    name: 'base-path',
    value: 'PATH',
    env: 'PETSTORE_MOCK_BASE_PATH',
    default: '/v1',
    help: 'the path of the base address',
  },
  {
    name: 'choose',
    value: 'CHOICE=OPTION',
    env: 'PETSTORE_MOCK_CHOOSE',
    repeatable: true,
    help: 'what to do where the specification leaves it open; docs/reference/unspecified-behavior.md has the list',
  },
  {
    name: 'profile',
    value: 'FILE',
    env: 'PETSTORE_MOCK_PROFILE',
    help: 'do as the deployment did that this profile, or this JSON report of verify, was observed at',
  },
  {
    name: 'vary',
    value: 'SEED',
    env: 'PETSTORE_MOCK_VARY',
    range: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    help: 'draw all that the specification leaves open, lawfully; the same seed, the same choices',
  },
  { name: 'now', value: 'DATE', env: 'PETSTORE_MOCK_NOW', help: 'stop the clock at this day, such as 2030-12-06' },
]

/** What goes wrong on purpose. */
const trouble: Flag[] = [
  {
    name: 'rules',
    value: 'FILE',
    env: 'PETSTORE_MOCK_RULES',
    help: 'errors, delays and faults from a JSON array of rules; docs/reference/mock.md has their members',
  },
  {
    name: 'delay',
    value: 'MS',
    env: 'PETSTORE_MOCK_DELAY',
    help: 'hold back each answer for so many milliseconds: 200, 100-300, or median=80,p99=900',
  },
  {
    name: 'rate-limit',
    value: 'N/SECONDS',
    env: 'PETSTORE_MOCK_RATE_LIMIT',
    help: 'answer 429 to more requests than these in so many seconds, such as 10/1',
  },
  {
    name: 'deviate',
    value: 'ID',
    env: 'PETSTORE_MOCK_DEVIATE',
    repeatable: true,
    help: 'break the contract on purpose in this way',
  },
]

const extras: Flag[] = [
  {
    name: 'no-sandboxes',
    env: 'PETSTORE_MOCK_NO_SANDBOXES',
    help: 'do not let in the keys that petstore key makes, each into a world of its own',
  },
  {
    name: 'no-overrides',
    env: 'PETSTORE_MOCK_NO_OVERRIDES',
    help: 'do not let requests choose their answer with the header Prefer',
  },
  {
    name: 'explain',
    env: 'PETSTORE_MOCK_EXPLAIN',
    help: 'tell in each answer which clause or choice made it',
  },
  { name: 'no-control', env: 'PETSTORE_MOCK_NO_CONTROL', help: 'do not serve the control API below /_petstore' },
  {
    name: 'control-token',
    value: 'TOKEN',
    env: 'PETSTORE_CONTROL_TOKEN',
    help: 'what the control API wants as a bearer token (default: none on this machine, else one is made)',
  },
  {
    name: 'control-host',
    value: 'NAME',
    env: 'PETSTORE_CONTROL_HOST',
    repeatable: true,
    help: 'a further name by which the control API may be called, such as that of a container',
  },
]

/** The options that all commands have which run a mock. */
export const sharedMockFlags: Flag[] = [...listening, ...state, ...service, ...trouble, ...extras]

/** The options of `petstore mock`. */
export const mockFlags: Flag[] = [
  ...sharedMockFlags,
  {
    name: 'log',
    value: 'FORMAT',
    env: 'PETSTORE_MOCK_LOG',
    help: 'print a line for each request: text, json or none (default: text on a terminal, else none)',
  },
  { name: 'list-deviations', help: 'show the ways to break the contract, and end' },
  { name: 'quiet', env: 'PETSTORE_MOCK_QUIET', help: 'print the base URL alone' },
]
