import type { MockReply, MockRequest } from '../message.ts'

/** The control API, as a server sees it: it answers for some targets in place of the service. */
export interface Control {
  /** Whether the target, as it came, is the control API's. */
  matches: (target: string) => boolean
  /** Why a request goes no further, judged by its head alone; undefined when its body may be read. Nothing by default. */
  refuse?: (request: MockRequest) => MockReply | undefined
  /** Bytes of a request body that are read. A larger one comes with the body fault `too-large`. */
  bodyLimit: number
  /** Answers one request. It must never reject. */
  respond: (request: MockRequest) => Promise<MockReply | ControlStream>
}

/** An answer without an end, such as Server-Sent Events. */
export interface ControlStream {
  status: number
  /** Names in lower case. A length is never sent. */
  headers: Record<string, string>
  /**
   * Called once, when the headers are sent.
   *
   * @returns what is called once, when the client or the server ends the stream.
   */
  open: (sink: ControlSink) => () => void
}

/** Where a stream goes. */
export interface ControlSink {
  /** Sends text. False when the client reads too slowly, or is gone: then the connection ends, and nothing more is sent. */
  write: (text: string) => boolean
  /** Ends the stream in good order. */
  end: () => void
}
