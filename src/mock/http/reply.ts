import { Buffer } from 'node:buffer'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'

import type { ControlApi } from '../control/control-api.ts'
import type { StreamReply } from '../control/routes/route.ts'
import type { HttpRejection, MockReply, MockRequest, Wire } from '../service/message.ts'
import { type HttpExchange, trackUnsent, exceedsUnsentLimit } from './connection.ts'
import type { Http1Exchange } from './http1.ts'
import { isDeclaredLarger, readBody } from './request.ts'
import { hasLength, inPieces, isBodiless, type Payload, wait } from './payload.ts'

/** What the server needs of a mock or a proxy. */
export interface Responder {
  /** Responds, now or later, and never rejects. Records the request, also one with a `rejection`. */
  respond: (request: MockRequest) => MockReply | Promise<MockReply>
  /** An Error reply to something that is not a valid HTTP request. */
  reject: (status: number, message: string) => MockReply
  bodyLimit: number
  control?: ControlApi
  /** Replaces `respond` in a proxy: forwards a request with its unread body after an earlier response. HTTP/1.1 only. */
  forward?: (exchange: Http1Exchange, earlier?: ServerResponse) => void
}

export type RequestHandler = ReturnType<typeof createRequestHandler>

/** Handles requests over any version of HTTP; `bodiesInFlight` counts the bytes of bodies that are being read. */
export function createRequestHandler(
  { respond, reject, bodyLimit, control }: Responder,
  bodiesInFlight: { bytes: number },
) {
  const send = createSend(() => reject(500, 'The reply has a header that HTTP cannot carry.'))
  const controlFailed = (): MockReply =>
    reject(500, 'The control API failed to handle this request.')

  /** Whether a request waits for its body. */
  const readsBody = ({ method, target, headers }: MockRequest): boolean =>
    control?.matches(target)
      ? // A read may wait or stream, and would hold a body that it does not use.
        method !== 'GET' && method !== 'HEAD'
      : // Only its chunks show whether a request with this header has a body.
        method.toUpperCase() === 'POST' || headers['transfer-encoding'] !== undefined

  /** Sorts a request: to the control API, to the service with its body, or without one. */
  function handle(exchange: HttpExchange): void {
    const { request } = exchange
    if (control?.matches(request.target)) handleControl(control, exchange)
    // RFC 9110 section 9.3.7: it concerns the server, as in health checks of load balancers.
    else if (request.method === 'OPTIONS' && request.target === '*')
      send(exchange, { status: 204, headers: { allow: 'GET, POST, OPTIONS' }, body: '' })
    else if (readsBody(request)) withBody(bodyLimit, exchange, () => handleService(exchange))
    else {
      // Node drains an unread body before it keeps the connection alive.
      if (isDeclaredLarger(request, bodyLimit)) exchange.closeAfterResponse()
      handleService(exchange)
    }
  }

  /** Rejects what is no valid HTTP request. */
  function rejectRequest(exchange: HttpExchange, rejection: HttpRejection): void {
    const { request } = exchange
    if (control?.matches(request.target)) {
      send(exchange, reject(...rejection))
    } else {
      request.rejection = rejection
      handleService(exchange)
    }
  }

  /** Sends what the mock responds, at once if it does. */
  function handleService(exchange: HttpExchange): void {
    const reply = respond(exchange.request)
    if (!('then' in reply)) return send(exchange, reply)
    const release = trackUnsent(exchange.connection, exchange.request)
    void reply.finally(release).then((later) => send(exchange, later))
  }

  function handleControl(own: ControlApi, exchange: HttpExchange): void {
    const { request, message } = exchange
    const rejection = own.reject(request)
    if (rejection !== undefined) send(exchange, rejection)
    else if (readsBody(request))
      withBody(own.bodyLimit, exchange, () => void waitForControl(own, exchange))
    else {
      message.resume()
      void waitForControl(own, exchange)
    }
  }

  async function waitForControl(own: ControlApi, exchange: HttpExchange): Promise<void> {
    const reply = await own.respond(exchange.request, () => exchange.isClosed).catch(controlFailed)
    if (!('stream' in reply)) send(exchange, reply)
    else if (!sendStream(exchange, reply)) send(exchange, controlFailed())
  }

  /** Reads the body into the request, then calls `goOn`. */
  function withBody(limit: number, exchange: HttpExchange, goOn: () => void): void {
    const { request, message } = exchange
    const limits = { headers: request.headers, limit, bodiesInFlight }
    const reading: { stop?: () => void; isOver?: true } = {}
    reading.stop = readBody(message, limits, ({ body, bodyFault }) => {
      reading.isOver = true
      // A second response, to what follows a body that is too large, would be an error.
      if (exchange.abandonBody === reading.stop) exchange.abandonBody = undefined
      if (exchange.isClosed) return
      if (bodyFault === 'too-large' || bodyFault === 'no-capacity') exchange.closeAfterResponse()
      if (bodyFault === 'no-capacity')
        rejectRequest(exchange, [503, 'Too many request bodies are in progress. Try again.'])
      else {
        request.body = body
        if (bodyFault !== undefined) request.bodyFault = bodyFault
        goOn()
      }
    })
    if (!reading.isOver) exchange.abandonBody = reading.stop
  }

  return {
    handle,
    readsBody,
    reject: rejectRequest,
    limitFor: (target: string) => (control?.matches(target) ? control.bodyLimit : bodyLimit),
  }
}

type Send = (exchange: HttpExchange, reply: MockReply) => void

/** @param unsendable replaces a reply with a header that Node rejects. */
function createSend(unsendable: () => MockReply): Send {
  /** Writes a reply, or the one that replaces it, unless too much is unsent. */
  const sendNow: Send = (exchange, reply) => {
    const { connection } = exchange
    if (exceedsUnsentLimit(connection, reply.wire?.bytes?.length ?? reply.body.length)) {
      connection.socket.destroy()
      return
    }
    try {
      write(exchange, reply)
    } catch {
      try {
        // Node rejected a header; nothing is written yet.
        write(exchange, unsendable())
      } catch {
        // One response must never end the process.
        connection.socket.destroy()
      }
    }
  }
  /** Sends a reply after its delay or never, if the client is still there. */
  return (exchange, reply) => {
    const { delayMs = 0, onAbandoned, wire } = reply
    if (exchange.isClosed) onAbandoned?.()
    else if (delayMs <= 0 && !wire?.silent) sendNow(exchange, reply)
    else {
      const release = trackUnsent(exchange.connection, exchange.request, reply)
      const send = (): void => {
        forget()
        release()
        sendNow(exchange, reply)
      }
      const timer = wire?.silent ? undefined : setTimeout(send, delayMs)
      const forget = exchange.onClose(() => {
        clearTimeout(timer)
        release()
        onAbandoned?.()
      })
    }
  }
}

/** Writes a reply as a whole, or with the fault that it has. */
function write(exchange: HttpExchange, reply: MockReply): void {
  const { body, wire } = reply
  if (wire === undefined) {
    const bytes = Buffer.byteLength(body)
    exchange.writeWhole(reply, headOf(reply, bytes), bytes)
  } else if (wire.empty) exchange.closeWithoutResponse()
  else if (wire.reset) exchange.reset()
  else {
    writeFault(exchange, reply, wire)
    exchange.trackUnsent(reply)
  }
}

/** Writes a reply with a fault: raw bytes, a wrong length, a slow body. */
function writeFault(
  exchange: HttpExchange,
  { status, headers, body, onAbandoned }: MockReply,
  wire: Wire,
): void {
  const { bytes = Buffer.from(body), bodyMs } = wire
  const length = wire.contentLength ?? bytes.length
  const head = withoutFraming(headers)
  const hasBody = exchange.request.method !== 'HEAD' && !isBodiless(status)
  if (hasBody && wire.brokenChunk && exchange.endWithBrokenChunk !== undefined) {
    exchange.writeHead(status, [...head, 'transfer-encoding', 'chunked'])
    return exchange.endWithBrokenChunk(bytes)
  }
  exchange.writeHead(
    status,
    isBodiless(status) ? head : [...head, 'content-length', String(length)],
  )
  if (!hasBody) exchange.end()
  else if (bodyMs === undefined) exchange.end(bytes, length > bytes.length)
  else void writeSlowly(exchange, { bytes, bodyMs, isCut: length > bytes.length, onAbandoned })
}

async function writeSlowly(
  exchange: HttpExchange,
  payload: Pick<Payload, 'bytes' | 'bodyMs' | 'isCut' | 'onAbandoned'>,
): Promise<void> {
  const closed = new AbortController()
  const forget = exchange.onClose(() => {
    closed.abort()
    payload.onAbandoned?.()
  })
  try {
    for await (const piece of inPieces(payload, (ms) => wait(ms, closed.signal))) {
      exchange.response.write(piece)
      exchange.startStallTimer()
    }
  } catch {
    // The client has disconnected.
    return
  }
  forget()
  exchange.end(undefined, payload.isCut)
}

/** Sends a stream until it ends on any side. Returns false, and sends nothing, when Node rejects its headers. */
function sendStream(exchange: HttpExchange, { status, headers, stream }: StreamReply): boolean {
  const source = Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0])
  try {
    exchange.writeHead(status, withoutFraming(headers))
  } catch {
    source.destroy()
    return false
  }
  const { streams } = exchange.connection
  const end = (): void => {
    exchange.end()
    source.destroy()
  }
  const forget = exchange.onClose(() => source.destroy())
  streams.add(end)
  source.once('close', () => {
    forget()
    streams.delete(end)
  })
  source.once('error', () => exchange.response.destroy())
  if (exchange.isClosed || exchange.request.method === 'HEAD') end()
  else source.on('data', () => exchange.startStallTimer()).pipe(exchange.response)
  return true
}

/** Heads of frozen headers, whose last element is the length. Reusing them is safe: `writeHead` copies the fields. */
const cachedHeads = new WeakMap<MockReply['headers'], string[]>()

/** The fields of a response: names and values, alternating. Valid until the next call. */
function headOf(reply: MockReply, length: number): readonly string[] {
  const { headers, body } = reply
  if (body === '' && !hasLength(reply)) return withoutFraming(headers)
  let head = cachedHeads.get(headers)
  if (head === undefined) {
    head = [...withoutFraming(headers), 'content-length', '']
    if (Object.isFrozen(headers)) cachedHeads.set(headers, head)
  }
  head[head.length - 1] = String(length)
  return head
}

/** The fields without Content-Length and Transfer-Encoding, which the server sets. */
function withoutFraming(headers: MockReply['headers']): string[] {
  const fields: string[] = []
  for (const name in headers) if (!isFraming(name)) fields.push(name, headers[name] as string)
  return fields
}

/** Compares lengths first, since this runs for each header of each response. */
const isFraming = (name: string): boolean =>
  (name.length === 14 || name.length === 17) && /^(content-length|transfer-encoding)$/i.test(name)
