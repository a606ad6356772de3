import { type Dispatcher, errors } from 'undici'

import type { MockRequest } from '../message.ts'
import type { Mock } from '../mock.ts'
import type { Receiver } from './undici-handler.ts'
import { createDrip, type Payload, toPayload } from './whatwg-payload.ts'
import { unlessAborted, wait } from './whatwg-wait.ts'

/** How long undici waits when nobody says: milliseconds. */
const patienceMs = 300_000

/** What one request is answered from. */
export interface Conversation {
  mock: Mock
  receiver: Receiver
  options: Dispatcher.DispatchOptions
  /** Reads the request. */
  read: () => Promise<MockRequest>
}

/** Lets a mock answer, and tells the handler all of it. Whatever goes wrong is told, too. */
export async function converse(conversation: Conversation): Promise<void> {
  const { receiver } = conversation
  const { signal } = receiver.controller
  try {
    receiver.start()
    signal.throwIfAborted()
    await tell(await unlessAborted(reply(conversation), signal), conversation)
  } catch (error) {
    receiver.fail(error as Error)
  }
}

/** The reply, when its time has come. */
async function reply({ mock, receiver, options, read }: Conversation): Promise<Payload> {
  const { signal } = receiver.controller
  const { wire, delayMs = 0, ...rest } = await mock.handle(await read())
  const patience = patienceOf(options.headersTimeout)
  try {
    if (wire?.silent || delayMs > patience) {
      await wait(patience, signal)
      throw new errors.HeadersTimeoutError()
    }
    if (delayMs > 0) await wait(delayMs, signal)
  } catch (error) {
    rest.onAbandoned?.()
    throw error
  }
  // The error of a socket, by which a RetryAgent knows that it may try again.
  if (wire?.reset) throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' })
  return toPayload(wire === undefined ? rest : { ...rest, wire }, options.method)
}

async function tell(payload: Payload, conversation: Conversation): Promise<void> {
  try {
    await tellAll(payload, conversation)
  } catch (error) {
    if (!payload.isCut) payload.onAbandoned?.()
    throw error
  }
}

async function tellAll(payload: Payload, { receiver, options }: Conversation): Promise<void> {
  const { controller } = receiver
  const patience = patienceOf(options.bodyTimeout)
  const drip = createDrip(payload)
  receiver.head(payload.status, payload.headers, payload.statusText)
  for (let ms = drip.waitMs(); ms !== undefined; ms = drip.waitMs()) {
    if (ms > patience) {
      await wait(patience, controller.signal)
      throw new errors.BodyTimeoutError()
    }
    if (ms > 0) await wait(ms, controller.signal)
    await controller.ready()
    controller.signal.throwIfAborted()
    const piece = drip.take()
    if (piece.length > 0) receiver.data(piece)
  }
  await controller.ready()
  controller.signal.throwIfAborted()
  if (payload.isCut) throw new errors.SocketError('other side closed')
  receiver.end()
}

/** Zero stands for as long as it takes. */
function patienceOf(timeoutMs: number | null | undefined): number {
  const ms = timeoutMs ?? patienceMs
  return ms === 0 ? Number.POSITIVE_INFINITY : ms
}
