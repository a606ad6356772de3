/** A server for the current test, and connections to it: both end with the test. */
import { onTestFinished } from 'vitest'

import { type Listening, type ListenOptions, listen } from '../../../src/mock/http/listen.ts'
import type { Responder } from '../../../src/mock/http/reply.ts'
import type { MockReply, MockRequest } from '../../../src/mock/service/message.ts'
import { openSocket, type RawSocket } from '../../unit/mock/raw-socket.ts'

/** On a busy machine, a client of this process takes long to send. */
export const patient = { headersTimeoutMs: 3_600_000, requestTimeoutMs: 3_600_000 } as const

let listening: Listening
export const server: Pick<Listening, 'port' | 'close'> = {
  get port() {
    return listening.port
  },
  close: () => listening.close(),
}

export async function serve(
  respond: (request: MockRequest) => MockReply,
  { bodyLimit = 100, ...options }: Partial<Responder & ListenOptions> = {},
): Promise<void> {
  const reject = (status: number, message: string): MockReply => ({
    status,
    headers: {},
    body: message,
  })
  const responder: Responder = {
    respond: (request) =>
      request.rejection === undefined ? respond(request) : reject(...request.rejection),
    reject,
    bodyLimit,
    ...options,
  }
  listening = await listen(responder, { ...patient, port: 0, host: '127.0.0.1', ...options })
  onTestFinished(listening.close)
}

export function open(): RawSocket {
  const socket = openSocket(server.port)
  onTestFinished(() => void socket.socket.destroy())
  return socket
}

/** Waits for turns of the event loop until a condition holds. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}
