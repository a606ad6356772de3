/** `petstore-kit/undici`: a Dispatcher served by a mock, for undici's `request`, `fetch` and `Pool`. */

import { Buffer } from 'node:buffer'
import { stringify } from 'node:querystring'
import { Readable } from 'node:stream'

import { Dispatcher, errors, getGlobalDispatcher, Response } from 'undici'

import { expectObject } from '../../errors.ts'
import type { MockReply, MockRequest } from '../service/message.ts'
import type { Mock } from '../sandbox/mock.ts'
import type { MockOptions } from '../sandbox/types.ts'
import { type AdapterOptions, notMocked, readAdapter } from './options.ts'
import { inPieces, toPayload, unlessAborted, wait } from '../http/payload.ts'
import { readBody } from './web.ts'

export * from './exports.ts'

/** What `createDispatcher` takes besides the mock. */
export interface DispatcherOptions extends AdapterOptions {
  /**
   * Handles every other request. Default: the global dispatcher at the time of the call. With `false`, other requests
   * fail with a UsageError.
   */
  passthrough?: Dispatcher | false | undefined
}

/** A Dispatcher of undici, and the mock behind it. */
export interface MockDispatcher extends Dispatcher {
  readonly mock: Mock
}

/**
 * Creates a Dispatcher that serves the URLs below `baseUrl` from a mock. Pass it as the option `dispatcher` to undici's
 * `request` and `fetch`, instead of a `Pool` or `Agent`, or to `setGlobalDispatcher`, which Node's own `fetch` uses, too.
 * Delays, faults, timeouts and aborts behave as on a connection.
 *
 * @param mockOrOptions a mock, or the options of a new one: see `createMock`.
 * @throws {UsageError} when options are invalid; the message lists every mistake.
 * @example
 * const dispatcher = createDispatcher({ pets: 30 }, { baseUrl: 'https://api.example.com/v1' })
 * const { body } = await request('https://api.example.com/v1/pets', {
 *   dispatcher,
 *   headers: { authorization: `Bearer ${defaultKey}` },
 * })
 * await body.json() // 20 pets
 */
export function createDispatcher(
  mockOrOptions: Mock | MockOptions = {},
  options: DispatcherOptions = {},
): MockDispatcher {
  expectObject(options)
  const { passthrough = getGlobalDispatcher() } = options
  const mistakes: string[] = []
  if (
    passthrough !== false &&
    typeof (passthrough as Partial<Dispatcher> | null)?.dispatch !== 'function'
  ) {
    mistakes.push(`passthrough must be a Dispatcher or false, but was ${typeof passthrough}.`)
  }
  const { mock, base } = readAdapter(mockOrOptions, options, ['baseUrl', 'passthrough'], mistakes)
  const open = new Map<Controller, Promise<void>>()
  let rejection: (new () => Error) | undefined

  function respond(request: Options, handler: Handler, original: Handler): boolean {
    const controller = new Controller()
    try {
      if (rejection !== undefined) throw new rejection()
      const url = urlOf(request, base.origin ?? 'http://localhost')
      const target = base.targetOf(url)
      if (target !== undefined) {
        const done = exchange(mock, { ...request, url, target }, handler, controller)
        open.set(controller, done)
        void done.finally(() => open.delete(controller))
        return true
      }
      if (passthrough) return passthrough.dispatch(request, original)
      throw notMocked(base, url)
    } catch (error) {
      handler.onResponseError?.(controller, error as Error)
      return false
    }
  }

  async function closed(callback?: () => void): Promise<void> {
    await Promise.allSettled(open.values())
    callback?.()
  }

  const dispatcher = Object.assign(new Dispatcher(), {
    mock,
    // `compose` adapts handlers of undici 6, which Node's `fetch` uses, to the protocol of undici 7.
    dispatch: (request: Options, handler: Handler): boolean =>
      dispatcher
        .compose(() => (_, adapted) => respond(request, adapted, handler))
        .dispatch(request, handler),
    /** Waits for the open requests. */
    close(callback?: () => void): Promise<void> {
      rejection ??= errors.ClientClosedError
      return closed(callback)
    },
    /** Aborts the open requests. */
    destroy(error?: Error | (() => void) | null, callback?: () => void): Promise<void> {
      const [reason, done] = typeof error === 'function' ? [null, error] : [error, callback]
      rejection = errors.ClientDestroyedError
      for (const controller of open.keys())
        controller.abort(reason ?? new errors.ClientDestroyedError())
      return closed(done)
    },
  })
  return dispatcher
}

type Handler = Dispatcher.DispatchHandler
type Options = Dispatcher.DispatchOptions
type Located = Options & { url: string; target: string }
type Headers = Record<string, string | string[]>

/** Tests may replace the timers of the host, and would stop each response. */
const later = setImmediate

const notABody =
  'body must be a string, a Buffer, a Readable stream, an iterable, or an async iterable'

/** The URL of a request, with its path undecoded. */
function urlOf({ origin, path, query }: Options, defaultOrigin: string): string {
  if (typeof path !== 'string') throw new errors.InvalidArgumentError('path must be a string')
  const search = stringify(query ?? {})
  if (search !== '' && /[?#]/.test(path)) {
    throw new errors.InvalidArgumentError(
      'Query params cannot be passed when url already contains "?" or "#".',
    )
  }
  const whole = search === '' ? path : `${path}?${search}`
  return /^https?:\/\//.test(whole) ? whole : `${new URL(origin ?? defaultOrigin).origin}${whole}`
}

/** Pauses, resumes and aborts a response. */
class Controller implements Dispatcher.DispatchController {
  aborted = false
  paused = false
  reason: Error | null = null
  rawHeaders: Buffer[] | null = null
  readonly #aborting = new AbortController()
  readonly signal: AbortSignal = this.#aborting.signal
  #resuming = new AbortController()

  abort(reason: Error = new errors.RequestAbortedError()): void {
    this.reason ??= reason
    this.aborted = true
    this.#aborting.abort(reason)
  }

  pause(): void {
    this.paused = true
  }

  resume(): void {
    this.paused = false
    this.#resuming.abort()
    this.#resuming = new AbortController()
  }

  /** Waits, then until the handler is not paused. Rejects with the reason of an abort. */
  async wait(
    ms: number,
    timeoutMs: number | null | undefined,
    TimeoutError: new () => Error,
  ): Promise<void> {
    // As undici: 300 s by default, 0 for none.
    const most = (timeoutMs ?? 300_000) || Number.POSITIVE_INFINITY
    if (ms > 0) await wait(Math.min(ms, most), this.signal)
    if (ms > most) throw new TimeoutError()
    while (this.paused && !this.aborted) {
      await wait(Number.POSITIVE_INFINITY, this.#resuming.signal, this.signal).catch(() => {})
    }
    this.signal.throwIfAborted()
  }
}

/** Lets a mock respond to one request. Never rejects: errors go to the handler. */
async function exchange(
  mock: Mock,
  options: Located,
  handler: Handler,
  controller: Controller,
): Promise<void> {
  let onAbandoned: MockReply['onAbandoned']
  try {
    handler.onRequestStart?.(controller, null)
    controller.signal.throwIfAborted()
    const reply = await mock.handle(await unlessAborted(toMockRequest(options), controller.signal))
    const { delayMs = 0, wire } = reply
    const payload = toPayload(reply, options.method)
    onAbandoned = reply.onAbandoned
    const delay = wire?.silent ? Number.POSITIVE_INFINITY : delayMs
    await controller.wait(delay, options.headersTimeout, errors.HeadersTimeoutError)
    if (!wire?.reset) {
      const headers = { ...payload.headers }
      controller.rawHeaders = Object.entries(headers).flatMap((pair) =>
        pair.map((text) => Buffer.from(text, 'latin1')),
      )
      handler.onResponseStart?.(controller, payload.status, headers, payload.statusText)
      const pause = (ms: number): Promise<void> =>
        controller.wait(ms, options.bodyTimeout, errors.BodyTimeoutError)
      for await (const piece of inPieces(payload, pause))
        handler.onResponseData?.(controller, Buffer.from(piece))
      // As on a connection, the end comes in a later task. Otherwise, Node's fetch ignores an abort in this one, and waits forever.
      await new Promise<void>((resolve) => void later(resolve))
      await controller.wait(0, 0, errors.BodyTimeoutError)
    }
    onAbandoned = undefined
    // RetryAgent retries errors with these codes.
    if (wire?.reset)
      throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' })
    if (wire?.empty || payload.isCut) throw new errors.SocketError('other side closed')
    handler.onResponseEnd?.(controller, {})
  } catch (error) {
    onAbandoned?.()
    handler.onResponseError?.(controller, error as Error)
  }
}

async function toMockRequest({
  method,
  url,
  target,
  headers: given,
  body,
}: Located): Promise<MockRequest> {
  const { host, protocol } = new URL(url)
  const sent = toResponse(body)
  // undici declares the type of these bodies alone.
  const type = /^(?:Blob|File|FormData)$/.test(kindOf(body))
    ? sent.headers.get('content-type')
    : null
  const headers = { host, ...(type !== null && { 'content-type': type }), ...toHeaders(given) }
  const request = {
    method,
    target,
    headers,
    scheme: protocol === 'https:' ? 'https' : 'http',
    body: '',
  } as const
  const read = readBody(sent.body)
  if (method === 'POST' || !(body instanceof Readable)) return { ...request, ...(await read) }
  // A GET does not wait for a stream, which is drained, so that its writer is not blocked.
  read.catch(() => {})
  return request
}

/** Lower-cases names and collects repeated ones. undici takes an object, pairs, or alternating names and values. */
function toHeaders(headers: Options['headers']): Headers {
  const all =
    Symbol.iterator in Object(headers)
      ? [...(headers as Iterable<unknown>)]
      : Object.entries(headers ?? {})
  const isFlat = Array.isArray(headers) && !Array.isArray(headers[0])
  const pairs = isFlat
    ? all.flatMap((name, index) => (index % 2 === 0 ? [[name, all[index + 1]]] : []))
    : all
  const read = new Map<string, string[]>()
  for (const [name, value] of pairs as [string, string | string[] | null | undefined][]) {
    const key = name.toLowerCase()
    if (value !== undefined && value !== null)
      read.set(key, [read.get(key) ?? [], value].flat().map(String))
  }
  return Object.fromEntries(
    Array.from(read, ([name, all]) => [name, all.length === 1 ? all[0] : all]),
  ) as Headers
}

/** Wraps any type of body that undici accepts. */
function toResponse(body: unknown): Response {
  // A stream that is destroyed at the limit emits an error.
  if (body instanceof Readable) body.on('error', () => {})
  // FormData is iterable, but its entries are not its body.
  const whole = /^(?:ArrayBuffer|Blob|File|FormData|Null|String|Undefined)$/
  const isWhole = ArrayBuffer.isView(body) || whole.test(kindOf(body))
  return new Response(isWhole ? (body as string) : chunksOf(body))
}

/** The name of the class of a value, also of one from another realm or package. */
const kindOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1)

async function* chunksOf(body: unknown): AsyncGenerator<Uint8Array> {
  const isIterable = Symbol.asyncIterator in Object(body) || Symbol.iterator in Object(body)
  if (!isIterable) throw new errors.InvalidArgumentError(notABody)
  yield* body as Readable
}
