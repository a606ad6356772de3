import * as http from 'node:http'
import * as https from 'node:https'
import { Buffer } from 'node:buffer'
import { createAgent } from '../contract/connection.ts'
import { toFailure } from '../contract/failure.ts'
import { closeAfter, type Responder } from '../mock/adapters/node.ts'
import { keepMoving } from '../mock/adapters/node-connection.ts'
import { createHostCheck } from '../mock/control/guard.ts'
import type { MockRequest } from '../mock/message.ts'
import { type Copied, createCopy } from './proxy-copy.ts'
import { createRefusals, flatHeaders, headersBack, headersFor } from './proxy-rules.ts'

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

/** Bytes of the headers of a response: 64 KiB. */
const mostHeaders = 65_536
/** Requests that the deployment gets at the same time; further ones wait. */
const mostConnections = 1_000

/** Passes requests on to one deployment, and their responses back. */
export function createForward(
  options: ForwardOptions,
  closing: AbortSignal,
): { forward: NonNullable<Responder['forward']>; isIdle: () => boolean } {
  const { target, proxy, timeoutMs } = options
  const isSecure = target.protocol === 'https:'
  const pool = { keepAlive: true, maxSockets: mostConnections }
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

  function forward(exchange: Parameters<NonNullable<Responder['forward']>>[0]): void {
    const { message, response, request, connection: client } = exchange
    const since = performance.now()
    underWay += 1
    const sent = createCopy(budget)
    const copy = createCopy(budget)
    const passed: Passed = {
      request,
      sent: sent.copied,
      at: Date.now(),
      durationMs: 0,
      isAbandoned: false,
      release() {
        sent.release()
        copy.release()
      },
    }
    const hasBody = request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length']) > 0
    let isOver = false
    /** Whether the client has not taken what there is: then the deployment is not late. */
    let isHeld = false
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
      if (hasBody && !message.complete) closeAfter(response)
      const body = JSON.stringify({ code: codes[status] ?? 'proxy_error', message: text, status })
      response.writeHead(status, {
        'content-type': 'application/json',
        'petstore-proxy': codes[status] ?? 'proxy_error',
        // A page that is served elsewhere shall see why.
        ...(isOwnHost(request.headers['host']) && { 'access-control-allow-origin': '*' }),
        'content-length': Buffer.byteLength(body),
      })
      response.end(body)
      end()
    }
    const giveUp = (error: Error): void => {
      upstream?.destroy()
      if (incoming !== undefined) cut()
      else respond(502, `The proxy got no response from ${target.host}: ${toFailure(error, proxy).failure.message}.`)
    }
    /** The client sees that the response ends early, as the proxy does. */
    const cut = (): void => {
      if (passed.response && !isOver) passed.response.isCut = true
      end()
      response.destroy()
    }
    const timer = setTimeout(() => {
      if (isHeld) {
        timer.refresh()
        return
      }
      const seconds = timeoutMs / 1_000
      if (incoming === undefined) respond(504, `${target.host} sent no response within ${seconds} s (--timeout).`)
      upstream?.destroy()
      if (incoming !== undefined) cut()
    }, timeoutMs)

    response.on('close', () => {
      if (!response.writableFinished && !isOver) {
        passed.isAbandoned = true
        end()
      }
      if (!response.writableFinished) upstream?.destroy()
    })

    // The body turned out to be none: the server responds 400.
    client.giveUpBody = () => {
      upstream?.destroy()
      passed.own = { status: 400, message: 'The body of the request is not as HTTP/1.1 frames it.' }
      end()
    }
    const refusal = refusalOf(request)
    if (refusal !== undefined) {
      respond(...refusal)
      return
    }
    try {
      open(false)
    } catch {
      respond(400, 'The request has a header that HTTP cannot carry.')
    }

    function open(isAgain: boolean): void {
      const own = send({
        ...basic,
        method: request.method,
        path: request.target,
        headers: headersFor(message, target),
        agent: isAgain ? single : kept,
        maxHeaderSize: mostHeaders,
      })
      upstream = own
      own.maxHeadersCount = 0
      own.on('continue', () => response.writeContinue())
      own.on('information', ({ statusCode, headers }) => {
        if (statusCode === 103 && headers['link'] !== undefined) response.writeEarlyHints({ link: headers['link'] })
      })
      own.on('upgrade', (_, socket) => {
        socket.destroy()
        giveUp(new Error('it switched to another protocol (101)'))
      })
      own.on('response', receive)
      own.on('error', (error: NodeJS.ErrnoException) => {
        if (isOver || incoming !== undefined) return
        // The deployment closed a connection that was kept, before it had seen the request.
        const isStale = own.reusedSocket && error.code === 'ECONNRESET' && !hasBody
        if (isStale && !isAgain && /^(?:GET|HEAD|OPTIONS)$/.test(request.method)) open(true)
        else giveUp(error)
      })
      if (hasBody) {
        message.on('data', (chunk: Buffer) => {
          sent.add(chunk)
          timer.refresh()
          if (!own.writableEnded && !own.destroyed && !own.write(chunk)) message.pause()
        })
        own.on('drain', () => message.resume())
        own.on('close', () => message.resume())
        message.on('end', () => own.end())
      } else own.end()
    }

    function receive(arrived: http.IncomingMessage): void {
      incoming = arrived
      timer.refresh()
      const { statusCode: status = 502, statusMessage = '' } = arrived
      const hasNoBody = request.method === 'HEAD' || status === 204 || status === 304
      passed.response = { status, headers: flatHeaders(arrived.rawHeaders), body: copy.copied, isCut: false }
      if (hasBody && !message.complete) closeAfter(response)
      // What the deployment does not say, the proxy does not add.
      response.sendDate = false
      try {
        response.writeHead(status, statusMessage, headersBack(arrived, status))
      } catch {
        incoming = undefined
        delete passed.response
        upstream?.destroy()
        respond(502, `The response of ${target.host} has a header that HTTP cannot carry.`)
        return
      }
      if (!hasNoBody) {
        // The head waits for the body that comes with it, and for no other.
        setImmediate(() => {
          if (!isOver && !response.writableEnded) response.flushHeaders()
        })
      }
      arrived.on('data', (chunk: Buffer) => {
        copy.add(chunk)
        timer.refresh()
        if (!response.write(chunk)) {
          arrived.pause()
          isHeld = true
          keepMoving(client)
        }
      })
      response.on('drain', () => {
        timer.refresh()
        isHeld = false
        arrived.resume()
      })
      arrived.on('end', () => {
        response.end()
        if (response.writableFinished) end()
        else response.once('finish', end)
      })
      arrived.on('error', cut)
      arrived.on('close', () => {
        if (!arrived.complete) cut()
      })
    }
  }
}

const codes: Readonly<Record<number, string>> = {
  400: 'bad_request',
  403: 'forbidden',
  404: 'not_found',
  421: 'misdirected_request',
  501: 'not_implemented',
  502: 'bad_gateway',
  504: 'gateway_timeout',
}
