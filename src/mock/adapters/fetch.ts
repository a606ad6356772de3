/** `petstore-kit/fetch`: a `fetch` served by a mock. Runs wherever `Request` and `Response` exist. */

import { expectObject, formatValue } from '../../errors.ts'
import type { Mock } from '../sandbox/mock.ts'
import type { MockOptions } from '../sandbox/types.ts'
import { type AdapterOptions, notMocked, pageUrl, readAdapter } from './options.ts'
import { fetchFailed, respond } from './web.ts'

export * from './exports.ts'

/** What `createFetch` takes besides the mock. */
export interface FetchOptions extends AdapterOptions {
  /**
   * Handles every other request. Default: the global `fetch` at the time of the call. With `false`, other requests
   * reject with a UsageError.
   */
  passthrough?: typeof globalThis.fetch | false | undefined
}

/** A `fetch`, and the mock behind it. */
export type MockFetch = typeof globalThis.fetch & { readonly mock: Mock }

/** The limit of the Fetch standard. */
const maxRedirects = 20

const statuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
/** Dropped when a redirect turns the method into GET. */
const bodyHeaders = [
  'content-encoding',
  'content-language',
  'content-location',
  'content-type',
  'content-length',
]
/** Dropped when a redirect leads to another origin. */
const originHeaders = ['authorization', 'proxy-authorization', 'cookie', 'host']

/**
 * Creates a `fetch` that serves the URLs below `baseUrl` from a mock. Delays, faults and aborts behave as on a connection: a reset
 * rejects with a TypeError, a truncated body fails while it is read, silence lasts until the request is aborted. With
 * `redirect: 'manual'`, a redirect is returned as it is, as in Node.
 *
 * @param mockOrOptions a mock, or the options of a new one: see `createMock`.
 * @throws {UsageError} when options are invalid; the message lists every mistake.
 * @example
 * const fetch = createFetch({ pets: 30 }, { baseUrl: 'https://api.example.com/v1' })
 * const reply = await fetch('https://api.example.com/v1/pets', { headers: { authorization: `Bearer ${defaultKey}` } })
 * await reply.json() // 20 pets
 * fetch.mock.reset()
 */
export function createFetch(
  mockOrOptions: Mock | MockOptions = {},
  options: FetchOptions = {},
): MockFetch {
  expectObject(options)
  const { passthrough = globalThis.fetch } = options
  const mistakes: string[] = []
  if (passthrough !== undefined && passthrough !== false && typeof passthrough !== 'function') {
    mistakes.push(`passthrough must be a function or false, but was ${formatValue(passthrough)}.`)
  }
  const { mock, base } = readAdapter(mockOrOptions, options, ['baseUrl', 'passthrough'], mistakes)

  const mockFetch = async (
    input: string | URL | Request,
    init?: RequestInit,
  ): Promise<Response> => {
    const url = urlOf(input)
    if (base.targetOf(url) === undefined) return passThrough(url, input, init)
    return follow(new Request(typeof input === 'string' ? url : input, init))
  }

  async function passThrough(
    url: string,
    input: string | URL | Request,
    init?: RequestInit,
  ): Promise<Response> {
    if (passthrough) return passthrough(input, init)
    throw notMocked(base, url)
  }

  async function follow(request: Request, redirects = 0): Promise<Response> {
    const target = base.targetOf(request.url)
    if (target === undefined) return passThrough(request.url, request)
    const copy = request.redirect === 'follow' ? request.clone() : undefined
    const response = await respond(mock, request, target)
    if (response instanceof TypeError) throw response
    const location = statuses.has(response.status) ? response.headers.get('location') : null
    if (location !== null && request.redirect === 'error') throw networkError('unexpected redirect')
    if (location === null || copy === undefined) {
      copy?.body?.cancel().catch(() => {})
      return fetched(response, request.url, redirects > 0)
    }
    if (redirects === maxRedirects) throw networkError('redirect count exceeded')
    return follow(redirected(copy, response.status, location), redirects + 1)
  }

  /** Outside of a page, a path is relative to the base URL, so that code for browsers can be tested in Node. */
  function urlOf(input: string | URL | Request): string {
    if (typeof input === 'string')
      return new URL(input, pageUrl() ?? base.origin ?? 'http://localhost').href
    return input instanceof URL ? input.href : input.url
  }

  return Object.assign(mockFetch, { mock })
}

/** Sets `url` and `redirected`, which the constructor of Response cannot. */
function fetched(response: Response, url: string, isRedirected: boolean): Response {
  return Object.defineProperties(response, {
    url: { value: url.split('#', 1)[0], enumerable: true, configurable: true },
    redirected: { value: isRedirected, enumerable: true, configurable: true },
    clone: {
      value: () => fetched(Response.prototype.clone.call(response), url, isRedirected),
      configurable: true,
    },
  })
}

/** The next request of "HTTP-redirect fetch" in the Fetch standard. The body of `request` is unread. */
function redirected(request: Request, status: number, location: string): Request {
  if (!URL.canParse(location, request.url))
    throw networkError(`The location is no URL: ${location}`)
  const url = new URL(location, request.url)
  if (!/^https?:$/.test(url.protocol))
    throw networkError(`The location is no HTTP URL: ${location}`)
  const { method, signal, redirect } = request
  const turnsToGet =
    status === 303 ? method !== 'GET' && method !== 'HEAD' : status <= 302 && method === 'POST'
  const headers = new Headers(request.headers)
  for (const name of turnsToGet ? bodyHeaders : []) headers.delete(name)
  for (const name of url.origin === new URL(request.url).origin ? [] : originHeaders)
    headers.delete(name)
  const body = turnsToGet ? null : request.body
  const init: RequestInit = { method: turnsToGet ? 'GET' : method, headers, signal, redirect }
  return new Request(url, body === null ? init : { ...init, body, duplex: 'half' })
}

const networkError = (reason: string): TypeError => fetchFailed(new Error(reason))
