import { NoResponse, type Exchange } from './exchange.ts'

interface ConnectionFailure {
  failure: NoResponse
  /** Whether every retry would fail as well. */
  fatal: boolean
  /** Whether the service certainly has not processed the request. */
  unprocessed: boolean
}

/** What one attempt at a request gave: a response, complete or cut off, or a failure. */
export type Attempt = Responded | Failed
export type Responded = { exchange: Exchange; isCut?: boolean; failure?: undefined }
export type Failed = ConnectionFailure & {
  exchange?: undefined
  status?: number
  retryAfterMs?: number | undefined
  /** The valid key gets such a page, too. */
  blocksValidKey?: true
}

/** Why no connection could be opened, by error code. */
const unreachable: Readonly<Record<string, { words: string; fatal?: true }>> = {
  ECONNREFUSED: { words: 'nothing listens there (connection refused)' },
  ENOTFOUND: { words: 'its host name cannot be resolved', fatal: true },
  EAI_AGAIN: { words: 'its host name cannot be resolved at the moment' },
  EHOSTUNREACH: { words: 'there is no route to its host' },
  ENETUNREACH: { words: 'there is no route to its network' },
}

export const isUnreachable = (error: NodeJS.ErrnoException): boolean =>
  Object.hasOwn(unreachable, error.code ?? '')

/** The error codes of Node and OpenSSL for rejected certificates. */
const distrust =
  /CERT|SIGNATURE|SELF_SIGNED|ALTNAME|HOSTNAME_MISMATCH|^INVALID_(CA|PURPOSE)$|PATH_LENGTH_EXCEEDED|^UNABLE_TO_/

/** Those for a certificate whose issuer is neither sent along nor trusted. */
const issuerIsUnknown = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
])

/** A proxy did not connect: `status` is that of its response; without a response, the cause says why. */
export class ProxyFailure extends Error {
  readonly status: number | undefined

  constructor(status: number | undefined, options?: { cause: Error }) {
    super(
      `the proxy does not connect to the target${status === undefined ? '' : ` (status ${status})`}`,
      options,
    )
    this.status = status
  }
}

type Explained = Pick<ConnectionFailure, 'fatal' | 'unprocessed'> & {
  kind: NoResponse['kind']
  words: string
}

/** Explains a failed attempt; `lateMs` is the timeout in milliseconds, when it has passed. */
export function toFailure(
  error: unknown,
  proxy: URL | undefined,
  lateMs?: number,
): ConnectionFailure {
  const isOfProxy = proxy !== undefined && error instanceof ProxyFailure && lateMs === undefined
  const { kind, words, fatal, unprocessed } = isOfProxy
    ? explainProxy(error, proxy)
    : explain(error as Error, lateMs)
  const way = proxy === undefined || isOfProxy ? '' : ` (through the proxy ${proxy.host})`
  return { failure: new NoResponse(kind, words + way, { cause: error }), fatal, unprocessed }
}

function explain(error: NodeJS.ErrnoException, lateMs?: number): Explained {
  const open = { fatal: false, unprocessed: false }
  if (lateMs !== undefined)
    return { kind: 'timeout', words: `no response within ${lateMs / 1000} s`, ...open }
  const { code = '', message } = error
  const way = unreachable[code]
  if (way !== undefined)
    return { kind: 'network', words: way.words, fatal: way.fatal ?? false, unprocessed: true }
  const distrusted = (words: string): Explained => ({
    kind: 'tls',
    words,
    fatal: true,
    unprocessed: true,
  })
  if (code === 'CERT_HAS_EXPIRED') return distrusted(`its certificate has expired (${message})`)
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return distrusted(`its certificate is for another host (${message})`)
  // An alert is what the target says of its client.
  if (/_ALERT_(?:\w*CERTIFICATE|UNKNOWN_CA)/.test(code)) {
    return distrusted(
      `it requires a client certificate that it trusts (${code}); --cert and --cert-key name one`,
    )
  }
  if (distrust.test(code)) {
    const missing = issuerIsUnknown.has(code)
      ? '; if it does, the target does not send an intermediate certificate: openssl s_client -connect HOST:PORT -showcerts prints what it sends'
      : ''
    const advice = `--ca names the certificate of a private authority${missing}`
    return distrusted(`its certificate is not trusted (${code}: ${message}); ${advice}`)
  }
  if (code === 'EPROTO' || /SSL|TLS/.test(code)) {
    const reason =
      /:([^:]+):[^:]*:[^:]*:(?:SSL alert number \d+)?\s*$/.exec(message)?.[1] ?? message
    const isOld = /(?:unsupported[ _]protocol|protocol[ _]version)/i.test(`${code} ${reason}`)
    const advice = isOld
      ? 'the suite speaks TLS 1.2 and later'
      : reason.includes(' alert ')
        ? 'perhaps it requires a client certificate, by --cert and --cert-key'
        : 'if the target has no TLS, begin the base URL with http://'
    return distrusted(`the TLS handshake failed (${code}: ${reason}); ${advice}`)
  }
  if (code.startsWith('HPE_')) {
    const words = `the target responds, but not in valid HTTP/1.1 (${code}: ${message})`
    return { kind: 'malformed', words, ...open }
  }
  const how = message.includes(code) ? message : `${code} ${message}`
  return { kind: 'network', words: `the connection failed (${how})`, ...open }
}

/** A proxy that could not reach the target may do so later; any other rejection stays. */
function explainProxy({ status, cause }: ProxyFailure, { host }: URL): Explained {
  if (status === undefined) {
    const { words, ...rest } = explain(cause as NodeJS.ErrnoException)
    const isThere = !isUnreachable(cause as NodeJS.ErrnoException)
    return {
      ...rest,
      words: `the proxy ${host} cannot be ${isThere ? 'used' : 'reached'}: ${words}`,
      unprocessed: true,
    }
  }
  const rejected = (words: string): Explained => ({
    kind: 'proxy',
    words: `the proxy ${host} ${words} (it responded ${status})`,
    fatal: true,
    unprocessed: true,
  })
  if (status === 407)
    return rejected(
      'wants a user name and a password in its URL, as in http://USER:PASSWORD@HOST:PORT',
    )
  if (status < 502 || status > 504) return rejected('refuses to connect to it')
  return { ...rejected('cannot connect to it'), kind: 'network', fatal: false }
}

/** Statuses that may be about a kept connection: it was idle too long, or the request belongs on another one. */
export const ofConnection: readonly number[] = [408, 421, 425]

/**
 * Who rejects a request without a verdict on it: a gateway that cannot reach the service (520 to 530 are Cloudflare's),
 * or a rate limit, "not shown", by 429 or another client error that names a time to wait, or by a 403 that counts no more
 * requests left, as GitHub sends.
 */
export function rejectionBy(
  status: number,
  headers: Readonly<Record<string, string>>,
): 'gateway' | 'rate-limit' | undefined {
  if ((status >= 502 && status <= 504) || (status >= 520 && status <= 530)) return 'gateway'
  const maySayLater = status >= 402 && status < 500 && status !== 404
  const isSpent = ['ratelimit-remaining', 'x-ratelimit-remaining'].some(
    (name) => headers[name] === '0',
  )
  const isLimit = status === 429 || (status === 403 && isSpent)
  return isLimit || (maySayLater && headers['retry-after'] !== undefined) ? 'rate-limit' : undefined
}

/** Headers in lower case; the values of a repeated one are joined by commas. */
export function flatten(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined)
      flat[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value
  }
  return flat
}

/**
 * The milliseconds of Retry-After (RFC 9110 section 10.2.3), if they are more than none: a server rounds a part of a second
 * down, and a negative number is not valid. A date is read against the server's own clock.
 */
export function retryAfter(
  { 'retry-after': value = '', date }: Readonly<Record<string, string>>,
  now: number,
): number | undefined {
  const itsNow = Date.parse(date ?? '')
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(value)
    ? Number(value) * 1000
    : // Date.parse takes `-1` for a year.
      value.includes(':')
      ? Date.parse(value) - (Number.isNaN(itsNow) ? now : itsNow)
      : 0
  return ms > 0 ? ms : undefined
}
