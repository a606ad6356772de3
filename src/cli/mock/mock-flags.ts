import { toInstant } from '../../validate.ts'
import { isDelay } from '../../mock/rules/rule.ts'
import type { Delay, StartOptions } from '../../mock/index.ts'
import { isNamePattern } from '../../mock/service/sandbox-key.ts'
import {
  defaultHost,
  defaultKey,
  isOrigin,
  ranges,
  readSettings,
} from '../../mock/sandbox/settings.ts'
import { mistakeInKey } from '../../option-checks.ts'
import { readDuration } from '../../duration.ts'
import { type Flag, flagsOf, type FlagTable, takes } from '../../options.ts'
import { logTable } from './request-log.ts'

/** The flags of a table, each with an environment variable named after it unless it has one. */
export const mockFlagsOf = (group: string, table: FlagTable<keyof StartOptions>): Flag[] =>
  flagsOf(group, table).map((flag) => ({
    env: `PETSTORE_MOCK_${flag.name.replaceAll('-', '_').toUpperCase()}`,
    ...flag,
  }))

const integers = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER] as const
const defaults = readSettings({}, [])

/** Not the variable of `verify`, which holds the key of a deployment. */
export const keyVariable = 'PETSTORE_MOCK_KEY'

export const commonFlags: Flag[] = [
  ...mockFlagsOf('Server', {
    'port PORT': {
      option: 'port',
      default: '4010',
      range: ranges.port,
      help: 'the port to listen on; 0 selects a free port',
    },
    'host ADDRESS': { option: 'host', default: defaultHost, help: 'the address to listen on' },
    'tls-cert FILE': {
      partOf: 'tls',
      needs: 'tls-key FILE',
      help: 'serve HTTPS with this certificate (PEM)',
    },
    'tls-key FILE': {
      partOf: 'tls',
      needs: 'tls-cert FILE',
      help: 'the private key of --tls-cert (PEM)',
    },
    'base-path PATH': {
      option: 'basePath',
      default: defaults.basePath,
      help: 'the path of the base URL',
    },
    'cors-origin ORIGIN': {
      option: 'corsOrigins',
      repeatable: true,
      check: takes(
        'an origin such as http://localhost:5173, without a path and without *',
        isOrigin,
      ),
      help: 'let pages of this origin send credentials; pages of other origins can then read no response',
    },
    'key KEY': {
      partOf: 'keys',
      env: keyVariable,
      default: defaultKey,
      repeatable: true,
      check: mistakeInKey,
      help: 'an accepted API key',
    },
    'no-sandboxes': 'do not accept sandbox keys, which petstore key creates',
    'sandbox-names PATTERN': {
      partOf: 'sandboxes',
      repeatable: true,
      check: takes('a name such as team-a, or its beginning and *, such as team-*', isNamePattern),
      excludes: ['no-sandboxes'],
      reason: 'without sandboxes, no name opens one',
      help: 'accept only sandbox keys of these names, such as team-a or team-*',
    },
  }),
  ...mockFlagsOf('Data', {
    'seed N': {
      option: 'seed',
      default: String(defaults.seed),
      range: integers,
      help: 'the seed of the initial pets; the same seed always gives the same pets, in each sandbox',
    },
    'pets N': {
      option: 'pets',
      default: String(defaults.pets),
      range: ranges.pets,
      help: 'the number of initial pets',
    },
    'ids SIZE': {
      option: 'ids',
      default: defaults.ids,
      oneOf: ['small', 'large'],
      help: 'small: 1, 2, 3; large: ids and category ids above 2^53, which JavaScript clients round',
    },
    'data FILE': {
      partOf: 'data',
      excludes: ['pets'],
      reason: 'the pets come either from the file or from the seed',
      help: 'start with the pets in this JSON file instead of --pets',
    },
    'pets-from FILE': {
      partOf: 'data',
      excludes: ['data', 'seed'],
      reason: 'the pets come from one place',
      help: 'start with the pets that the default export of this module makes: a function of n, from 1, that returns a NewPet',
    },
    watch: {
      needs: 'data FILE',
      excludes: ['state', 'shared'],
      reason: 'the pets would come from two places',
      help: 'reload the --data file when it changes; other sandboxes show it after their next reset',
    },
    'save FILE':
      'write the pets to this file when the mock stops or the control API requests it; read it with --data',
    'state DIR': {
      partOf: 'state',
      help: 'keep the state of all sandboxes (pets, rules, clock) in this folder, and continue from it at the next start',
    },
    'ready-needs-state': {
      option: 'readyNeedsState',
      needs: 'state DIR',
      help: 'report not ready while changes cannot be written, or wait for five seconds',
    },
    'journal N': {
      option: 'journal',
      default: String(defaults.journal),
      range: ranges.journal,
      help: 'keep the latest N requests of each sandbox in its journal; fewer take less memory and time',
    },
    'now DATE': {
      option: 'now',
      check: takes('a date such as 2030-12-06', (text) => toInstant(text) !== undefined),
      help: 'stop the clock at this date, such as 2030-12-06',
    },
  }),
  ...mockFlagsOf('Behavior', {
    'behavior ID=OPTION': {
      partOf: 'profile',
      listedBy: 'petstore profile list',
      repeatable: true,
      check: takes('ID=OPTION, such as list.order=newest-first', (text) => /^[^=]+=/.test(text)),
      help: 'select an option for an unspecified behavior; petstore profile list shows all options',
    },
    'profile FILE': {
      partOf: 'profile',
      help: 'behave like a real deployment, according to its profile or JSON report from verify',
    },
    'vary SEED': {
      partOf: 'profile',
      range: integers,
      help: 'select a random option for every unspecified behavior; the same seed always gives the same options',
    },
    'defect ID': {
      option: 'defects',
      listedBy: 'petstore mock --list-defects',
      repeatable: true,
      help: 'break the contract on purpose with this defect; --list-defects shows all defects',
    },
  }),
  ...mockFlagsOf('Faults', {
    'rules FILE': {
      partOf: 'rules',
      help: 'a JSON file with rules for stubbed responses, delays and faults; petstore help rules shows the fields',
    },
    'delay MS': {
      partOf: 'rules',
      check: delayIssue,
      help: 'delay every response (ms, or with a unit): 200, 1.5s, 100-300, or median=80,p99=900',
    },
    'rate-limit N/DURATION': {
      partOf: 'rules',
      check: takes(
        'N/DURATION, such as 10/1s or 100/1m',
        (text) => readRateLimit(text) !== undefined,
      ),
      help: 'respond 429 above N requests in a DURATION, such as 10/1s or 100/1m',
    },
    'no-overrides': {
      option: 'overrides',
      help: 'ignore the Prefer header, which lets requests choose their response',
    },
  }),
  ...mockFlagsOf('Sharing', {
    'shared URL': {
      partOf: 'shared',
      excludes: ['state'],
      reason: 'the engine keeps the state',
      help: 'share all state with other mocks through this Redis or Valkey: redis://HOST:PORT',
    },
    'shared-name NAME': {
      partOf: 'shared',
      needs: 'shared URL',
      default: 'default',
      help: 'the name of the shared mock, if several use the same engine',
    },
    'sandbox-ttl DURATION': {
      partOf: 'shared',
      needs: 'shared URL',
      range: [1, 3_650 * 86_400],
      help: 'delete shared sandboxes that are unused for this time, such as 7d (default: never)',
    },
  }),
  ...mockFlagsOf('Control API', {
    'console-runs':
      'let the control API and the console run the suite against the deployments in petstore.config.json',
    'no-control': { option: 'control', help: 'do not serve the control API under /_petstore' },
    'no-console': {
      option: 'console',
      help: 'do not serve the console under /_petstore/console/',
    },
    'control-token TOKEN': {
      env: 'PETSTORE_CONTROL_TOKEN',
      option: 'controlToken',
      excludes: ['no-control'],
      reason: 'without the control API, there is nothing to protect',
      help: 'the bearer token of the control API (default: none on this machine, otherwise a random token)',
    },
    'control-host NAME': {
      env: 'PETSTORE_CONTROL_HOST',
      option: 'controlHosts',
      repeatable: true,
      help: 'an additional host name for the control API, such as that of a container',
    },
    explain: {
      option: 'explain',
      help: 'name the requirement or option behind each response in a header',
    },
  }),
]

export const mockFlags: Flag[] = [
  ...commonFlags,
  ...mockFlagsOf('Server', {
    'drain DURATION': {
      default: '0s',
      range: [0, 600],
      help: 'when stopped, report not ready for this time and still respond, so that load balancers notice',
    },
  }),
  ...mockFlagsOf('Control API', {
    open: {
      excludes: ['no-control', 'no-console'],
      reason: 'it opens the console',
      help: 'open the console in a browser',
    },
  }),
  ...mockFlagsOf('Output', {
    ...logTable(
      'print a line for each request: text, json or none (default: text on a terminal, otherwise none)',
    ),
    quiet: 'print only the base URL',
  }),
  ...flagsOf('Output', { 'list-defects': 'list all deliberate defects and exit' }),
]

/** `200`, `1.5s`, `100-300` or `median=80,p99=900`. */
export function readDelay(text: string): Delay | undefined {
  const [, ...bounds] = /^([^-=,]+)(?:-([^-=,]+))?$/.exec(text) ?? []
  const [, ...middle] = /^median=([^-=,]+), *p99=([^-=,]+)$/.exec(text) ?? []
  const [first, second] = [...bounds, ...middle].map((part: string | undefined) =>
    part === undefined ? undefined : readDuration(part, 'ms'),
  )
  if (first === undefined) return undefined
  if (middle.length > 0) return second === undefined ? undefined : { median: first, p99: second }
  if (bounds[1] === undefined) return first
  return second === undefined ? undefined : { from: first, to: second }
}

function delayIssue(text: string): string | undefined {
  const delay = readDelay(text)
  const [from = '', to = ''] = text.split('-')
  if (typeof delay === 'object' && 'from' in delay && delay.from > delay.to)
    return `takes the lower bound first: ${to}-${from}, not ${JSON.stringify(text)}`
  if (isDelay(delay)) return undefined
  return `takes a delay of at most 10m: 200 (ms), 1.5s, 100-300 or median=80,p99=900, not ${JSON.stringify(text)}`
}

/** `10/1` or `10/1s`: ten requests in one second. */
export function readRateLimit(text: string): { requests: number; windowMs: number } | undefined {
  const [, requests, duration = ''] = /^(\d{1,9})\/(.+)$/.exec(text) ?? []
  const windowMs = readDuration(duration, 's') ?? 0
  return windowMs > 0 && windowMs <= 1e12 ? { requests: Number(requests), windowMs } : undefined
}
