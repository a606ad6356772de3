import { toInstant } from '../validate.ts'
import { isDelay } from '../mock/rule.ts'
import type { Delay } from '../mock/types.ts'
import type { Flag } from '../options.ts'
import { logFlag } from './request-log.ts'

const quoted = (text: string): string => JSON.stringify(text)

/** Adds the group, and an environment variable named after the flag unless it has one. */
export const inGroup = (group: string, flags: readonly Flag[]): Flag[] =>
  flags.map((flag) => ({
    env: `PETSTORE_MOCK_${flag.name.replaceAll('-', '_').toUpperCase()}`,
    ...flag,
    group,
  }))

export const sharedMockFlags: Flag[] = [
  ...inGroup('Server', [
    {
      name: 'port',
      value: 'PORT',
      default: '4010',
      range: [0, 65_535],
      help: 'the port to listen on; 0 selects a free port',
    },
    { name: 'host', value: 'ADDRESS', default: '127.0.0.1', help: 'the address to listen on' },
    { name: 'tls-cert', value: 'FILE', help: 'serve HTTPS with this certificate (PEM)' },
    { name: 'tls-key', value: 'FILE', help: 'the private key of --tls-cert (PEM)' },
    {
      name: 'base-path',
      value: 'PATH',
      default: '/v1',
      check: basePathIssue,
      help: 'the path of the base URL',
    },
    {
      name: 'key',
      value: 'KEY',
      env: 'PETSTORE_API_KEY',
      default: 'petstore-test-key',
      repeatable: true,
      check: (key) => (/^[\x21-\x7e]+$/.test(key) ? undefined : 'must not be empty or contain spaces'),
      help: 'an accepted API key',
    },
    { name: 'no-sandboxes', help: 'do not accept sandbox keys, which petstore key creates' },
  ]),
  ...inGroup('Data', [
    {
      name: 'seed',
      value: 'N',
      default: '1',
      range: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
      help: 'the seed of the initial pets; the same seed always gives the same pets',
    },
    { name: 'pets', value: 'N', default: '100', range: [0, 100_000], help: 'the number of initial pets' },
    {
      name: 'ids',
      value: 'SIZE',
      default: 'small',
      oneOf: ['small', 'large'],
      help: 'small: 1, 2, 3; large: ids and category ids above 2^53, which JavaScript clients round',
    },
    { name: 'data', value: 'FILE', help: 'start with the pets in this JSON file instead of --pets' },
    { name: 'watch', help: 'reload the --data file when it changes' },
    {
      name: 'save',
      value: 'FILE',
      help: 'write the pets to this file when the mock stops or the control API requests it; read it with --data',
    },
    {
      name: 'state',
      value: 'FILE',
      help: 'keep the state of all sandboxes (pets, rules, clock) in this file, and continue from it at the next start',
    },
    {
      name: 'now',
      value: 'DATE',
      check: (text) =>
        toInstant(text) === undefined ? `takes a date such as 2030-12-06, not ${quoted(text)}` : undefined,
      help: 'stop the clock at this date, such as 2030-12-06',
    },
  ]),
  ...inGroup('Behavior', [
    {
      name: 'choose',
      value: 'CHOICE=OPTION',
      repeatable: true,
      check: (text) =>
        /^[^=]+=/.test(text) ? undefined : `takes CHOICE=OPTION, such as list.order=newest-first, not ${quoted(text)}`,
      help: 'select an option for an unspecified behavior; petstore profile list shows all options',
    },
    {
      name: 'profile',
      value: 'FILE',
      help: 'behave like a real deployment, according to its profile or JSON report from verify',
    },
    {
      name: 'vary',
      value: 'SEED',
      range: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
      help: 'select a random option for every unspecified behavior; the same seed always gives the same options',
    },
    {
      name: 'deviate',
      value: 'ID',
      repeatable: true,
      help: 'break the contract on purpose with this defect; --list-deviations shows all defects',
    },
  ]),
  ...inGroup('Faults', [
    {
      name: 'rules',
      value: 'FILE',
      help: 'a JSON file with rules for stubbed responses, delays and faults; see docs/reference/mock.md',
    },
    {
      name: 'delay',
      value: 'MS',
      check: delayIssue,
      help: 'delay every response (ms): 200, 100-300, or median=80,p99=900',
    },
    {
      name: 'rate-limit',
      value: 'N/SECONDS',
      check: (text) =>
        readRateLimit(text) === undefined ? `takes N/SECONDS, such as 10/1 or 100/60, not ${quoted(text)}` : undefined,
      help: 'respond 429 above N requests per SECONDS, such as 10/1',
    },
    { name: 'no-overrides', help: 'ignore the Prefer header, which lets requests choose their response' },
  ]),
  ...inGroup('Sharing', [
    {
      name: 'shared',
      value: 'URL',
      help: 'share all state with other mocks through this Redis or Valkey: redis://HOST:PORT',
    },
    {
      name: 'shared-name',
      value: 'NAME',
      default: 'default',
      check: (text) =>
        /^[\w.-]{1,100}$/.test(text)
          ? undefined
          : `takes 1 to 100 letters, digits, dots, hyphens and underscores, not ${quoted(text)}`,
      help: 'the name of the shared mock, if several use the same engine',
    },
    {
      name: 'sandbox-ttl',
      value: 'DURATION',
      check: (text) =>
        readDuration(text) === undefined
          ? `takes a duration such as 90s, 30m, 12h or 7d, not ${quoted(text)}`
          : undefined,
      help: 'delete shared sandboxes that are unused for this time, such as 7d (default: never)',
    },
  ]),
  ...inGroup('Control API', [
    {
      name: 'console-runs',
      help: 'let the control API and the console run the suite against the deployments in petstore.config.json',
    },
    { name: 'no-control', help: 'do not serve the control API under /_petstore' },
    { name: 'no-console', help: 'do not serve the console under /_petstore/console/' },
    {
      name: 'control-token',
      value: 'TOKEN',
      env: 'PETSTORE_CONTROL_TOKEN',
      help: 'the bearer token of the control API (default: none on this machine, otherwise a random token)',
    },
    {
      name: 'control-host',
      value: 'NAME',
      env: 'PETSTORE_CONTROL_HOST',
      repeatable: true,
      help: 'an additional host name for the control API, such as that of a container',
    },
    { name: 'explain', help: 'name the requirement or option behind each response in a header' },
  ]),
]

export const mockFlags: Flag[] = [
  ...sharedMockFlags,
  ...inGroup('Control API', [{ name: 'open', help: 'open the console in a browser' }]),
  ...inGroup('Output', [logFlag, { name: 'quiet', help: 'print only the base URL' }]),
  { name: 'list-deviations', group: 'Output', help: 'list all deliberate defects and exit' },
]

function basePathIssue(path: string): string | undefined {
  if (/^(\/[\w.~-]+)*$/.test(path)) return undefined
  const better = `/${path.replaceAll(/^\/+|\/+$/g, '')}`
  const hint = /^(\/[\w.~-]+)+$/.test(better) ? `; did you mean ${better}?` : ''
  return `must begin with "/" and not end in "/", not ${quoted(path)}${hint}`
}

const durations = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of `90s`, `30m`, `12h` or `7d`. */
export function readDuration(text: string): number | undefined {
  const [, number, unit] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? []
  return number === undefined ? undefined : Number(number) * durations[unit as keyof typeof durations]
}

/** `200`, `100-300` or `median=80,p99=900`. */
export function readDelay(text: string): Delay | undefined {
  const number = String.raw`(\d{1,9}(?:\.\d{1,3})?)`
  const [, from, to] = new RegExp(`^${number}(?:-${number})?$`).exec(text) ?? []
  if (from !== undefined) return to === undefined ? Number(from) : { from: Number(from), to: Number(to) }
  const [, median, p99] = new RegExp(`^median=${number}, *p99=${number}$`).exec(text) ?? []
  return median === undefined ? undefined : { median: Number(median), p99: Number(p99) }
}

function delayIssue(text: string): string | undefined {
  const delay = readDelay(text)
  const [, from, to] = /^([\d.]+)-([\d.]+)$/.exec(text) ?? []
  if (Number(from) > Number(to)) return `takes the lower bound first: ${to}-${from}, not ${quoted(text)}`
  if (isDelay(delay)) return undefined
  return `takes milliseconds up to 600000: 200, 100-300 or median=80,p99=900, not ${quoted(text)}`
}

/** `10/1`: ten requests in one second. */
export function readRateLimit(text: string): { requests: number; windowMs: number } | undefined {
  const [, requests, seconds] = /^(\d{1,9})\/(\d{1,9}(?:\.\d{1,3})?)$/.exec(text) ?? []
  const windowMs = Math.round(Number(seconds) * 1000)
  return requests !== undefined && windowMs > 0 ? { requests: Number(requests), windowMs } : undefined
}
