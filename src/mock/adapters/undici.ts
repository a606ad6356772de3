/** `petstore-kit/undici`: a Dispatcher that a mock answers, for the `request`, `fetch` and `Pool` of undici. */

import { type Dispatcher, getGlobalDispatcher } from 'undici'

import type { Mock } from '../mock.ts'
import type { MockOptions } from '../settings.ts'
import { MockedDispatcher } from './undici-dispatcher.ts'
import { readFace } from './whatwg-face.ts'

export { createMock, type Mock } from '../mock.ts'
export { defaultKey, type MockOptions, type Settings } from '../settings.ts'
export type { MockReply } from '../message.ts'
export type { ErrorBody, Int64, NewPet, Pet, Pets, PetStatus } from '../../spec/types.ts'

/** What `createDispatcher` takes besides the mock. */
export interface DispatcherOptions {
  /**
   * The base URL that the mock answers for: absolute, such as `https://api.example.com/v1`, or with an asterisk in place
   * of the origin. By default, the base path of the mock at any origin.
   */
  baseUrl?: string
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
  return new MockedDispatcher(readFace(mockOrOptions, options, ['baseUrl', 'passthrough'], mistakes), passthrough)
}
