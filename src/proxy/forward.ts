import type * as http from 'node:http'
import { Buffer } from 'node:buffer'
import { createRoute, notFinal, type ConnectionOptions } from '../contract/http/connection.ts'
import { flatten, toFailure } from '../contract/http/failure.ts'
import { startStallTimer, trackUnsent } from '../mock/http/connection.ts'
import { closeAfterResponse, type Http1Exchange } from '../mock/http/http1.ts'
import { append } from '../mock/http/request.ts'
import { isBodiless } from '../mock/http/payload.ts'
import { createHostCheck } from '../mock/control/guard.ts'
import { codeOfStatus } from '../mock/service/replies.ts'
import type { MockReply, MockRequest } from '../mock/service/message.ts'
import { isPreflight } from '../mock/service/route.ts'
import type { LoggedRequest } from '../mock/sandbox/types.ts'
import { preflightHeaders } from '../mock/service/cors.ts'
import { createRejections, headersBack, headersFor } from './headers.ts'

export interface ProxyOptions extends ConnectionOptions {
  target: URL
  /** Headers that each request carries instead of its own ones, for a gateway. */
  headers?: Readonly<Record<string, string>>
  /** Milliseconds until a response must begin, and between two chunks of a body. */
  timeoutMs: number
  port: number
  /** The address of this proxy, and more names by which it may be called. */
  host: string
  controlHosts?: readonly string[]
  controlToken?: string | undefined
  onRequest?: ((request: LoggedRequest) => void) | undefined
}

export type Copied = Pick<Copy, 'bytes' | 'isPart'>

export interface Passed {
  request: MockRequest
  sent: Copied
  /** Milliseconds since 1970, and until the last byte. */
  at: number
  durationMs: number
  /** Milliseconds since the first exchange of a recording. Default: it has just ended. */
  sentAt?: number
  response?: { status: number; headers: Record<string, string>; body: Copied; isCut: boolean }
  /** The response of the proxy itself, if it sent one. */
  own?: { status: number; message: string }
  /** Whether the client closed the connection before the whole response was sent. */
  isAbandoned: boolean
  /** Frees the capacity of the copies. */
  release: () => void
}

export type PassedBack = NonNullable<Passed['response']>

/** Bytes copied of one body, and of all bodies that are not judged yet. */
export const maxCopied = 2 ** 19
const maxCopiedInTotal = 64 * 2 ** 20
const maxHeaders = 65_536
/** Concurrent requests to the deployment; more wait. */
const maxConnections = 1_000

/** Copies a body while capacity is left. */
class Copy {
  /** Set when the body is larger, or no capacity was left for the copy. */
  isPart = false
  readonly #budget: { used: number }
  #buffer: Buffer = Buffer.alloc(0)
  #size = 0

  constructor(budget: { used: number }) {
    this.#budget = budget
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size)
  }

  add(chunk: Buffer): void {
    const size = this.#size + chunk.length
    this.isPart ||= size > maxCopied || this.#budget.used + chunk.length > maxCopiedInTotal
    if (this.isPart) return
    this.#buffer = append(this.#buffer, this.#size, chunk, maxCopied)
    this.#size = size
    this.#budget.used += chunk.length
  }

  release(): void {
    this.#budget.used -= this.#size
    this.#size = 0
    this.#buffer = Buffer.alloc(0)
  }
}

/** A response of the proxy instead of one of the deployment. */
export function ownReply(status: number, message: string): MockReply {
  const code = codeOfStatus(status)
  const headers = { 'content-type': 'application/json', 'petstore-proxy': code }
  return { status, headers, body: JSON.stringify({ code, message, status }) }
}

/** Allows the request that follows a preflight. */
const ownPreflight = (request: MockRequest): MockReply => ({
  status: 204,
  headers: {
    ...preflightHeaders(request),
    'access-control-max-age': '0',
    'petstore-proxy': 'preflight',
  },
  body: '',
})

export function createForward(
  options: ProxyOptions,
  {
    ownUrl,
    onPassed,
    closing,
  }: { ownUrl: () => string; onPassed: (passed: Passed) => void; closing: AbortSignal },
) {
  const { target, proxy, timeoutMs, host, controlHosts = [] } = options
  const route = createRoute(target, options, maxConnections, closing)
  const { kept, single } = route
  /** Bytes of all copies that are not judged yet. */
  const budget = { used: 0 }
  const isOwnHost = createHostCheck(host, controlHosts)
  const rejectionOf = createRejections(target, ownUrl, isOwnHost)

  let underWay = 0
  return { forward: forwardInTurn, isIdle: () => underWay === 0 }

  /** The deployment could process what a client pipelines in any order, and each request would take a connection. */
  function forwardInTurn(exchange: Http1Exchange, earlier?: http.ServerResponse): void {
    const { connection, request } = exchange
    if (earlier === undefined || earlier.writableFinished) return forward(exchange)
    let isDue = true
    exchange.abandonBody = () => void (isDue = false)
    const held = [exchange.onClose(() => {}), trackUnsent(connection, request)]
    earlier.once('close', () => {
      for (const release of held) release()
      if (isDue && connection.socket.writable) forward(exchange)
    })
  }

  function forward(exchange: Http1Exchange): void {
    const { message, response, request, connection: client } = exchange
    const since = performance.now()
    underWay += 1
    const sent = new Copy(budget)
    const received = new Copy(budget)
    const passed: Passed = {
      request,
      sent,
      at: Date.now(),
      durationMs: 0,
      isAbandoned: false,
      release() {
        sent.release()
        received.release()
      },
    }
    const hasBody =
      request.headers['transfer-encoding'] !== undefined ||
      Number(request.headers['content-length']) > 0
    let isOver = false
    let upstream: http.ClientRequest | undefined
    let incoming: http.IncomingMessage | undefined

    /** Leaves it to others to record the exchange. */
    const leave = (): void => {
      isOver = true
      underWay -= 1
      if (upstream?.destroyed !== false) forget()
      clearTimeout(timer)
    }
    const end = (): void => {
      if (isOver) return
      leave()
      passed.durationMs = performance.now() - since
      onPassed(passed)
    }
    const respond = (status: number, text: string): void => {
      if (isOver || response.headersSent) return
      if (hasBody && !message.complete) closeAfterResponse(response)
      // Lets a page of another origin see the reason, in the response to the request after a preflight.
      const isOpen = isOwnHost(request.headers['host'])
      const reply = isOpen && isPreflight(request) ? ownPreflight(request) : ownReply(status, text)
      passed.own = { status: reply.status, message: text }
      response.writeHead(reply.status, {
        ...reply.headers,
        ...(isOpen && { 'access-control-allow-origin': '*' }),
        ...(reply.body !== '' && { 'content-length': Buffer.byteLength(reply.body) }),
      })
      response.end(reply.body)
      end()
    }
    /** Ends the exchange without the deployment; a response that has begun is cut off. */
    const giveUp = (status: number, text: string): void => {
      upstream?.destroy()
      if (incoming === undefined) return respond(status, text)
      if (passed.response && !isOver) passed.response.isCut = true
      end()
      response.destroy()
    }
    const fail = (error: Error): void =>
      giveUp(
        502,
        `The proxy got no response from ${target.host}: ${toFailure(error, proxy).failure.message}.`,
      )
    const timer = setTimeout(() => {
      // While the client reads or sends nothing, the deployment is not late.
      const isSending = hasBody && !message.complete && upstream?.writableNeedDrain === false
      if (response.writableNeedDrain || isSending) timer.refresh()
      else giveUp(504, `${target.host} sent no response within ${timeoutMs / 1_000} s (--timeout).`)
    }, timeoutMs)

    // A response has no `close` while it waits for others, or for the rest of a body that is not needed.
    const forget = exchange.onClose(() => {
      passed.isAbandoned ||= !isOver
      end()
      upstream?.destroy()
    })
    if (client.message === message)
      client.abandonBody = () => {
        upstream?.destroy()
        if (isOver) return
        leave()
        passed.release()
      }
    const rejection = rejectionOf(request)
    if (rejection !== undefined) return respond(...rejection)
    try {
      open(kept)
    } catch {
      respond(400, 'The request has a header that HTTP cannot carry.')
    }

    function open(agent: http.Agent): void {
      const { method, target: path } = request
      const own = route.request({
        setHost: false,
        maxHeaderSize: maxHeaders,
        joinDuplicateHeaders: true,
        ...route.optionsFor(path),
        method,
        headers: headersFor(message, target, { ...options.headers, ...route.headers }),
        agent,
      })
      upstream = own
      own.maxHeadersCount = 0
      // Once: a client that reads nothing must not fill the memory.
      own.once('continue', () => {
        if (message.httpVersion !== '1.0') response.writeContinue()
      })
      own.on('upgrade', (_, socket) => {
        socket.destroy()
        fail(notFinal(101))
      })
      own.on('response', receive)
      own.on('close', () => {
        if (isOver) forget()
        // Reads and drops what the deployment does not want.
        message.resume()
      })
      own.on('error', (error: NodeJS.ErrnoException) => {
        if (isOver || incoming !== undefined) return
        // The deployment closed an idle connection before it saw the request.
        const isStale = own.reusedSocket && error.code === 'ECONNRESET' && !hasBody
        if (isStale && agent === kept && /^(?:GET|HEAD|OPTIONS)$/.test(method)) open(single)
        else fail(route.failureOf(error))
      })
      if (!hasBody) {
        own.end()
        return
      }
      message.on('data', (chunk: Buffer) => {
        sent.add(chunk)
        timer.refresh()
      })
      message.pipe(own)
    }

    function receive(arrived: http.IncomingMessage): void {
      const { statusCode: status = 502, statusMessage = '' } = arrived
      const proxyRejection = route.rejectionBy(status)
      if (proxyRejection) return fail(proxyRejection)
      if (hasBody && !message.complete) closeAfterResponse(response)
      // The proxy adds no Date.
      response.sendDate = false
      try {
        response.writeHead(status, statusMessage, headersBack(arrived, status))
      } catch {
        // Node keeps it for the next head, which it would break, too.
        response.statusMessage = ''
        giveUp(
          502,
          `The response of ${target.host} has a status or a header that HTTP cannot carry.`,
        )
        return
      }
      incoming = arrived
      timer.refresh()
      passed.response = { status, headers: flatten(arrived.headers), body: received, isCut: false }
      if (request.method !== 'HEAD' && !isBodiless(status)) {
        // Send the headers with the first bytes of the body, or without waiting for later ones.
        setImmediate(() => {
          if (!isOver && !response.writableEnded) response.flushHeaders()
        })
      }
      arrived.on('data', (chunk: Buffer) => {
        received.add(chunk)
        timer.refresh()
      })
      arrived.on('pause', () => startStallTimer(client))
      response.on('drain', () => timer.refresh())
      response.on('finish', end)
      arrived.pipe(response)
      arrived.on('error', fail)
      arrived.on('close', () => {
        if (!arrived.complete) fail(new Error('the response ended early'))
      })
    }
  }
}
