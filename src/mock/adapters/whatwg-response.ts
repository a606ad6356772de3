import { createDrip, type Payload } from './whatwg-payload.ts'
import { wait } from './whatwg-wait.ts'

/**
 * A reply as a `Response`.
 *
 * @param signal ends the body where it still comes.
 */
export function toResponse(payload: Payload, signal: AbortSignal): Response {
  const { status, statusText, headers, bytes, isCut, bodyMs } = payload
  const body = bytes !== undefined && (isCut || bodyMs > 0) ? toStream(payload, signal) : bytes
  // Bytes, not text: a text would get a Content-Type of its own.
  return new Response(body ?? null, { status, statusText, headers: { ...headers } })
}

/** Milliseconds between the last bytes of a body and the break of its connection. */
const breakMs = 10

/** A body that takes its time, and may break off. */
function toStream(payload: Payload, signal: AbortSignal): ReadableStream<Uint8Array> {
  const drip = createDrip(payload)
  const cancelled = new AbortController()
  const pause = (ms: number): Promise<void> =>
    wait(ms, signal, cancelled.signal).catch((error: unknown) => {
      payload.onAbandoned?.()
      throw error
    })
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (let ms = drip.waitMs(); ms !== undefined; ms = drip.waitMs()) {
        await pause(ms)
        const piece = drip.take()
        if (piece.length === 0) continue
        controller.enqueue(piece)
        if (!payload.isCut && drip.waitMs() === undefined) controller.close()
        return
      }
      if (!payload.isCut) {
        controller.close()
        return
      }
      // A break comes a moment after the last piece, so that whoever passes the body on has passed on what there is.
      await pause(breakMs)
      controller.error(brokenOff())
    },
    cancel(reason) {
      payload.onAbandoned?.()
      cancelled.abort(reason)
    },
  })
}

/** The error of Node's fetch, whose cause retry libraries look at. */
function brokenOff(): TypeError {
  return new TypeError('terminated', { cause: connectionError('The connection ended before the body did.') })
}

/** The error of Node's fetch when no reply comes. */
export function connectionReset(): TypeError {
  return new TypeError('fetch failed', { cause: connectionError('The connection was reset.') })
}

function connectionError(message: string): Error {
  return Object.assign(new Error(message), { code: 'ECONNRESET' })
}
