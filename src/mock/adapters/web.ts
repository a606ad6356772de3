import type { MockReply, MockRequest } from '../service/message.ts'
import type { Mock } from '../sandbox/mock.ts'
import { bodyLimit } from '../service/replies.ts'
import { inPieces, type Payload, toPayload, unlessAborted, wait } from '../http/payload.ts'

/**
 * Passes a `Request` with an undecoded target to a mock. Returns the error of Node's fetch when the connection is reset, or the
 * stream of the body fails. Rejects with the reason of an abort, which also ends a delay or silence.
 */
export async function respond(
  mock: Mock,
  request: Request,
  target: string,
): Promise<Response | TypeError> {
  const { signal, method } = request
  signal.throwIfAborted()
  const sent = await unlessAborted(toMockRequest(request, target), signal).catch(fetchFailed)
  signal.throwIfAborted()
  if (sent instanceof TypeError) return sent
  const reply: MockReply = await mock.handle(sent)
  const { delayMs = 0, wire, onAbandoned } = reply
  try {
    signal.throwIfAborted()
    if (delayMs > 0) await wait(delayMs, signal)
    if (wire?.silent) await wait(Number.POSITIVE_INFINITY, signal)
  } catch (error) {
    onAbandoned?.()
    throw error
  }
  return wire?.reset
    ? fetchFailed(connectionError('The connection was reset.'))
    : toResponse(toPayload(reply, method), signal)
}

type RequestBody = Pick<MockRequest, 'body' | 'bodyFault'>

/** Reads the body of a POST only, as the server does. */
async function toMockRequest(request: Request, target: string): Promise<MockRequest> {
  const { host, protocol } = new URL(request.url)
  const headers: Record<string, string> = { host }
  // happy-dom does not lower-case names.
  for (const [name, value] of request.headers) headers[name.toLowerCase()] = value
  const read = request.method === 'POST' ? await readRequest(request) : { body: '' }
  return {
    method: request.method,
    target,
    headers,
    scheme: protocol === 'https:' ? 'https' : 'http',
    ...read,
  }
}

async function readRequest(request: Request): Promise<RequestBody> {
  // In Firefox, `body` is undefined; null means that there is no body.
  const stream = request.body as ReadableStream<Uint8Array> | null | undefined
  return stream === undefined
    ? toText([new Uint8Array(await request.arrayBuffer())])
    : readBody(stream)
}

/** Reads a body up to the first chunk beyond the limit. */
export async function readBody(
  stream: Pick<ReadableStream<Uint8Array>, 'getReader'> | null,
): Promise<RequestBody> {
  if (stream === null) return { body: '' }
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = stream.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    // The Fetch standard requires this check.
    if (!ArrayBuffer.isView(next.value)) throw new TypeError('A body must consist of Uint8Arrays.')
    chunks.push(next.value)
    size += next.value.length
    if (size > bodyLimit) {
      // Errors of the cancelled stream do not concern the client.
      reader.cancel().catch(() => {})
      break
    }
  }
  return toText(chunks)
}

function toText(chunks: readonly Uint8Array[]): RequestBody {
  const bytes = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0))
  if (bytes.length > bodyLimit) return { body: '', bodyFault: 'too-large' }
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  const decode = (fatal: boolean): string =>
    new TextDecoder('utf-8', { fatal, ignoreBOM: true }).decode(bytes)
  try {
    return { body: decode(true) }
  } catch {
    return { body: decode(false), bodyFault: 'not-utf8' }
  }
}

/** @param signal aborts the body. */
function toResponse(payload: Payload, signal: AbortSignal): Response {
  const { status, statusText, headers, bytes, isCut, bodyMs } = payload
  const body = bytes !== undefined && (isCut || bodyMs > 0) ? toStream(payload, signal) : bytes
  // Bytes, since a string would set a Content-Type.
  return new Response(body ?? null, { status, statusText, headers: { ...headers } })
}

/** Milliseconds between the last bytes of a truncated body and its error. */
const breakMs = 10

/** A slow or truncated body. */
function toStream(payload: Payload, signal: AbortSignal): ReadableStream<Uint8Array> {
  const { isCut, onAbandoned } = payload
  const cancelled = new AbortController()
  const pause = (ms: number): Promise<void> =>
    wait(ms, signal, cancelled.signal).catch((error: unknown) => {
      onAbandoned?.()
      throw error
    })
  const pieces = inPieces(payload, pause)
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value } = await pieces.next()
      if (value !== undefined) return controller.enqueue(value)
      if (!isCut) return controller.close()
      // An error discards queued chunks: give the client time to read them.
      await pause(breakMs)
      // The error of Node's fetch; libraries decide by its cause whether to retry.
      const cause = connectionError('The connection ended before the body did.')
      controller.error(new TypeError('terminated', { cause }))
    },
    cancel(reason) {
      onAbandoned?.()
      cancelled.abort(reason)
    },
  })
}

/** The error of Node's fetch when there is no response. */
export const fetchFailed = (cause: unknown): TypeError => new TypeError('fetch failed', { cause })

const connectionError = (message: string): Error =>
  Object.assign(new Error(message), { code: 'ECONNRESET' })
