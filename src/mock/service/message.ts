import type { HttpReply, HttpRequest } from '../../spec/http.ts'
import type { CredentialVerdict } from './authenticate.ts'
import type { FaultName } from '../schemas/faults.ts'
import type { JudgedResponse } from '../schemas/schemas.gen.ts'

/** The response to a request that never reaches the router. */
export type HttpRejection = readonly [status: number, message: string]

/** A request, with details that only some adapters know. */
export interface MockRequest extends HttpRequest {
  /** Why `body` is not what was sent. `cut`: of a recorded request, which was rejected without regard to its long body. */
  bodyFault?: 'too-large' | 'not-utf8' | 'cut'
  /** Why it is no valid HTTP request; the other properties are what could be read of it. */
  rejection?: HttpRejection
  connection?: number
  address?: string
  /** Of the requested URL: `http` by default. */
  scheme?: 'http' | 'https'
  /**
   * How its key compares with those of the sandbox, where the header `Authorization` no longer shows it: in a log, which
   * holds no key, and after a defect that accepts another one.
   */
  credential?: CredentialVerdict
}

/** Faults below the level of HTTP messages. */
export interface Wire {
  /** Sent instead of `body`. */
  bytes?: Uint8Array
  /** Declared instead of the actual length. */
  contentLength?: number
  /** Nothing is sent, and the connection stays open. */
  silent?: true
  reset?: true
  /** With `reset`: where the adapter has a connection, it is closed without a byte, and not reset. */
  empty?: true
  /** With the `bytes` of a truncated body: where the adapter sends chunks, an invalid one follows. */
  brokenChunk?: true
  /** Milliseconds over which the body is spread. */
  bodyMs?: number
}

/** A reply, and how the adapter must deliver it. */
export interface MockReply extends HttpReply {
  /** Milliseconds to wait before the reply is sent. */
  delayMs?: number
  wire?: Wire
  /** The fault of a rule or of the header `Prefer`. */
  fault?: FaultName
  /** The id of the rule that made this reply, or `prefer`. */
  rule?: string
  /** The adapter calls it when the client disconnects before a reply with `delayMs` or `wire` is sent. */
  onAbandoned?: () => void
  /** The requirement, or the behavior and its option (`list.limit.above-maximum=400`), that made this reply. */
  reason?: string
  /** The ids of the deliberate defects that affected this reply. */
  defects?: readonly string[]
  judged?: JudgedResponse
  /** Set when a deployment has responded with a body that was not read. */
  isUnread?: true
}

/** The content coding of a body (RFC 9110 section 8.4); undefined for an unencoded body. */
export function contentEncodingOf(headers: HttpRequest['headers']): string | undefined {
  const coding = headers['content-encoding']
  return coding === undefined || coding === '' || coding === 'identity' ? undefined : String(coding)
}

/** Whether a text takes more bytes in UTF-8. A character takes one to three, so that most texts need no encoding. */
export function exceedsBytes(text: string, limit: number): boolean {
  return (
    text.length > limit ||
    (text.length * 3 > limit && new TextEncoder().encode(text).length > limit)
  )
}

/** The approximate size of a header without its texts. */
const headerBytes = 40

/** The size of headers. */
export function bytesOfHeaders(headers: HttpRequest['headers']): number {
  let bytes = 0
  for (const name in headers) {
    const value = headers[name]
    const values = Array.isArray(value) ? value.length : 1
    bytes += values * headerBytes + name.length + String(value).length
  }
  return bytes
}

/** Calls a listener. An exception becomes an uncaught error, and does not affect the request. */
export function notify<Value>(listener: (value: Value) => void, value: Value): void {
  try {
    listener(value)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

/** The service, or a part of it. */
export type Respond = (request: MockRequest) => MockReply
