import type { MockReply } from '../message.ts'
import type { Mock } from '../mock.ts'
import { toPayload } from './whatwg-payload.ts'
import { toMockRequest } from './whatwg-request.ts'
import { toResponse } from './whatwg-response.ts'
import { unlessAborted, wait } from './whatwg-wait.ts'

/**
 * Lets a mock answer a `Request`. Whatever delays the answer, or withholds it for ever, ends when the request is aborted.
 *
 * @param target the undecoded request target.
 * @returns `reset` when the connection is reset in place of a reply.
 * @throws the reason of the abort.
 */
export async function answer(mock: Mock, request: Request, target: string): Promise<Response | 'reset'> {
  const { signal, method } = request
  signal.throwIfAborted()
  const reply: MockReply = await mock.handle(await unlessAborted(toMockRequest(request, target), signal))
  const { delayMs = 0, wire, onAbandoned } = reply
  try {
    signal.throwIfAborted()
    if (delayMs > 0) await wait(delayMs, signal)
    if (wire?.silent) await wait(Number.POSITIVE_INFINITY, signal)
  } catch (error) {
    onAbandoned?.()
    throw error
  }
  return wire?.reset ? 'reset' : toResponse(toPayload(reply, method), signal)
}
