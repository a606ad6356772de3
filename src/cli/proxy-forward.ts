import * as http from 'node:http'
import * as https from 'node:https'
import { Buffer } from 'node:buffer'
import { createAgent } from '../contract/connection.ts'
import { flatten, toFailure } from '../contract/failure.ts'
import { startStallTimer } from '../mock/adapters/node-connection.ts'
import { closeAfterResponse } from '../mock/adapters/node-http1.ts'
import { isBodiless, type Responder } from '../mock/adapters/node-reply.ts'
import { createHostCheck } from '../mock/control/guard.ts'
import { codeOfStatus } from '../mock/errors.ts'
import type { MockRequest } from '../mock/message.ts'
import { createRefusals, headersBack, headersFor } from './proxy-headers.ts'

/** Where requests go, and how. */
export interface ForwardOptions {
  /** The base URL of the deployment. */
  target: URL
  /** The proxy through which the deployment is reached. */
  proxy: URL | undefined
  /** PEM certificates that are trusted besides the usual ones; the certificate of the client, and its key. */
  ca?: string | undefined
  cert?: string | undefined
  certKey?: string | undefined
  /** Milliseconds in which a response must begin, and in which a body must go on. */
  timeoutMs: number
  /** The address on which the proxy listens, and further names by which it may be called. */
  host: string
  allowedHosts: readonly string[]
  /** The base URL of the proxy. */
  ownUrl: () => string
  /** Called when an exchange is over. */
  onPassed: (passed: Passed) => void
}

/** A body as far as it was copied while it passed. */
export interface Copied {
  bytes: Buffer
  /** Set when it is longer, or when there was no capacity for a copy. */
  isPart: boolean
}

/** A request and the response to it, as they passed. */
export interface Passed {
  request: MockRequest
  sent: Copied
  /** Milliseconds since 1970, and how long it took until the last byte. */
  at: number
  durationMs: number
  response?: { status: number; headers: Record<string, string>; body: Copied; isCut: boolean }
  /** Why the proxy responded itself, and with what. */
  own?: { status: number; message: string }
  /** The client closed the connection before all of the response was sent. */
  isAbandoned: boolean
  /** Frees what the copies take. */
  release: () => void
}

/** Bytes of a body that are copied: 512 KiB; and of all that are not judged yet: 64 MiB. */
const maxCopied = 2 ** 19
const maxCopiedInTotal = 64 * 2 ** 20
/** Bytes of the headers of a response: 64 KiB. */
const maxHeaders = 65_536
/** Interim responses to one request that pass. */
const maxInterimResponses = 20
/** Requests that the deployment gets at the same time; further ones wait. */
const maxConnections = 1_000

/** Copies what passes, as far as there is capacity. */
class Copy implements Copied {
  isPart = false
  readonly #budget: { used: number }
  #buffer = Buffer.alloc(0)
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
    if (size > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, size))
      this.bytes.copy(larger)
      this.#buffer = larger
    }
    chunk.copy(this.#buffer, this.#size)
    this.#size = size
    this.#budget.used += chunk.length
  }

  release(): void {
    this.#budget.used -= this.#size
    this.#size = 0
    this.#buffer = Buffer.alloc(0)
  }
}

type Forward = NonNullable<Responder['forward']>

/** Passes requests on to one deployment, and their responses back. */
export function createForward(
  options: ForwardOptions,
  closing: AbortSignal,
): { forward: Forward; isIdle: () => boolean } {
  const { target, proxy, timeoutMs } = options
  const isSecure = target.protocol === 'https:'
  const pool = { keepAlive: true, maxSockets: maxConnections }
  const kept = createAgent(isSecure, proxy, options, pool, closing)
  const single = createAgent(isSecure, proxy, options, { ...pool, keepAlive: false }, closing)
  const { request: send } = isSecure ? https : http
  /** The bytes that copies take until they are judged. */
  const budget = { used: 0 }
  const isOwnHost = createHostCheck(options.host, options.allowedHosts)
  const refusalOf = createRefusals(options, isOwnHost)
  const basic = { hostname: target.hostname.replace(/^\[|\]$/g, ''), port: target.port, setHost: false }

  let underWay = 0
  return { forward, isIdle: () => underWay === 0 }

  function forward({ message, response, request, connection: client }: Parameters<Forward>[0]): void {
    const since = performance.now()
    underWay += 1
    const [sent, received] = [new Copy(budget), new Copy(budget)]
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
    const hasBody = request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length']) > 0
    let isOver = false
    let upstream: http.ClientRequest | undefined
    let incoming: http.IncomingMessage | undefined

    const end = (): void => {
      if (isOver) return
      isOver = true
      underWay -= 1
      clearTimeout(timer)
      passed.durationMs = performance.now() - since
      options.onPassed(passed)
    }
    /** Responds in place of the deployment. */
    const respond = (status: number, text: string): void => {
      if (isOver || response.headersSent) return
      passed.own = { status, message: text }
      if (hasBody && !message.complete) closeAfterResponse(response)
      const code = codeOfStatus(status)
      const body = JSON.stringify({ code, message: text, status })
      response.writeHead(status, {
        'content-type': 'application/json',
        'petstore-proxy': code,
        // A page that is served elsewhere shall see why.
        ...(isOwnHost(request.headers['host']) && { 'access-control-allow-origin': '*' }),
        'content-length': Buffer.byteLength(body),
      })
      response.end(body)
      end()
    }
    /** Ends the exchange without the deployment; a response that has begun ends early for the client, too. */
    const giveUp = (status: number, text: string): void => {
      upstream?.destroy()
      if (incoming === undefined) return respond(status, text)
      if (passed.response && !isOver) passed.response.isCut = true
      end()
      response.destroy()
    }
    const fail = (error: Error): void =>
      giveUp(502, `The proxy got no response from ${target.host}: ${toFailure(error, proxy).failure.message}.`)
    const timer = setTimeout(() => {
      // Where the client takes nothing of the response, or sends nothing of its body, the deployment is not late.
      const isSending = hasBody && !message.complete && upstream?.writableNeedDrain === false
      if (response.writableNeedDrain || isSending) timer.refresh()
      else giveUp(504, `${target.host} sent no response within ${timeoutMs / 1_000} s (--timeout).`)
    }, timeoutMs)

    response.on('close', () => {
      if (response.writableFinished) return
      passed.isAbandoned ||= !isOver
      end()
      upstream?.destroy()
    })
    client.abandonBody = ([status, message]) => {
      upstream?.destroy()
      passed.own = { status, message }
      end()
    }
    const refusal = refusalOf(request)
    if (refusal !== undefined) return respond(...refusal)
    try {
      open(kept)
    } catch {
      respond(400, 'The request has a header that HTTP cannot carry.')
    }

    function open(agent: http.Agent): void {
      const headers = headersFor(message, target)
      const { method, target: path } = request
      const own = send({
        ...basic,
        method,
        path,
        headers,
        agent,
        maxHeaderSize: maxHeaders,
        joinDuplicateHeaders: true,
      })
      upstream = own
      own.maxHeadersCount = 0
      let interim = 0
      own.on('information', ({ statusCode, headers: { link } }) => {
        interim += 1
        if (interim > maxInterimResponses) fail(new Error(`it sent more than ${maxInterimResponses} interim responses`))
        else if (message.httpVersion === '1.0') return
        else if (statusCode === 100) response.writeContinue()
        else if (statusCode === 103 && link !== undefined) response.writeEarlyHints({ link })
      })
      own.on('upgrade', (_, socket) => {
        socket.destroy()
        fail(new Error('it switched to another protocol (101)'))
      })
      own.on('response', receive)
      own.on('error', (error: NodeJS.ErrnoException) => {
        if (isOver || incoming !== undefined) return
        // The deployment closed a connection that was kept, before it had seen the request.
        const isStale = own.reusedSocket && error.code === 'ECONNRESET' && !hasBody
        if (isStale && agent === kept && /^(?:GET|HEAD|OPTIONS)$/.test(method)) open(single)
        else fail(error)
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
      // What the deployment does not want is read, and goes nowhere.
      own.on('close', () => message.resume())
    }

    function receive(arrived: http.IncomingMessage): void {
      const { statusCode: status = 502, statusMessage = '' } = arrived
      if (hasBody && !message.complete) closeAfterResponse(response)
      // What the deployment does not say, the proxy does not add.
      response.sendDate = false
      try {
        response.writeHead(status, statusMessage, headersBack(arrived, status))
      } catch {
        giveUp(502, `The response of ${target.host} has a header that HTTP cannot carry.`)
        return
      }
      incoming = arrived
      timer.refresh()
      passed.response = { status, headers: flatten(arrived.headers), body: received, isCut: false }
      if (request.method !== 'HEAD' && !isBodiless(status)) {
        // The head waits for the body that comes with it, and for no other.
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
