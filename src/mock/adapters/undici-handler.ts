import { Buffer } from 'node:buffer'

import { type Dispatcher, errors } from 'undici'

import { wait } from './whatwg-wait.ts'

/** Stops, resumes and ends what is told to a handler. */
export class Controller implements Dispatcher.DispatchController {
  rawHeaders: Buffer[] | null = null
  rawTrailers: Buffer[] | null = null
  readonly #aborting = new AbortController()
  #resume: AbortController | undefined

  get signal(): AbortSignal {
    return this.#aborting.signal
  }

  get aborted(): boolean {
    return this.signal.aborted
  }

  get reason(): Error | null {
    return this.aborted ? (this.signal.reason as Error) : null
  }

  get paused(): boolean {
    return this.#resume !== undefined
  }

  abort(reason?: Error): void {
    if (!this.aborted) this.#aborting.abort(reason ?? new errors.RequestAbortedError())
  }

  pause(): void {
    this.#resume ??= new AbortController()
  }

  resume(): void {
    const resume = this.#resume
    this.#resume = undefined
    resume?.abort()
  }

  /** Resolves when more may be told. Rejects with the reason of an abort. */
  async ready(): Promise<void> {
    while (this.#resume !== undefined) {
      await wait(Number.POSITIVE_INFINITY, this.#resume.signal, this.signal).catch(() => {})
      this.signal.throwIfAborted()
    }
  }
}

/** Tells a handler of one request. */
export interface Receiver {
  controller: Controller
  start: () => void
  head: (status: number, headers: Readonly<Record<string, string>>, statusText: string) => void
  data: (chunk: Uint8Array) => void
  end: () => void
  fail: (error: Error) => void
}

/**
 * Speaks to a handler in the protocol that it understands: that of undici 7 and later (`onRequestStart`), or that of
 * undici 6 (`onConnect`), which the functions of undici 7 still use inside.
 */
export function createReceiver(handler: Dispatcher.DispatchHandler): Receiver {
  const controller = new Controller()
  return handler.onRequestStart === undefined ? toldInOldWay(handler, controller) : toldInNewWay(handler, controller)
}

function toldInNewWay(handler: Dispatcher.DispatchHandler, controller: Controller): Receiver {
  return {
    controller,
    start: () => handler.onRequestStart?.(controller, null),
    head(status, headers, statusText) {
      controller.rawHeaders = toRaw(headers)
      handler.onResponseStart?.(controller, status, { ...headers }, statusText)
    },
    data: (chunk) => handler.onResponseData?.(controller, Buffer.from(chunk)),
    end() {
      controller.rawTrailers = []
      handler.onResponseEnd?.(controller, {})
    },
    fail(error) {
      if (handler.onResponseError === undefined) throw error
      handler.onResponseError(controller, error)
    },
  }
}

/** The methods of the older protocol, which answer false when they want no more for now. */
interface OldHandler {
  onConnect?: (abort: (reason?: Error) => void, context: null) => void
  onResponseStarted?: () => void
  onHeaders?: (status: number, headers: Buffer[], resume: () => void, statusText: string) => boolean | undefined
  onData?: (chunk: Buffer) => boolean | undefined
  onComplete?: (trailers: Buffer[]) => void
  onError?: (error: Error) => void
}

function toldInOldWay(newest: Dispatcher.DispatchHandler, controller: Controller): Receiver {
  const handler = newest as unknown as OldHandler
  return {
    controller,
    start: () => handler.onConnect?.((reason) => controller.abort(reason), null),
    head(status, headers, statusText) {
      handler.onResponseStarted?.()
      const resume = (): void => controller.resume()
      if (handler.onHeaders?.(status, toRaw(headers), resume, statusText) === false) controller.pause()
    },
    data(chunk) {
      if (handler.onData?.(Buffer.from(chunk)) === false) controller.pause()
    },
    end: () => handler.onComplete?.([]),
    fail(error) {
      if (handler.onError === undefined) throw error
      handler.onError(error)
    },
  }
}

/** Names and values in turn. */
function toRaw(headers: Readonly<Record<string, string>>): Buffer[] {
  return Object.entries(headers).flatMap(([name, value]) => [Buffer.from(name, 'latin1'), Buffer.from(value, 'latin1')])
}
