import { type Credential, noHeader } from '../http/credentials.ts'
import { NoResponse, type Content, type Exchange } from '../http/exchange.ts'
import { looksLikeTheInterface } from '../judge/every-response.ts'
import { errorMismatches, petMismatches, shorten } from '../judge/shapes.ts'
import type { Run } from './run.ts'
import type { Transport } from '../http/transport.ts'

/** Other addresses to try: with them, a run that finds none sends at most 15 requests. */
const maxTries = 5

/**
 * After listPets failed: why the base URL is probably wrong, and which one may be right; undefined if it seems right.
 *
 * A URL that ends in `/v1` is right if a response looked like the interface, or a request without a key got 401. Any
 * other URL is right only if no other one responds better.
 */
export async function wrongAddress(run: Run): Promise<string | undefined> {
  const { log, options } = run
  const [first] = log.exchanges
  if (first === undefined) return undefined
  const base = new URL(options.baseUrl)
  const redirected = redirectedBase(base, first)
  const looksLikeService =
    log.exchanges.some(looksLikeTheInterface) ||
    (await respond(run.transport, '/pets', noHeader))?.status === 401 ||
    // The service is there, but redirects its paths to ones that end in a slash.
    (redirected === base.pathname && isService(await respond(run.transport, '/pets/?limit=1')))
  if (looksLikeService && base.pathname.endsWith('/v1')) return undefined
  const others = otherAddresses(base, first, redirected)
  const found = await findService(run, others)
  if (found === undefined && looksLikeService) return undefined
  const seen = `This is not the Pet Store Service: GET ${options.baseUrl}${first.plan.path} responded ${whatCame(first)}`
  run.suggestedBaseUrl = found
  if (found !== undefined)
    return `${seen}; ${found} responds like the Pet Store Service. Check the base URL`
  const tried = others.length === 0 ? '' : `; nor is it at ${others.join(' or ')}`
  const { location = '' } = first.headers
  const [moved] = /^https?:\/\/[^?#]*(?=\/pets\/?(?:[?#]|$))/.exec(location) ?? []
  const hint = moved === undefined || moved === options.baseUrl ? '' : `; did you mean ${moved}?`
  const advice = first.status < 500 ? hint : ' and the log of the target'
  return `${seen}${tried}. ${adviceOn(first)}Check the base URL${advice}`
}

/** `403 (text/plain: "Unknown ALPN Protocol")` */
function whatCame({ status, headers, content }: Exchange): string {
  const { location } = headers
  if (location !== undefined) return `${status} (a redirect to ${location.slice(0, 200)})`
  const none = content.kind === 'empty' ? 'no body' : 'no media type'
  const words = wordsOf(content)
  const shown = words === '' ? '' : `: ${JSON.stringify(words)}`
  return `${status} (${headers['content-type']?.slice(0, 60) ?? none}${shown})`
}

/** The first words of a text, or the title of a page. */
function wordsOf(content: Content): string {
  if (content.kind !== 'broken') return ''
  const text = content.text
  const [, title = ''] = /<title[^<>]*>([^<]*)/i.exec(text) ?? []
  const words = (text.trimStart().startsWith('<') ? title : text).replaceAll(/\s+/g, ' ').trim()
  return /[\0\uFFFD]/.test(words) ? '' : shorten(words)
}

const login =
  /\b(?:log|sign)[ _-]?(?:in|on)\b|\bauthorize\b|\bsso\b|\bsaml|\boauth|type=["']?password/i
const firewall =
  /\bblocked\b|\bfirewall\b|attention required|captcha|are you a robot|access denied|security check|\bwaf\b/i

/** What probably sent a response that is not one of the service, and what to do about it. */
function adviceOn({ headers, content }: Exchange): string {
  const text = content.kind === 'empty' ? '' : content.text
  const page = text.startsWith('<') ? text : ''
  const way =
    'let requests with the API key pass there, or give the header that it requires with --header. '
  if (login.test(`${headers['location']} ${page}`))
    return `That is a login page of a gateway: ${way}`
  if (firewall.test(page)) return `That is a page of a firewall: ${way}`
  if (/\bALPN\b|\bHTTP\/2\b|\bh2c?\b/.test(text))
    return 'The suite speaks HTTP/1.1: let the server accept it. '
  return ''
}

/** After a key was rejected that was never accepted: by what, and what to do about it, unless the service itself says so. */
export function rejectionWords({ log, options }: Run): string {
  const rejection = log.exchanges.find(({ status }) => status === 401)
  if (rejection === undefined) return ''
  const { content, headers, plan } = rejection
  const { 'www-authenticate': challenge = '' } = headers
  const wanted = challenge === '' ? '' : `, with WWW-Authenticate: ${shorten(challenge)}`
  if (content.kind === 'json' && errorMismatches(content.value, 401).length === 0) return wanted
  const seen = `: GET ${options.baseUrl}${plan.path} responded ${whatCame(rejection)}${wanted}. `
  const [scheme = ''] = /^[\w-]+/.exec(challenge) ?? []
  // Its credential needs the header of the API key.
  if (scheme !== '' && scheme.toLowerCase() !== 'bearer')
    return `${seen}A gateway before the service wants ${scheme} authentication in the header Authorization: let requests with a bearer token pass there`
  return `${seen}Check the key; if a gateway sends that, let requests with the API key pass there, or give the header that it requires with --header`
}

async function respond(
  transport: Transport,
  path: string,
  credential?: Credential,
): Promise<Exchange | undefined> {
  try {
    return await transport.send({ method: 'GET', path, credential })
  } catch (error) {
    if (error instanceof NoResponse) return undefined
    throw error
  }
}

/** The first address that responds as specified, a rejected key included. */
async function findService(run: Run, addresses: readonly string[]): Promise<string | undefined> {
  for (const baseUrl of addresses) {
    const transport = run.transport.elsewhere(baseUrl)
    try {
      if (isService(await respond(transport, '/pets?limit=1'))) return baseUrl
    } finally {
      run.transport.requests += transport.requests
      transport.close()
    }
  }
  return undefined
}

function isService({ status, content }: Partial<Exchange> = {}): boolean {
  if (content?.kind !== 'json') return false
  const { value } = content
  if (status === 401) return errorMismatches(value, status).length === 0
  return (
    status === 200 &&
    Array.isArray(value) &&
    value.every((pet) => petMismatches(pet, '').length === 0)
  )
}

/** The path of the base URL that a redirect on the same host leads to. */
function redirectedBase({ origin }: URL, { headers: { location } }: Exchange): string | undefined {
  const target =
    location !== undefined && URL.canParse(location, origin) ? new URL(location, origin) : undefined
  return target?.origin === origin ? /^(.*)\/pets\/?$/.exec(target.pathname)?.[1] : undefined
}

/** Likely base URLs on the same host, some of them from the response. */
function otherAddresses(
  { origin, pathname }: URL,
  { content }: Exchange,
  redirected = pathname,
): string[] {
  const path = pathname.replace(/\/$/, '')
  const text = content.kind === 'empty' ? '' : content.text
  const suggested = [...text.matchAll(/(?<![\w/.:-])(?:\/[\w.~-]{1,40}){0,5}\/v1\b/g)].map(
    ([match]) => match,
  )
  const stem = path.replace(/\/pets$/, '')
  const bare = stem.replace(/\/v\d+$/, '')
  const all = [redirected, ...suggested.slice(0, 2), `${bare}/v1`, '/v1', bare, stem]
  return [...new Set(all)]
    .flatMap((other) => (other === path ? [] : origin + other))
    .slice(0, maxTries)
}
