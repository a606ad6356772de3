import type { IncomingMessage } from 'node:http'
import type { MockRequest } from '../mock/message.ts'
import { otherKeyHeaders } from '../report/credentials.ts'
import { suiteUserAgent } from '../spec/version.ts'

/** `..` and `.` segments in any form that a server may decode: percent-encoded twice, with backslashes, before parameters. */
const pathTraversal = /(?:[/\\]|%(?:25)*(?:2f|5c))(?:\.|%(?:25)*2e){1,2}(?:;[^/\\]*)?(?:$|[/\\]|%(?:25)*(?:2f|5c))/i

export function createRefusals(
  { target, ownUrl }: { target: URL; ownUrl: () => string },
  isOwnHost: (header: unknown) => boolean,
): (request: MockRequest) => [status: number, message: string] | undefined {
  const basePath = target.pathname.replace(/\/$/, '')
  return ({ target: path, headers }) => {
    const { host, upgrade } = headers
    if (!isOwnHost(host)) {
      const advice = 'Use a loopback address, or allow this host: `--control-host HOST`.'
      return [403, `The proxy does not accept the host ${JSON.stringify(String(host))}. ${advice}`]
    }
    if (!path.startsWith('/') && path !== '*') {
      const advice = `clients must use its base URL, ${ownUrl()}, and not HTTP_PROXY`
      return [421, `This proxy only forwards to ${target.origin}: ${advice}.`]
    }
    const [own = ''] = path.split('?')
    const isBelow = own === basePath || own.startsWith(`${basePath}/`)
    if (!isBelow || pathTraversal.test(own)) {
      return [404, `The proxy only forwards paths under its base URL, ${ownUrl()}.`]
    }
    // An offer of HTTP/2 is ignored, as by a server without it.
    const isOffer = upgrade === undefined || /^\s*h2c\s*$/i.test(String(upgrade))
    return isOffer ? undefined : [501, 'The proxy does not switch protocols: the Pet Store Service has no WebSocket.']
  }
}

/** RFC 9110 section 7.6.1. */
const hopByHop =
  'connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade'

/** Raw headers in their order and letter case, without `others`, hop-by-hop ones, and those that Connection names. */
function without(raw: readonly string[], others: readonly string[]): string[] {
  const pairs = Array.from({ length: raw.length / 2 }, (_, at) => raw.slice(2 * at, 2 * at + 2) as [string, string])
  const named = pairs.filter(([name]) => name.toLowerCase() === 'connection').flatMap(([, value]) => value.split(','))
  const dropped = new Set([...hopByHop.split(' '), ...named.map((name) => name.trim().toLowerCase()), ...others])
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat()
}

/** Request headers for the deployment: its host, and normalized framing. */
export function headersFor({ rawHeaders, headers, method }: IncomingMessage, { host }: URL): string[] {
  const framing =
    headers['transfer-encoding'] !== undefined
      ? ['Transfer-Encoding', 'chunked']
      : headers['content-length'] !== undefined
        ? ['Content-Length', headers['content-length']]
        : /^(?:POST|PUT|PATCH)$/.test(method ?? '')
          ? ['Content-Length', '0']
          : []
  return ['Host', host, ...without(rawHeaders, ['host', 'content-length']), ...framing]
}

/** Response headers for the client; without a length, Node sends chunks. */
export function headersBack({ rawHeaders, headers }: IncomingMessage, status: number): string[] {
  const hasNoLength = status === 204 || headers['transfer-encoding'] !== undefined
  return without(rawHeaders, hasNoLength ? ['content-length'] : [])
}

/** Placeholders for credentials and for other text. */
export const hidden = '[redacted]'
export const unknown = '[not kept]'

/** Maps the value of a header to what may be kept. Headers without a rule are dropped. */
type Rule = (value: string) => string
type Rules = Readonly<Record<string, Rule>>

export function pick(headers: MockRequest['headers'], rules: Rules): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value = '']) => {
      const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
      return rule === undefined ? [] : [[name, rule([value].flat().join(', '))]]
    }),
  )
}

const matching =
  (pattern: RegExp): Rule =>
  (value) =>
    pattern.test(value) ? value : unknown

/** Keeps the items of a list that match. */
const each =
  (pattern: RegExp, other: string): Rule =>
  (value) =>
    value
      .split(',', 20)
      .map((part) => (pattern.test(part.trim()) ? part.trim() : other))
      .join(', ')

/** Keeps known media types with weight and charset. */
const mediaType: Rule = (value) => {
  const [type = '', ...parameters] = value.split(';').map((part) => part.trim())
  const isType = /^(?:\*|application|text|image|audio|video|font|message|model|multipart)\/[a-z.+*-]{1,60}$/i.test(type)
  const kept = parameters.filter((parameter) =>
    /^(?:q=[01](?:\.\d{1,3})?|charset="?(?:utf-?8|utf-16|iso-8859-1|us-ascii|windows-1252)"?)$/i.test(parameter),
  )
  return [type === '' || isType ? type : 'other/other', ...kept].join('; ')
}

export const cleanOrigin = (origin: string): string =>
  /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/.test(origin) ? origin : 'https://page.example'

const date = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/
const codings = each(/^(?:gzip|x-gzip|deflate|br|zstd|identity|chunked|\*)(?:;\s*q=[01](?:\.\d{1,3})?)?$/i, 'other')
const methods = each(/^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE)$/, 'OTHER')
const bytes = matching(/^\d{1,15}$/)

export const requestRules: Rules = {
  ...Object.fromEntries(otherKeyHeaders.map((name) => [name, () => hidden])),
  accept: (value) => value.split(',', 20).map(mediaType).join(', '),
  'accept-encoding': codings,
  'content-type': mediaType,
  'content-length': bytes,
  'content-encoding': codings,
  'transfer-encoding': codings,
  'user-agent': (value) => (value === suiteUserAgent ? value : unknown),
  origin: cleanOrigin,
  range: () => unknown,
  'if-none-match': () => unknown,
  'access-control-request-method': methods,
}

const rateLimits = ['ratelimit', 'rate-limit', 'x-ratelimit', 'x-rate-limit'].flatMap((name) =>
  ['', '-limit', '-remaining', '-reset', '-policy'].map((part) => [name + part, matching(/^[\d.]{1,20}$/)] as const),
)

export const responseRules: Rules = {
  ...Object.fromEntries(rateLimits),
  'content-type': mediaType,
  'content-length': bytes,
  'content-encoding': codings,
  date: matching(date),
  'www-authenticate': (value) => /^(?:Bearer|Basic|Digest|Negotiate)\b/i.exec(value)?.[0] ?? 'other',
  allow: methods,
  'retry-after': (value) => (/^\d{1,9}$/.test(value) || date.test(value) ? value : unknown),
  deprecation: matching(/^(?:@\d{1,12}|true)$/),
  sunset: matching(date),
}
