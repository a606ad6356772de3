import type { HttpRequest } from '../../spec/http.ts'
import type { MockReply, MockRequest } from '../message.ts'

/** One request and its reply, as they were: keys are in it. */
export interface Exchange {
  /** 1, 2, 3 and so on, in each world. */
  readonly number: number
  /** Milliseconds since 1970, by the system's clock. */
  readonly at: number
  readonly method: string
  readonly target: string
  readonly headers: HttpRequest['headers']
  readonly body: string
  readonly bodyFault?: Exclude<MockRequest['bodyFault'], undefined>
  readonly reply: MockReply
  /** The id of the rule that made the reply, or `prefer`. */
  readonly rule: string | undefined
  /** Of a reply that takes time: whether the client closed the connection before all of it was sent. */
  readonly delivery?: { abandoned: boolean } | undefined
  /** About what it takes, in bytes. */
  readonly bytes: number
}
