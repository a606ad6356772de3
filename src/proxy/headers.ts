import type { IncomingMessage } from 'node:http'
import type { MockRequest } from '../mock/service/message.ts'

/** `..` and `.` segments in any form that a server may decode: percent-encoded twice, with backslashes, before parameters. */
const pathTraversal =
  /(?:[/\\]|%(?:25)*(?:2f|5c))(?:\.|%(?:25)*2e){1,2}(?:;[^/\\]*)?(?:$|[/\\]|%(?:25)*(?:2f|5c))/i

export function createRejections(
  target: URL,
  ownUrl: () => string,
  isOwnHost: (header: unknown) => boolean,
) {
  const basePath = target.pathname.replace(/\/$/, '')
  return ({
    target: path,
    headers,
  }: MockRequest): [status: number, message: string] | undefined => {
    const { host, upgrade } = headers
    if (!isOwnHost(host)) {
      const advice = 'Use a loopback address, or allow this host: `--control-host HOST`.'
      return [403, `The proxy does not accept the host ${JSON.stringify(String(host))}. ${advice}`]
    }
    if (!path.startsWith('/') && path !== '*') {
      const advice = `clients must use its base URL, ${ownUrl()}, and not HTTP_PROXY`
      return [421, `This proxy only forwards to ${target.origin}: ${advice}.`]
    }
    // RFC 9112 section 3.2: a target has none, and servers disagree on what it ends.
    if (path.includes('#')) return [400, 'The request target must not have a fragment (#).']
    const [own = ''] = path.split('?')
    const isBelow = own === basePath || own.startsWith(`${basePath}/`)
    if (!isBelow || pathTraversal.test(own)) {
      return [404, `The proxy only forwards paths under its base URL, ${ownUrl()}.`]
    }
    // An offer of HTTP/2 is ignored, as by a server without it.
    const isOffer = upgrade === undefined || /^\s*h2c\s*$/i.test(String(upgrade))
    return isOffer
      ? undefined
      : [501, 'The proxy does not switch protocols: the Pet Store Service has no WebSocket.']
  }
}

/** RFC 9110 section 7.6.1. */
const hopByHop =
  'connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade'

/** Raw headers in their order and letter case, without `others`, hop-by-hop ones, and those that Connection names. */
function without(raw: readonly string[], others: readonly string[]): string[] {
  const pairs = Array.from(
    { length: raw.length / 2 },
    (_, at) => raw.slice(2 * at, 2 * at + 2) as [string, string],
  )
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(','))
  const dropped = new Set([
    ...hopByHop.split(' '),
    ...named.map((name) => name.trim().toLowerCase()),
    ...others,
  ])
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat()
}

/** Request headers for the deployment: its host, those for its gateway, and normalized framing. */
export const headersFor = (
  message: IncomingMessage,
  { host }: URL,
  added: Readonly<Record<string, string>> = {},
): string[] => [
  'Host',
  host,
  ...without(message.rawHeaders, ['host', 'content-length', ...Object.keys(added)]),
  ...Object.entries(added).flat(),
  ...framingOf(message),
]

function framingOf({ headers, method = '' }: IncomingMessage): string[] {
  if (headers['transfer-encoding'] !== undefined) return ['Transfer-Encoding', 'chunked']
  if (headers['content-length'] !== undefined) return ['Content-Length', headers['content-length']]
  return /^(?:POST|PUT|PATCH)$/.test(method) ? ['Content-Length', '0'] : []
}

/** Response headers for the client; without a length, Node sends chunks. */
export function headersBack({ rawHeaders, headers }: IncomingMessage, status: number): string[] {
  const hasNoLength = status === 204 || headers['transfer-encoding'] !== undefined
  return without(rawHeaders, hasNoLength ? ['content-length'] : [])
}
