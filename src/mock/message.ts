import type { HttpReply, HttpRequest } from '../spec/http.ts'

/** What an adapter knows of a request besides its text. */
export interface MockRequest extends HttpRequest {
  /** Why `body` does not hold what was sent. */
  bodyFault?: 'too-large' | 'not-utf8'
  /** The same object for each request of one connection. */
  connection?: object
  /** The address of the client. */
  address?: string
}

/** What only a socket can show. */
export interface Wire {
  /** Sent in place of the text of the body. */
  bytes?: Uint8Array
  /** Declared in place of the true length. */
  contentLength?: number
  /** Nothing is sent at all, and the connection stays open. */
  silent?: true
}

/** A reply, with what an adapter shall do about it. */
export interface MockReply extends HttpReply {
  /** Milliseconds to wait before the reply is sent. */
  delayMs?: number
  wire?: Wire
}

/** One request, one reply, at once. */
export type Respond = (request: MockRequest) => MockReply
