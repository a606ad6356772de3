import type { JsonValue } from '../json.ts'
import { operations, type OperationId } from '../spec/operations.ts'
import { suiteUserAgent } from '../spec/version.ts'
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
  /** The body as text; undefined sends none. */
  body?: string | undefined
}

/**
 * A body: JSON, something else (`broken`), or more than is judged. `text` is its beginning, `size` about its bytes in
 * memory, `elements` the least number of elements of an outermost array.
 */
export type Content =
  | { kind: 'empty' }
  | { kind: 'json'; text: string; value: JsonValue; size: number }
  | { kind: 'broken'; text: string; problem: string; size: number }
  | { kind: 'unjudged'; text: string; problem: string; size: number; elements?: number | undefined }

/** A request and the response to it. */
export interface Exchange {
  plan: Plan
  /** The operation of the specification that the request calls, if any. */
  operation: OperationId | undefined
  status: number
  /** Names in lower case; repeated headers are joined by commas. */
  headers: Readonly<Record<string, string>>
  content: Content
  /** Milliseconds since the start of the run. */
  sentAt: number
  durationMs: number
}

/** Thrown when a request got no response of the service, so that no verdict follows. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse'
  /** `network`, `proxy` and `tls`: the server could not be reached; `silent`: only this kind of request gets no response. */
  readonly kind: 'network' | 'proxy' | 'tls' | 'timeout' | 'gateway' | 'rate-limit' | 'aborted' | 'key' | 'silent'

  constructor(kind: NoResponse['kind'], message: string, options?: ErrorOptions) {
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

/** The Accept headers of an API client, of a client without preference, and of a browser. */
const accepted = ['application/json', '*/*', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'] as const

/**
 * Varies the Accept header from request to request: "Every error response carries an Error body", also where frameworks
 * would send HTML, or a redirect to a login page, to a client that does not insist on JSON.
 */
export function withAcceptHeader<Sent extends Plan>(plan: Sent, nth: number): Sent {
  return { ...plan, headers: { ...plan.headers, accept: accepted[nth % accepted.length] as string } }
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
export const fieldFor = (path: string): string => (/\/pets\/./.test(path) ? 'authorization' : 'Authorization')

const patterns = Object.entries(operations).map(([id, { method, path }]) => ({
  id: id as OperationId,
  method,
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
}))

/** The router of the suite: the operation that a method and a path, with or without a query, call. */
export function operationOf(method: string, path: string): OperationId | undefined {
  return patterns.find((one) => one.method === method && one.pattern.test(path.split('?', 1)[0] ?? ''))?.id
}
