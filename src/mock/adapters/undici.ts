/** `petstore-kit/undici`: a Dispatcher that a mock answers, for the `request`, `fetch` and `Pool` of undici. */

import { Dispatcher, errors, getGlobalDispatcher } from 'undici'

import type { Mock } from '../mock.ts'
import type { MockOptions } from '../settings.ts'
import { Controller, exchange, type Handler, type Options, urlOf } from './undici-exchange.ts'
import { type FaceOptions, notMocked, readFace } from './whatwg-face.ts'

export { createMock, type Mock } from '../mock.ts'
export { defaultKey, type MockOptions, type Settings } from '../settings.ts'
export type { MockReply } from '../message.ts'
export type { ErrorBody, Int64, NewPet, Pet, Pets, PetStatus } from '../../spec/types.ts'

/** What `createDispatcher` takes besides the mock. */
export interface DispatcherOptions extends FaceOptions {
  /**
   * Who answers every other request. By default, the global dispatcher of the moment at which `createDispatcher` is
   * called; with `false`, other requests fail with a UsageError.
   */
  passthrough?: Dispatcher | false
}

/** A Dispatcher of undici, and the mock behind it. */
export interface MockDispatcher extends Dispatcher {
  readonly mock: Mock
}

/**
 * A Dispatcher that answers from a mock for its base URL: the option `dispatcher` of undici's `request` and `fetch`,
 * something to stand in for a `Pool` or `Agent`, or the global one (`setGlobalDispatcher`), by which Node's own `fetch`
 * goes, too. Delays, faults, timeouts and aborts are those of a connection.
 *
 * @param mockOrOptions a mock, or the options of a new one: see `createMock`.
 * @throws {UsageError} when options are wrong; the message tells all mistakes, a line each.
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
  const { passthrough = getGlobalDispatcher() } = options
  const mistakes: string[] = []
  if (passthrough !== false && typeof (passthrough as Partial<Dispatcher> | null)?.dispatch !== 'function') {
    mistakes.push(`passthrough must be a Dispatcher or false, and was ${typeof passthrough}.`)
  }
  const { mock, base } = readFace(mockOrOptions, options, ['baseUrl', 'passthrough'], mistakes)
  const open = new Map<Controller, Promise<void>>()
  let refusal: (new () => Error) | undefined

  function respond(request: Options, handler: Handler, original: Handler): boolean {
    const controller = new Controller()
    try {
      if (refusal !== undefined) throw new refusal()
      const url = urlOf(request, base.origin ?? 'http://localhost')
      const target = base.targetOf(url)
      if (target !== undefined) {
        const done = exchange(mock, { ...request, url, target }, handler, controller)
        open.set(controller, done)
        void done.finally(() => open.delete(controller))
        return true
      }
      if (passthrough !== false) return passthrough.dispatch(request, original)
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
    // `compose` adapts handlers of undici 6, which `fetch` still has, to the protocol of undici 7.
    dispatch: (request: Options, handler: Handler): boolean =>
      dispatcher.compose(() => (_, adapted) => respond(request, adapted, handler)).dispatch(request, handler),
    /** Waits for the requests under way. */
    close(callback?: () => void): Promise<void> {
      refusal ??= errors.ClientClosedError
      return closed(callback)
    },
    /** Ends the requests under way. */
    destroy(error?: Error | (() => void) | null, callback?: () => void): Promise<void> {
      const [reason, done] = typeof error === 'function' ? [null, error] : [error, callback]
      refusal = errors.ClientDestroyedError
      for (const controller of open.keys()) controller.abort(reason ?? new errors.ClientDestroyedError())
      return closed(done)
    },
  })
  return dispatcher
}
