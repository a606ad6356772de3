import type { JsonValue } from '../json.ts'
import type { HttpReply, HttpRequest } from '../spec/http.ts'
import type { OperationId } from '../spec/operations.ts'
import type { CredentialVerdict } from './authenticate.ts'

/** What an adapter knows of a request besides its text. */
export interface MockRequest extends HttpRequest {
  /** Why `body` does not hold what was sent. */
  bodyFault?: 'too-large' | 'not-utf8'
  /** The same number for each request of one connection. */
  connection?: number
  /** The address of the client. */
  address?: string
  /** Of the requested URL: `http` by default. */
  scheme?: 'http' | 'https'
}

/** A request as a sandbox has it: what its key is worth is known already. */
export interface SandboxRequest extends MockRequest {
  credential: CredentialVerdict
}

/** A request of an operation whose key is valid, with the parts of its target. */
export interface OperationCall {
  operation: OperationId
  request: MockRequest
  query: string
  petId: string | undefined
  /** Read once, by the first rule that needs them. */
  parameters?: URLSearchParams
  sent?: { body: JsonValue | undefined }
}

/** What a rule that is a function gets: `(request: RuleRequest) => { reply, delayMs, fault } | undefined`. */
export interface RuleRequest {
  operation: OperationId
  method: string
  /** As sent: `/v1/pets?limit=5`. */
  target: string
  /** The query parameters, decoded; of one that is repeated the first value. */
  query: Readonly<Record<string, string>>
  /** The petId, as it stands in the path; undefined for the other operations. */
  petId: string | undefined
  /** Their names are in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The fields of the body, read as JSON; undefined where it is no object. A large integer is a bigint. */
  body: Readonly<Record<string, unknown>> | undefined
}

/** What only a socket can show. */
export interface Wire {
  /** Sent in place of the text of the body. */
  bytes?: Uint8Array
  /** Declared in place of the true length. */
  contentLength?: number
  /** Nothing is sent at all, and the connection stays open. */
  silent?: true
  /** The connection is reset in place of a reply. */
  reset?: true
  /** Milliseconds over which the body is spread. */
  bodyMs?: number
}

/** What the contract suite says of one response that passed through a proxy. */
export interface JudgedResponse {
  /** `proxy`: the response is the proxy's own, since it got none of the deployment. */
  verdict: 'conforms' | 'violates' | 'not-judged' | 'proxy'
  /** Why it was not judged, or why the proxy responded itself. */
  reason?: string
  /** What it violates: at most five. */
  violations?: { clause: string; quote: string; message: string; pointer: string; expected: string; actual: string }[]
}

/** A reply, with what an adapter shall do about it. */
export interface MockReply extends HttpReply {
  /** Milliseconds to wait before the reply is sent. */
  delayMs?: number
  wire?: Wire
  /** The id of the rule that made this reply, or `prefer`. */
  rule?: string
  /** Of a reply with `delayMs` or `wire`: to be called when the client is gone before all of it was sent. */
  onAbandoned?: () => void
  /** The clause, or the choice and its option (`list.limit.above-maximum=400`), that made this reply. */
  reason?: string
  /** The ids of the deliberate defects that changed the request or this reply. */
  defects?: readonly string[]
  /** Of a response that passed through a proxy. */
  judged?: JudgedResponse
}

/** How a body is coded, or undefined when it is sent as it is. RFC 9110 section 8.4. */
export function contentEncodingOf(headers: HttpRequest['headers']): string | undefined {
  const coding = headers['content-encoding']
  return coding === undefined || coding === '' || coding === 'identity' ? undefined : String(coding)
}

/** Whether a text takes more bytes in UTF-8. A character takes one to three, so that most texts need no encoding. */
export function exceedsBytes(text: string, limit: number): boolean {
  return text.length > limit || (text.length * 3 > limit && new TextEncoder().encode(text).length > limit)
}

/** Calls a listener. What it throws shows as an uncaught error, and the request that it was notified of goes on. */
export function notify<Value>(listener: (value: Value) => void, value: Value): void {
  try {
    listener(value)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

/** One request, one reply, at once. */
export type Respond = (request: MockRequest) => MockReply

/** As `Respond`, within a sandbox. */
export type SandboxRespond = (request: SandboxRequest) => MockReply
