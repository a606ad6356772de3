import type { Dispatcher } from 'undici'
import { didYouMean, expectNone, expectObject, formatValue, type Issue } from '../../errors.ts'
import { type Requirement, requirements } from '../../spec/requirements.ts'
import type { Int64 } from '../../spec/types.ts'
import { isInt64, toInstant } from '../../validate.ts'
import type { Baseline, ExpectedProfile } from '../report/baseline.ts'
import type { Finding, HttpArchive, Report, Sequences } from '../report/report.ts'
import { defaultKeyVariable, headerVariable } from '../http/curl.ts'
import type { KeySource } from '../http/keys.ts'
import {
  boolean,
  integerIn,
  isFunction,
  isLoopback,
  listener,
  mistakeInKey,
  type OptionCheck,
  type OptionChecks,
} from '../../option-checks.ts'
import { bounds, type Depth, integers, rates } from './limits.ts'
import {
  findProxy,
  type Proxies,
  readCertificates,
  readHeaders,
  readPrivateKey,
} from '../http/connection-options.ts'
import type { Shown } from '../judge/catalog.ts'
import type { Conforming } from '../judge/beside.ts'

/** A finding of an earlier report, as far as a re-run needs it. */
export type FailedBefore = Pick<Finding, 'requirement' | 'during' | 'message'>

/** The options of `verify` with all defaults. Callers must give only `baseUrl` and `apiKey`. */
export interface VerifyOptions {
  /** The base URL of the deployment, without a slash at the end: `https://staging.example.com/v1`. */
  baseUrl: string
  /**
   * The API key, or for keys that expire, a function that returns it. It is called at the start, and again when the
   * service rejects a key that it accepted before. All its keys are redacted in reports.
   */
  apiKey: string | KeySource
  /** The environment variable from which the curl commands of a report read the key. Default: PETSTORE_API_KEY. */
  keyVariable: string
  /** Send no creations. Default: false. */
  readOnly: boolean
  /** Allow creations on a base URL that is not loopback. Default: false. */
  allowWrites: boolean
  /** How much the run tries. Default: standard. */
  depth: Depth
  /** The most requests that a run may send, with every repetition. Default: 30 at smoke, 2000 at thorough, else 100000. */
  maxRequests: number
  /** The most pets that a run may create. Default: 3 at smoke, 25 at standard, 200 at thorough. */
  maxWrites: number
  /** The seed of the random sequences of the depth `thorough`. Default: 1. */
  seed: number
  /** A category that exists. Default: one that the catalog shows. */
  categoryId: Int64 | undefined
  /** Milliseconds for one request. Default: 10000. */
  timeoutMs: number
  /** Milliseconds within which a new pet must be visible everywhere. Default: 5000. */
  settleMs: number
  /** Concurrent requests. Default: 4. */
  concurrency: number
  /** The most requests per second, such as 5 or 0.5. Default: as fast as the target responds. */
  rate: number | undefined
  /** Milliseconds that a run may wait for rate limits and gateways. Default: 60000. */
  retryBudgetMs: number
  /** Milliseconds for the whole run, which then ends with what is known. Default: 600000. */
  maxDurationMs: number
  /** Milliseconds to wait until the service responds with a list, or a 401 stays for 15 s. Default: 0. */
  waitUntilReadyMs: number
  /** Headers that every request carries, for a gateway that requires them. Their values are redacted in reports. Default: none. */
  headers: Readonly<Record<string, string>>
  /**
   * The environment variables from which the curl commands of a report read the values of `headers`, by the name of the
   * header. Default: PETSTORE_HEADER_ and the name, such as PETSTORE_HEADER_X_API_KEY.
   */
  headerVariables: Readonly<Record<string, string>>
  /** PEM certificates that are trusted beside the usual ones. Default: none. */
  ca: string | undefined
  /** Trust any certificate. Default: false. */
  insecure: boolean
  /** The certificate of the client (PEM), for a gateway that requires one; needs `certKey`. Default: none. */
  cert: string | undefined
  /** The private key of `cert` (PEM). Default: none. */
  certKey: string | undefined
  /** The proxy through which the target is called. Default: none. */
  proxy: URL | undefined
  /** Sends every request instead of the kit's own connections; `ca`, `insecure` and `proxy` are then ignored. Default: none. */
  dispatcher: Dispatcher | undefined
  /** Violations that are known and do not fail the run until they expire. Default: none. */
  baseline: Baseline | undefined
  /** The expected options of unspecified behavior; any other is drift (exit code 1). Default: none. */
  expectProfile: ExpectedProfile | undefined
  /** Exit with code 3 if a requirement could not be verified. Default: false. */
  strict: boolean
  /** The minimum number, or percentage (`'80%'`), of applicable requirements to check. Default: any number. */
  minVerified: number | string | undefined
  /** What the report is about: ids of requirements, or of checks for their requirements, with `*` for any text. Default: all. */
  only: readonly string[]
  /** Ids of requirements or checks that the report leaves out, with `*` for any text. Default: none. */
  skip: readonly string[]
  /**
   * An earlier report: `times` runs show whether its violations are fixed. `maxRequests` and `maxWrites` hold for each of
   * them, `maxDurationMs` for all together. Default: none.
   */
  onlyFailed:
    | { findings: readonly FailedBefore[]; sequences?: Pick<Sequences, 'seed' | 'failed'> }
    | undefined
  /** How often `onlyFailed` runs, from 1 to 20. Default: 3. */
  times: number
  /** Put the request and response behind each observed option into the report. Default: true. */
  observations: boolean
  /** The day that decides whether getPet is removed. Default: now. */
  now: Date
  /** A word of letters, digits and hyphens, for the names of the pets of this run. No other run at about the same time may have it. Default: a new one for each run. */
  runId: string
  /** Called with one line for each step. Default: none. */
  onProgress: ((line: string) => void) | undefined
  /**
   * Called at most once, before a run waits or once it takes longer than 2 s, if a violation is certain: with the report so
   * far, whose violations stay. Default: none.
   */
  onFailing: ((report: Report) => void) | undefined
  /** Called when a check has ended, with its id, the number of finished checks, and the total. Default: none. */
  onCheck: ((check: string, done: number, of: number) => void) | undefined
  /** Called at the end with the pets that responses have shown. */
  onShown: ((shown: Shown) => void) | undefined
  /** Called at the end with every request and its response as an HTTP archive (HAR), without secrets. Default: none. */
  onLog: ((archive: HttpArchive) => void) | undefined
  /** Responds as a conforming service does, to be shown beside each violation. Default: the mock. */
  conforming: Conforming | undefined
  /** Ends the run early; what was not verified until then is reported as such. */
  signal: AbortSignal | undefined
}

/** What `verify` takes: the base URL, the key, and any other option. */
export type VerifyInput = Pick<VerifyOptions, 'baseUrl'> & {
  /** A variable of the environment may be undefined, which is reported as a missing key. */
  apiKey: VerifyOptions['apiKey'] | undefined
} & {
  [name in Exclude<keyof VerifyOptions, 'baseUrl' | 'apiKey' | 'now' | 'proxy'>]?:
    | VerifyOptions[name]
    | undefined
} & {
  now?: Date | string | undefined
  /** The proxies, as environments name them; never used for this machine. Default: none. */
  proxy?: Proxies | undefined
}

type Demand = (path: string, holds: boolean, message: string) => void

const text: OptionCheck = ['a string', (value) => typeof value === 'string']
const record: OptionCheck = ['an object', (value) => typeof value === 'object' && value !== null]
const isVariable = (value: unknown): boolean => /^[a-z_]\w*$/i.test(String(value))
const ids: OptionCheck = [
  'an array of ids',
  (value) => Array.isArray(value) && value.every(text[1]),
]
const isList = (value: unknown): boolean => Array.isArray(value) && value.every(record[1])
const holding = (what: string, field: string, isRight: OptionCheck[1]): OptionCheck => [
  what,
  (value) => isRight((value as Readonly<Record<string, unknown>> | null)?.[field]),
]

const each = (names: readonly string[], kind: OptionCheck): Record<string, OptionCheck> =>
  Object.fromEntries(names.map((name) => [name, kind]))

const switches = {
  readOnly: false,
  allowWrites: false,
  insecure: false,
  strict: false,
  observations: true,
}
const numbers = Object.fromEntries(
  Object.entries(integers).map(([name, [fallback]]) => [name, fallback]),
)

/** What each option must be, as far as one word says it. */
const kinds: OptionChecks = {
  ...Object.fromEntries(
    Object.entries(integers).map(([name, [, ...range]]) => [name, integerIn(range)]),
  ),
  ...each(Object.keys(switches), boolean),
  ...each(['onProgress', 'onFailing', 'onCheck', 'onShown', 'onLog', 'conforming'], listener),
  ...each(['ca', 'cert', 'certKey'], text),
  keyVariable: ['the name of an environment variable', isVariable],
  headerVariables: [
    'an object of names of environment variables',
    (value) => record[1](value) && Object.values(value as object).every(isVariable),
  ],
  runId: [
    'a word of letters, digits and hyphens',
    (value) => text[1](value) && /^[\w-]+$/.test(String(value)),
  ],
  ...each(['only', 'skip'], ids),
  ...each(['expectProfile', 'proxy'], record),
  depth: [
    `one of ${Object.keys(bounds).join(', ')}`,
    (value) => Object.keys(bounds).some((name) => name === value),
  ],
  categoryId: ['a 64-bit integer', isInt64],
  rate: [
    `a number of requests per second, from ${rates[0]} to ${rates[1]}`,
    (value) => typeof value === 'number' && value >= rates[0] && value <= rates[1],
  ],
  headers: [
    'an object of strings',
    (value) => record[1](value) && ids[1](Object.values(value as object)),
  ],
  minVerified: [
    'a number of requirements, such as 40, or a percentage, such as "80%"',
    (value) =>
      typeof value === 'string'
        ? /^(\d{1,2}|100)%$/.test(value)
        : Number.isInteger(value) && Number(value) >= 0,
  ],
  dispatcher: holding('a Dispatcher of undici', 'request', isFunction),
  baseline: holding('a baseline with a list of failures', 'failures', isList),
  onlyFailed: holding('a report with a list of findings', 'findings', isList),
  signal: holding('an AbortSignal', 'addEventListener', isFunction),
}

/** Fills in the defaults. Throws a UsageError with a line for each mistake in the options. */
export function resolveOptions(given: VerifyInput): VerifyOptions {
  expectObject(given)
  const input: VerifyInput & { [name: string]: unknown } = { ...given }
  const mistakes: Issue[] = []
  const demand: Demand = (path, holds, message) => {
    if (!holds) mistakes.push({ path, message })
  }
  for (const [name, [expected, isRight]] of Object.entries(kinds)) {
    const { [name]: value } = input
    if (value !== undefined && isRight(value)) continue
    demand(name, value === undefined, `must be ${expected}, not ${formatValue(value)}`)
    delete input[name]
  }
  // A re-run sends all requests of a check, also for failures at smoke.
  const depth =
    (input.onlyFailed ? input.onlyFailed.sequences && 'thorough' : input.depth) ?? 'standard'
  const baseUrl = readBaseUrl(input.baseUrl, mistakes)
  const { hostname } = new URL(baseUrl === '' ? 'http://localhost' : baseUrl)
  const at = input.now === undefined ? Date.now() : toInstant(input.now)
  demand(
    'now',
    at !== undefined,
    `must be a date such as 2030-12-06, not ${formatValue(input.now)}`,
  )
  checkTogether(input, demand)
  const cert = readCertificates(input.cert, mistakes, 'cert')
  const headers = readHeaders(input.headers ?? {}, mistakes)
  const options = {
    ...numbers,
    ...bounds[depth],
    ...switches,
    keyVariable: defaultKeyVariable,
    only: [],
    skip: [],
    ...input,
    baseUrl,
    depth,
    headers,
    headerVariables: variablesOf(headers, input.headerVariables),
    ca: readCertificates(input.ca, mistakes),
    cert,
    certKey: readPrivateKey(input.certKey, cert, mistakes),
    proxy: isLoopback(hostname) ? undefined : readProxy(baseUrl, input.proxy, mistakes),
    now: new Date(at ?? 0),
    runId: input.runId ?? drawRunId(),
  } as VerifyOptions
  const names = [...Object.keys(kinds), 'baseUrl', 'apiKey', 'now']
  for (const name of Object.keys(input).filter((known) => !names.includes(known))) {
    mistakes.push({
      path: '',
      message: `there is no option ${formatValue(name)}${didYouMean(name, names)}`,
    })
  }
  demand(
    'allowWrites',
    options.readOnly || options.allowWrites || isLoopback(hostname),
    `is needed: the run would create up to ${options.maxWrites} pets on ${hostname}, and they stay; a read-only run creates none`,
  )
  expectNone(mistakes)
  return options
}

/** The variable for each header. */
function variablesOf(
  headers: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const named = new Map(
    Object.entries(given).map(([name, variable]) => [name.toLowerCase(), variable]),
  )
  return Object.fromEntries(
    Object.keys(headers).map((name) => [name, named.get(name) ?? headerVariable(name)]),
  )
}

/** Checks the key, and options that need or exclude each other. */
function checkTogether(input: VerifyInput, demand: Demand): void {
  const { apiKey, baseline, expectProfile, onlyFailed, only = [], skip = [] } = input
  const isText = typeof apiKey === 'string' && apiKey !== ''
  demand('apiKey', isText || typeof apiKey === 'function', 'is missing')
  const mistake = isText ? mistakeInKey(apiKey) : undefined
  demand('apiKey', mistake === undefined, mistake ?? '')
  const testable = (requirements as readonly Requirement[]).filter(
    (one) => one.untestable === undefined,
  )
  demand(
    'minVerified',
    typeof input.minVerified !== 'number' || input.minVerified <= testable.length,
    `must be at most ${testable.length}, the number of requirements that can be verified`,
  )
  demand('times', onlyFailed !== undefined || input.times === undefined, 'needs onlyFailed')
  const isAlone = only.length + skip.length === 0 && (baseline ?? expectProfile) === undefined
  const aloneMessage = 'cannot be combined with --only, --skip, --baseline or --expect-profile'
  demand('onlyFailed', onlyFailed === undefined || isAlone, aloneMessage)
  demand(
    'cert',
    (input.cert === undefined) === (input.certKey === undefined),
    'and certKey need each other',
  )
}

function readProxy(
  baseUrl: string,
  proxies: Proxies | undefined,
  mistakes: Issue[],
): URL | undefined {
  try {
    return proxies && findProxy(new URL(baseUrl), proxies)
  } catch (error) {
    mistakes.push({ path: '', message: (error as Error).message })
    return undefined
  }
}

/** The base URL without a trailing slash; problems are added to `mistakes`. */
export function readBaseUrl(given: unknown, mistakes: Issue[]): string {
  const text = given instanceof URL ? given.href : given
  const wrong = (message: string): number => mistakes.push({ path: 'baseUrl', message })
  if (typeof text !== 'string' || !URL.canParse(text)) {
    const shown = typeof text === 'string' ? text.replace(/\/\/[^]*@/, '//[redacted]@') : text
    wrong(`must be absolute, such as http://127.0.0.1:4010/v1, not ${formatValue(shown)}`)
    return ''
  }
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    wrong('must begin with http:// or https://')
  if (url.search !== '' || url.hash !== '') wrong('must not contain ? or #')
  if (url.username !== '' || url.password !== '') {
    wrong('must not contain a user name or a password')
    url.username = ''
    url.password = ''
  }
  return url.href.replace(/(?<!\/)\/+$/, '')
}

function drawRunId(): string {
  const consonants = 'bcdfghjklmnpqrstvwxz'
  const bytes = crypto.getRandomValues(new Uint8Array(6))
  const letters = [...bytes].map((byte) => consonants[byte % consonants.length]).join('')
  return letters.slice(0, 1).toUpperCase() + letters.slice(1)
}
