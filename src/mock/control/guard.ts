import { equalInConstantTime } from '../authenticate.ts'
import type { MockReply, MockRequest } from '../message.ts'
import { sandboxName } from '../sandbox-key.ts'
import { problem } from './reply.ts'

/** The path of the control API. */
export const prefix = '/_petstore'

/** The path of the console. */
export const consolePath = `${prefix}/console`

/**
 * Whether a request is for a file of the console, or of a browser that was pointed at the control API. Files hold no
 * secret, and need no token: their script sends it.
 */
export function isForConsole({ method, target, headers: { accept } }: MockRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const path = pathOf(target)
  if (path === consolePath || path.startsWith(`${consolePath}/`)) return true
  return path === prefix && typeof accept === 'string' && /\btext\/html\b/i.test(accept)
}

/** The paths of probes: they show that the mock is alive or ready, and nothing else. */
export const probes = { health: `${prefix}/health`, ready: `${prefix}/ready` } as const

/**
 * Whether a request is one of a probe. Load balancers and orchestrators call by an address, a name of their own, or
 * without one, and have no token; that a mock is there shows on the interface, too.
 */
const isProbe = ({ method, target }: MockRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && [probes.health, probes.ready].some((path) => path === pathOf(target))

/** The path of a target, as it was sent. */
export const pathOf = (target: string): string => target.replace(/[?#].*$/s, '')

/** A target whose path begins with the prefix, in any spelling. */
const anySpelling = new RegExp(`^(?:https?://[^/?#]*)?/+${prefix.slice(1)}(?=[/?#]|$)`, 'i')

/** Whether a raw target belongs to the control API. Runs for each request. */
export function isControlTarget(target: string): boolean {
  // The second character rules out most targets.
  const isUsual = target[0] === '/' && target[1] !== '_' && target[1] !== '/'
  return !isUsual && anySpelling.test(target)
}

/** What a sandbox key opens of its sandbox. A run of the suite would send requests with the keys of deployments. */
const parts =
  'behaviors|clock|deviations|events|explain|journal(?:\\.har)?|pets|reset|rules|scorecard|settings|snapshots'
/** A target of one sandbox, with its name as no client needs to encode it. */
const inSandbox = new RegExp(
  `^(?:https?://[^/?#]*)?${prefix}/sandboxes/([a-z0-9-]+)(?:/(?:${parts})(?=[/?#]|$)|(?=[?#]|$))`,
)

interface GuardOptions {
  /** The address on which the server listens. */
  host: string
  /** Further names and addresses by which the mock may be called. */
  allowedHosts: readonly string[]
  /** Required in each request, when there is one. */
  token: string | undefined
  /** Whether a sandbox key does in place of the token, below the path of its sandbox. */
  hasSandboxes: boolean
  /** Whether there is a console. */
  hasConsole: boolean
}

type Headers = MockRequest['headers']

const challenge = { 'www-authenticate': 'Bearer realm="petstore-kit control API"' }

/**
 * Rejects requests, by their head alone, of others than the user of the mock. A browser on this machine is a client on this machine, too: a page of
 * any site can send requests here. So an address alone proves nothing; a request must name this machine as its host, or
 * a page could have pointed a name of its own at it (DNS rebinding), and it must not come from a page of elsewhere.
 */
export function createGuard({
  host,
  allowedHosts,
  token,
  hasSandboxes,
  hasConsole,
}: GuardOptions): (request: MockRequest) => MockReply | undefined {
  const isOwnHost = createIsOwnHost(host, allowedHosts)

  return (request) => {
    const { method, target, headers } = request
    if (isProbe(request)) return refuseOrigin(request)
    const isPage = hasConsole && isForConsole(request)
    const isPublic = isPage || (method === 'GET' && pathOf(target) === `${prefix}/interface.json`)
    return (
      refuseHost(target, headers) ??
      (isPage && isNavigation(headers) ? undefined : refuseOrigin(request)) ??
      refusePreflight(method, headers) ??
      (token === undefined || isPublic ? undefined : refuseToken(request, token, hasSandboxes))
    )
  }

  function refuseHost(target: string, headers: Headers): MockReply | undefined {
    const sent = headers['host']
    const named = typeof sent === 'string' ? hostOf(sent) : undefined
    if (named === undefined) return problem(403, 'The control API needs one Host header with a host in it.')
    // RFC 9112 section 3.2.2: what a target in absolute form names goes before the header.
    const absolute = /^https?:\/\/([^/?#]*)/i.exec(target)?.[1]
    if (absolute !== undefined && absolute.toLowerCase() !== String(sent).toLowerCase()) {
      return problem(403, 'The request names one host in its target and another one in its Host header.')
    }
    if (isOwnHost(named)) return undefined
    return problem(
      403,
      `The control API does not accept the host ${JSON.stringify(named)}, so that no website can reach it under a name ` +
        'of its own. Use a loopback address, or allow this host: `--control-host HOST`.',
    )
  }
}

/** A link to the console may stand in a chat or a ticket: who follows it opens a page that the other site cannot read. */
function isNavigation({ origin, ...headers }: Headers): boolean {
  return origin === undefined && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
}

/** Only a page of the control API itself may send a request, even one whose response it could not read. */
function refuseOrigin({ headers, scheme = 'http' }: MockRequest): MockReply | undefined {
  const { origin, 'sec-fetch-site': site } = headers
  const own = `${scheme}://${String(headers['host']).toLowerCase()}`
  const isForeign = origin !== undefined && (typeof origin !== 'string' || origin.toLowerCase() !== own)
  const isElsewhere = site !== undefined && site !== 'same-origin' && site !== 'none'
  if (!isForeign && !isElsewhere) return undefined
  return problem(
    403,
    'The control API accepts no requests from pages of another origin. In a page, use the mock itself.',
  )
}

function refusePreflight(method: string, headers: Headers): MockReply | undefined {
  return method.toUpperCase() === 'OPTIONS' && headers['access-control-request-method'] !== undefined
    ? problem(403, 'The control API accepts no requests from pages of another origin.')
    : undefined
}

/** The bearer token of a request. */
export function tokenOf({ headers: { authorization } }: MockRequest): string | undefined {
  return typeof authorization === 'string' ? /^Bearer +(\S+) *$/i.exec(authorization)?.[1] : undefined
}

function refuseToken(request: MockRequest, token: string, hasSandboxes: boolean): MockReply | undefined {
  const sent = tokenOf(request)
  if (sent === undefined) {
    return problem(401, 'The control API needs its token: `Authorization: Bearer <TOKEN>`.', challenge)
  }
  if (equalInConstantTime(sent, token)) return undefined
  const name = hasSandboxes ? sandboxName(sent) : undefined
  if (name === undefined) return problem(401, 'This is not the token of the control API.', challenge)
  const [, named] = inSandbox.exec(request.target) ?? []
  if (named !== undefined && equalInConstantTime(named, name)) return undefined
  const own = 'its own journal, scorecard, rules, clock, pets, settings and snapshots'
  return problem(403, `This sandbox key opens only ${own}, below ${prefix}/sandboxes/${name}.`)
}

/**
 * Whether the Host header of a request names this machine, as `createGuard` wants it.
 *
 * @param bind the address on which the server listens.
 */
export function createHostCheck(bind: string, allowedHosts: readonly string[]): (header: unknown) => boolean {
  const isOwnHost = createIsOwnHost(bind, allowedHosts)
  return (header) => {
    const named = typeof header === 'string' ? hostOf(header) : undefined
    return named !== undefined && isOwnHost(named)
  }
}

/** A host and a port, as they stand in a Host header: `localhost:4010`, `[::1]:4010`. */
const authority = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i
const octet = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)'
const ipv4 = new RegExp(`^${octet}(?:\\.${octet}){3}$`)

/** The host in a Host header, in lower case and without the brackets of an IPv6 address; undefined when it has no host. */
function hostOf(header: string): string | undefined {
  const host = authority.exec(header)?.[1]
  return host === undefined ? undefined : bare(host)
}

/**
 * Whether a host is this machine and no other: 127.0.0.0/8, `localhost`, names below it, and `::1`. Names below
 * `localhost` belong to no site (RFC 6761 section 6.3), so that no one can point them elsewhere.
 */
export function isLoopbackHost(host: string): boolean {
  const name = bare(host)
  return (
    name === 'localhost' ||
    name === '127.0.0.1' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    (name.startsWith('127.') && ipv4.test(name))
  )
}

/** Maps an address that stands for all to one that can be called. */
export function hostInUrl(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** A test whether a host names this mock, however a page came by it. */
function createIsOwnHost(bind: string, allowedHosts: readonly string[]): (host: string) => boolean {
  const names = new Set([bind, ...allowedHosts].map(bare))
  // Such a server listens on each address of the machine. An address, unlike a name, cannot be pointed elsewhere.
  const onAll = bare(bind) === '0.0.0.0' || bare(bind) === '::'
  return (host) => isLoopbackHost(host) || names.has(host) || (onAll && isAddress(host))
}

/** Whether a text can be compared with what stands in a Host header: a name or an address, without a port. */
export function isHostName(text: string): boolean {
  return /^[\w.-]+$/.test(text) || /^\[?[\da-f]*:[\da-f.]*:[\da-f:.]*\]?$/i.test(text)
}

function isAddress(host: string): boolean {
  return ipv4.test(host) || host.includes(':')
}

function bare(host: string): string {
  return host.toLowerCase().replace(/^\[|\]$/g, '')
}
