/** `petstore-kit/msw`: request handlers for `setupWorker` and `setupServer` of MSW 2 and 3. */

import { http, type HttpHandler } from 'msw'

import type { Mock } from '../sandbox/mock.ts'
import type { MockOptions } from '../sandbox/types.ts'
import { type AdapterOptions, readAdapter } from './options.ts'
import { respond } from './web.ts'

export * from './exports.ts'

/** What `createHandlers` takes besides the mock. */
export type HandlersOptions = AdapterOptions

/** Request handlers of MSW, and the mock behind them. */
export type MockHandlers = [HttpHandler] & { readonly mock: Mock }

/**
 * Creates request handlers that serve the URLs below `baseUrl` from a mock. One handler takes all of them; MSW keeps every
 * other request.
 *
 * @param mockOrOptions a mock, or the options of a new one: see `createMock`.
 * @throws {UsageError} when options are invalid; the message lists every mistake.
 * @example
 * const mock = createMock({ pets: 30 })
 * const server = setupServer(...createHandlers(mock, { baseUrl: 'https://api.example.com/v1' }))
 * beforeAll(() => server.listen())
 * afterEach(() => mock.reset())
 * afterAll(() => server.close())
 */
export function createHandlers(
  mockOrOptions: Mock | MockOptions = {},
  options: HandlersOptions = {},
): MockHandlers {
  const { mock, base } = readAdapter(mockOrOptions, options, ['baseUrl'])
  // All versions of MSW interpret a regular expression in the same way, unlike a path.
  const handler = http.all(base.pattern, async ({ request }) => {
    // MSW has matched the URL with the pattern.
    const target = base.targetOf(request.url) as string
    try {
      const response = await respond(mock, request, target)
      return response instanceof TypeError ? Response.error() : response
    } catch (error) {
      // MSW itself rejects the aborted request; it would report an exception as a bug of the handler.
      if (request.signal.aborted) return Response.error()
      throw error
    }
  })
  return Object.assign([handler] as [HttpHandler], { mock })
}
