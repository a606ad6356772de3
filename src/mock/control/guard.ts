import { equalInConstantTime } from '../service/authenticate.ts'
import type { MockReply, MockRequest } from '../service/message.ts'
import { isJsonObject, tryParseJson } from '../../validate.ts'
import { bare, ipv4, isLoopback } from '../../option-checks.ts'
import { opensSandbox, sandboxName, toSandboxName } from '../service/sandbox-key.ts'
import { type ControlOptions, prefix, problem } from './routes/route.ts'

export const consolePath = `${prefix}/console`

/**
 * Whether a request is for a file of the console, or a browser opens the control API itself or the root. The files
 * contain no secrets and need no token: their script sends it.
 */
export function isForConsole({ method, target, headers: { accept } }: MockRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const path = pathOf(target)
  if (path === consolePath || path.startsWith(`${consolePath}/`)) return true
  return (
    (path === prefix || path === '/') &&
    typeof accept === 'string' &&
    /\btext\/html\b/i.test(accept)
  )
}

/** Paths of health probes, which reveal nothing else. */
export const probes = { health: `${prefix}/health`, ready: `${prefix}/ready` } as const

/**
 * Whether a request is a health probe. Load balancers and orchestrators send any Host header, or none, and have no token.
 */
const isProbe = ({ method, target }: MockRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && Object.values<string>(probes).includes(pathOf(target))

/** The path of a target, undecoded. */
export const pathOf = (target: string): string => target.replace(/[?#].*$/s, '')

/** A path below the prefix, in any letter case and with extra slashes. */
const anySpelling = new RegExp(`^(?:https?://[^/?#]*)?/+${prefix.slice(1)}(?=[/?#]|$)`, 'i')

/** Whether a raw target belongs to the control API. */
export function isControlTarget(target: string): boolean {
  // Fast path, since this runs for each request.
  const isUsual = target[0] === '/' && target[1] !== '_' && target[1] !== '/'
  return !isUsual && anySpelling.test(target)
}

/** What a sandbox key may access in its sandbox. Not `runs`, which use the keys of deployments. */
const parts =
  'behaviors|clock|defects|events|explain|journal(?:\\.har)?|pets|reset|rules|scorecard|settings|snapshots'
/** The target of an accessible part of a sandbox; the name needs no encoding. */
const inSandbox = new RegExp(
  `^(?:https?://[^/?#]*)?${prefix}/sandboxes/([a-z0-9-]+)(?:/(?:${parts})(?=[/?#]|$)|(?=[?#]|$))`,
)

type Headers = MockRequest['headers']

const challenge = { 'www-authenticate': 'Bearer realm="petstore-kit control API"' }

/**
 * Rejects requests of websites. Any page in a browser on this machine can send requests here, so the address of the client
 * proves nothing. The Host header must be known, against DNS rebinding, and the page must not be of another origin.
 */
export function createGuard({
  mock,
  host,
  allowedHosts = [],
  token,
  respondConsole,
}: ControlOptions) {
  const isOwnHost = createHostCheck(host, allowedHosts)
  const rejectOrigin = createRejectOrigin(allowedHosts)

  return (request: MockRequest): MockReply | undefined => {
    const { method, target, headers } = request
    if (isProbe(request)) return rejectOrigin(request)
    const isPage = respondConsole !== undefined && isForConsole(request)
    const isPublic = isPage || (method === 'GET' && openDocuments.test(pathOf(target)))
    return (
      rejectHost(target, headers) ??
      (isPage && isNavigation(headers) ? undefined : rejectOrigin(request)) ??
      (token === undefined || isPublic ? undefined : rejectToken(request, token, mock))
    )
  }

  function rejectHost(target: string, headers: Headers): MockReply | undefined {
    const named = hostOf(headers['host'])
    if (named === undefined)
      return problem(403, 'The control API needs one Host header with a host in it.')
    // RFC 9112 section 3.2.2: the host of an absolute target takes precedence over the header.
    const absolute = /^https?:\/\/([^/?#]*)/i.exec(target)?.[1]
    if (
      absolute !== undefined &&
      absolute.toLowerCase() !== String(headers['host']).toLowerCase()
    ) {
      return problem(
        403,
        'The request names one host in its target and another one in its Host header.',
      )
    }
    if (isOwnHost(headers['host'])) return undefined
    return problem(
      403,
      `The control API does not accept the host ${JSON.stringify(named)}, to protect it from websites that use another ` +
        'name for it. Use a loopback address, or allow this host: `--control-host HOST`.',
    )
  }
}

/** Links to the console from other sites are harmless: those sites cannot read the page. */
function isNavigation({ origin, ...headers }: Headers): boolean {
  return (
    origin === undefined &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document'
  )
}

/**
 * Rejects requests from pages of other origins, even those whose response the page could not read. Where TLS ends before
 * the mock, its pages have an https origin: of the host that they requested, or of one whose proxy changed `Host`. Only
 * allowed hosts have these: on this machine, another program may serve https.
 */
function createRejectOrigin(allowedHosts: readonly string[]) {
  const allowed = new Set(allowedHosts.map(bare))
  const secure = new Set(Array.from(allowed, (name) => `https://${hostInUrl(name)}`))

  return ({ headers, scheme = 'http' }: MockRequest): MockReply | undefined => {
    const { origin, 'sec-fetch-site': site } = headers
    const authority = String(headers['host']).toLowerCase()
    const isAllowed = allowed.has(hostOf(headers['host']) ?? '')
    const isOwn = (sent: string): boolean =>
      sent === `${scheme}://${authority}` ||
      (isAllowed && sent === `https://${authority}`) ||
      secure.has(sent)
    const isForeign =
      origin !== undefined && (typeof origin !== 'string' || !isOwn(origin.toLowerCase()))
    const isElsewhere = site !== undefined && site !== 'same-origin' && site !== 'none'
    if (!isForeign && !isElsewhere) return undefined
    return problem(
      403,
      'The control API rejects requests from pages of other origins. In a page, use the mock itself.',
    )
  }
}

export function tokenOf({ headers: { authorization } }: MockRequest): string | undefined {
  return typeof authorization === 'string'
    ? /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
    : undefined
}

function rejectToken(
  request: MockRequest,
  token: string,
  { settings, sandboxes }: ControlOptions['mock'],
): MockReply | undefined {
  const sent = tokenOf(request)
  if (sent === undefined) {
    return problem(
      401,
      'The control API needs its token: `Authorization: Bearer <TOKEN>`.',
      challenge,
    )
  }
  if (equalInConstantTime(sent, token)) return undefined
  const name = settings.sandboxes === false ? undefined : sandboxName(sent)
  if (name === undefined)
    return problem(401, 'This is not the token of the control API.', challenge)
  const opens = (one: string): boolean =>
    opensSandbox(settings.sandboxes, one) || sandboxes.has(one)
  if (!opens(name)) return problem(403, closed(name))
  if (isDocument(request)) return undefined
  const named = inSandbox.exec(request.target)?.[1] ?? newSandbox(request)
  // Sandboxes of tests have names that begin with that of the key.
  if (named === name || isUnread(request)) return undefined
  if (named?.startsWith(`${name}-`)) return opens(named) ? undefined : problem(403, closed(named))
  return problem(
    403,
    `Your key gives access only to your own sandbox, below ${prefix}/sandboxes/${name}, and to those whose names begin with ${name}-.`,
  )
}

const closed = (name: string): string =>
  `This mock opens no sandbox ${name}. Its operator can accept this name, or give another one.`

/** The OpenAPI document of the service. */
const openDocuments = new RegExp(`^${prefix}/interface\\.(?:json|yaml)$`)

/** Texts about the interface and the control API, which say nothing of a sandbox. */
const documents = new RegExp(`^${prefix}(?:/openapi\\.json|/requirements|/explain/[^/]+)?$`)

const isDocument = ({ method, target }: MockRequest): boolean =>
  method === 'GET' && documents.test(pathOf(target))

const makesSandbox = ({ method, target }: MockRequest): boolean =>
  method === 'POST' && pathOf(target) === `${prefix}/sandboxes`

/** Whether a request creates a sandbox whose name is not read yet: then it is tested again with its body. */
const isUnread = (request: MockRequest): boolean => makesSandbox(request) && request.body === ''

/** The name of the sandbox that a request creates. */
function newSandbox(request: MockRequest): string | undefined {
  if (!makesSandbox(request)) return undefined
  const value = tryParseJson(request.body)
  const name = isJsonObject(value) ? value['name'] : undefined
  return typeof name === 'string' && name !== '' ? toSandboxName(name) : undefined
}

/** A test whether a Host header is one that `createGuard` accepts, where the server listens on the address `bind`. */
export function createHostCheck(
  bind: string,
  allowedHosts: readonly string[],
): (header: unknown) => boolean {
  const names = new Set([bind, ...allowedHosts].map(bare))
  // Listening on all addresses accepts any address as the host: unlike a name, it is safe from DNS rebinding.
  const onAll = bare(bind) === '0.0.0.0' || bare(bind) === '::'
  return (header) => {
    const host = hostOf(header)
    return (
      host !== undefined &&
      (isLoopback(host) || names.has(host) || (onAll && (ipv4.test(host) || host.includes(':'))))
    )
  }
}

/** The value of a Host header: `localhost:4010`, `[::1]:4010`. */
const authority = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i

/** The host in a Host header, in lower case and without brackets; undefined when the header is invalid, or not there once. */
function hostOf(header: unknown): string | undefined {
  const host = typeof header === 'string' ? authority.exec(header)?.[1] : undefined
  return host === undefined ? undefined : bare(host)
}

/** The token of a control API: the given one, or a random one where other machines can reach it. */
export function tokenOn(host: string, given: string | undefined): string | undefined {
  return given ?? (isLoopback(host) ? undefined : crypto.randomUUID())
}

/** The host of a URL for a listening address: wildcard addresses become loopback. */
export function hostInUrl(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** Whether a text is a host name or an address without a port. */
export function isHostName(text: string): boolean {
  return /^[\w.-]+$/.test(text) || /^\[?[\da-f]*:[\da-f.]*:[\da-f:.]*\]?$/i.test(text)
}
