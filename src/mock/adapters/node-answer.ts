import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Control } from '../control/control.ts'
import type { MockReply, MockRequest, Respond } from '../message.ts'
import { isDeclaredLarger, readBody } from './node-body.ts'
import type { Connection } from './node-connection.ts'
import { closeGently } from './node-refusals.ts'
import { createSend, type Send } from './node-reply.ts'
import { refuseFraming, toRequest } from './node-request.ts'
import { sendStream } from './node-stream.ts'

/** What a server asks. */
export interface Answering {
  respond: Respond
  /** An Error reply to what is no request. */
  refuse: (status: number, message: string) => MockReply
  /** Bytes of a body that are read. */
  bodyLimit: number
  /** Answers in place of `respond` where the target is its own. */
  control?: Control
}

/** A request under way. */
interface Exchange {
  message: IncomingMessage
  response: ServerResponse
  connection: Connection
}

/** Answers the requests of a server. */
export function createAnswer({ respond, refuse, bodyLimit, control }: Answering): {
  answer: (exchange: Exchange) => void
  send: Send
  /** Bytes of a body that are read, of a request for a target. */
  limitFor: (target: string) => number
} {
  const send = createSend(() => refuse(500, 'The reply has a header that HTTP cannot carry.'))
  const underWay = { bytes: 0 }
  const controlFailed = (): MockReply => refuse(500, 'The control API failed at this request.')

  function answer(exchange: Exchange): void {
    const { message, response, connection } = exchange
    // Requests that came in the same packet as what cut their connection off.
    if (connection.socket.destroyed) return
    connection.message = message
    connection.response = response
    connection.giveUpBody = undefined
    const request = toRequest(message, connection)
    // Node's parser loses what follows such a request in the same packet: nobody may rely on this connection.
    if (request.headers['upgrade'] !== undefined) closeAfter(response)
    const refusal = refuseFraming(message, request)
    if (refusal !== undefined) send(response, refuse(refusal.status, refusal.message), connection)
    else if (control?.matches(request.target)) answerByControl(control, request, exchange)
    else if (message.method !== 'POST') {
      // Node reads what nobody wants to its end; of a body that is too large nobody waits for the end.
      if (isDeclaredLarger(message, bodyLimit)) closeAfter(response)
      send(response, respond(request), connection)
    } else withBody(request, bodyLimit, exchange, () => send(response, respond(request), connection))
  }

  function answerByControl(own: Control, request: MockRequest, exchange: Exchange): void {
    const refusal = own.refuse?.(request)
    if (refusal !== undefined) send(exchange.response, refusal, exchange.connection)
    else withBody(request, own.bodyLimit, exchange, () => void waitForControl(own, request, exchange))
  }

  async function waitForControl(own: Control, request: MockRequest, { response, connection }: Exchange): Promise<void> {
    const reply = await own.respond(request).catch(controlFailed)
    if (connection.socket.destroyed) return
    if (!('open' in reply)) send(response, reply, connection)
    else if (!sendStream(response, reply, connection)) send(response, controlFailed(), connection)
  }

  /** Reads the body into the request, and goes on. */
  function withBody(request: MockRequest, limit: number, exchange: Exchange, goOn: () => void): void {
    const { message, response, connection } = exchange
    connection.giveUpBody = readBody(message, { limit, underWay }, ({ body, bodyFault }) => {
      if (bodyFault === 'too-large' || bodyFault === 'no-room') closeAfter(response)
      if (bodyFault === 'no-room') send(response, refuse(503, 'Too many bodies are under way. Try again.'), connection)
      else {
        request.body = body
        if (bodyFault !== undefined) request.bodyFault = bodyFault
        goOn()
      }
    })
  }

  const limitFor = (target: string): number => (control?.matches(target) ? control.bodyLimit : bodyLimit)

  return { answer, send, limitFor }
}

/** Closes the connection behind a reply without cutting off a client that still sends. */
export function closeAfter(response: ServerResponse): void {
  response.shouldKeepAlive = false
  const { socket } = response
  if (socket) socket.destroySoon = () => closeGently(socket)
}
