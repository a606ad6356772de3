import type { JsonValue } from '../json.ts'
import type { OperationId } from '../spec/operations.ts'

/**
 * What shall happen to some requests: an error, a delay, a fault of the connection, a rate limit. It is counted, never
 * random. Rules apply to requests of the three operations that carry a valid key: without one, the answer is 401 first.
 *
 * Of several rules that fit a request the newest goes first; an older one adds only what the newer ones leave open: to an
 * answer the delay, to a delay the answer.
 */
export interface Rule {
  /** Which requests. All three operations by default; each member narrows it. */
  when?: RuleCondition
  /** The answer, in place of the ordinary one: a refused creation leaves no pet behind. */
  reply?: RuleReply
  /** How long the answer waits. */
  delayMs?: Delay
  /** What happens to the connection. */
  fault?: Fault
  /** So many requests in each window; the others are answered 429 with Retry-After. All answers tell what is left. */
  rateLimit?: { requests: number; windowMs: number }
  /** Lets the first requests that fit pass. 0 by default. */
  skip?: number
  /** For so many requests, then never again. Without an end by default. */
  times?: number
  /** An outage window, counted from when the rule was added. Without one by default. */
  during?: { afterMs?: number; forMs: number }
}

export interface RuleCondition {
  operation?: OperationId | readonly OperationId[]
  /** The value of each of these query parameters, decoded. */
  query?: Readonly<Record<string, string>>
  /** The petId of getPet, as it stands in the path. */
  petId?: string
  /** The value of each of these headers. */
  headers?: Readonly<Record<string, string>>
  /** Members that the body of createPet has, with these values. */
  body?: Readonly<Record<string, JsonValue>>
}

export interface RuleReply {
  /** An HTTP status: 200 to 599. */
  status: number
  /** The `code` of the Error body; one that belongs to the status by default. */
  code?: string
  /** The `message` of the Error body. */
  message?: string
  /** Further headers, such as `Retry-After`. Those that say how a message is sent are refused. */
  headers?: Readonly<Record<string, string>>
  /**
   * In place of the Error body: any JSON, at most 100 levels deep. Where `headers` has a Content-Type other than JSON
   * (`text/html`), a string is sent as it is, without quotes. A status below 300 needs a body, but for 204.
   */
  body?: JsonValue | object
}

/** Milliseconds, at most ten minutes: always as many, from a seeded range, or log-normal by its median and its 99th percentile, seeded. */
export type Delay = number | { from: number; to: number } | { median: number; p99: number }

/**
 * `reset`: the connection is reset. `silence`: no answer ever comes. `truncated-body`: the connection ends in the middle
 * of the body. `slowBodyMs`: the body trickles in over so many milliseconds.
 */
export type Fault = 'reset' | 'silence' | 'truncated-body' | { slowBodyMs: number }

/** A rule in force, and how often it was used. */
export interface RuleInForce extends Rule {
  /** `rule-1`, `rule-2` and so on. */
  id: string
  /** Requests that it was applied to. */
  used: number
  /** Whether it will be applied again: its `times` are not used up, nor is its window over. */
  active: boolean
}
