import type { HttpReply, HttpRequest } from '../../spec/http.ts'

/** Headers by which gateways, traces and logs recognize a request, and their forms. */
const correlating = [
  ['x-request-id', /^[\x21-\x7e]{1,200}$/],
  // https://www.w3.org/TR/trace-context/
  ['traceparent', /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(?:-[\x21-\x7e]{1,100})?$/],
] as const

const validValue = (value: HttpRequest['headers'][string], form: RegExp): string | undefined =>
  typeof value === 'string' && form.test(value) ? value : undefined

/** How a log names a request. `hide` redacts what a client may have put into the wrong header. */
export function correlationOf(
  { headers }: Pick<HttpRequest, 'headers'>,
  hide: (text: string) => string = (text) => text,
): { requestId?: string; traceId?: string } {
  const [requestId, trace] = correlating.map(([name, form]) => validValue(headers[name], form))
  return {
    ...(requestId !== undefined && { requestId: hide(requestId) }),
    ...(trace !== undefined && { traceId: trace.slice(3, 35) }),
  }
}

/**
 * The headers of a request that its reply repeats; undefined for none, as of most requests. The specification says nothing
 * about headers of responses apart from the media type, and they depend on the client alone. A reply may have its own.
 */
export function repeatedHeaders(
  { headers }: Pick<HttpRequest, 'headers'>,
  reply: Pick<HttpReply, 'headers'>,
): Record<string, string> | undefined {
  if (headers['x-request-id'] === undefined && headers['traceparent'] === undefined)
    return undefined
  const own = new Set(Object.keys(reply.headers).map((name) => name.toLowerCase()))
  const repeated = correlating.flatMap(([name, form]) => {
    const value = validValue(headers[name], form)
    return value !== undefined && !own.has(name) ? [[name, value]] : []
  })
  return repeated.length === 0
    ? undefined
    : (Object.fromEntries(repeated) as Record<string, string>)
}
