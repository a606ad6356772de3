import type { JsonValue } from '../../json.ts'
import type { Int64 } from '../../spec/types.ts'
import { operations, type OperationId } from '../../spec/operations.ts'
import { suiteUserAgent } from '../../spec/version.ts'
import type { Credential } from './credentials.ts'

/** A request as a check describes it. */
export interface Plan {
  method: string
  /** Relative to the base URL, with the query: `/pets?limit=5`. */
  path: string
  /** Default: the key in the form of the specification. */
  credential?: Credential | undefined
  /** Headers other than Authorization. */
  headers?: Readonly<Record<string, string>> | undefined
  body?: string | undefined
  /** Set on what may create a pet of the run: the names by which it would be known, and whether the target must reject it. */
  creation?: { names: readonly string[]; mustFail: boolean }
  /** The pet that getPet requests, because a response has shown it. */
  pet?: Int64
  /** Whether it only shows that the target is alive: its response decides no question. */
  isAside?: true
  /** Whether its first attempt opens a connection, as retries do. */
  opensConnection?: true
  /** Makes the plan of a retry, when the service may have processed this one. Default: the same. */
  again?(): Plan
}

/**
 * A body: JSON, something else (`broken`), or more than is judged. `text` is its beginning, `near` the text around the
 * problem if that is further on, `size` about its bytes in memory, `elements` the least number of elements of an
 * outermost array.
 */
export type Content =
  | { kind: 'empty' }
  | { kind: 'json'; text: string; value: JsonValue; size: number }
  | {
      kind: 'broken'
      text: string
      problem: string
      near?: string
      /** Whether it is whole, and no JSON. */
      isMalformed?: boolean
      size: number
    }
  | { kind: 'unjudged'; text: string; problem: string; size: number; elements?: number | undefined }

export interface Exchange {
  plan: Plan
  /** The check on whose behalf it was sent. */
  check?: string
  /** The question that it is to decide, if any. */
  purpose?: string
  /** Which of the keys of the run was in use. Default: the first one, 0. */
  keyNumber?: number
  /** The operation of the specification that the request calls, if any. */
  operation: OperationId | undefined
  status: number
  /** Names in lower case; repeated headers are joined by commas. */
  headers: Readonly<Record<string, string>>
  /** The characters of headers that are not kept, because there are too many. */
  headersLeftOut?: number
  content: Content
  /** Milliseconds since the start of the run. */
  sentAt: number
  durationMs: number
}

/** When its response had arrived, in milliseconds since the start of the run. */
export const arrivalOf = ({ sentAt, durationMs }: Exchange): number => sentAt + durationMs

export const isRedirect = (status: number): boolean => status >= 300 && status < 400

/** The media type of a response in lower case, without parameters. */
export const mediaTypeOf = ({ headers }: Exchange): string | undefined =>
  headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()

/** The headers of a response that a run keeps: each exchange stays in memory until the report is written. */
const most = { headers: 100, characters: 16_384 }
/** The headers that the suite reads. They are kept first, and the others in the order of the response. */
const isRead =
  /^(?:content-(?:encoding|type)|www-authenticate|location|deprecation|sunset|set-cookie|retry-after|date|age|expires|x-cache|.*(?:cache-status|(?:cache|surrogate)-control)|(?:x-)?rate-?limit.*)$/

/**
 * Keeps some hundred headers.
 *
 * @param headers with names in lower case
 * @returns the kept headers, and the characters of the others
 */
export function keepHeaders(headers: Readonly<Record<string, string>>): {
  headers: Readonly<Record<string, string>>
  leftOut: number
} {
  const all = Object.entries(headers)
  const total = all.reduce((sum, one) => sum + sizeOf(one), 0)
  if (all.length <= most.headers && total <= most.characters) return { headers, leftOut: 0 }
  const kept = new Set<string>()
  let used = 0
  for (const wanted of [true, false]) {
    for (const header of all) {
      const [name] = header
      if (kept.size === most.headers) break
      if (isRead.test(name) !== wanted || used + sizeOf(header) > most.characters) continue
      kept.add(name)
      used += sizeOf(header)
    }
  }
  return {
    headers: Object.fromEntries(all.filter(([name]) => kept.has(name))),
    leftOut: total - used,
  }
}

const sizeOf = ([name, value]: readonly [string, string]): number => name.length + value.length

/** How old a response may be by its headers (RFC 9111, 9211 and 9213), in seconds; a cache need not say. */
export function keptSeconds({ headers, plan }: Exchange): number {
  if (plan.method !== 'GET') return 0
  const { age = '', date = '', expires = '', 'cache-control': control } = headers
  const values = (names: RegExp): string[] =>
    Object.keys(headers).flatMap((name) => (names.test(name) ? [headers[name] ?? ''] : []))
  if (values(/^x-cache$|cache-status$/).some((value) => /(?:\b|_)(?:hit|stale)\b/i.test(value)))
    return Infinity
  if (control === undefined && expires !== '')
    return Math.max(0, (Date.parse(expires) - Date.parse(date)) / 1000 || 0)
  return Math.max(
    /^\d+$/.test(age) ? Number(age) : 0,
    ...values(/(?:^|-)(?:cache|surrogate)-control$/).map(lifetimeOf),
  )
}

/** The longest time that Cache-Control, or a header like it for one kind of cache, allows. */
function lifetimeOf(control: string): number {
  if (/\bno-(?:store|cache)\b(?!=)/i.test(control)) return 0
  const times = control.matchAll(/\b(?:s-maxage|max-age|stale-while-revalidate)="?(\d+)/gi)
  return Math.max(0, ...[...times].map(([, seconds]) => Number(seconds)))
}

/** Thrown when a request got no response of the service, so that no verdict follows. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse'
  /** `network`, `proxy` and `tls`: the server could not be reached; `malformed`: its response is no HTTP; `silent`: only this kind of request gets no response. */
  readonly kind:
    | 'network'
    | 'proxy'
    | 'tls'
    | 'timeout'
    | 'malformed'
    | 'gateway'
    | 'rate-limit'
    | 'aborted'
    | 'key'
    | 'silent'

  constructor(kind: NoResponse['kind'], message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.kind = kind
  }
}

/** Whether a request may create a pet: a body that is not a JSON object has no name for one. */
export function mayCreate({ method, body = '' }: Plan): boolean {
  if (method !== 'POST') return false
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/** The Accept headers of an API client, of a client without preference, of a browser, and of a client that sends none. */
const accepted = [
  'application/json',
  '*/*',
  'text/html,application/xml;q=0.9,*/*;q=0.8',
  '',
] as const

/**
 * Varies the Accept header from request to request: "Every error response carries an Error body", also where frameworks
 * would send HTML, or a redirect to a login page, to a client that does not insist on JSON.
 */
export function withAcceptHeader<Sent extends Plan>(plan: Sent, nth: number): Sent {
  return {
    ...plan,
    headers: { ...plan.headers, accept: accepted[nth % accepted.length] as string },
  }
}

/** The headers of a request, without Authorization. A plan leaves a default out by setting it to an empty string. */
export function headersOf(plan: Plan): Record<string, string> {
  const headers: Record<string, string> = {
    accept: 'application/json',
    'accept-encoding': 'gzip, deflate, br',
    'user-agent': suiteUserAgent,
    ...(plan.body !== undefined && { 'content-type': 'application/json' }),
    ...plan.headers,
  }
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))
}

/** The header that carries the key. The names of headers have no letter case, so getPet gets it in another one. */
export const fieldFor = (path: string): string =>
  /\/pets\/./.test(path) ? 'authorization' : 'Authorization'

const patterns = Object.entries(operations).map(([id, { method, path }]) => ({
  id: id as OperationId,
  method,
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
}))

/** The router of the suite: the operation that a method and a path, with or without a query, call. */
export function operationOf(method: string, path: string): OperationId | undefined {
  return patterns.find(
    (one) => one.method === method && one.pattern.test(path.split('?', 1)[0] ?? ''),
  )?.id
}
