import type { Dispatcher } from 'undici'
import { didYouMean, formatValue, type Issue, UsageError } from '../errors.ts'
import type { ClauseId } from '../spec/clauses.ts'
import type { Int64 } from '../spec/types.ts'
import { toInstant } from '../validate.ts'
import type { Baseline, ExpectedProfile } from './baseline.ts'
import { bounds, type Depth, integers } from './limits.ts'
import { findProxy, type Proxies, readCertificates, readHeaders, readPrivateKey } from './connection.ts'
import { isInt64 } from './expect.ts'
import type { Shown } from './catalog.ts'

/** A finding of an earlier report, as far as a re-run needs it. */
export interface FailedBefore {
  clause: ClauseId
  during: string
  message: string
}

/** The random sequences of an earlier report that found violations. */
export interface FailedSequences {
  seed: number
  failed: readonly number[]
}

/** The options of `verify`, each present. */
export interface VerifyOptions {
  /** The base URL of the deployment, without a slash at the end: `https://staging.example.com/v1`. */
  baseUrl: string
  /** The API key. Redacted in reports. */
  apiKey: string
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
  /** What the random sequences of the depth `thorough` are drawn from. Default: 1. */
  seed: number
  /** A category that exists. Default: one that the catalog shows. */
  categoryId: Int64 | undefined
  /** Milliseconds for one request. Default: 10000. */
  timeoutMs: number
  /** Milliseconds within which a new pet must be visible everywhere. Default: 5000. */
  settleMs: number
  /** Requests under way at once. Default: 4. */
  concurrency: number
  /** Milliseconds that a run may wait for rate limits and gateways. Default: 60000. */
  retryBudgetMs: number
  /** Milliseconds for the whole run, which then ends with what is known. Default: 600000. */
  maxDurationMs: number
  /** Milliseconds to wait for a target that does not respond yet. Default: 0. */
  waitUntilReadyMs: number
  /** Headers that every request carries, for a gateway that wants them. Their values are redacted in reports. Default: none. */
  headers: Readonly<Record<string, string>>
  /** PEM certificates that are trusted beside the usual ones. Default: none. */
  ca: string | undefined
  /** Trust any certificate. Default: false. */
  insecure: boolean
  /** The certificate of the client (PEM), for a gateway that wants one; needs `certKey`. Default: none. */
  cert: string | undefined
  /** The private key of `cert` (PEM). Default: none. */
  certKey: string | undefined
  /** The proxy through which the target is called. Default: none. */
  proxy: URL | undefined
  /** Sends every request in place of the kit's own connections; `ca`, `insecure` and `proxy` are then its affair. Default: none. */
  dispatcher: Dispatcher | undefined
  /** Violations that are known and do not fail the run until they expire. Default: none. */
  baseline: Baseline | undefined
  /** Options that the deployment is expected to have: another one is drift, and exit code 1. Default: none. */
  expectProfile: ExpectedProfile | undefined
  /** Clauses that could not be verified make the run fail. Default: false. */
  strict: boolean
  /** So many requirements, or so many of a hundred that apply (`'80%'`), must be checked at least. Default: any number. */
  minVerified: number | string | undefined
  /** Clause or check ids, with `*` for any text. Default: all. */
  only: readonly string[]
  /** Clause or check ids to leave out, with `*` for any text. Default: none. */
  skip: readonly string[]
  /**
   * An earlier report: runs only the checks that found violations in it, and those on which they build, `times` times.
   * `maxRequests`, `maxWrites` and `maxDurationMs` hold for all of these runs together. Default: none.
   */
  onlyFailed: { findings: readonly FailedBefore[]; sequences?: FailedSequences } | undefined
  /** How often `onlyFailed` runs, from 1 to 20. Default: 3. */
  times: number
  /** Put the request and response behind each observed option into the report. Default: true. */
  observations: boolean
  /** The day that decides whether getPet is removed. Default: now. */
  now: Date
  /** Letters that name this run in the names of its pets. Default: drawn anew. */
  runId: string
  /** Called with one line for each step. Default: none. */
  onProgress: ((line: string) => void) | undefined
  /** Called when a check has ended, with its id and how many have, of how many. Default: none. */
  onCheck: ((check: string, done: number, of: number) => void) | undefined
  /** Called at the end with the pets that responses have shown. */
  onShown: ((shown: Shown) => void) | undefined
  /** Ends the run early; what was not verified until then is reported as such. */
  signal: AbortSignal | undefined
}

/** What `verify` takes: the base URL, the key, and any other option. */
export type VerifyInput = Pick<VerifyOptions, 'baseUrl' | 'apiKey'> & {
  [name in Exclude<keyof VerifyOptions, 'baseUrl' | 'apiKey' | 'now' | 'proxy'>]?: VerifyOptions[name] | undefined
} & {
  now?: Date | string | undefined
  /** The proxies, as environments name them; never used for this machine. Default: none. */
  proxy?: Proxies | undefined
}

type Demand = (path: string, holds: boolean, message: string) => void

/**
 * Fills in the defaults and checks the options, all of them at once.
 *
 * @throws {UsageError} with a line for each mistake
 */
export function resolveOptions(input: VerifyInput): VerifyOptions {
  const mistakes: Issue[] = []
  const demand: Demand = (path, holds, message) => {
    if (!holds) mistakes.push({ path, message })
  }
  // A re-run sends all requests of a check, also for failures at smoke.
  const depth = (input.onlyFailed ? input.onlyFailed.sequences && 'thorough' : input.depth) ?? 'standard'
  demand(
    'depth',
    Object.hasOwn(bounds, depth),
    `must be one of ${Object.keys(bounds).join(', ')}, not ${formatValue(depth)}`,
  )
  const numbers = readIntegers(input, bounds[depth] ?? bounds.standard, demand)
  const baseUrl = readBaseUrl(input.baseUrl, mistakes)
  const { hostname } = new URL(baseUrl === '' ? 'http://localhost' : baseUrl)
  const at = input.now === undefined ? Date.now() : toInstant(input.now)
  demand('now', at !== undefined, `must be a date such as 2030-12-06, not ${formatValue(input.now)}`)
  checkValues(input, demand)
  const options: VerifyOptions = {
    ...numbers,
    baseUrl,
    apiKey: input.apiKey,
    depth,
    readOnly: input.readOnly ?? false,
    allowWrites: input.allowWrites ?? false,
    categoryId: input.categoryId,
    headers: readHeaders(input.headers ?? {}, mistakes),
    ca: readCertificates(input.ca, mistakes),
    insecure: input.insecure ?? false,
    cert: readCertificates(input.cert, mistakes, 'cert'),
    certKey: readPrivateKey(input.certKey, mistakes),
    proxy: isLoopback(hostname) ? undefined : readProxy(baseUrl, input.proxy, mistakes),
    dispatcher: input.dispatcher,
    baseline: input.baseline,
    expectProfile: input.expectProfile,
    strict: input.strict ?? false,
    minVerified: input.minVerified,
    only: input.only ?? [],
    skip: input.skip ?? [],
    onlyFailed: input.onlyFailed,
    observations: input.observations ?? true,
    now: new Date(at ?? 0),
    runId: input.runId ?? drawRunId(),
    onProgress: input.onProgress,
    onCheck: input.onCheck,
    onShown: input.onShown,
    signal: input.signal,
  }
  for (const name of Object.keys(input).filter((known) => !Object.hasOwn(options, known))) {
    const hint = didYouMean(name, Object.keys(options))
    mistakes.push({ path: '', message: `there is no option ${formatValue(name)}${hint}` })
  }
  demand(
    'allowWrites',
    options.readOnly || options.allowWrites || isLoopback(hostname),
    `is needed: the run would create up to ${options.maxWrites} pets on ${hostname}, and they stay; a read-only run creates none`,
  )
  if (mistakes.length > 0) throw new UsageError(mistakes)
  return options
}

function readIntegers(
  input: VerifyInput,
  byDepth: Partial<Record<keyof typeof integers, number>>,
  demand: Demand,
): Record<keyof typeof integers, number> {
  const names = Object.keys(integers) as (keyof typeof integers)[]
  const values = names.map((name) => {
    const [fallback, minimum, maximum] = integers[name]
    const value = input[name] ?? byDepth[name] ?? fallback
    const holds = Number.isInteger(value) && value >= minimum && value <= maximum
    demand(name, holds, `must be an integer from ${minimum} to ${maximum}, not ${formatValue(value)}`)
    return [name, value] as const
  })
  return Object.fromEntries(values) as Record<keyof typeof integers, number>
}

/** Checks the options that are taken as they are. */
function checkValues(input: VerifyInput, demand: Demand): void {
  const {
    apiKey,
    baseline,
    categoryId,
    dispatcher,
    expectProfile,
    minVerified,
    onlyFailed,
    only = [],
    skip = [],
  } = input
  const isKey = typeof apiKey === 'string' && apiKey !== ''
  demand('apiKey', isKey, 'is missing')
  const isSendable = !isKey || /^[\x21-\x7e]+$/.test(apiKey)
  demand('apiKey', isSendable, 'has a space or a character that an Authorization header cannot carry')
  demand(
    'categoryId',
    categoryId === undefined || isInt64(categoryId),
    `must be an integer within int64, a bigint beyond 2^53, not ${formatValue(categoryId)}`,
  )
  for (const [name, ids] of Object.entries({ only, skip })) {
    const isIds = Array.isArray(ids) && ids.every((id) => typeof id === 'string')
    demand(name, isIds, `must be an array of ids, not ${formatValue(ids)}`)
  }
  const isMinimum =
    typeof minVerified === 'string'
      ? /^(\d{1,2}|100)%$/.test(minVerified)
      : minVerified === undefined || (Number.isInteger(minVerified) && minVerified >= 0)
  const numberOrPercentage = 'must be a number of requirements, such as 40, or a percentage, such as "80%"'
  demand('minVerified', isMinimum, `${numberOrPercentage}, not ${formatValue(minVerified)}`)
  const isDispatcher = typeof (dispatcher as Partial<Dispatcher> | null | undefined)?.request === 'function'
  const dispatcherMessage = `must be a Dispatcher of undici, not ${formatValue(dispatcher)}`
  demand('dispatcher', dispatcher === undefined || isDispatcher, dispatcherMessage)
  demand('times', onlyFailed !== undefined || input.times === undefined, 'needs onlyFailed')
  const isAlone = only.length + skip.length === 0 && (baseline ?? expectProfile) === undefined
  const aloneMessage = 'cannot be combined with only, skip, baseline or an expected profile'
  demand('onlyFailed', onlyFailed === undefined || isAlone, aloneMessage)
  demand('cert', (input.cert === undefined) === (input.certKey === undefined), 'and certKey need each other')
}

function readProxy(baseUrl: string, proxies: Proxies | undefined, mistakes: Issue[]): URL | undefined {
  try {
    return proxies && findProxy(new URL(baseUrl), proxies)
  } catch (error) {
    mistakes.push({ path: '', message: (error as Error).message })
    return undefined
  }
}

/** The base URL without a trailing slash; problems are added to `mistakes`. */
export function readBaseUrl(text: unknown, mistakes: Issue[]): string {
  const wrong = (message: string): number => mistakes.push({ path: 'baseUrl', message })
  if (!URL.canParse(String(text))) {
    const shown = typeof text === 'string' ? text.replace(/\/\/[^]*@/, '//[redacted]@') : text
    wrong(`must be absolute, such as http://127.0.0.1:4010/v1, not ${formatValue(shown)}`)
    return ''
  }
  const url = new URL(String(text))
  if (url.protocol !== 'http:' && url.protocol !== 'https:') wrong('must begin with http:// or https://')
  if (url.search !== '' || url.hash !== '') wrong('must have no query and no fragment')
  if (url.username !== '' || url.password !== '') {
    wrong('must not contain a user name or a password')
    url.username = ''
    url.password = ''
  }
  return url.href.replace(/\/+$/, '')
}

/** Whether a host name of a URL is this machine. */
export const isLoopback = (hostname: string): boolean => /^((.+\.)?localhost|\[::1\]|127(\.\d+){3})$/.test(hostname)

function drawRunId(): string {
  const consonants = 'bcdfghjklmnpqrstvwxz'
  const bytes = crypto.getRandomValues(new Uint8Array(6))
  const letters = [...bytes].map((byte) => consonants[byte % consonants.length]).join('')
  return letters.slice(0, 1).toUpperCase() + letters.slice(1)
}
