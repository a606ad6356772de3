/** `petstore-kit/fetch`: a `fetch` served by a mock. Runs wherever `Request` and `Response` exist. */

import type { Mock } from '../mock.ts'
import type { MockOptions } from '../types.ts'
import { type AdapterOptions, notMocked, pageUrl, readAdapter } from './options.ts'
import { connectionReset, respond } from './web.ts'

export { createMock, type Mock } from '../mock.ts'
export type { MockOptions, Settings } from '../types.ts'
export { sandboxKey } from '../sandbox-key.ts'
export { defaultKey } from '../settings.ts'
export type { MockReply } from '../message.ts'
export type { ErrorBody, ExactNewPet, ExactPet, Int64, NewPet, Pet, Pets, PetStatus } from '../../spec/types.ts'

/** What `createFetch` takes besides the mock. */
export interface FetchOptions extends AdapterOptions {
  /**
   * Handles every other request. Default: the global `fetch` at the time of the call. With `false`, other requests
   * reject with a UsageError.
   */
  passthrough?: typeof globalThis.fetch | false
}

/** A `fetch`, and the mock behind it. */
export type MockFetch = typeof globalThis.fetch & { readonly mock: Mock }

/** Redirects that a fetch follows before it gives up: the Fetch standard's number. */
const maxRedirects = 20

const statuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
/** Headers that describe a body, which goes when the method becomes GET. */
const ofTheBody = ['content-encoding', 'content-language', 'content-location', 'content-type', 'content-length']
/** Headers that another origin does not get. */
const ofTheOrigin = ['authorization', 'proxy-authorization', 'cookie', 'host']

/**
 * Creates a `fetch` that serves the URLs below `baseUrl` from a mock. Delays, faults and aborts behave as on a connection: a reset
 * rejects with a TypeError, a body that breaks off fails while it is read, silence lasts until the request is aborted.
 * With `redirect: 'manual'` a redirect is handed out as it is, as in Node.
 *
 * @param mockOrOptions a mock, or the options of a new one: see `createMock`.
 * @throws {UsageError} when options are invalid; the message lists every mistake.
 * @example
 * const fetch = createFetch({ pets: 30 }, { baseUrl: 'https://api.example.com/v1' })
 * const reply = await fetch('https://api.example.com/v1/pets', { headers: { authorization: `Bearer ${defaultKey}` } })
 * await reply.json() // 20 pets
 * fetch.mock.reset()
 */
export function createFetch(mockOrOptions: Mock | MockOptions = {}, options: FetchOptions = {}): MockFetch {
  const passthrough: typeof globalThis.fetch | false | undefined = options.passthrough ?? globalThis.fetch
  const mistakes: string[] = []
  if (options.passthrough !== undefined && passthrough !== false && typeof passthrough !== 'function') {
    mistakes.push(`passthrough must be a function or false, and was ${String(passthrough)}.`)
  }
  const { mock, base } = readAdapter(mockOrOptions, options, ['baseUrl', 'passthrough'], mistakes)

  const mockFetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = urlOf(input)
    if (base.targetOf(url) === undefined) return outside(url, input, init)
    return follow(new Request(typeof input === 'string' ? url : input, init))
  }

  async function outside(url: string, input: string | URL | Request, init?: RequestInit): Promise<Response> {
    if (passthrough !== false && passthrough !== undefined) return passthrough(input, init)
    throw notMocked(base, url)
  }

  async function follow(request: Request, redirects = 0): Promise<Response> {
    const target = base.targetOf(request.url)
    if (target === undefined) return outside(request.url, request)
    const spare = request.redirect === 'follow' ? request.clone() : undefined
    const response = await respond(mock, request, target)
    if (response === 'reset') throw connectionReset()
    const location = redirectOf(response)
    if (location !== undefined && request.redirect === 'error') throw networkError('unexpected redirect')
    if (location === undefined || spare === undefined) {
      spare?.body?.cancel().catch(() => {})
      return fetched(response, request.url, redirects > 0)
    }
    if (redirects === maxRedirects) throw networkError('redirect count exceeded')
    return follow(redirected(spare, response.status, location), redirects + 1)
  }

  /** Where there is no page, a path alone stands for the base URL's origin, so that code of a page can be tested. */
  function urlOf(input: string | URL | Request): string {
    if (typeof input === 'string') return new URL(input, pageUrl() ?? base.origin ?? 'http://localhost').href
    return input instanceof URL ? input.href : input.url
  }

  return Object.assign(mockFetch, { mock })
}

/** A response that knows where it comes from; one that is constructed does not. */
function fetched(response: Response, url: string, isRedirected: boolean): Response {
  const [shown] = url.split('#', 1)
  return Object.defineProperties(response, {
    url: { value: shown, enumerable: true, configurable: true },
    redirected: { value: isRedirected, enumerable: true, configurable: true },
    clone: { value: () => fetched(Response.prototype.clone.call(response), url, isRedirected), configurable: true },
  })
}

/** Where a response leads, or undefined when it is no redirect. */
function redirectOf(response: Response): string | undefined {
  return statuses.has(response.status) ? (response.headers.get('location') ?? undefined) : undefined
}

/**
 * The request that follows a redirect, as the Fetch standard's "HTTP-redirect fetch" makes it.
 *
 * @param request whose body is not read.
 * @throws {TypeError} when the location is no URL that can be fetched.
 */
function redirected(request: Request, status: number, location: string): Request {
  if (!URL.canParse(location, request.url)) throw networkError(`The location is no URL: ${location}`)
  const url = new URL(location, request.url)
  if (!/^https?:$/.test(url.protocol)) throw networkError(`The location is no HTTP URL: ${location}`)
  const { method, signal, redirect } = request
  const turnsToGet = status === 303 ? method !== 'GET' && method !== 'HEAD' : status <= 302 && method === 'POST'
  const headers = new Headers(request.headers)
  for (const name of turnsToGet ? ofTheBody : []) headers.delete(name)
  for (const name of url.origin === new URL(request.url).origin ? [] : ofTheOrigin) headers.delete(name)
  const body = turnsToGet ? null : request.body
  const init: RequestInit = { method: turnsToGet ? 'GET' : method, headers, signal, redirect }
  return new Request(url, body === null ? init : { ...init, body, duplex: 'half' })
}

/** What a fetch rejects with when a redirect cannot be followed. */
function networkError(why: string): TypeError {
  return new TypeError('fetch failed', { cause: new Error(why) })
}
