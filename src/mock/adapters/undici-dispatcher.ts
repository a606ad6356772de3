import { Dispatcher, errors } from 'undici'

import { UsageError } from '../../errors.ts'
import type { Mock } from '../mock.ts'
import { converse } from './undici-conversation.ts'
import { createReceiver, type Receiver } from './undici-handler.ts'
import { toMockRequest, urlOf } from './undici-request.ts'
import type { Face } from './whatwg-face.ts'

type Ended = (error: Error | null, data: null) => void

/** A Dispatcher that answers for a base URL, and leaves every other request to another one. */
export class MockedDispatcher extends Dispatcher {
  readonly mock: Mock
  readonly #face: Face
  readonly #passthrough: Dispatcher | false
  readonly #open = new Map<Receiver, Promise<void>>()
  #state: 'open' | 'closed' | 'destroyed' = 'open'

  constructor(face: Face, passthrough: Dispatcher | false) {
    super()
    this.mock = face.mock
    this.#face = face
    this.#passthrough = passthrough
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { base, mock } = this.#face
    const receiver = createReceiver(handler)
    try {
      if (this.#state === 'destroyed') throw new errors.ClientDestroyedError()
      if (this.#state === 'closed') throw new errors.ClientClosedError()
      const url = urlOf(options, base.origin ?? 'http://localhost')
      const target = base.targetOf(url)
      if (target === undefined) return this.#passOn(url, options, handler)
      const read = () => toMockRequest(options, url, target)
      const told = converse({ mock, receiver, options, read })
      this.#open.set(
        receiver,
        told.finally(() => this.#open.delete(receiver)),
      )
      return true
    } catch (error) {
      receiver.fail(error as Error)
      return false
    }
  }

  #passOn(url: string, options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (this.#passthrough !== false) return this.#passthrough.dispatch(options, handler)
    const { base } = this.#face
    const where = `${base.origin ?? '*'}${base.path}`
    throw new UsageError(`The mock answers for ${where}, and the request was for ${url}. It is not passed through.`)
  }

  /** Takes no more requests, and waits for those that are under way. Whoever answers the others is left alone. */
  override close(): Promise<void>
  override close(callback: () => void): void
  override close(callback?: Ended): Promise<void> | void {
    if (this.#state === 'open') this.#state = 'closed'
    return this.#ended(callback)
  }

  /** Ends all requests that are under way. */
  override destroy(): Promise<void>
  override destroy(error: Error | null): Promise<void>
  override destroy(callback: () => void): void
  override destroy(error: Error | null, callback: () => void): void
  override destroy(error?: Error | Ended | null, callback?: Ended): Promise<void> | void {
    if (typeof error === 'function') return this.destroy(null, error as () => void)
    this.#state = 'destroyed'
    for (const { controller } of this.#open.keys()) controller.abort(error ?? new errors.ClientDestroyedError())
    return this.#ended(callback)
  }

  /** A promise, or a callback: undici has both. */
  async #ended(callback: Ended | undefined): Promise<void> {
    await Promise.allSettled(this.#open.values())
    callback?.(null, null)
  }
}
