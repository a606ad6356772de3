import type { JsonValue } from '../json.ts'
import { operations, type OperationId } from '../spec/operations.ts'
import { suiteUserAgent } from '../spec/version.ts'
import type { Credential } from './credentials.ts'

/** A request as a check writes it. */
export interface Plan {
  method: string
  /** Relative to the base URL, with the query: `/pets?limit=5`. */
  path: string
  /** Default: the key in the form of the specification. */
  credential?: Credential
  /** Headers beside Authorization. */
  headers?: Readonly<Record<string, string>>
  /** The body as text; undefined sends none. */
  body?: string
}

/**
 * What the bytes of a body are: one JSON text, something else, or more than can be judged. Of its text, only the beginning
 * is kept. `size` is about what it takes, in bytes; `elements` how many elements the outermost array has at least.
 */
export type Content =
  | { kind: 'empty' }
  | { kind: 'json'; text: string; value: JsonValue; size: number }
  | { kind: 'broken'; text: string; problem: string; size: number }
  | { kind: 'unjudged'; text: string; problem: string; size: number; elements?: number | undefined }

/** A request and the response to it. */
export interface Exchange {
  plan: Plan
  /** The operation of the specification that the request calls, if it calls one. */
  operation: OperationId | undefined
  status: number
  /** Names in lower case; a header that came several times is joined by commas. */
  headers: Readonly<Record<string, string>>
  content: Content
  /** Milliseconds since the start of the run. */
  sentAt: number
  durationMs: number
}

/** Thrown where a request got no response that speaks for the service: no verdict follows from it. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse'
  /** `network`, `proxy` and `tls` when the server could not be reached at all; `silent` when other requests get a response. */
  readonly kind: 'network' | 'proxy' | 'tls' | 'timeout' | 'gateway' | 'rate-limit' | 'aborted' | 'key' | 'silent'

  constructor(kind: NoResponse['kind'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

/** Whether a pet may come of a request: of bytes that are no JSON object none can, because it would have no name. */
export function mayCreate({ method, body = '' }: Plan): boolean {
  if (method !== 'POST') return false
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/** What a program accepts, what one accepts that names nothing, and what a browser does. */
const accepted = ['application/json', '*/*', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'] as const

/**
 * The request as one client after the other sends it: "Every error response carries an Error body", whatever a client
 * accepts. Frameworks like to send HTML, or a redirect to a login page, to a client that does not insist on JSON.
 */
export function asClient(plan: Plan, nth: number): Plan {
  return { ...plan, headers: { ...plan.headers, accept: accepted[nth % accepted.length] as string } }
}

/** The content codings that can be undone, as Accept-Encoding names them. */
const acceptedCodings = 'gzip, deflate, br'

/** The headers of a request, but for Authorization. A header that a plan sets to nothing is not sent. */
export function headersOf(plan: Plan): Record<string, string> {
  const headers: Record<string, string> = {
    accept: 'application/json',
    'accept-encoding': acceptedCodings,
    'user-agent': suiteUserAgent,
    ...(plan.body !== undefined && { 'content-type': 'application/json' }),
    ...plan.headers,
  }
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))
}

const patterns = Object.entries(operations).map(([id, { method, path }]) => ({
  id: id as OperationId,
  method,
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
}))

/** The operation that a method and a path, with or without a query, call: the only place of this half that says so. */
export function operationOf(method: string, path: string): OperationId | undefined {
  const bare = path.split('?', 1)[0] ?? ''
  return patterns.find((one) => one.method === method && one.pattern.test(bare))?.id
}
