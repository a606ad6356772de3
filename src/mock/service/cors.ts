/** Which pages of other origins may read the responses. */

import { operations } from '../../spec/operations.ts'
import type { MockReply, MockRequest } from './message.ts'

type Headers = Readonly<Record<string, string>>
type Requested = Pick<MockRequest, 'headers'>

const methods = [
  ...new Set(['GET', 'HEAD', ...Object.values(operations).map(({ method }) => method), 'OPTIONS']),
].join(', ')

/** The headers of a response to a preflight, for pages of any origin. */
export const preflightHeaders = ({ headers }: Requested) => ({
  'access-control-allow-methods': methods,
  // The wildcard does not cover Authorization.
  'access-control-allow-headers': 'Authorization, Content-Type, *',
  'access-control-max-age': '600',
  ...(headers['access-control-request-private-network'] === 'true' && {
    'access-control-allow-private-network': 'true',
  }),
})

/** Pages of other origins can read only the headers that are listed here. */
export function exposedHeaders(headers: Headers): Headers {
  const names = Object.keys(headers).filter(
    (name) => !name.startsWith('access-control-') && name !== 'content-type',
  )
  return names.length > 0 ? { 'access-control-expose-headers': names.join(', ') } : {}
}

/** The origin of the page that sent the request, if it is one of these. */
export function listedOrigin(
  origins: readonly string[],
  { headers }: Requested,
): string | undefined {
  return origins.find((origin) => origin === headers['origin'])
}

/** Allows pages of the listed origins to send credentials. A header that a rule has set stays. */
export function withCredentials(
  reply: MockReply,
  request: Requested,
  origins: readonly string[],
): MockReply {
  const { headers } = reply
  const origin = listedOrigin(origins, request)
  const others = headers['vary'] === undefined ? '' : `${headers['vary']}, `
  const varied = { ...headers, vary: `${others}Origin` }
  const isRuled = !['*', undefined].includes(headers['access-control-allow-origin'])
  if (origin === undefined || isRuled) return { ...reply, headers: varied }
  return {
    ...reply,
    headers: {
      ...varied,
      ...exposedHeaders(headers),
      ...allowedHeaders(headers, request),
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
    },
  }
}

/** With credentials, a wildcard in the response to a preflight is a name like any other. */
function allowedHeaders(headers: Headers, request: Requested): Headers {
  const wanted = request.headers['access-control-request-headers']
  if (headers['access-control-allow-headers'] === undefined || typeof wanted !== 'string') return {}
  const names = wanted.split(',').map((name) => name.trim())
  const valid = names.filter((name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name))
  return valid.length > 0 ? { 'access-control-allow-headers': valid.join(', ') } : {}
}
