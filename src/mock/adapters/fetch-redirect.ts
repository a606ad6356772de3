/** Redirects that a fetch follows before it gives up: the Fetch standard's number. */
export const mostRedirects = 20

const statuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
/** Headers that describe a body, which goes when the method becomes GET. */
const ofTheBody = ['content-encoding', 'content-language', 'content-location', 'content-type', 'content-length']
/** Headers that another origin does not get. */
const ofTheOrigin = ['authorization', 'proxy-authorization', 'cookie', 'host']

/** Where a response leads, or undefined when it is no redirect. */
export function redirectOf(response: Response): string | undefined {
  return statuses.has(response.status) ? (response.headers.get('location') ?? undefined) : undefined
}

/**
 * The request that follows a redirect, as the Fetch standard's "HTTP-redirect fetch" makes it.
 *
 * @param request whose body is not read.
 * @throws {TypeError} when the location is no URL that can be fetched.
 */
export function redirected(request: Request, status: number, location: string): Request {
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
export function networkError(why: string): TypeError {
  return new TypeError('fetch failed', { cause: new Error(why) })
}
