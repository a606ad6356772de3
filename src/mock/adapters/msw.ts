/** `petstore-kit/msw`: request handlers for `setupWorker` and `setupServer` of MSW 2 and 3. */

import { http, type HttpHandler } from 'msw'

import type { Mock } from '../mock.ts'
import type { MockOptions } from '../settings.ts'
import { answer } from './whatwg-answer.ts'
import { type FaceOptions, readFace } from './whatwg-face.ts'

export { createMock, type Mock } from '../mock.ts'
export { defaultKey, type MockOptions, type Settings } from '../settings.ts'
export type { MockReply } from '../message.ts'
export type { ErrorBody, ExactNewPet, ExactPet, Int64, NewPet, Pet, Pets, PetStatus } from '../../spec/types.ts'

/** What `createHandlers` takes besides the mock. */
export type HandlersOptions = FaceOptions

/** Request handlers of MSW, and the mock behind them. */
export type MockHandlers = [HttpHandler] & { readonly mock: Mock }

/**
 * Request handlers that answer from a mock for its base URL. There is one handler for all requests below it; every other
 * request is left to MSW.
 *
 * @param mockOrOptions a mock, or the options of a new one: see `createMock`.
 * @throws {UsageError} when options are wrong; the message tells all mistakes, a line each.
 * @example
 * const mock = createMock({ pets: 30 })
 * const server = setupServer(...createHandlers(mock, { baseUrl: 'https://api.example.com/v1' }))
 * beforeAll(() => server.listen())
 * afterEach(() => mock.reset())
 * afterAll(() => server.close())
 */
export function createHandlers(mockOrOptions: Mock | MockOptions = {}, options: HandlersOptions = {}): MockHandlers {
  const { mock, base } = readFace(mockOrOptions, options, ['baseUrl'])
  // A regular expression is the one predicate that all versions of MSW read alike. It leaves the rest to our own routes.
  const handler = http.all(base.pattern, async ({ request }) => {
    const target = base.targetOf(request.url)
    if (target === undefined) return undefined
    try {
      const response = await answer(mock, request, target)
      return response === 'reset' ? Response.error() : response
    } catch (error) {
      // The client is told of its abort by MSW, which would take an error of ours for one of the handler.
      if (request.signal.aborted) return Response.error()
      throw error
    }
  })
  return Object.assign([handler] as [HttpHandler], { mock })
}
